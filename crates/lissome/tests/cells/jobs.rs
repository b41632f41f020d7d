//! The jobs of the table, and what each answer is checked for.

use crate::kinds::Kind;
use lissome::Unobserved;
use lissome_model::{DynamicsJob, Job as SceneJob, ModesJob, PathJob, Scene, Scheme, Start, StaticsJob, StepControl};
use lissome_solve::{Answer, Equilibrium, MotionEnd};
use nalgebra::Vector3;

/// A column of the table.
pub struct Job {
    pub name: &'static str,
    what: What,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Statics,
    Path,
    Motion(Scheme),
    Modes,
}

pub const JOBS: [Job; 9] = [
    Job { name: "statics", what: What::Statics },
    Job { name: "path", what: What::Path },
    Job { name: "robust", what: What::Motion(Scheme::Robust) },
    Job { name: "conserving", what: What::Motion(Scheme::Conserving) },
    Job { name: "symplectic", what: What::Motion(Scheme::Symplectic) },
    Job { name: "explicit", what: What::Motion(Scheme::Explicit) },
    Job { name: "euler", what: What::Motion(Scheme::Euler) },
    Job { name: "tr-bdf2", what: What::Motion(Scheme::TrBdf2) },
    Job { name: "modes", what: What::Modes },
];

/// Duration of the motions, s.
const DURATION: f64 = 0.04;

/// What an answer is compared by.
#[derive(Clone, Debug)]
pub enum Place {
    /// Positions, m, over the length of the rod.
    Positions(Vec<Vector3<f64>>),
    /// Lowest frequency, Hz.
    Frequency(f64),
}

impl Place {
    pub fn apart(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Positions(a), Self::Positions(b)) => {
                a.iter().zip(b).map(|(a, b)| (a - b).norm() / crate::kinds::LENGTH).fold(0.0, f64::max)
            }
            (Self::Frequency(a), Self::Frequency(b)) => (a - b).abs() / a.abs().max(b.abs()).max(0.1),
            _ => f64::INFINITY,
        }
    }
}

impl Job {
    pub fn is_motion(&self) -> bool {
        matches!(self.what, What::Motion(_))
    }

    pub fn is_modes(&self) -> bool {
        self.what == What::Modes
    }

    /// Runs the scene with this job; an error is why there is no answer.
    pub fn run(&self, mut scene: Scene, kind: &Kind) -> Result<Place, String> {
        scene.job = match self.what {
            What::Statics => SceneJob::Statics(StaticsJob::default()),
            What::Path => SceneJob::Path(PathJob { samples: 4, max_iterations: 300, ..PathJob::default() }),
            What::Motion(scheme) => SceneJob::Dynamics(DynamicsJob {
                duration: DURATION,
                output_rate: 100.0,
                scheme,
                step: StepControl::Fixed(match scheme {
                    Scheme::Explicit => 2e-5,
                    Scheme::Euler => 2e-4,
                    _ => 1e-3,
                }),
                start: Start::Natural,
                release: vec![],
            }),
            What::Modes => SceneJob::Modes(ModesJob { count: 2, max_iterations: 300 }),
        };
        if self.what == What::Path || self.is_motion() {
            scene.drives = kind.drives(&scene);
        }
        let answer = lissome::run(&scene, &mut Unobserved).map_err(|error| error.to_string())?;
        self.check(&answer)
    }

    fn check(&self, answer: &Answer) -> Result<Place, String> {
        match answer {
            Answer::Statics(equilibrium) => places_of(equilibrium),
            Answer::Path(path) => {
                for sample in &path.samples {
                    places_of(&sample.equilibrium).map_err(|why| format!("at {}: {why}", sample.at))?;
                }
                places_of(&path.samples.last().unwrap().equilibrium)
            }
            Answer::Dynamics(motion) => {
                match &motion.end {
                    MotionEnd::Finished => {}
                    // Without its numbers: the table is a page of the documents.
                    MotionEnd::BalanceBroken { .. } => {
                        return Err("the energy balance breaks at the step of this table, which is told".into());
                    }
                    other => return Err(format!("{other:?}")),
                }
                let balance = &motion.record.balance;
                let drift = balance.relative_rise();
                if drift > 0.02 {
                    return Err(format!("energy rose by {drift:e} of what was exchanged"));
                }
                let last = motion.record.frames.last().unwrap();
                if last.loop_gap > 1e-7 {
                    return Err(format!("a loop gapes by {:e}", last.loop_gap));
                }
                let tips = last.rods.iter().map(|rod| rod.poses.last().unwrap().position);
                Ok(Place::Positions(tips.chain(last.bodies.iter().map(|pose| pose.position)).collect()))
            }
            Answer::Modes(modes) => {
                places_of(&modes.equilibrium)?;
                let lowest = modes.modes.first().ok_or("no modes")?;
                Ok(Place::Frequency(lowest.frequency))
            }
            Answer::Shape(_) | Answer::Buckling(_) | Answer::FoldCurve(_) => Err("not a job of this table".into()),
        }
    }
}

fn places_of(equilibrium: &Equilibrium) -> Result<Place, String> {
    let outcome = &equilibrium.outcome;
    if let Some(defect) = &outcome.defect {
        return Err(format!("{:?} {:?}", defect.kind, defect.paths));
    }
    if !outcome.converged() {
        return Err(format!("{:?}", outcome.status));
    }
    if outcome.residual > 1e-7 {
        return Err(format!("residual {:e}", outcome.residual));
    }
    let tips = equilibrium.rods.iter().map(|rod| rod.tip.position);
    Ok(Place::Positions(tips.chain(equilibrium.bodies.iter().map(|body| body.pose.position)).collect()))
}
