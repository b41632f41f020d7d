//! The optimisation job: numbers of a scene file that make a formula of outputs least, under constraints.
//!
//! `optimise` begins with the equilibrium of the file as it is. Every place that the search looks at is the file with other numbers, read
//! anew and settled from the last equilibrium on the same division; derivatives are those of [`crate::derivatives`], carried through the
//! formulas by the chain rule.

mod quantity;

use crate::derivatives::Source;
use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::observer::Watch;
use crate::robot::solved::{Judgement, Solved, solve_watched};
use lissome_io::optimise_fault::OptimiseFault;
use lissome_io::{Diagnostic, Fault, LoadedScene};
use lissome_model::{Constraint, Formula, FreeOf, OptimiseJob, Rows, Scene, Slope, Undefined};
use lissome_solve::accuracy::Finer;
use lissome_solve::derivative::CHANGE;
use lissome_solve::optimise::{
    self, CONSTRAINT_TOLERANCE, Design, Limits, Obstacle, Optimum, OptimumEnd, Round, Slopes, Values,
};
use lissome_solve::statics::{self, Solution, StaticOptions};
use lissome_solve::{ConstraintRecord, Equilibrium, FreeRecord, OptimumRecord, OptimumRound};
use nalgebra::{DMatrix, DVector};
use quantity::Quantity;

/// Part of the objective's own size that its slope counts for at least, and of a slope that a constraint's size counts for.
const OF_OBJECTIVE: f64 = 1e-2;
const OF_SLOPE: f64 = 1e-2;

/// Numbers that derivatives are by at once; whoever watches is heard between.
const AT_ONCE: usize = 8;

/// Part of its range within which a number is at its limit: an interior-point method stays a little inside.
const AT_LIMIT: f64 = 1e-9;

/// Does the job of a file. Without an equilibrium to begin with, the outcome says why.
pub(crate) fn optimise(
    loaded: &LoadedScene,
    job: &OptimiseJob,
    watch: &Watch<'_>,
) -> Result<Equilibrium, Vec<Diagnostic>> {
    let start: Vec<f64> = job.free.iter().map(|free| free.start).collect();
    let file = loaded.with_values(&job.free, &start, true)?;
    let refuse = |SimulateError::Invalid(invalid)| vec![loaded.diagnose(&invalid)];
    crate::check(&file.scene).map_err(refuse)?;
    let solved = solve_watched(&file.scene, Judgement::Eigenvalue, watch).map_err(refuse)?;
    if !solved.equilibrium.outcome.converged() || solved.equations().is_none() {
        return Ok(solved.equilibrium);
    }
    let stable = solved.equilibrium.is_stable() != Some(false);
    let mut study = Study::begin(loaded, job, watch, Place { values: start, file, solved, rows: Vec::new() })?;
    let without = match job.stable && !stable {
        true => Some((OptimumEnd::Blocked, Obstacle::Unstable)),
        false => (!study.scale()?).then_some((OptimumEnd::Stopped, Obstacle::Stopped)),
    };
    if let Some((end, obstacle)) = without {
        let values = study.values(&study.now).map_err(|told| vec![study.blame(&told)])?;
        return study.finish(at_start(&job.free, values, end), Some(obstacle).filter(|_| end == OptimumEnd::Blocked));
    }
    let values = study.values(&study.now).map_err(|told| vec![study.blame(&told)])?;
    let limits = study.limits();
    let x = DVector::zeros(job.free.len());
    let found = optimise::search(&mut study, x, values, &limits);
    let obstacle = found.obstacle.clone();
    study.finish(found, obstacle)
}

/// An end without a search.
fn at_start(free: &[lissome_model::FreeNumber], values: Values, end: OptimumEnd) -> Optimum {
    let constraints = values.constraints.len();
    let x = DVector::zeros(free.len());
    Optimum {
        end,
        last: Round { x, values, violation: 0.0, kkt: f64::NAN, tries: 0 },
        multipliers: vec![0.0; constraints],
        limit_multipliers: vec![0.0; free.len()],
        obstacle: None,
        rounds: 0,
    }
}

/// A formula and which quantity each of its names is.
struct Bound<'a> {
    formula: &'a Formula,
    /// Where it stands in the file.
    path: String,
    names: Vec<usize>,
}

/// A formula without a value.
struct Told {
    path: String,
    text: String,
    undefined: Undefined,
}

