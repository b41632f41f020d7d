//! One-sided rows of constraints in a Newton step: who acts is decided for all of them together.
//!
//! The matrix is assembled with the rows that act at the state, as each of them sees it alone. The step must end where
//! every row either pushes or is open, to first order: with T⁺ the multipliers after the step and w the gaps,
//!
//! ```text
//! T⁺ ≥ 0,    w = −(c + C δ − compliance · T⁺) ≥ 0,    T⁺ · w = 0
//! ```
//!
//! up to the side of each row. Of every pair the assembled matrix sets one to zero: the gap of rows that act, the
//! multiplier of the others. Where its solution has none that is negative, it is the step. Otherwise pairs are exchanged
//! (`complementarity`): a column is one more solve with the factor at hand, by a gap of one for a row that acts, by a force
//! of one for a row that does not. Deciding row by row instead, from one step to the next, goes round in circles where
//! several lines pull on one rod.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | T | multiplier in the sense of its side | `side * multiplier` | N, N m |
//! | w | gap | `-side * open` | m, rad |

use crate::constraints::{Acting, Sharing, Standing, give_of};
use crate::contribution::{At, Constraint};
use crate::index::Node;
use crate::kind::each_constraint;
use crate::node::{Homes, Role, Term};
use crate::one_sided_rows::{OneSided, Row};
use crate::{State, System, Workspace};
use nalgebra::{Matrix6, Vector6};

/// How the multiplier of a constraint enters the balance of forces.
pub(crate) trait Push {
    /// Whether the assembled rows share.
    const SHARING: Sharing;

    /// What is known of the constraints at the state.
    fn standing(&self) -> Option<&Standing> {
        None
    }

    /// Visits (∂c/∂z)ᵀ of the nodes that it pushes, transposed.
    fn visit(&self, constraint: &impl Constraint, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>));
}

/// By its Jacobian.
pub(crate) struct AtRest;

impl Push for AtRest {
    const SHARING: Sharing = Sharing::On;

    fn visit(&self, constraint: &impl Constraint, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        constraint.jacobian(at, visit);
    }
}

impl System {
    /// Turns the solution with the rows that were assembled as acting into one that leaves every one-sided row pushing or
    /// open. Where there is none, the solution stays as it is, and each row decides for itself in the next iteration.
    pub(crate) fn settle_one_sided<P: Push>(&self, state: &State, push: &P, work: &mut Workspace) {
        let mut own = std::mem::take(&mut work.one_sided);
        let mut solution = std::mem::take(&mut work.solution);
        let at = self.at(state, &work.inputs);
        self.collect_one_sided(&at, push, &work.terms, &solution, &mut own);
        if !own.rows.is_empty() {
            if !own.problem.is_settled() {
                self.complete_jacobians(&at, push, &mut own);
            }
            self.exchange_one_sided(&at, push, &mut own, work, &mut solution);
        }
        work.solution = solution;
        work.one_sided = own;
    }

    /// The rows and the variables that the solution does not set to zero. Of constraints all of whose rows act the Jacobian is left out:
    /// most solutions ask for none.
    fn collect_one_sided<P: Push>(&self, at: &At<'_>, push: &P, terms: &[Term], solution: &[f64], own: &mut OneSided) {
        let nothing = Standing::default();
        let standing = push.standing().unwrap_or(&nothing);
        let OneSided { rows, jacobians, problem, acts, .. } = own;
        rows.clear();
        jacobians.clear();
        problem.clear();
        each_constraint!(self.values.kinds, |constraint| {
            let group = constraint.multiplier().node.and_then(|node| self.layout.own_group(node));
            if let Some(group) = group.filter(|_| constraint.is_one_sided()) {
                let block = constraint.multiplier().block;
                let Acting { multiplier, condition, .. } = standing.acting(constraint, at);
                let give = give_of(constraint, at.scales, &condition, P::SHARING);
                let (unit, firmness) = (constraint.unit(at.scales), constraint.firmness(at.scales, &multiplier));
                let first = jacobians.len();
                if (0..constraint.size()).any(|row| condition.sides[row].is_some() && !condition.active[row]) {
                    standing.visit(constraint, at, &mut |node, jacobian| jacobians.push((node, *jacobian)));
                }
                let jacobian = (first, jacobians.len());
                let own = jacobians[first..].iter();
                let rate: Vector6<f64> =
                    own.map(|(node, jacobian)| jacobian * self.layout.homes.motion(*node, terms, solution)).sum();
                acts[block.index()] = condition.active;
                for row in 0..constraint.size() {
                    let Some(side) = condition.sides[row] else { continue };
                    let unknown = self.layout.homes.rows(group).start + row;
                    let (force, length) = (firmness[row] * unit[row], unit[row]);
                    let give = give[row];
                    let (acts, multiplier) = (condition.active[row], multiplier[row]);
                    // Without its force a row is open by as much more as it gave way.
                    let value = match acts {
                        true => side * (multiplier + solution[unknown]) / force,
                        false => -side * (condition.open[row] + rate[row] + give * multiplier) / length,
                    };
                    rows.push(Row { block, row, unknown, side, acts, multiplier, force, length, give, jacobian });
                    problem.value.push(value);
                }
            }
        });
    }

