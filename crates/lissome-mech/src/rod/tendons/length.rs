//! Tendons driven by their length: the condition whose multiplier is the tension.
//!
//! ```text
//! c = ℓ − ℓ₀ − T ℓ₀/EA = 0 while T > 0        ∂c/∂β_a = Σ w φ_a aᵀC        −∂c/∂T_k = Σ w aᵀC a_k
//! ```
//!
//! The rods have the tension through the law of their points already, so the multiplier exerts nothing on its own. That c
//! gives way to its own tension and to those of the other tendons of a rod, at given stresses, is the other side of it.

use super::line::{Run, TendonLine};
use crate::attach::Attach;
use crate::contribution::{At, Condition, Constraint, Multiplier, Part, Scales};
use crate::index::{Block, Node, Slot};
use crate::inputs::Input;
use crate::rod::curve::pose_map::PoseMap;
use crate::rod::tendons::line::routes_of;
use crate::rod::tendons::rates::TensionRows;
use crate::rod::{Carried, Rod, RodScratch};
use crate::sink::BlockSink;
use crate::state::State;
use nalgebra::{Matrix6, Vector6};
use std::collections::HashMap;
use std::sync::Arc;

/// A tendon of given length; its multiplier is its tension.
#[derive(Clone, Debug)]
pub struct LengthTendon {
    /// The tendon.
    pub line: TendonLine,
    multiplier: Multiplier,
    /// The rods of its runs.
    rods: Vec<PlacedRod>,
    /// The other tendons of given length that run along the same rods.
    others: Vec<Node>,
    /// Which of them share each of its runs.
    companies: Vec<Company>,
}

/// What runs along a rod beside a run of a tendon, the tendon itself first.
#[derive(Clone, Debug)]
struct Company {
    /// Numbers of their routes.
    routes: Vec<usize>,
    /// Which of the others each belongs to; nothing for the tendon itself.
    tendons: Vec<Option<usize>>,
}

/// A rod and where its unknowns are.
#[derive(Clone, Debug)]
struct PlacedRod {
    rod: Arc<Rod>,
    first_pose: Slot,
    first_stress: Block,
    first_stress_node: Node,
    first_tension: Block,
}

impl PlacedRod {
    fn carried<'a>(&self, state: &'a State) -> Carried<'a> {
        Carried {
            stress: &state.linear[self.first_stress.index()..][..self.rod.stress_count()],
            tension: &state.linear[self.first_tension.index()..][..self.rod.tension_count()],
        }
    }
}

impl LengthTendon {
    /// The tendons of a scene that are driven by their length.
    pub(crate) fn compile<'s>(lines: &[TendonLine], places: &mut impl Attach<'s>) -> Vec<Self> {
        let mut known: HashMap<usize, Option<PlacedRod>> = HashMap::new();
        let scene = places.scene();
        let mut tendons = Vec::new();
        for line in lines {
            let Some(multiplier) = line.multiplier else { continue };
            let rods: Option<Vec<PlacedRod>> = line
                .runs
                .iter()
                .map(|run| {
                    let index = run.rod.index();
                    let place = |rod: Rod| PlacedRod {
                        rod: Arc::new(rod),
                        first_pose: places.rod_slot(index, 0.0),
                        first_stress: places.rod_stress(index),
                        first_stress_node: places.rod_stress_node(index),
                        first_tension: places.rod_tension(index),
                    };
                    let compile = || {
                        let model = &scene.rods[index];
                        let rod = Rod::compile(model, &model.path(), &scene.places_on(index), routes_of(scene, index));
                        rod.ok().map(place)
                    };
                    known.entry(index).or_insert_with(compile).clone()
                })
                .collect();
            if let Some(rods) = rods {
                let shares =
                    |other: &TendonLine| other.runs.iter().any(|with| line.runs.iter().any(|run| run.rod == with.rod));
                let others = || lines.iter().filter(|other| other.tendon != line.tendon && shares(other));
                let others: Vec<(&TendonLine, Node)> =
                    others().filter_map(|other| Some((other, other.multiplier?.node?))).collect();
                let companies = line.runs.iter().map(|run| Company::of(run, line, &others)).collect();
                let others = others.into_iter().map(|(_, node)| node).collect();
                tendons.push(Self { line: line.clone(), multiplier, rods, others, companies });
            }
        }
        tendons
    }

    fn length(&self, state: &State) -> f64 {
        let runs = self.line.runs.iter().zip(&self.rods);
        runs.map(|(run, own)| own.rod.tendon_length(run.route, own.carried(state))).sum()
    }

    /// Shows −∂c/∂T at given stresses by every tension that its runs share a rod with, its own among them as nothing.
    fn visit_gives(&self, state: &State, mut see: impl FnMut(Option<usize>, f64)) {
        for ((run, own), company) in self.line.runs.iter().zip(&self.rods).zip(&self.companies) {
            let mut sums = vec![0.0; company.routes.len()];
            own.rod.add_tension_couplings(run.route, &company.routes, own.carried(state), &mut sums);
            company.tendons.iter().zip(sums).for_each(|(tendon, sum)| see(*tendon, sum));
        }
    }
}

