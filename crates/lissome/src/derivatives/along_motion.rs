//! A motion that its derivatives follow, step by step.

use super::motion_output::MotionOutput;
use crate::motion_course::{Passed, SteadySteps, Stepper};
use lissome_mech::{System, Workspace};
use lissome_solve::dynamics::{Motion, MotionTangent, Stop};
use lissome_solve::{MotionEventKind, MotionFrame};
use nalgebra::DMatrix;

/// Derivatives of outputs of a motion by numbers of its scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionJacobian {
    /// Names of the rows.
    pub of: Vec<String>,
    /// Dotted paths of the columns.
    pub wrt: Vec<String>,
    /// Times, s.
    pub times: Vec<f64>,
    /// The outputs at each time; positions in the world, turns from the world's axes.
    pub values: Vec<Vec<f64>>,
    /// Their derivatives at each time, SI; turns in the axes of what turns.
    pub jacobians: Vec<DMatrix<f64>>,
    /// True if outputs were carried back along the motion instead of numbers along with it.
    pub adjoint: bool,
}

/// Steps of a motion that its derivatives follow.
pub(super) struct Sensitive<'a, 's> {
    pub steps: SteadySteps<'a, 's>,
    pub tangent: MotionTangent<'a>,
    pub outputs: Vec<MotionOutput>,
    pub memory: Workspace,
    pub found: MotionJacobian,
    /// When and why they could not go on.
    pub failure: Option<(f64, String)>,
}

/// Refuses motions that run into something.
pub(super) fn is_smooth(motion: &Motion) -> Result<(), (f64, String)> {
    match motion.events.iter().find(|event| event.kind == MotionEventKind::Limit) {
        None => Ok(()),
        Some(event) => {
            let reason = format!("{} runs into its limit, and when it does depends on the numbers too", event.part);
            Err((event.time, reason))
        }
    }
}

/// Follows the motion; says when and why if that cannot be.
pub(super) fn followed(
    tangent: &mut MotionTangent<'_>,
    motion: &Motion,
    passed: &Passed<'_>,
) -> Result<(), (f64, String)> {
    is_smooth(motion)?;
    let done = match passed {
        Passed::Step(report) => tangent.step(motion, motion.memory.last_step, report.acted),
        Passed::Corner => tangent.restart(motion),
    };
    done.map_err(|_| (motion.time, "the tangent of a step is singular".to_owned()))
}

impl Stepper for Sensitive<'_, '_> {
    fn reach(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<(), Stop> {
        let Self { steps, tangent, failure, .. } = self;
        steps.pass(motion, until, &mut |motion, passed| {
            if failure.is_none() {
                *failure = followed(tangent, motion, &passed).err();
            }
            matches!(passed, Passed::Corner) || see(motion)
        })
    }

    fn output(&mut self, motion: &Motion) -> (MotionFrame, Option<[f64; 3]>) {
        let shown = self.steps.output(motion);
        let Self { steps, tangent, outputs, memory, found, failure } = self;
        if failure.is_none() {
            let scene = steps.scene;
            // Changes of turns and shifts count from where things are.
            let mut standing = outputs.clone();
            let values = tangent.look(motion.time, &mut |moment| {
                standing.iter_mut().for_each(|output| output.stand(moment));
                outputs.iter().flat_map(|output| output.read(scene, moment, memory)).collect()
            });
            let jacobian = tangent.read(motion.time, &mut |moment| {
                standing.iter().flat_map(|output| output.read(scene, moment, memory)).collect()
            });
            found.times.push(motion.time);
            found.values.push(values);
            found.jacobians.push(jacobian);
        }
        shown
    }

    fn system(&self) -> &System {
        self.steps.system()
    }
}