    /// Adds the Jacobians that were left out.
    fn complete_jacobians<P: Push>(&self, at: &At<'_>, push: &P, own: &mut OneSided) {
        let nothing = Standing::default();
        let standing = push.standing().unwrap_or(&nothing);
        let OneSided { rows, jacobians, .. } = own;
        // Rows stand in the order of their constraints.
        let mut rest = rows.as_mut_slice();
        each_constraint!(self.values.kinds, |constraint| {
            let block = constraint.multiplier().block;
            let count = rest.iter().take_while(|row| row.block == block).count();
            let (own, others) = std::mem::take(&mut rest).split_at_mut(count);
            rest = others;
            if own.first().is_some_and(|row| row.jacobian.0 == row.jacobian.1) {
                let first = jacobians.len();
                standing.visit(constraint, at, &mut |node, jacobian| jacobians.push((node, *jacobian)));
                own.iter_mut().for_each(|row| row.jacobian = (first, jacobians.len()));
            }
        });
    }

    fn exchange_one_sided(
        &self,
        at: &At<'_>,
        push: &impl Push,
        own: &mut OneSided,
        work: &Workspace,
        solution: &mut [f64],
    ) {
        let OneSided { rows, jacobians, problem, columns, direct, acts } = own;
        let stride = self.layout.homes.all_rows();
        columns.clear();
        problem.solve(|which, out| {
            let first = columns.len();
            columns.resize(first + stride, 0.0);
            self.one_sided_column(which, at, push, (rows, jacobians), work, &mut columns[first..], direct, out);
        });
        for (which, place, amount) in problem.exchanges() {
            let column = &columns[place * stride..(place + 1) * stride];
            solution.iter_mut().zip(column).for_each(|(x, column)| *x += column * amount);
            acts[rows[which].block.index()][rows[which].row] = !rows[which].acts;
        }
        for (which, row) in rows.iter().enumerate() {
            if !row.acts || problem.is_exchanged(which) {
                // Slack is exactly no force; and what begins to act has no row of its own in the solution.
                let amount = if row.acts { 0.0 } else { problem.partner(which) };
                solution[row.unknown] = row.side * row.force * amount - row.multiplier;
            }
        }
    }

    /// The answer of everything to a unit of the variable that a row's guess sets to zero: of all unknowns, and of the
    /// other variable of every row.
    #[allow(clippy::too_many_arguments)]
    fn one_sided_column(
        &self,
        which: usize,
        at: &At<'_>,
        push: &impl Push,
        (rows, jacobians): (&[Row], &[(Node, Matrix6<f64>)]),
        work: &Workspace,
        x: &mut [f64],
        direct: &mut Vec<f64>,
        out: &mut [f64],
    ) {
        let (homes, n) = (&self.layout.homes, self.unknowns());
        let row = rows[which];
        let amount = row.side * row.force;
        direct.clear();
        direct.resize(rows.len(), 0.0);
        if row.acts {
            x[row.unknown] = -row.side * row.length;
        } else {
            // Conditions that depend on this multiplier.
            x[row.unknown] = amount;
            self.each_rate(rows, jacobians, work, x, |other, rate| direct[other] = rate);
            x[row.unknown] = 0.0;
            each_constraint!(self.values.kinds, |constraint| {
                if constraint.multiplier().block == row.block {
                    push.visit(constraint, at, &mut |node, jacobian| {
                        // What multipliers do to each other's conditions is known from the rates.
                        if self.layout.roles[node] == Role::Multiplier {
                            return;
                        }
                        let force = -jacobian.row(row.row).transpose() * amount;
                        homes.spread_one(node, &force, &work.terms, x);
                    });
                }
            });
            for (direct, other) in direct.iter_mut().zip(rows) {
                match other.acts {
                    true => x[other.unknown] -= *direct,
                    false => *direct -= std::mem::take(&mut x[other.unknown]),
                }
            }
            direct[which] = -row.give * amount;
        }
        work.solve(&mut x[..n]);
        x[n..].fill(0.0);
        self.each_rate(rows, jacobians, work, x, |other, rate| {
            let Row { side, length, .. } = rows[other];
            out[other] = -side * (rate + direct[other]) / length;
        });
        for (out, other) in out.iter_mut().zip(rows).filter(|(_, other)| other.acts) {
            *out = other.side * x[other.unknown] / other.force;
        }
    }

    /// Rates of the rows along a vector over all groups.
    fn each_rate(
        &self,
        rows: &[Row],
        jacobians: &[(Node, Matrix6<f64>)],
        work: &Workspace,
        x: &[f64],
        mut visit: impl FnMut(usize, f64),
    ) {
        for (which, row) in rows.iter().enumerate() {
            let own = jacobians[row.jacobian.0..row.jacobian.1].iter();
            let motion = |node: &Node| self.layout.homes.motion(*node, &work.terms, x);
            visit(which, own.map(|(node, jacobian)| (jacobian.row(row.row) * motion(node)).x).sum());
        }
    }
}

/// Rate of a condition along a vector over all groups.
pub(crate) fn rate_of(
    constraint: &impl Constraint,
    at: &At<'_>,
    homes: &Homes,
    terms: &[Term],
    x: &[f64],
) -> Vector6<f64> {
    let mut rate = Vector6::zeros();
    constraint.jacobian(at, &mut |node, jacobian| rate += jacobian * homes.motion(node, terms, x));
    rate
}
