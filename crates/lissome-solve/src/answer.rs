//! What a scene's job answers: one type a job, plain numbers that own themselves and may go to another thread.

use crate::diagram::{BranchEnd, TracedBranch};
use crate::flutter::Onset;
use crate::fold_curve::FoldCurve;
use crate::{
    BodyRecord, CableFrame, CableRecord, CriticalLoadRecord, DerivativeCourse, EnergyBalance, Equilibrium, JointRecord,
    ModeRecord, MotionEnd, MotionEvent, MotionEventKind, MotionFrame, Outcome, PathSample, RodFrame, RodRecord,
    TendonRecord,
};
use lissome_lie::Pose;
use lissome_model::Scene;
use lissome_shape::RodShapes;

/// The answer to a scene, by its job.
#[derive(Clone, Debug)]
// There is one of them a run: a box would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Answer {
    /// The equilibrium.
    Statics(Equilibrium),
    /// Equilibria along the drives.
    Path(PathAnswer),
    /// The shape of every rod between its two held ends.
    Shape(ShapeAnswer),
    /// The motion in time.
    Dynamics(MotionAnswer),
    /// Natural modes about the equilibrium.
    Modes(ModesAnswer),
    /// Critical loads.
    Buckling(BucklingAnswer),
    /// Curves of folds over two drives.
    FoldCurve(FoldCurveAnswer),
}

/// Curves of folds over two drives.
#[derive(Clone, Debug)]
pub struct FoldCurveAnswer {
    /// The equilibrium that the path to the folds began with.
    pub equilibrium: Equilibrium,
    /// One for each fold of the first branch, but for those that another leads to around a cusp.
    pub curves: Vec<FoldCurve>,
}

/// Equilibria along the drives of a scene.
#[derive(Clone, Debug)]
pub struct PathAnswer {
    /// At least one. All but the last have converged.
    pub samples: Vec<PathSample>,
    /// The branches that were followed by their length, and how each ended; none of a path from sample to sample.
    pub branches: Vec<TracedBranch>,
}

/// Shapes of rods between their two held ends.
#[derive(Clone, Debug)]
pub struct ShapeAnswer {
    /// The shapes that were asked for, as an equilibrium without loads.
    pub equilibrium: Equilibrium,
    /// Of each rod that has a shape: the exact one, the approximations beside it, and every equilibrium found.
    pub shapes: Vec<RodShapes>,
}

/// Natural modes about an equilibrium.
#[derive(Clone, Debug)]
pub struct ModesAnswer {
    /// The equilibrium.
    pub equilibrium: Equilibrium,
    /// The lowest modes; none if there is no equilibrium.
    pub modes: Vec<ModeRecord>,
}

/// Critical loads of the branch through an equilibrium.
#[derive(Clone, Debug)]
pub struct BucklingAnswer {
    /// The equilibrium that the search began with.
    pub equilibrium: Equilibrium,
    /// The load factor of that equilibrium: 0 without loads, 1 with those of the scene.
    pub from: f64,
    /// The lowest critical loads above it, in increasing order; none if there is no equilibrium, or nothing gives way.
    pub loads: Vec<CriticalLoadRecord>,
    /// Critical loads below the last of them that were noticed and could not be found.
    pub missed: usize,
    /// Where a motion begins to grow under loads without a potential; `None` if none does on the way to the first critical
    /// load, or if it was not examined.
    pub flutter: Option<Onset>,
    /// True if the search was stopped: there may be lower loads than those that were found.
    pub stopped: bool,
}

/// A motion in time.
#[derive(Clone, Debug)]
pub struct MotionAnswer {
    /// The equilibrium that it starts from; `None` if it starts without stress, or from an earlier state.
    pub start: Option<Equilibrium>,
    /// What was recorded.
    pub record: MotionRecord,
    /// How it ended.
    pub end: MotionEnd,
}