/// The file with certain numbers, and its equilibrium.
struct Place {
    values: Vec<f64>,
    file: LoadedScene,
    solved: Solved,
    /// Rows of the outputs of every quantity.
    rows: Vec<Vec<f64>>,
}

struct Study<'a, 'w> {
    loaded: &'a LoadedScene,
    job: &'a OptimiseJob,
    watch: &'a Watch<'w>,
    quantities: Vec<Quantity>,
    objective: Bound<'a>,
    constraints: Vec<(Bound<'a>, Bound<'a>)>,
    /// A large change of each number.
    units: Vec<f64>,
    objective_scale: f64,
    constraint_scales: Vec<f64>,
    now: Place,
    looked: Option<Place>,
    first_slopes: Option<Slopes>,
    rounds: Vec<OptimumRound>,
    idle: bool,
    solves: usize,
}

impl<'a, 'w> Study<'a, 'w> {
    fn begin(
        loaded: &'a LoadedScene,
        job: &'a OptimiseJob,
        watch: &'a Watch<'w>,
        mut now: Place,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut quantities: Vec<Quantity> = Vec::new();
        let key = if job.maximise { "job.maximise" } else { "job.minimise" };
        let mut bind = |formula: &'a Formula, path: String| -> Result<Bound<'a>, Vec<Diagnostic>> {
            let mut names = Vec::new();
            for name in &formula.names {
                let blame = |fault: Fault| vec![loaded.blame(fault, &path, &formula.text, &name.place)];
                let found = Quantity::find(&name.path, &job.free, &now.file, &now.solved)
                    .map_err(|told| blame(quantity::with_nearest(*told, &name.path, &now.solved.scene).fault))?;
                if found.rows() > 1 && !name.may_be_vector {
                    let rows = now.solved.outputs(&[&name.path], None).map_err(|told| vec![*told])?;
                    let rows = rows.into_iter().map(|(row, _)| row).collect();
                    return Err(blame(Fault::Optimise(OptimiseFault::Vector { name: name.path.clone(), rows })));
                }
                let index = quantities.iter().position(|own| *own == found).unwrap_or_else(|| {
                    quantities.push(found);
                    quantities.len() - 1
                });
                names.push(index);
            }
            Ok(Bound { formula, path, names })
        };
        let objective = bind(&job.objective, key.to_owned())?;
        let mut constraints = Vec::new();
        for (index, Constraint { difference, right, .. }) in job.constraints.iter().enumerate() {
            let path = format!("job.constraints.{index}");
            constraints.push((bind(difference, path.clone())?, bind(right, path)?));
        }
        now.rows = rows_of(&quantities, &now.solved).map_err(|told| vec![*told])?;
        let length = now.solved.equations().map_or(1.0, |own| own.system.scales().length);
        let unit = |free: &lissome_model::FreeNumber| {
            let half = 0.5 * (free.limits.1 - free.limits.0);
            match (half.is_finite(), free.start.abs()) {
                (true, _) => half,
                (false, size) if size > 0.0 => size,
                _ if free.unit == "m" => length,
                _ => 1.0,
            }
        };
        Ok(Self {
            loaded,
            job,
            watch,
            quantities,
            objective,
            units: job.free.iter().map(unit).collect(),
            objective_scale: 1.0,
            constraint_scales: vec![1.0; constraints.len()],
            constraints,
            now,
            looked: None,
            first_slopes: None,
            rounds: Vec::new(),
            idle: false,
            solves: 1,
        })
    }

    fn blame(&self, told: &Told) -> Diagnostic {
        let fault = Fault::Optimise(OptimiseFault::Undefined { reason: told.undefined.reason.to_owned() });
        self.loaded.blame(fault, &told.path, &told.text, &told.undefined.place)
    }

    fn sign(&self) -> f64 {
        if self.job.maximise { -1.0 } else { 1.0 }
    }

