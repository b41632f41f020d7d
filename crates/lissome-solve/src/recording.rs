//! What an equilibrium leaves behind: plain numbers, ready to be written or drawn.

use crate::Outcome;
use crate::buckling::CriticalKind;
use crate::contact_record::ContactRecord;
use crate::event::EventKind;
use crate::flutter::Examination;
use crate::inverse::End;
use crate::optimise::OptimumEnd;
use lissome_lie::{Pose, Wrench};
pub use lissome_mech::Sample;
use lissome_model::TendonMethod;
use nalgebra::{Matrix6, Vector3, Vector6};

/// Something with a name in the scene.
pub trait Named {
    /// That name.
    fn name(&self) -> &str;
}

/// The part of that name.
fn find<'a, T: Named>(parts: &'a [T], name: &str) -> Option<&'a T> {
    parts.iter().find(|part| part.name() == name)
}

/// Where the search for an equilibrium ended: at the equilibrium, or at the last iterate if the outcome says so.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// How the search went.
    pub outcome: Outcome,
    /// One per rod of the scene, in order.
    pub rods: Vec<RodRecord>,
    /// One per body of the scene, in order.
    pub bodies: Vec<BodyRecord>,
    /// One per joint of the scene, in order.
    pub joints: Vec<JointRecord>,
    /// One per cable of the scene, in order.
    pub cables: Vec<CableRecord>,
    /// One per spring of the scene, in order.
    pub springs: Vec<SpringRecord>,
    /// One per pair of a rod or body and an obstacle that it may touch, in the order of `Scene::contact_pairs`.
    pub contacts: Vec<ContactRecord>,
    /// One per tendon of the scene, in order; none where the search did not get as far.
    pub tendons: Vec<TendonRecord>,
    /// The classical method that found it, if not the program's own.
    pub method: Option<TendonMethod>,
    /// How tips, tensions and lengths change with drives and loads; `None` without tendons or without an equilibrium.
    pub sensitivity: Option<SensitivityRecord>,
    /// Flutter; `None` where the loads have a potential, or where there is no equilibrium.
    pub flutter: Option<Examination>,
    /// Derivatives that were asked for, in the order of the requests.
    pub derivatives: Vec<DerivativeRecord>,
    /// How its numbers were found, where they were sought.
    pub optimum: Option<Box<OptimumRecord>>,
}

/// Derivatives of an output by numbers of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivativeRecord {
    /// Names of the rows.
    pub of: Vec<String>,
    /// Dotted paths of the columns.
    pub wrt: Vec<String>,
    /// Row by row, SI.
    pub values: Vec<Vec<f64>>,
    /// True if one solve for each row was made instead of one for each column.
    pub adjoint: bool,
}

/// Derivatives of an equilibrium, exact while slack tendons stay slack and what sticks sticks.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitivityRecord {
    /// Dotted paths of what it is by: tendons (tension, length or pull), cables, factors on loads.
    pub inputs: Vec<String>,
    /// Names of the tendons.
    pub tendons: Vec<String>,
    /// Free tips of rods, and bodies that nothing carries but what is attached to them.
    pub tips: Vec<TipRecord>,
    /// Tension of each tendon by each input, N per unit.
    pub tensions: Vec<Vec<f64>>,
    /// Length of each tendon by each input, m per unit.
    pub lengths: Vec<Vec<f64>>,
}

/// How a tip moves: turn (rad) and shift (m), world axes, turn first.
#[derive(Clone, Debug, PartialEq)]
pub struct TipRecord {
    /// Name of the rod or of the body.
    pub part: String,
    /// By each input.
    pub by_inputs: Vec<Vector6<f64>>,
    /// By the length of each tendon.
    pub by_lengths: Vec<Vector6<f64>>,
    /// By a wrench on the tip, moment first, world axes.
    pub compliance: Matrix6<f64>,
}

