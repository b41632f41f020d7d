//! A motion, from its scene to its frames, on one page.
//!
//! ```text
//! Scene ── equilibrium with the loads of `release` ──▶ Motion ──▶ Run::advance to each output time ──▶ MotionFrame
//!                                                        ▲                                                 │
//!                                                        └────────── Snapshot ◀── what an observer keeps ──┘
//! ```
//!
//! When it ends, the states that strained its rods most are looked at on halved spans (`motion_look.rs`).
//!
//! Output times are k / rate. At some of them the run pauses: one that is resumed later goes through the steps since the last pause
//! again, and then on bit for bit.

use crate::error::SimulateError;
use crate::insertion_motion;
use crate::motion_course::{
    Earlier, OutputTimes, Recorded, SteadySteps, beginning, course, follow, restored, scheme, step_choice, stopped,
};
use crate::motion_look::LookedAt;
use crate::observer::Watch;
use lissome_mech::System;
use lissome_model::{DynamicsJob, Rod, Scene};
use lissome_solve::accuracy::{COARSE, survey};
use lissome_solve::dynamics::{Integrator, Run, Stop, StopReason, SystemOf};
use lissome_solve::{MotionAnswer, MotionEnd};

/// Computes a motion from its beginning, or from an earlier state.
pub(crate) fn advance(
    scene: &Scene,
    job: &DynamicsJob,
    earlier: Option<Earlier<'_>>,
    watch: &Watch<'_>,
) -> Result<MotionAnswer, SimulateError> {
    if scene.moves_tubes() {
        return insertion_motion::advance(scene, job, earlier, watch);
    }
    let finest = scene.rods.iter().filter_map(Rod::tolerance).fold(COARSE, f64::min);
    let scene = &survey::for_course(scene, &mut |i| watch.iteration(i))?;
    let system = System::compile(scene)?;
    let integrator =
        Integrator::with_course(&system, scheme(job), Box::new(course(SystemOf::Lent(&system), scene, job)));
    let mut run = Run::new(integrator, step_choice(scene, job));
    let mut stepper = LookedAt::new(SteadySteps::new(scene, &system, &mut run), finest);
    if let Some(earlier) = earlier {
        let (mut motion, pause, mut recorded) = restored(&system, earlier)?;
        stepper.steps().resume(&motion, pause);
        let course = OutputTimes::after(motion.time, job);
        let end = follow(scene, &mut stepper, &mut motion, course, &mut recorded, watch);
        stepper.judge(&motion, &mut recorded.record)?;
        return Ok(MotionAnswer { start: None, record: recorded.record, end });
    }
    let mut recorded = Recorded::nothing(scene, &system);
    let (motion, start) = beginning(scene, &system, job, watch)?;
    let Some(mut motion) = motion else {
        return Ok(MotionAnswer { start, record: recorded.record, end: MotionEnd::NoStart });
    };
    let end = match stepper.steps().run.integrator.make_consistent(&mut motion) {
        Ok(()) => {
            let course = OutputTimes::from_the_start(job);
            follow(scene, &mut stepper, &mut motion, course, &mut recorded, watch)
        }
        Err(failure) => {
            let stop = Stop { time: 0.0, step: 0.0, reason: StopReason::Failed(failure) };
            stopped(scene, &system, &motion, &stop)
        }
    };
    stepper.judge(&motion, &mut recorded.record)?;
    Ok(MotionAnswer { start, record: recorded.record, end })
}
