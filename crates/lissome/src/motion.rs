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
//! Output times are k / rate. At each of them the run pauses, so that one that is resumed there goes on bit for bit.

use crate::error::SimulateError;
use crate::insertion_motion;
use crate::motion_course::{
    Earlier, OutputTimes, SteadySteps, beginning, course, follow, restored, scheme, step_choice, stopped,
};
use crate::motion_look::LookedAt;
use crate::observer::Watch;
use lissome_mech::System;
use lissome_model::{DynamicsJob, Scene};
use lissome_solve::accuracy::survey;
use lissome_solve::dynamics::{Integrator, Run, Stop, StopReason, SystemOf};
use lissome_solve::{MotionAnswer, MotionEnd, MotionRecord};

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
    let scene = &survey::for_course(scene, &mut |i| watch.iteration(i))?;
    let system = System::compile(scene)?;
    let integrator =
        Integrator::with_course(&system, scheme(job), Box::new(course(SystemOf::Lent(&system), scene, job)));
    let mut run = Run::new(integrator, step_choice(scene, job));
    let mut stepper = LookedAt::new(SteadySteps { scene, system: &system, run: &mut run });
    if let Some(earlier) = earlier {
        let (mut motion, pause, mut record) = restored(&system, earlier)?;
        stepper.steps().run.resume(pause);
        let course = OutputTimes::after(motion.time, job);
        let end = follow(scene, &mut stepper, &mut motion, course, &mut record, watch);
        stepper.judge(&motion, &mut record)?;
        return Ok(MotionAnswer { start: None, record, end });
    }
    let mut record = MotionRecord::of(scene);
    record.balance.ignore_below(system.scales().noise_energy());
    let (motion, start) = beginning(scene, &system, job, watch)?;
    let Some(mut motion) = motion else {
        return Ok(MotionAnswer { start, record, end: MotionEnd::NoStart });
    };
    let end = match stepper.steps().run.integrator.make_consistent(&mut motion) {
        Ok(()) => {
            let course = OutputTimes::from_the_start(job);
            follow(scene, &mut stepper, &mut motion, course, &mut record, watch)
        }
        Err(failure) => {
            let stop = Stop { time: 0.0, step: 0.0, reason: StopReason::Failed(failure) };
            stopped(scene, &system, &motion, &stop)
        }
    };
    stepper.judge(&motion, &mut record)?;
    Ok(MotionAnswer { start, record, end })
}