    /// Chooses what is large for objective and constraints by their sizes and slopes at the start; false if that is stopped.
    fn scale(&mut self) -> Result<bool, Vec<Diagnostic>> {
        let told = |own: &Self, told: Told| vec![own.blame(&told)];
        let objective = self.slope(&self.objective, &self.now).map_err(|error| told(self, error))?.value;
        let mut sizes = Vec::new();
        for (difference, right) in &self.constraints {
            let gap = self.slope(difference, &self.now).map_err(|error| told(self, error))?.value;
            let right = self.slope(right, &self.now).map_err(|error| told(self, error))?.value;
            sizes.push(right.abs().max((right + gap).abs()));
        }
        let Some(jacobians) = self.jacobians(&self.now).map_err(|told| vec![*told])? else { return Ok(false) };
        let slopes = self.slopes_with(&jacobians).map_err(|error| told(self, error))?;
        let steepest = slopes.objective.amax();
        self.idle = steepest == 0.0;
        let scale = steepest.max(OF_OBJECTIVE * objective.abs());
        self.objective_scale = if scale > 0.0 { scale } else { 1.0 };
        for (index, size) in sizes.into_iter().enumerate() {
            let scale = size.max(OF_SLOPE * slopes.constraints.row(index).amax());
            self.constraint_scales[index] = if scale > 0.0 { scale } else { 1.0 };
        }
        self.first_slopes = Some(self.slopes_with(&jacobians).map_err(|error| told(self, error))?);
        Ok(true)
    }

    fn limits(&self) -> Limits {
        let scaled = |limit: fn(&lissome_model::FreeNumber) -> f64| {
            let all = self.job.free.iter().zip(&self.units).map(|(free, unit)| (limit(free) - free.start) / unit);
            DVector::from_iterator(self.units.len(), all)
        };
        Limits {
            lower: scaled(|free| free.limits.0),
            upper: scaled(|free| free.limits.1),
            equal: self.job.constraints.iter().map(|own| own.equal).collect(),
            rounds: self.job.rounds,
        }
    }

    /// The numbers at a scaled place; at a limit exactly the limit.
    fn numbers(&self, x: &DVector<f64>) -> Vec<f64> {
        let one = |(index, free): (usize, &lissome_model::FreeNumber)| {
            let (unit, (low, high)) = (self.units[index], free.limits);
            match free.start + unit * x[index] {
                near if near - low <= AT_LIMIT * unit => low,
                near if high - near <= AT_LIMIT * unit => high,
                between => between,
            }
        };
        self.job.free.iter().enumerate().map(one).collect()
    }

    /// Rows of every quantity at a place.
    fn quantities_at(&self, place: &Place) -> Vec<Vec<f64>> {
        let scene = &place.solved.scene;
        self.quantities.iter().zip(&place.rows).map(|(own, rows)| own.read(scene, &place.values, rows)).collect()
    }

    fn evaluate(&self, bound: &Bound<'_>, rows: &[Vec<f64>]) -> Result<Slope, Told> {
        let values: Vec<Vec<f64>> = bound.names.iter().map(|index| rows[*index].clone()).collect();
        bound.formula.evaluate(Rows::new(&values)).map_err(|undefined| Told {
            path: bound.path.clone(),
            text: bound.formula.text.clone(),
            undefined,
        })
    }

    fn slope(&self, bound: &Bound<'_>, place: &Place) -> Result<Slope, Told> {
        self.evaluate(bound, &self.quantities_at(place))
    }

    /// Objective and constraints, scaled.
    fn values(&self, place: &Place) -> Result<Values, Told> {
        let rows = self.quantities_at(place);
        let objective = self.evaluate(&self.objective, &rows)?.value * self.sign() / self.objective_scale;
        let constraints = (self.constraints.iter().zip(&self.constraint_scales))
            .map(|((difference, _), scale)| Ok(self.evaluate(difference, &rows)?.value / scale))
            .collect::<Result<Vec<f64>, Told>>()?;
        Ok(Values { objective, constraints })
    }

