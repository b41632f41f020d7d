//! States of a motion that are looked at on more spans when it ends: those that bend and pull the rods most, and the last.

use crate::motion_course::{SteadySteps, Stepper};
use lissome_lie::Twist;
use lissome_mech::{State, System};
use lissome_model::{Invalid, Rod};
use lissome_solve::accuracy::{Difference, MotionFiner};
use lissome_solve::dynamics::{Motion, Stop};
use lissome_solve::{MotionFrame, MotionRecord, RodFrame};

/// Steps of one system that remember where it was strained most.
pub(crate) struct LookedAt<'a, 's> {
    steps: SteadySteps<'a, 's>,
    /// The least error that matters, of the length.
    finest: f64,
    /// By bending and by tension.
    worst: [Worst; 2],
    /// The same of the last frame.
    last: [f64; 2],
}

/// A state that strains the rods less than so many times as much as another one errs much as that does.
const NOTABLE: f64 = 1.1;

/// The state of the largest strain so far by some measure.
#[derive(Default)]
struct Worst {
    size: f64,
    time: f64,
    moving: Option<Moving>,
}

/// A state and the velocities of its slots.
type Moving = (State, Vec<Twist>);

impl<'a, 's> LookedAt<'a, 's> {
    pub(crate) fn new(steps: SteadySteps<'a, 's>, finest: f64) -> Self {
        Self { steps, finest, worst: Default::default(), last: [0.0; 2] }
    }

    /// The steps themselves.
    pub(crate) fn steps(&mut self) -> &mut SteadySteps<'a, 's> {
        &mut self.steps
    }

    /// Counts the errors of these states, and of the last one, in the record.
    pub(crate) fn judge(self, motion: &Motion, record: &mut MotionRecord) -> Result<(), Invalid> {
        let last = (motion.time, (self.steps.run.integrator.state_now(motion), motion.velocity.clone()));
        let SteadySteps { scene, system, run, .. } = self.steps;
        // The first state is an equilibrium, or the natural shape.
        let worst = self.worst.into_iter().zip(self.last).filter(|(worst, last)| worst.size > NOTABLE * last);
        let worst = worst.filter_map(|(worst, _)| Some((worst.time, worst.moving?)));
        let mut moments: Vec<(f64, Moving)> = worst.chain([last]).filter(|(time, _)| *time > 0.0).collect();
        moments.sort_by(|a, b| a.0.total_cmp(&b.0));
        moments.dedup_by(|a, b| a.0 == b.0);
        if moments.is_empty() || scene.rods.is_empty() {
            return Ok(());
        }
        let mut finer = MotionFiner::new(scene, system)?;
        let (_, slowest) = run.integrator.units();
        for (time, (state, velocity)) in moments {
            let inputs = run.integrator.inputs_at(time);
            match finer.differences(system, (&state, &velocity), &inputs, slowest.min(time), self.finest) {
                Some(found) => record.judge(time, &found.iter().map(Difference::size).collect::<Vec<f64>>()),
                // What touches may let go on other spans, or touch elsewhere: that no state is near tells nothing then.
                None if system.has_obstacles() => {}
                None => record.judge(time, &vec![f64::NAN; scene.rods.len()]),
            }
        }
        Ok(())
    }
}

impl Stepper for LookedAt<'_, '_> {
    fn reach(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<(), Stop> {
        self.steps.reach(motion, until, see)
    }

    fn output(&mut self, motion: &Motion) -> (MotionFrame, Option<[f64; 3]>) {
        let (frame, pause) = self.steps.output(motion);
        let rods = || self.steps.scene.rods.iter().zip(&frame.rods);
        let bending = rods().map(|(_, at)| sharpest(at)).fold(0.0, f64::max);
        let tension = rods().map(|(rod, at)| pull(rod, at)).fold(0.0, f64::max);
        self.last = [bending, tension];
        let mut now = None;
        for (worst, size) in self.worst.iter_mut().zip([bending, tension]) {
            if size > worst.size {
                let moving = || (self.steps.run.integrator.state_now(motion), motion.velocity.clone());
                let moving = now.get_or_insert_with(moving).clone();
                *worst = Worst { size, time: motion.time, moving: Some(moving) };
            }
        }
        (frame, pause)
    }

    fn system(&self) -> &System {
        self.steps.system
    }
}

/// The largest turn between neighbouring stations, rad.
fn sharpest(rod: &RodFrame) -> f64 {
    let pairs = rod.poses.windows(2);
    pairs.map(|pair| (pair[0].rotation.inverse() * pair[1].rotation).angle()).fold(0.0, f64::max)
}

/// The largest force in a rod over EI/L² at its base.
fn pull(rod: &Rod, at: &RodFrame) -> f64 {
    let bending = rod.profile.stations.first().map_or(1.0, |station| station.section.stiffness()[(1, 1)]);
    let force = at.stress.iter().map(|stress| stress.force.norm()).fold(0.0, f64::max);
    force * rod.length * rod.length / bending
}