impl Answer {
    /// The equilibrium that the job ended with: the last one of a path, the one that a motion started from.
    pub fn equilibrium(&self) -> Option<&Equilibrium> {
        match self {
            Self::Statics(equilibrium) => Some(equilibrium),
            Self::Path(path) => path.samples.last().map(|sample| &sample.equilibrium),
            Self::Shape(shape) => Some(&shape.equilibrium),
            Self::Dynamics(motion) => motion.start.as_ref(),
            Self::Modes(modes) => Some(&modes.equilibrium),
            Self::Buckling(buckling) => Some(&buckling.equilibrium),
            Self::FoldCurve(folds) => Some(&folds.equilibrium),
        }
    }

    /// How the search for that equilibrium went.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.equilibrium().map(|equilibrium| &equilibrium.outcome)
    }

    /// True if the job was done: every equilibrium found, the motion finished with its energy balance kept.
    pub fn succeeded(&self) -> bool {
        match self {
            Self::Dynamics(motion) => motion.end == MotionEnd::Finished,
            Self::Path(path) => {
                let complete = path.branches.iter().all(|branch| branch.end != BranchEnd::Lost);
                complete && path.samples.iter().all(|sample| sample.equilibrium.outcome.converged())
            }
            Self::Statics(_) | Self::Shape(_) | Self::Modes(_) | Self::Buckling(_) | Self::FoldCurve(_) => {
                self.outcome().is_some_and(Outcome::converged)
            }
        }
    }

    /// A rod of [`Self::equilibrium`] by its name. The rods of a motion in time are those of its frames:
    /// [`MotionRecord::rod`].
    pub fn rod(&self, name: &str) -> Option<&RodRecord> {
        self.equilibrium()?.rod(name)
    }

    /// A body of [`Self::equilibrium`] by its name.
    pub fn body(&self, name: &str) -> Option<&BodyRecord> {
        self.equilibrium()?.body(name)
    }

    /// A joint of [`Self::equilibrium`] by its name.
    pub fn joint(&self, name: &str) -> Option<&JointRecord> {
        self.equilibrium()?.joint(name)
    }

    /// A tendon of [`Self::equilibrium`] by its name.
    pub fn tendon(&self, name: &str) -> Option<&TendonRecord> {
        self.equilibrium()?.tendon(name)
    }

    /// A cable of [`Self::equilibrium`] by its name.
    pub fn cable(&self, name: &str) -> Option<&CableRecord> {
        self.equilibrium()?.cable(name)
    }
}

/// Frames kept of a motion; twice as many are gathered before every other one is dropped.
const KEPT: usize = 1500;
/// Events kept of a motion; the others are counted.
const KEPT_EVENTS: usize = 10_000;

/// What is kept of a motion in memory, however long it is: its two ends, evenly thinned frames, its events and its energy
/// balance. An observer sees every frame.
#[derive(Clone, Debug, Default)]
pub struct MotionRecord {
    /// Some frames, evenly spaced.
    pub frames: Vec<MotionFrame>,
    /// The first frame.
    pub first: Option<MotionFrame>,
    /// The last frame.
    pub last: Option<MotionFrame>,
    /// Number of all frames.
    pub count: usize,
    /// The first events, in order.
    pub events: Vec<MotionEvent>,
    /// Number of all events.
    pub event_count: usize,
    /// The first time that a rod passed through something thinner than its spans.
    pub ran_through: Option<MotionEvent>,
    /// Where the energy went.
    pub balance: EnergyBalance,
    /// Of each rod the largest estimate of its discretisation error, and when that was, s.
    pub coarsest: Vec<(f64, f64)>,
    /// Derivatives that were asked for, in the order of the requests.
    pub derivatives: Vec<DerivativeCourse>,
    names: PartNames,
    stride: usize,
}

/// Names of the parts of a scene, in the order in which frames hold them.
#[derive(Clone, Debug, Default)]
struct PartNames {
    rods: Vec<String>,
    bodies: Vec<String>,
    joints: Vec<String>,
    cables: Vec<String>,
}

/// A part at the times of the frames that were kept.
pub type Course<'a, T> = Vec<(f64, &'a T)>;