    /// Derivatives of every quantity by the numbers, per unit of them; `None` if whoever watches stops it.
    fn jacobians(&self, place: &Place) -> Result<Option<Vec<DMatrix<f64>>>, Box<Diagnostic>> {
        let n = self.units.len();
        // Numbers of the formulas alone move no output.
        let columns: Vec<usize> = (0..n).filter(|column| self.job.free[*column].of != FreeOf::Formulas).collect();
        let paths: Vec<String> = self.quantities.iter().flat_map(Quantity::outputs).collect();
        let of: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut outputs = DMatrix::zeros(self.quantities.iter().map(Quantity::output_rows).sum(), n);
        if !of.is_empty() {
            let source = Source::of(&place.file);
            let of_tangents = of.iter().any(|path| path.contains("eigenvalue") || path.contains("frequency"));
            let at_once = if of_tangents { 1 } else { AT_ONCE };
            for some in columns.chunks(at_once) {
                if self.is_stopped(place) {
                    return Ok(None);
                }
                let wrt: Vec<&str> = some.iter().map(|column| self.job.free[*column].path.as_str()).collect();
                let found = place.solved.derivatives(source, &of, &wrt)?.values;
                for (own, column) in found.column_iter().zip(some) {
                    outputs.column_mut(*column).copy_from(&own);
                }
            }
        }
        for (column, unit) in self.units.iter().enumerate() {
            outputs.column_mut(column).scale_mut(*unit);
        }
        let explicit = self.by_scene(place)?;
        let mut first = 0;
        let mut all = Vec::new();
        for (index, own) in self.quantities.iter().enumerate() {
            let count = own.output_rows();
            let rows = outputs.rows(first, count).into_owned();
            first += count;
            all.push(match own {
                Quantity::Output { .. } => rows,
                Quantity::Free(free) => {
                    let mut row = DMatrix::zeros(1, n);
                    row[(0, *free)] = self.units[*free];
                    row
                }
                Quantity::Fixed(_) => DMatrix::zeros(1, n),
                Quantity::Scene(_) => {
                    explicit.row(index).into_owned().reshape_generic(nalgebra::Dyn(1), nalgebra::Dyn(n))
                }
                Quantity::Peak(_) => {
                    let by = own.by_outputs(&place.solved.scene, &place.rows[index]);
                    let by = DMatrix::from_row_slice(1, count, &by);
                    let mut row = by * rows;
                    (0..n).for_each(|column| row[(0, column)] += explicit[(index, column)]);
                    row
                }
            });
        }
        Ok(Some(all))
    }

    /// Lets whoever watches be heard between derivatives, which have no iterations of their own.
    fn is_stopped(&self, place: &Place) -> bool {
        let last = place.solved.equilibrium.outcome.history.last();
        last.is_some_and(|iteration| !self.watch.iteration(iteration)) || self.watch.stopped()
    }

