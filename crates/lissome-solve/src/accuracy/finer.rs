//! The same robot on twice as many spans, and its answer near one that is known.

use super::difference::Difference;
use super::division;
use crate::newton::NEUTRAL_SHIFT;
use lissome_mech::index::RodIndex;
use lissome_mech::{CurvatureOf, Inputs, State, System, Workspace};
use lissome_model::{Invalid, NaturalShape, Scene};

/// Newton steps at most. The first leaves the square of its length, the second all but nothing.
const MOST_STEPS: usize = 4;
/// A step of less than this part of all steps before changes no estimate.
const SETTLED: f64 = 0.03;
/// A next step of less than this part of an estimate does not change it: of the scenes here it is as long as the square of the
/// last one, five times that at most, and the estimates change by 0.5 % at most.
const NEGLIGIBLE: f64 = 0.01;
/// Only after a step below this the next one can be negligible: no estimate is larger than some lengths or rad.
const SHORT_STEP: f64 = 0.1;
/// A step below this is round-off.
const SMALLEST_STEP: f64 = 1e-9;
/// A step beyond this leads away from the answer: what is near it on more spans is not known then.
const LARGEST_STEP: f64 = 1.0;

/// The robot on twice as many spans, with memory for many answers.
#[derive(Clone, Debug)]
pub struct Finer {
    pub(super) system: System,
    /// Made when an equilibrium is first looked at; motions have memory of their own.
    work: Option<Workspace>,
    /// Rods that cannot be divided.
    fixed: Vec<bool>,
}

impl Finer {
    /// Of a scene as it was compiled.
    pub fn new(scene: &Scene) -> Result<Self, Invalid> {
        let system = System::compile(&division::halved(scene)?)?;
        let fixed = scene.rods.iter().map(|rod| matches!(rod.natural, NaturalShape::ControlPoses(_))).collect();
        Ok(Self { system, work: None, fixed })
    }

    /// How far an equilibrium of the scene lies from that of its halved spans, for each rod. `None` if there is no such
    /// equilibrium near it.
    pub fn differences(&mut self, system: &System, state: &State, inputs: &Inputs) -> Option<Vec<Difference>> {
        let mut now = self.system.resampled_state(system, state);
        let mut next = now.clone();
        let mut way = 0.0;
        for _ in 0..MOST_STEPS {
            let step = self.step(&mut now, inputs, &mut next)?;
            std::mem::swap(&mut now, &mut next);
            if step < SMALLEST_STEP || step < SETTLED * way {
                break;
            }
            way += step;
            // What touches may begin or cease to do so in the next step, whose length says nothing then.
            if step < SHORT_STEP && !self.system.has_obstacles() {
                let found = self.apart(system, state, &now);
                if found.iter().all(|rod| step * step < NEGLIGIBLE * rod.size()) {
                    return Some(found);
                }
            }
        }
        Some(self.apart(system, state, &now))
    }

    /// How far a state of the coarser system lies from one of this, for each rod.
    pub(super) fn apart(&self, system: &System, state: &State, near: &State) -> Vec<Difference> {
        let rods = self.fixed.iter().enumerate().map(|(index, fixed)| {
            let rod = RodIndex::new(index);
            let mut found = Difference::between((system, state), (&self.system, near), rod);
            if *fixed {
                found.include(system.field_gap(rod, state), 1.0);
            }
            found
        });
        let mut rods: Vec<Difference> = rods.collect();
        let between = Difference::sunk(system, (system, state), 1.0);
        rods.iter_mut().zip(&between).for_each(|(rod, between)| rod.cover(between));
        rods
    }

    /// Estimated error of each rod of an equilibrium, of its length or in rad; NaN where there is no estimate.
    pub fn errors(&mut self, system: &System, state: &State, inputs: &Inputs) -> Vec<f64> {
        match self.differences(system, state, inputs) {
            Some(rods) => rods.iter().map(Difference::size).collect(),
            None => vec![f64::NAN; self.fixed.len()],
        }
    }

    /// One Newton step towards the equilibrium, and its length. `None` if it leads away.
    fn step(&mut self, now: &mut State, inputs: &Inputs, next: &mut State) -> Option<f64> {
        let system = &self.system;
        let work = self.work.get_or_insert_with(|| system.workspace());
        system.refresh_dependent_stress(now, work);
        system.assemble(now, inputs, CurvatureOf::Increments, work);
        // What may turn for free, as a round column that has buckled, would turn by rounding alone, and that is no error.
        system.shift_to(NEUTRAL_SHIFT, work);
        system.factor(work).ok()?;
        system.solve(now, work);
        let step = system.step_size(work);
        // Also where a number is not finite.
        let nearby = step <= LARGEST_STEP;
        if !nearby {
            return None;
        }
        system.retract_increments(now, 1.0, work, next);
        Some(step)
    }
}