impl MotionRecord {
    /// Without frames yet.
    pub fn of(scene: &Scene) -> Self {
        let names = PartNames {
            rods: scene.rods.iter().map(|rod| rod.name.clone()).collect(),
            bodies: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            joints: scene.joints.iter().map(|joint| joint.name.clone()).collect(),
            cables: scene.cables.iter().map(|cable| cable.name.clone()).collect(),
        };
        Self { names, ..Self::default() }
    }

    /// A rod through the frames, by its name.
    pub fn rod(&self, name: &str) -> Option<Course<'_, RodFrame>> {
        self.course(&self.names.rods, name, |frame| &frame.rods)
    }

    /// The pose of a body through the frames, by its name.
    pub fn body(&self, name: &str) -> Option<Course<'_, Pose>> {
        self.course(&self.names.bodies, name, |frame| &frame.bodies)
    }

    /// The coordinates of a joint through the frames, rad or m, by its name.
    pub fn joint(&self, name: &str) -> Option<Course<'_, Vec<f64>>> {
        self.course(&self.names.joints, name, |frame| &frame.joints)
    }

    /// A cable through the frames, by its name.
    pub fn cable(&self, name: &str) -> Option<Course<'_, CableFrame>> {
        self.course(&self.names.cables, name, |frame| &frame.cables)
    }

    fn course<T>(&self, names: &[String], name: &str, of: fn(&MotionFrame) -> &Vec<T>) -> Option<Course<'_, T>> {
        let index = names.iter().position(|known| known == name)?;
        self.frames.iter().map(|frame| Some((frame.time, of(frame).get(index)?))).collect()
    }

    /// Takes a frame.
    pub fn push(&mut self, frame: &MotionFrame) {
        self.balance.push(frame.time, &frame.energy);
        let errors: Vec<f64> = frame.rods.iter().map(|rod| rod.discretisation_error).collect();
        self.judge(frame.time, &errors);
        self.first.get_or_insert_with(|| frame.clone());
        let stride = self.stride.max(1);
        if self.count.is_multiple_of(stride) {
            self.frames.push(frame.clone());
            if self.frames.len() >= 2 * KEPT {
                let mut index = 0;
                self.frames.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride = 2 * stride;
            }
        }
        self.count += 1;
        self.last = Some(frame.clone());
    }

    /// Takes estimates of the discretisation error of every rod at a time; NaN where there is none, which counts for more than any.
    pub fn judge(&mut self, time: f64, errors: &[f64]) {
        self.coarsest.resize(errors.len(), (0.0, time));
        for (coarsest, error) in self.coarsest.iter_mut().zip(errors) {
            if error.is_nan() || *error > coarsest.0 {
                *coarsest = (*error, time);
            }
        }
    }

    /// Takes an event.
    pub fn push_event(&mut self, event: MotionEvent) {
        self.event_count += 1;
        if event.kind == MotionEventKind::Through && self.ran_through.is_none() {
            self.ran_through = Some(event.clone());
        }
        if self.events.len() < KEPT_EVENTS {
            self.events.push(event);
        }
    }

    /// Time of the last frame, s.
    pub fn reached(&self) -> f64 {
        self.last.as_ref().map_or(0.0, |frame| frame.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_may_go_to_another_thread() {
        fn sent<T: Send + Sync + 'static>() {}
        sent::<Answer>();
    }

    #[test]
    fn a_long_motion_is_thinned_evenly_and_counted_whole() {
        let mut record = MotionRecord::default();
        for index in 0..10_000 {
            record.push(&MotionFrame { time: f64::from(index), ..MotionFrame::default() });
        }
        assert_eq!((record.count, record.reached()), (10_000, 9_999.0));
        assert!((KEPT..2 * KEPT).contains(&record.frames.len()));
        let gaps: Vec<f64> = record.frames.windows(2).map(|pair| pair[1].time - pair[0].time).collect();
        assert!(gaps.iter().all(|gap| *gap == gaps[0]), "evenly");
    }
}
