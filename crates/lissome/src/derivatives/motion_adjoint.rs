//! Derivatives of a motion the other way: it is computed first, and outputs are carried back along it to all numbers at once
//! (`lissome_solve::dynamics::adjoint`). A few numbers go along with it all the same, and both ways must agree.

use super::along_motion::{MotionJacobian, followed, is_smooth};
use super::motion_output::MotionOutput;
use crate::motion_course::{Passed, SteadySteps, Stepper};
use lissome_mech::{System, Workspace};
use lissome_solve::MotionFrame;
use lissome_solve::dynamics::{Moment, Motion, MotionAdjoint, MotionTangent, Pull, Scheme, Stop};
use nalgebra::DMatrix;

/// Makes the weights of the outputs at a time from its number and their values.
pub(super) type Weights<'w> = dyn Fn(usize, &[f64]) -> Vec<f64> + 'w;

/// Says why functionals cannot be carried back along motions of a system, if that is so.
pub(super) fn can_go_back(system: &System, scheme: Scheme) -> Result<(), &'static str> {
    match MotionTangent::knows(scheme) && system.carries_back(&scheme.rule(1.0)) {
        true => Ok(()),
        false => Err(
            "outputs are carried back along the schemes robust and euler, of robots without tubes, embedded loops and rods on free joints",
        ),
    }
}

/// A functional that is carried back costs about as much as this many numbers that are carried along, what outputs are differenced by included.
const NUMBERS_A_FUNCTIONAL: usize = 20;

/// True if it costs less to carry this many functionals back than numbers along.
pub(super) fn is_cheaper(functionals: usize, tangent: &MotionTangent<'_>) -> bool {
    NUMBERS_A_FUNCTIONAL.saturating_mul(functionals) <= tangent.numbers()
}

/// Both ways may differ by this part of the largest derivative by a number: rounding in stiff robots leaves 1e-7 of it.
const AGREES: f64 = 1e-5;

/// Numbers that go along with a motion, to be compared with what is carried back.
pub(super) struct Witness<'a> {
    tangent: MotionTangent<'a>,
    /// Which of all numbers they are.
    columns: Vec<usize>,
    jacobians: Vec<DMatrix<f64>>,
}

impl<'a> Witness<'a> {
    /// Of numbers with these paths among all.
    pub fn new(tangent: MotionTangent<'a>, paths: &[String], all: &[String]) -> Self {
        let columns = paths.iter().filter_map(|path| all.iter().position(|other| other == path)).collect();
        Self { tangent, columns, jacobians: Vec::new() }
    }

    /// How far what was carried back differs, as a part of the largest derivative by a number. `of_time` are the weights of each row that was
    /// carried back at a time.
    fn differs(&self, pulled: &DMatrix<f64>, of_time: &[DMatrix<f64>]) -> f64 {
        let mut most = 0.0f64;
        for (own, column) in self.columns.iter().enumerate() {
            let mut along = vec![0.0; pulled.nrows()];
            for (weights, jacobian) in of_time.iter().zip(&self.jacobians) {
                let moved = weights * jacobian.column(own);
                along.iter_mut().zip(moved.iter()).for_each(|(sum, value)| *sum += value);
            }
            let largest = along.iter().fold(f64::MIN_POSITIVE, |most, value| most.max(value.abs()));
            for (row, value) in along.iter().enumerate() {
                let off = (value - pulled[(row, *column)]).abs() / largest;
                // What is no number agrees with nothing.
                most = if off.is_nan() { f64::INFINITY } else { most.max(off) };
            }
        }
        most
    }
}

/// Steps of a motion that outputs are carried back along.
pub(super) struct Backward<'a, 's> {
    steps: SteadySteps<'a, 's>,
    adjoint: MotionAdjoint<'a>,
    witness: Witness<'a>,
    outputs: Vec<MotionOutput>,
    memory: Workspace,
    found: MotionJacobian,
    /// Passages before each output.
    moments: Vec<usize>,
    failure: Option<(f64, String)>,
}