impl Equilibrium {
    /// Of rods alone.
    pub fn of_rods(outcome: Outcome, rods: Vec<RodRecord>) -> Self {
        let (bodies, joints, cables, springs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (contacts, tendons, method, sensitivity, flutter) = (Vec::new(), Vec::new(), None, None, None);
        Self {
            outcome,
            rods,
            bodies,
            joints,
            cables,
            springs,
            contacts,
            tendons,
            method,
            sensitivity,
            flutter,
            derivatives: Vec::new(),
            optimum: None,
        }
    }

    /// True if nothing was found that a real robot would leave: no motion that nothing resists, and none that is fed. `None`
    /// without an equilibrium.
    pub fn is_stable(&self) -> Option<bool> {
        let resists = self.outcome.stability?.stable;
        Some(resists && !self.flutter.is_some_and(|flutter| flutter.grows()))
    }

    /// The rod of that name.
    pub fn rod(&self, name: &str) -> Option<&RodRecord> {
        find(&self.rods, name)
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<&BodyRecord> {
        find(&self.bodies, name)
    }

    /// The joint of that name.
    pub fn joint(&self, name: &str) -> Option<&JointRecord> {
        find(&self.joints, name)
    }

    /// The cable of that name.
    pub fn cable(&self, name: &str) -> Option<&CableRecord> {
        find(&self.cables, name)
    }

    /// The tendon of that name.
    pub fn tendon(&self, name: &str) -> Option<&TendonRecord> {
        find(&self.tendons, name)
    }

    /// The pair of a rod or body and an obstacle, by their names.
    pub fn contact(&self, part: &str, obstacle: &str) -> Option<&ContactRecord> {
        self.contacts.iter().find(|pair| pair.part == part && pair.obstacle == obstacle)
    }

    /// The spring of that name.
    pub fn spring(&self, name: &str) -> Option<&SpringRecord> {
        find(&self.springs, name)
    }
}

/// One equilibrium along a path.
#[derive(Clone, Debug)]
pub struct PathSample {
    /// The parameter that the drives are functions of.
    pub at: f64,
    /// Value of each drive of the scene there.
    pub drives: Vec<f64>,
    /// Which branch it lies on, where several are followed by their length.
    pub branch: usize,
    /// Length along that branch: parts of the parameter's range, rad and parts of the robot's length in the mean of all
    /// poses. Zero from sample to sample.
    pub arc: f64,
    /// What became of the targets, where drives were sought.
    pub sought: Option<Sought>,
    /// What friction of contacts took since the first sample, J; `None` where nothing touches.
    pub friction: Option<f64>,
    /// The equilibrium there; its outcome tells of the way from its predecessor.
    pub equilibrium: Equilibrium,
}

/// What became of the targets of an inverse job at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sought {
    /// How the search ended.
    pub end: End,
    /// The largest gap, weighted: a part of the robot's length, rad, or a part of the force that bends the softest rod.
    pub distance: f64,
    /// Of each target of the job, how far it was missed: m, rad or N.
    pub gaps: Vec<f64>,
    /// Factorisations that it took.
    pub iterations: usize,
    /// Of each free drive: -1 at its lower limit, 1 at its upper, 0 between.
    pub at_limit: Vec<i8>,
    /// What is in the way, where the branch of equilibria ends short of the targets and that is known.
    pub event: Option<EventKind>,
    /// Of each target: does any free drive change it there?
    pub moved: Vec<bool>,
}

/// How numbers of the scene were found that make an objective least, in the units and with the signs of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumRecord {
    /// How the search ended.
    pub end: OptimumEnd,
    /// The objective.
    pub objective: f64,
    /// Largest violation of a constraint, of what is large for it.
    pub violation: f64,
    /// Largest part of the conditions of a minimum that does not hold, scaled.
    pub kkt: f64,
    /// The numbers that were sought.
    pub free: Vec<FreeRecord>,
    /// The constraints.
    pub constraints: Vec<ConstraintRecord>,
    /// Every place that the search came to, the start first.
    pub rounds: Vec<OptimumRound>,
    /// What stood in the way, where that ended the search.
    pub obstacle: Option<String>,
    /// True if the objective does not depend on any of the numbers where the search began.
    pub idle: bool,
    /// Equilibria that were looked for.
    pub solves: usize,
}