impl Company {
    fn of(run: &Run, line: &TendonLine, others: &[(&TendonLine, Node)]) -> Self {
        let own = line.runs.iter().map(|with| (None, with));
        let all = own.chain(
            others.iter().enumerate().flat_map(|(k, (other, _))| other.runs.iter().map(move |with| (Some(k), with))),
        );
        let here = all.filter(|(_, with)| with.rod == run.rod).map(|(tendon, with)| (with.route, tendon));
        let (routes, tendons) = here.unzip();
        Self { routes, tendons }
    }
}

impl Constraint for LengthTendon {
    fn part(&self) -> Part {
        Part::new("tendon", self.line.tendon)
    }

    fn multiplier(&self) -> Multiplier {
        self.multiplier
    }

    fn size(&self) -> usize {
        1
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        for own in &self.rods {
            match own.rod.has_independent_stress() || own.rod.strain_basis().is_some() {
                true => (0..own.rod.stress_count()).for_each(|a| visit(own.first_stress_node.after(a))),
                false => (0..own.rod.curve().pose_count()).for_each(|m| visit(own.first_pose.after(m).node())),
            }
        }
        self.others.iter().for_each(|node| visit(*node));
    }

    fn couple(&self, _: &mut dyn FnMut(Node, Node)) {}

    fn is_one_sided(&self) -> bool {
        true
    }

    fn evaluate(&self, at: &At<'_>, multiplier: &Vector6<f64>) -> Condition {
        let mut condition = self.line.law.condition(self.length(at.state), multiplier[0], at.inputs, at.scales);
        self.visit_gives(at.state, |other, gives| {
            if other.is_none() {
                condition.compliance += gives;
            }
        });
        condition
    }

    fn jacobian(&self, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        for (run, own) in self.line.runs.iter().zip(&self.rods) {
            let mut rows = Rows { own, visit };
            let (mut scratch, mut map) = (None, PoseMap::new(0));
            if matches!(*own.rod, Rod::Displacement(_)) {
                let poses = &at.state.poses[own.first_pose.index()..][..own.rod.curve().pose_count()];
                let mut filled = RodScratch::new(&own.rod);
                own.rod.fill_increments(poses, &mut filled);
                map = PoseMap::new(own.rod.curve().increments());
                map.fill(&filled.psi);
                scratch = Some(filled);
            }
            let carried = own.carried(at.state);
            own.rod.add_tension_change(run.route, -1.0, carried, scratch.as_ref(), &map, &mut rows);
        }
        let mut gives = vec![0.0; self.others.len()];
        self.visit_gives(at.state, |other, own| {
            if let Some(other) = other {
                gives[other] += own;
            }
        });
        for (node, gives) in self.others.iter().zip(gives) {
            let mut coupling = Matrix6::zeros();
            coupling[(0, 0)] = -gives;
            visit(*node, &coupling);
        }
    }

    fn curvature(&self, _: &At<'_>, _: &Vector6<f64>, _: &mut dyn BlockSink) {}

    fn input_rate(&self, at: &At<'_>, input: Input) -> Vector6<f64> {
        let tension = at.state.block(self.multiplier.block)[0];
        let mut rate = Vector6::zeros();
        rate[0] = self.line.law.condition_rate(at.inputs, input, tension);
        rate
    }

    fn unit(&self, _: &Scales) -> Vector6<f64> {
        Vector6::repeat(self.line.law.natural_length)
    }

    fn firmness(&self, scales: &Scales, expected: &Vector6<f64>) -> Vector6<f64> {
        Vector6::repeat(self.line.law.firmness(scales, expected[0]))
    }

    fn exerts(&self) -> bool {
        false
    }
}

/// Rows of a change of tension as rows of a Jacobian: the condition changes with what the tension does work on.
struct Rows<'a> {
    own: &'a PlacedRod,
    visit: &'a mut dyn FnMut(Node, &Matrix6<f64>),
}

impl Rows<'_> {
    fn see(&mut self, node: Node, row: &Vector6<f64>) {
        let mut jacobian = Matrix6::zeros();
        jacobian.set_row(0, &row.transpose());
        (self.visit)(node, &jacobian);
    }
}

impl TensionRows for Rows<'_> {
    fn stress(&mut self, a: usize, row: &Vector6<f64>) {
        self.see(self.own.first_stress_node.after(a), row);
    }

    fn pose(&mut self, m: usize, row: &Vector6<f64>) {
        self.see(self.own.first_pose.after(m).node(), row);
    }
}