impl<'a, 's> Backward<'a, 's> {
    pub fn new(
        steps: SteadySteps<'a, 's>,
        adjoint: MotionAdjoint<'a>,
        witness: Witness<'a>,
        outputs: Vec<MotionOutput>,
        found: MotionJacobian,
    ) -> Self {
        let memory = steps.system.workspace();
        Self { steps, adjoint, witness, outputs, memory, found, moments: Vec::new(), failure: None }
    }

    /// Carries outputs back, each at each time, or their sum with weights.
    pub fn pull(self, weights: Option<&Weights<'_>>) -> Result<MotionJacobian, (f64, String)> {
        let Self { steps, mut adjoint, witness, outputs, mut memory, mut found, moments, failure } = self;
        if let Some(failure) = failure {
            return Err(failure);
        }
        let (times, rows) = (moments.len(), found.of.len());
        let of_time = |time: usize| match weights {
            Some(weights) => {
                let own = weights(time, &found.values[time]);
                DMatrix::from_fn(1, rows, |_, row| own.get(row).copied().unwrap_or(0.0))
            }
            None => DMatrix::from_fn(times * rows, rows, |k, row| f64::from(u8::from(k == time * rows + row))),
        };
        let all: Vec<DMatrix<f64>> = (0..times).map(of_time).collect();
        let of_velocities = outputs.iter().any(MotionOutput::is_of_velocities);
        let mut standing = outputs.clone();
        let mut read = |moment: &Moment<'_>, stands: bool| -> Vec<f64> {
            if stands {
                standing.clone_from(&outputs);
                standing.iter_mut().for_each(|output| output.stand(moment));
            }
            standing.iter().flat_map(|output| output.read(steps.scene, moment, &mut memory)).collect()
        };
        let mut pull = Pull { moments: &moments, weights: &all, read: &mut read, of_velocities };
        let last = found.times.last().copied().unwrap_or(0.0);
        let pulled = adjoint.pull(&mut pull).map_err(|_| (last, "the tangent of a step is singular".to_owned()))?;
        let off = witness.differs(&pulled, &all);
        if off > AGREES {
            let reason = format!(
                "outputs that are carried back differ by {off:.1e} from numbers that are carried along; ask for the forward mode"
            );
            return Err((last, reason));
        }
        found.adjoint = true;
        found.jacobians = match weights {
            Some(_) => vec![pulled],
            None => (0..times).map(|time| pulled.rows(time * rows, rows).into_owned()).collect(),
        };
        Ok(found)
    }
}

impl Stepper for Backward<'_, '_> {
    fn reach(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<(), Stop> {
        let Self { steps, adjoint, witness, failure, .. } = self;
        steps.pass(motion, until, &mut |motion, passed| {
            if failure.is_none() {
                *failure = is_smooth(motion).and_then(|()| followed(&mut witness.tangent, motion, &passed)).err();
            }
            match passed {
                Passed::Step(report) => adjoint.note_step(motion, motion.memory.last_step, report.acted),
                Passed::Corner => adjoint.note_corner(motion),
            }
            matches!(passed, Passed::Corner) || see(motion)
        })
    }

    fn output(&mut self, motion: &Motion) -> (MotionFrame, Option<[f64; 3]>) {
        let shown = self.steps.output(motion);
        let Self { steps, adjoint, witness, outputs, memory, found, moments, .. } = self;
        let mut standing = outputs.clone();
        witness.tangent.look(motion.time, &mut |moment| {
            standing.iter_mut().for_each(|output| output.stand(moment));
            Vec::new()
        });
        witness.jacobians.push(witness.tangent.read(motion.time, &mut |moment| {
            standing.iter().flat_map(|output| output.read(steps.scene, moment, memory)).collect()
        }));
        let values = adjoint.look(motion, &mut |moment| {
            outputs.iter().flat_map(|output| output.read(steps.scene, moment, memory)).collect()
        });
        found.times.push(motion.time);
        found.values.push(values);
        moments.push(adjoint.reached());
        shown
    }

    fn system(&self) -> &System {
        self.steps.system()
    }
}