/// A number that was sought.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeRecord {
    /// Its dotted path.
    pub path: String,
    /// What was found, SI.
    pub value: f64,
    /// Its limits; infinite where there are none.
    pub limits: (f64, f64),
    /// The SI unit.
    pub unit: String,
    /// -1 at its lower limit, 1 at its upper, 0 between.
    pub at_limit: i8,
    /// Derivative of the best objective by the limit that holds it; 0 between its limits.
    pub price: f64,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintRecord {
    /// As it was written.
    pub text: String,
    /// Left side less right side.
    pub gap: f64,
    /// Violation, of what is large for it; 0 where it holds.
    pub violation: f64,
    /// Derivative of the best objective by the right side.
    pub price: f64,
}

/// One place that a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumRound {
    /// The numbers.
    pub values: Vec<f64>,
    /// The objective.
    pub objective: f64,
    /// Left side less right side of each constraint.
    pub gaps: Vec<f64>,
    /// Largest violation of a constraint, of what is large for it.
    pub violation: f64,
    /// Largest part of the conditions of a minimum that does not hold.
    pub kkt: f64,
    /// Steps that were tried from the place before.
    pub tries: usize,
}

/// One natural mode about an equilibrium.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModeRecord {
    /// Frequency, Hz; of a motion that runs away without swinging, minus the rate of growth over 2π.
    pub frequency: f64,
    /// Rate of growth, 1/s: negative if the motion dies out, positive if it grows (beside a frequency: flutter).
    pub growth: f64,
    /// −growth over √(growth² + (2π frequency)²): 0 for a lasting swing, 1 for a motion that dies out without swinging.
    pub damping_ratio: f64,
    /// Estimated error of frequency and growth by the division of the rods, of the rate √(growth² + (2π frequency)²); NaN where
    /// there is no estimate.
    pub error: f64,
    /// Displacement of each rod's stations, world axes, scaled so that the largest of the scene is 1.
    pub rods: Vec<Vec<Vector3<f64>>>,
    /// Displacement of each body's origin, in the same scale.
    pub bodies: Vec<Vector3<f64>>,
}

/// Growth over |λ| beyond which a mode grows.
const GROWS: f64 = 1e-8;

impl ModeRecord {
    /// What the motion does if it is no plain swing: `flutters`, `runs away`, `over-damped`, or `nothing resists it`.
    pub fn word(&self) -> Option<&'static str> {
        let rate = self.growth.hypot(std::f64::consts::TAU * self.frequency);
        match (self.growth > GROWS * rate, self.frequency > 0.0) {
            (true, true) => Some("flutters"),
            (true, false) => Some("runs away"),
            (false, true) => None,
            (false, false) if self.growth < 0.0 => Some("over-damped"),
            (false, false) => Some("nothing resists it"),
        }
    }
}

/// A critical load and how the robot gives way there.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalLoadRecord {
    /// Load factor: so many times all loads, tensions and efforts of the scene.
    pub factor: f64,
    /// What the equilibrium that the search began with announced, by linearisation.
    pub estimate: f64,
    /// Last correction of the factor.
    pub uncertainty: f64,
    /// What happens there.
    pub kind: CriticalKind,
    /// Positions of each rod's stations in the equilibrium there, m.
    pub places: Vec<Vec<Vector3<f64>>>,
    /// Displacement of those stations as the robot gives way, world axes, scaled so that the largest of the scene is 1.
    pub rods: Vec<Vec<Vector3<f64>>>,
    /// Displacement of each body's origin, in the same scale.
    pub bodies: Vec<Vector3<f64>>,
}

/// Where a body ended up.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyRecord {
    /// Its name in the scene.
    pub name: String,
    /// World pose of its frame.
    pub pose: Pose,
}

/// Where a joint ended up.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRecord {
    /// Its name in the scene.
    pub name: String,
    /// Its coordinates, rad or m.
    pub values: Vec<f64>,
    /// World pose of the frame after it.
    pub pose: Pose,
}

/// What a cable does.
#[derive(Clone, Debug, PartialEq)]
pub struct CableRecord {
    /// Its name in the scene.
    pub name: String,
    /// Its tension, N.
    pub tension: f64,
    /// Length of its path, m.
    pub length: f64,
    /// World positions of the points it runs through.
    pub points: Vec<Vector3<f64>>,
}