    /// Derivatives of what the scene itself tells, outputs held: differences of the fourth order of neighbouring scenes.
    fn by_scene(&self, place: &Place) -> Result<DMatrix<f64>, Box<Diagnostic>> {
        let mut found = DMatrix::zeros(self.quantities.len(), self.units.len());
        if !self.quantities.iter().any(Quantity::is_of_scene) {
            return Ok(found);
        }
        const BOTH: [(f64, f64); 4] = [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)];
        const ONE: [(f64, f64); 4] = [(1.0, 4.0), (2.0, -3.0), (3.0, 4.0 / 3.0), (4.0, -0.25)];
        let read = |scene: &Scene| -> Vec<f64> {
            let own = self.quantities.iter().zip(&place.rows);
            own.map(|(own, rows)| if own.is_of_scene() { own.read(scene, &place.values, rows)[0] } else { 0.0 })
                .collect()
        };
        let here = read(&place.solved.scene);
        let file = |column: &usize| self.job.free[*column].of != FreeOf::Formulas;
        for column in (0..self.units.len()).filter(file) {
            let size = place.values[column].abs();
            // A change of a number that the scene takes on both sides, or on one.
            let distance = CHANGE * if size > 0.0 { size } else { self.units[column] };
            let differences = |stencil: &[(f64, f64)], sign: f64| -> Result<Vec<f64>, Vec<Diagnostic>> {
                let mut sum = vec![0.0; here.len()];
                for (at, weight) in stencil {
                    let mut values = place.values.clone();
                    values[column] += sign * at * distance;
                    let neighbour = self.loaded.with_values(&self.job.free, &values, true)?;
                    for ((sum, value), here) in sum.iter_mut().zip(read(&neighbour.scene)).zip(&here) {
                        *sum += sign * weight * (value - here) / distance;
                    }
                }
                Ok(sum)
            };
            let slopes = differences(&BOTH, 1.0).or_else(|told| {
                let one = differences(&ONE, 1.0).or_else(|_| differences(&ONE, -1.0));
                one.map_err(|_| told)
            });
            let slopes = slopes.map_err(|mut told| Box::new(told.swap_remove(0)))?;
            for (row, slope) in slopes.into_iter().enumerate() {
                found[(row, column)] = slope * self.units[column];
            }
        }
        Ok(found)
    }

    fn slopes_with(&self, jacobians: &[DMatrix<f64>]) -> Result<Slopes, Told> {
        let n = self.units.len();
        let rows = self.quantities_at(&self.now);
        let chain = |names: &[usize], by: &[f64]| {
            let mut sum = DVector::zeros(n);
            let mut row = 0;
            for index in names {
                for own in jacobians[*index].row_iter() {
                    sum += own.transpose() * by[row];
                    row += 1;
                }
            }
            sum
        };
        let objective = self.evaluate(&self.objective, &rows)?;
        let factor = self.sign() / self.objective_scale;
        let mut constraints = DMatrix::zeros(self.constraints.len(), n);
        for (index, ((difference, _), scale)) in self.constraints.iter().zip(&self.constraint_scales).enumerate() {
            let own = chain(&difference.names, &self.evaluate(difference, &rows)?.by) / *scale;
            constraints.row_mut(index).copy_from(&own.transpose());
        }
        let squares = self.objective.formula.squares().filter(|_| !self.job.maximise);
        let squares = squares.map(|all| -> Result<DMatrix<f64>, Undefined> {
            let values: Vec<Vec<f64>> = self.objective.names.iter().map(|index| rows[*index].clone()).collect();
            let mut sum = DMatrix::zeros(n, n);
            for (weight, term) in all {
                let own = chain(&self.objective.names, &term.evaluate(Rows::new(&values))?.by);
                sum += &own * own.transpose() * (2.0 * weight * factor);
            }
            Ok(sum)
        });
        let squares = squares.transpose().map_err(|undefined| Told {
            path: self.objective.path.clone(),
            text: self.objective.formula.text.clone(),
            undefined,
        })?;
        Ok(Slopes { objective: chain(&self.objective.names, &objective.by) * factor, constraints, squares })
    }

    /// The record, and the equilibrium that it ends with.
    fn finish(mut self, found: Optimum, obstacle: Option<Obstacle>) -> Result<Equilibrium, Vec<Diagnostic>> {
        if self.rounds.is_empty() {
            self.see(&found.last);
        }
        if let Some(last) = self.rounds.last_mut() {
            last.kkt = found.last.kkt;
        }
        let numbers = self.numbers(&found.last.x);
        let factor = self.objective_scale * self.sign();
        let free = self.job.free.iter().enumerate().map(|(index, free)| {
            let value = numbers[index];
            let at_limit = i8::from(value >= free.limits.1) - i8::from(value <= free.limits.0);
            let price = found.limit_multipliers[index] * factor / self.units[index];
            let (path, limits, unit) = (free.path.clone(), free.limits, free.unit.clone());
            FreeRecord { path, value, limits, unit, at_limit, price: if at_limit == 0 { 0.0 } else { price } }
        });
        let constraints = self.job.constraints.iter().enumerate().map(|(index, own)| {
            let (value, scale) = (found.last.values.constraints[index], self.constraint_scales[index]);
            let violation = if own.equal { value.abs() } else { value.max(0.0) };
            // A larger right side relaxes `<=` and tightens `>=`.
            let sign = if own.at_least { 1.0 } else { -1.0 };
            let idle = !own.equal && value < -CONSTRAINT_TOLERANCE;
            let price = if idle { 0.0 } else { sign * found.multipliers[index] * factor / scale };
            let gap = if own.at_least { -value } else { value } * scale;
            ConstraintRecord { text: own.text.clone(), gap, violation, price }
        });
        let record = OptimumRecord {
            end: found.end,
            objective: found.last.values.objective * factor,
            violation: found.last.violation,
            kkt: found.last.kkt,
            free: free.collect(),
            constraints: constraints.collect(),
            rounds: std::mem::take(&mut self.rounds),
            obstacle: obstacle.map(|own| own.words()),
            idle: self.idle,
            solves: self.solves,
        };
        let refuse = |SimulateError::Invalid(invalid)| vec![self.loaded.diagnose(&invalid)];
        let mut equilibrium = self.last_equilibrium(found.end != OptimumEnd::Stopped).map_err(refuse)?;
        equilibrium.optimum = Some(Box::new(record));
        Ok(equilibrium)
    }

    /// The present equilibrium with everything that is recorded of one; how far more spans would change it is left out in a hurry.
    fn last_equilibrium(&self, estimated: bool) -> Result<Equilibrium, SimulateError> {
        let solved = &self.now.solved;
        let Some(own) = solved.equations() else { return Ok(solved.equilibrium.clone()) };
        let mut work = own.system.workspace();
        let options =
            StaticOptions { leave_saddles: false, load_steps: false, look_back: false, ..StaticOptions::default() };
        let settled = statics::solve(&own.system, &own.state, &own.inputs, &options, &mut work, &mut |_| true);
        let mut outcome = settled.outcome.clone();
        outcome.history.splice(0..0, solved.equilibrium.outcome.history.iter().copied());
        let solution = Solution { outcome, ..settled };
        let errors = match estimated && solution.outcome.converged() {
            true => Finer::new(&own.scene)?.errors(&own.system, &solution.state, &own.inputs),
            false => Vec::new(),
        };
        let found = record(&own.scene, &own.system, &solution, &work, &errors);
        Ok(examined(found, &own.scene, &own.system, &solution.state, &own.inputs))
    }
}