/// What a tendon does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TendonRecord {
    /// Its name in the scene.
    pub name: String,
    /// Its tension at its motor, N.
    pub tension: f64,
    /// Its length inside the rods, from its motor to where it is tied, m.
    pub length: f64,
    /// How much shorter that is than in the natural shape of the rods, m: what its motor has pulled in. NaN where that is not
    /// known.
    pub pulled: f64,
    /// Along each of its runs.
    pub runs: Vec<TendonRunRecord>,
}

/// A tendon along one rod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TendonRunRecord {
    /// Index of the rod.
    pub rod: usize,
    /// Arc lengths of the rod, m.
    pub s: Vec<f64>,
    /// World positions of the tendon there.
    pub points: Vec<Vector3<f64>>,
    /// Its tension there, N.
    pub tension: Vec<f64>,
    /// Force per length of the rod with which it presses on it there, N/m: tension times turning.
    pub pressure: Vec<f64>,
}

/// What a spring does.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringRecord {
    /// Its name in the scene.
    pub name: String,
    /// Distance of its ends, m.
    pub length: f64,
    /// Pull along the line between its ends, N, negative if it pushes; of a bushing the size of its force.
    pub pull: f64,
    /// What it exerts on what carries its end b: world axes, moment about that end.
    pub wrench: Wrench,
}

/// Where a rod ended up.
#[derive(Clone, Debug)]
pub struct RodRecord {
    /// The rod's name in the scene.
    pub name: String,
    /// Evenly spaced in arc length, both ends included.
    pub samples: Vec<Sample>,
    /// Control poses of the spline.
    pub control_poses: Vec<Pose>,
    /// Pose at s = length.
    pub tip: Pose,
    /// What the rod exerts on whatever holds its base: world axes, moment about the base point.
    pub base_wrench: Wrench,
    /// What the rod exerts on whatever holds its tip: world axes, moment about the tip. Zero if it is free.
    pub tip_wrench: Wrench,
    /// Estimate of the largest error of its poses anywhere along it that more spans would remove: positions as a part of
    /// the length, turns in rad. NaN where there is none.
    pub discretisation_error: f64,
    /// The tubes of a rod of tubes, from the innermost outward; empty for other rods.
    pub tubes: Vec<TubeRecord>,
}

/// One tube of a rod of tubes, at the samples of the rod that it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeRecord {
    /// Its name in the set.
    pub name: String,
    /// Turn about the tangent from the innermost tube, rad.
    pub angle: Vec<f64>,
    /// Torque that it carries, N·m.
    pub torque: Vec<f64>,
}

macro_rules! named {
    ($($record:ty),*) => {
        $(impl Named for $record {
            fn name(&self) -> &str {
                &self.name
            }
        })*
    };
}

named!(RodRecord, BodyRecord, JointRecord, CableRecord, SpringRecord, TendonRecord);

/// How an output changes with numbers of its scene in the course of a motion or along a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DerivativeCourse {
    /// Names of the rows.
    pub of: Vec<String>,
    /// Dotted paths of the columns.
    pub wrt: Vec<String>,
    /// Output times that were reached, s; or parameters of a path.
    pub at: Vec<f64>,
    /// The derivatives at each of them, row by row, SI; not a number where there are none.
    pub values: Vec<Vec<f64>>,
}

impl DerivativeCourse {
    /// Those of the samples of a path, one for each request.
    pub fn of_path(samples: &[PathSample]) -> Vec<Self> {
        let Some(known) = samples.iter().map(|sample| &sample.equilibrium.derivatives).find(|all| !all.is_empty())
        else {
            return Vec::new();
        };
        let course = |(index, known): (usize, &DerivativeRecord)| Self {
            of: known.of.clone(),
            wrt: known.wrt.clone(),
            at: samples.iter().map(|sample| sample.at).collect(),
            values: samples
                .iter()
                .map(|sample| match sample.equilibrium.derivatives.get(index) {
                    Some(own) => own.values.concat(),
                    None => vec![f64::NAN; known.of.len() * known.wrt.len()],
                })
                .collect(),
        };
        known.iter().enumerate().map(course).collect()
    }
}