/// Rows of the outputs of every quantity at an equilibrium.
fn rows_of(quantities: &[Quantity], solved: &Solved) -> Result<Vec<Vec<f64>>, Box<Diagnostic>> {
    let rows = |own: &Quantity| -> Result<Vec<f64>, Box<Diagnostic>> {
        let paths = own.outputs();
        let of: Vec<&str> = paths.iter().map(String::as_str).collect();
        Ok(solved.outputs(&of, None)?.into_iter().map(|(_, value)| value).collect())
    };
    quantities.iter().map(rows).collect()
}

impl Design for Study<'_, '_> {
    fn probe(&mut self, x: &DVector<f64>) -> Result<Values, Obstacle> {
        let values = self.numbers(x);
        let first =
            |told: Vec<Diagnostic>| Obstacle::Refused(told.first().map(Diagnostic::message).unwrap_or_default());
        let file = self.loaded.with_values(&self.job.free, &values, true).map_err(first)?;
        let refused = |SimulateError::Invalid(invalid)| Obstacle::Refused(invalid.to_string());
        crate::check(&file.scene).map_err(refused)?;
        self.solves += 1;
        let watch = self.watch;
        let found = self.now.solved.beside(&file.scene, &mut |iteration| watch.iteration(iteration));
        let solved = found.map_err(refused)?.ok_or(Obstacle::NoEquilibrium)?;
        if self.job.stable && solved.equilibrium.is_stable() == Some(false) {
            return Err(Obstacle::Unstable);
        }
        let told = |told: Box<Diagnostic>| Obstacle::Undefined(told.message());
        let rows = rows_of(&self.quantities, &solved).map_err(told)?;
        let place = Place { values, file, solved, rows };
        let undefined = |told: Told| Obstacle::Undefined(format!("`{}`: {}", told.text.trim(), told.undefined.reason));
        let found = self.values(&place).map_err(undefined)?;
        self.looked = Some(place);
        Ok(found)
    }

    fn accept(&mut self) {
        if let Some(place) = self.looked.take() {
            self.now = place;
        }
    }

    fn slopes(&mut self) -> Result<Slopes, Obstacle> {
        if let Some(first) = self.first_slopes.take() {
            return Ok(first);
        }
        let jacobians = self.jacobians(&self.now).map_err(|told| Obstacle::NoDerivative(told.message()))?;
        let jacobians = jacobians.ok_or(Obstacle::Stopped)?;
        let undefined = |told: Told| Obstacle::Undefined(format!("`{}`: {}", told.text.trim(), told.undefined.reason));
        self.slopes_with(&jacobians).map_err(undefined)
    }

    fn stopped(&self) -> bool {
        self.watch.stopped()
    }

    fn see(&mut self, round: &Round) {
        let gap = |(index, value): (usize, &f64)| {
            let sign = if self.job.constraints[index].at_least { -1.0 } else { 1.0 };
            sign * value * self.constraint_scales[index]
        };
        self.rounds.push(OptimumRound {
            values: self.numbers(&round.x),
            objective: round.values.objective * self.objective_scale * self.sign(),
            gaps: round.values.constraints.iter().enumerate().map(gap).collect(),
            violation: round.violation,
            kkt: round.kkt,
            tries: round.tries,
        });
    }
}
