//! A scene: everything that is simulated, and the job to do.

use crate::invalid::{Invalid, Problem};
use crate::{
    Body, Cable, CableDrive, Closure, Discretization, Disks, Drive, DriveTarget, FoldCurveJob, Follow, Frame,
    FrameLoad, FrameOf, Job, Joint, JointMotion, Load, Mount, Obstacle, Rod, Section, Signal, Spring, StaticsJob,
    Station, StrainForm, Tendon, Touching, Tube,
};
use nalgebra::Vector3;
use std::fmt::Display;
use std::mem::discriminant;

/// A whole problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// One line for people.
    pub title: String,
    /// Gravity, m/s², world axes.
    pub gravity: Vector3<f64>,
    /// The rods.
    pub rods: Vec<Rod>,
    /// The rigid bodies.
    pub bodies: Vec<Body>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// What closes loops, beside rods held at both ends.
    pub closures: Vec<Closure>,
    /// The cables.
    pub cables: Vec<Cable>,
    /// The tendons inside rods.
    pub tendons: Vec<Tendon>,
    /// Disks that guide tendons; drawn only.
    pub disks: Vec<Disks>,
    /// The springs between frames.
    pub springs: Vec<Spring>,
    /// What rods and bodies may touch.
    pub obstacles: Vec<Obstacle>,
    /// How things touch.
    pub touching: Touching,
    /// Loads on rods.
    pub loads: Vec<Load>,
    /// Loads on frames.
    pub frame_loads: Vec<FrameLoad>,
    /// What changes along a path or in time.
    pub drives: Vec<Drive>,
    /// How rods held at both ends close their loops.
    pub loops: LoopMethod,
    /// What to compute.
    pub job: Job,
}

/// How a rod held at both ends closes its loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopMethod {
    /// As the program likes.
    #[default]
    Auto,
    /// Its far end follows what holds it: no multiplier.
    Embedding,
    /// Its far end is tied by a constraint with a multiplier.
    Constraints,
}

/// A part of a scene, by its place in the list of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScenePart {
    /// Gravity.
    Gravity,
    /// A rod.
    Rod(usize),
    /// A rigid body.
    Body(usize),
    /// A joint.
    Joint(usize),
    /// What closes a loop.
    Closure(usize),
    /// A cable.
    Cable(usize),
    /// A tendon.
    Tendon(usize),
    /// Disks of a tendon.
    Disks(usize),
    /// A spring.
    Spring(usize),
    /// What may be touched.
    Obstacle(usize),
    /// A load on a rod.
    Load(usize),
    /// A load on a frame.
    FrameLoad(usize),
    /// All drives.
    Drives,
}

/// A scene that has passed the door, if there is one beside the scene that stands there, and the parts in which the two may differ, if they
/// are known.
#[derive(Clone, Copy)]
pub(crate) struct Passed<'s>(Option<&'s Scene>, Option<&'s [ScenePart]>);

impl<'s> Passed<'s> {
    /// Nothing that passed.
    pub const NOTHING: Self = Self(None, None);

    /// A scene that passed, and the parts in which the other may differ.
    pub fn beside(passed: &'s Scene, changed: Option<&'s [ScenePart]>) -> Self {
        Self(Some(passed), changed)
    }

    /// The same if the scene that passed has something in common with the other.
    pub fn when(self, alike: impl FnOnce(&Scene) -> bool) -> Self {
        Self(self.0.filter(|passed| alike(passed)), self.1)
    }

    /// True if there is no scene that passed.
    pub fn is_none(self) -> bool {
        self.0.is_none()
    }

    /// Parts that did not pass as they are.
    pub fn others<T: PartialEq + 's>(
        self,
        own: &'s [T],
        of: impl Fn(&'s Scene) -> &'s [T],
        part: fn(usize) -> ScenePart,
    ) -> impl Iterator<Item = &'s T> {
        let passed = self.0.map_or(&[][..], of);
        // Most changes are of one part.
        let own = match self.1 {
            Some(changed) if own.len() == passed.len() && !has_kind(changed, part) => &[],
            _ => own,
        };
        let is_other = move |(index, own): &(usize, &'s T)| match (passed.get(*index), self.1) {
            (None, _) => true,
            (Some(_), Some(changed)) => changed.contains(&part(*index)),
            (Some(passed), None) => passed != *own,
        };
        own.iter().enumerate().filter(is_other).map(|(_, part)| part)
    }

    /// True if a part is known to be as it passed.
    pub fn keeps(self, part: ScenePart) -> bool {
        self.0.is_some() && self.1.is_some_and(|changed| !changed.contains(&part))
    }

    /// True if nothing is different but parts of this sort.
    pub fn differs_in(self, sort: impl Fn(&ScenePart) -> bool) -> bool {
        self.0.is_some() && self.1.is_some_and(|changed| changed.iter().all(sort))
    }

    /// The same if everything in a scene stands on, and is tied to, what it is there.
    pub fn standing(self, scene: &Scene) -> Self {
        let alike = |passed: &Scene| match self.1 {
            Some(changed) => changed.iter().all(|part| scene.stands_like_in(passed, *part)),
            None => scene.stands_like(passed),
        };
        self.when(alike)
    }
}

fn has_kind(parts: &[ScenePart], kind: fn(usize) -> ScenePart) -> bool {
    parts.iter().any(|part| discriminant(part) == discriminant(&kind(0)))
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            title: String::new(),
            gravity: Vector3::zeros(),
            rods: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            closures: Vec::new(),
            cables: Vec::new(),
            tendons: Vec::new(),
            disks: Vec::new(),
            springs: Vec::new(),
            obstacles: Vec::new(),
            touching: Touching::default(),
            loads: Vec::new(),
            frame_loads: Vec::new(),
            drives: Vec::new(),
            loops: LoopMethod::Auto,
            job: Job::Statics(StaticsJob::default()),
        }
    }
}

impl Scene {
    /// The door: every scene that reaches a solver has passed here. Returns the first defect found.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.validate_parts(Passed::NOTHING)
    }

    /// The same of a scene beside one that has passed: parts that are the same in both are not looked at again. Where the parts are known in which
    /// they may differ, beside how rods are divided, the others are not compared.
    pub fn validate_beside(&self, passed: &Scene, changed: Option<&[ScenePart]>) -> Result<(), Invalid> {
        fn lengths(scene: &Scene) -> impl Iterator<Item = f64> {
            scene.rods.iter().map(|rod| rod.length)
        }
        let counts = |scene: &Scene| (scene.bodies.len(), scene.joints.len());
        // Whether a part is right may depend on these beside itself.
        let alike = self.gravity == passed.gravity
            && self.job == passed.job
            && counts(self) == counts(passed)
            && lengths(self).eq(lengths(passed));
        self.validate_parts(if alike { Passed::beside(passed, changed) } else { Passed::NOTHING })
    }

    fn validate_parts(&self, passed: Passed<'_>) -> Result<(), Invalid> {
        if self.gravity.iter().any(|x| !x.is_finite()) {
            return Err(Invalid::new("world.gravity", Problem::NotFinite));
        }
        if self.rods.is_empty() && self.bodies.is_empty() {
            return Err(Invalid::new(
                "rod",
                Problem::Count { found: 0, need: "a scene needs at least one rod or body".into() },
            ));
        }
        self.job.validate()?;
        self.validate_magnitudes(passed)?;
        self.validate_size()?;
        self.validate_rods(passed)?;
        for body in passed.others(&self.bodies, |scene| &scene.bodies, ScenePart::Body) {
            let path = ["body.", &body.name].concat();
            body.validate(&path)?;
            if let Mount::On(frame) = body.mount {
                self.validate_frame(format_args!("{path}.mount"), &frame)?;
            }
        }
        for joint in passed.others(&self.joints, |scene| &scene.joints, ScenePart::Joint) {
            let path = ["joint.", &joint.name].concat();
            joint.validate(&path)?;
            self.validate_frame(format_args!("{path}.parent"), &joint.parent)?;
        }
        for closure in passed.others(&self.closures, |scene| &scene.closures, ScenePart::Closure) {
            self.validate_frame(format_args!("closure.{}.a", closure.name), &closure.a)?;
            self.validate_frame(format_args!("closure.{}.b", closure.name), &closure.b)?;
        }
        for cable in passed.others(&self.cables, |scene| &scene.cables, ScenePart::Cable) {
            let path = ["cable.", &cable.name].concat();
            cable.validate(&path)?;
            for point in &cable.points {
                self.validate_frame(format_args!("{path}.points"), point)?;
            }
        }
        for spring in passed.others(&self.springs, |scene| &scene.springs, ScenePart::Spring) {
            let path = format!("spring.{}", spring.name);
            spring.validate(&path)?;
            self.validate_frame(format_args!("{path}.a"), &spring.a)?;
            self.validate_frame(format_args!("{path}.b"), &spring.b)?;
        }
        for obstacle in passed.others(&self.obstacles, |scene| &scene.obstacles, ScenePart::Obstacle) {
            let path = obstacle.path();
            obstacle.validate(&path)?;
            self.validate_frame(format_args!("{path}.fixed_to"), &obstacle.frame)?;
        }
        self.touching.validate("contact")?;
        self.validate_contacts()?;
        let standing = passed.standing(self);
        if standing.is_none() {
            self.assembly_order()?;
        }
        self.validate_loads()?;
        self.validate_tendons(passed)?;
        self.validate_connections(passed, standing)?;
        self.validate_drives(passed)?;
        self.validate_insertions(passed)?;
        match self.job {
            Job::Statics(StaticsJob { method: Some(method), .. }) => self.validate_tendon_method(method),
            Job::Shape(_) => self.validate_shape(),
            Job::Dynamics(ref job) => {
                self.validate_tendons_move(job.scheme)?;
                self.validate_independent_stresses("motion")
            }
            Job::Modes(_) => self.validate_independent_stresses("motion"),
            Job::Buckling(_) => {
                self.validate_loads_act()?;
                self.validate_tendons_slide_freely("critical loads are sought")?;
                self.validate_independent_stresses("critical loads")
            }
            Job::Inverse(ref job) => {
                self.validate_tendons_slide_freely("drives are sought")?;
                self.validate_inverse(job)
            }
            Job::Optimise(_) => self.validate_tendons_slide_freely("numbers are sought"),
            Job::FoldCurve(job) => {
                self.validate_tendons_slide_freely("folds are followed")?;
                // Where the second drive is an insertion, all of them go with it.
                if !self.drives.get(job.over).is_some_and(|drive| drive.target.is_insertion()) {
                    self.validate_insertions_stand()?;
                }
                self.validate_fold_curve(&job)
            }
            Job::Path(job) if job.follow != Follow::Drives => {
                self.validate_tendons_slide_freely("a branch is followed by its length")?;
                self.validate_insertions_stand()
            }
            Job::Statics(_) | Job::Path(_) => Ok(()),
        }
    }

    /// Branches are followed by their length on one division of the rods, which insertion would move.
    fn validate_insertions_stand(&self) -> Result<(), Invalid> {
        let moves = |drive: &&Drive| drive.target.is_insertion() && !matches!(drive.signal, Signal::Constant(_));
        let Some(drive) = self.drives.iter().find(moves) else { return Ok(()) };
        let reason = "moves the places where tubes end; a branch is followed by its length between fixed ones: turn a \
                      tube instead, or follow the drives from sample to sample";
        Err(Invalid::new(format!("drive.{}", drive.path), Problem::Contradiction { reason: reason.into() }))
    }

    /// Two drives that move.
    fn validate_fold_curve(&self, job: &FoldCurveJob) -> Result<(), Invalid> {
        let moves = |drive: &Drive| !matches!(drive.signal, Signal::Constant(_));
        let second = self.drives.get(job.over).filter(|drive| moves(drive));
        let inserted = second.is_some_and(|drive| drive.target.is_insertion());
        let leads = |drive: &Drive| moves(drive) && !(inserted && drive.target.is_insertion());
        let first = self.drives.iter().enumerate().any(|(index, drive)| index != job.over && leads(drive));
        if first && second.is_some() {
            return Ok(());
        }
        let reason = "a curve of folds needs two drives that move: the one named by `over`, and another that leads to \
                      the fold";
        Err(Invalid::new("job.over", Problem::Contradiction { reason: reason.into() }))
    }

    /// Critical loads are multiples of something.
    fn validate_loads_act(&self) -> Result<(), Invalid> {
        let pushed = |joint: &Joint| matches!(&joint.motion, JointMotion::Actuated { effort, .. } if effort.iter().any(|x| *x != 0.0));
        let pulled = |cable: &Cable| matches!(cable.drive, CableDrive::Tension(tension) if tension != 0.0);
        let drawn = |tendon: &Tendon| matches!(tendon.drive, CableDrive::Tension(tension) if tension != 0.0);
        let acts = self.gravity.norm() > 0.0
            || !self.loads.is_empty()
            || !self.frame_loads.is_empty()
            || self.joints.iter().any(pushed)
            || self.cables.iter().any(pulled)
            || self.tendons.iter().any(drawn);
        if acts {
            return Ok(());
        }
        let need = "critical loads are multiples of the loads that act, and nothing does".into();
        Err(Invalid::new("load", Problem::Missing { need }))
    }

    /// What moves or gives way has stresses of its own. That what moves has mass is checked with the rods.
    fn validate_independent_stresses(&self, what: &str) -> Result<(), Invalid> {
        let refuse = |rod: &Rod, key: &str, reason: &str| {
            let path = format!("rod.{}.model.{key}", rod.name);
            Err(Invalid::new(path, Problem::Contradiction { reason: reason.into() }))
        };
        for rod in &self.rods {
            if matches!(rod.discretization, Discretization::Spline { form: StrainForm::Printed, .. }) {
                let reason = format!("the printed form has no {what}: leave it out, and stress and strain are mixed");
                return refuse(rod, "spline.form", &reason);
            }
        }
        Ok(())
    }

    /// Refuses frames of what does not exist, or off a rod.
    pub(crate) fn validate_frame(&self, path: impl Display, frame: &Frame) -> Result<(), Invalid> {
        if !frame.pose.is_finite() {
            return Err(Invalid::new(path.to_string(), Problem::NotFinite));
        }
        let exists = match frame.of {
            FrameOf::World => true,
            FrameOf::Body(body) => body < self.bodies.len(),
            FrameOf::Joint(joint) => joint < self.joints.len(),
            FrameOf::Rod { rod, s } => match self.rods.get(rod).map(|rod| rod.length) {
                Some(length) if !(-1e-12 * length..=length * (1.0 + 1e-9)).contains(&s) => {
                    let problem = match s.is_finite() {
                        true => Problem::OutOfRange { value: s, interval: format!("[0, {length}] m") },
                        false => Problem::NotFinite,
                    };
                    return Err(Invalid::new(format!("{path}.at"), problem));
                }
                found => found.is_some(),
            },
        };
        if exists {
            return Ok(());
        }
        let name = format!("{:?}", frame.of);
        Err(Invalid::new(format!("{path}.fixed_to"), Problem::UnknownName { name, known: Vec::new() }))
    }

    fn validate_rods(&self, passed: Passed<'_>) -> Result<(), Invalid> {
        for rod in passed.others(&self.rods, |scene| &scene.rods, ScenePart::Rod) {
            let path = rod.path();
            rod.validate(&path)?;
            for (end, frame) in [("base", &rod.base), ("tip", &rod.tip)] {
                if let Some(frame) = frame {
                    self.validate_frame(format_args!("{path}.{end}"), frame)?;
                }
            }
            let moves = matches!(self.job, Job::Dynamics(_) | Job::Modes(_));
            let why = if moves { "it moves" } else { "gravity acts" };
            if (moves || self.gravity.norm() > 0.0) && !rod.has_mass() {
                let given = rod.profile.stations.iter().any(|station| matches!(station.section, Section::Given { .. }));
                let (key, what) = if let Some(tubes) = &rod.tubes {
                    let light = tubes.tubes.iter().find(|tube| tube.material.density.is_none());
                    let name = light.map_or("", |tube| tube.name.as_str());
                    let need = format!("{why}, so the tube needs a density");
                    return Err(Invalid::new(format!("{path}.tube.{name}.material"), Problem::Missing { need }));
                } else if given {
                    ("section.mass_per_length", "mass")
                } else {
                    ("material", "density")
                };
                let need = format!("{why}, so the rod needs a {what}");
                return Err(Invalid::new(format!("{path}.{key}"), Problem::Missing { need }));
            }
            let turns = |station: &Station| station.section.has_rotary_inertia();
            if moves && !rod.profile.stations.iter().all(turns) {
                let need =
                    "it moves, so its sections need a rotary inertia per length, or a radius to take it from".into();
                return Err(Invalid::new(format!("{path}.section.rotary_inertia"), Problem::Missing { need }));
            }
        }
        Ok(())
    }

    /// A tube of a rod of tubes.
    pub fn tube(&self, rod: usize, tube: usize) -> Option<&Tube> {
        self.rods.get(rod)?.tubes.as_ref()?.tubes.get(tube)
    }

    fn validate_loads(&self) -> Result<(), Invalid> {
        for load in &self.loads {
            let path = format!("load.{}", load.name);
            let Some(rod) = self.rods.get(load.rod) else {
                return Err(Invalid::new(
                    format!("{path}.rod"),
                    Problem::UnknownName {
                        name: load.rod.to_string(),
                        known: self.rods.iter().map(|r| r.name.clone()).collect(),
                    },
                ));
            };
            load.validate(&path, rod.length)?;
        }
        for load in &self.frame_loads {
            let path = format!("load.{}", load.name);
            load.validate(&path)?;
            self.validate_frame(format_args!("{path}.on"), &load.on)?;
        }
        Ok(())
    }

    fn validate_drives(&self, passed: Passed<'_>) -> Result<(), Invalid> {
        // What is driven is there still, and tubes are as long.
        let is_apart = |part: &ScenePart| match part {
            ScenePart::Rod(rod) => self.rods[*rod].tubes.is_none(),
            part => {
                matches!(part, ScenePart::Body(_) | ScenePart::Cable(_) | ScenePart::Spring(_) | ScenePart::Load(_))
            }
        };
        if passed.differs_in(is_apart) {
            return Ok(());
        }
        for (index, drive) in self.drives.iter().enumerate() {
            let path = format!("drive.{}", drive.path);
            drive.signal.validate(&path, self.job.end())?;
            let clash = |reason: &str| Err(Invalid::new(&path, Problem::Contradiction { reason: reason.into() }));
            let known = match drive.target {
                DriveTarget::JointValue { joint, coordinate } => self.joints.get(joint).is_some_and(|joint| {
                    coordinate < joint.freedom() && matches!(joint.motion, JointMotion::Driven { .. })
                }),
                DriveTarget::JointEffort { joint, coordinate } => self.joints.get(joint).is_some_and(|joint| {
                    coordinate < joint.freedom() && matches!(joint.motion, JointMotion::Actuated { .. })
                }),
                DriveTarget::Cable(cable) => cable < self.cables.len(),
                DriveTarget::Tendon(tendon) => {
                    let (least, _) = drive.signal.range();
                    let tendon = self.tendons.get(tendon);
                    if least < 0.0 && tendon.is_some_and(|tendon| matches!(tendon.drive, CableDrive::Tension(_))) {
                        return Err(Invalid::new(&path, Problem::Negative { value: least }));
                    }
                    tendon.is_some()
                }
                DriveTarget::Load(load) => load < self.loads.len(),
                DriveTarget::FrameLoad(load) => load < self.frame_loads.len(),
                DriveTarget::Gravity => true,
                DriveTarget::TubeRotation { rod, tube } => self.tube(rod, tube).is_some(),
                DriveTarget::TubeInsertion { rod, tube } => match self.tube(rod, tube) {
                    Some(tube) => {
                        let (least, most) = drive.signal.range();
                        tube.validate_insertion(&path, least)?;
                        tube.validate_insertion(&path, most)?;
                        if let Job::Dynamics(job) = &self.job
                            && least != most
                            && !job.scheme.takes_pushed_tubes()
                        {
                            return clash(
                                "moves tubes in or out, which changes the energy that this scheme keeps between its steps: use \
                                 robust, euler or tr-bdf2",
                            );
                        }
                        true
                    }
                    None => false,
                },
            };
            if !known {
                return clash(
                    "names nothing that can be driven: a joint must be driven or actuated for it, a tube be there",
                );
            }
            if let Some(other) = self.drives[..index].iter().find(|other| other.target == drive.target) {
                return Err(Invalid::new(&path, Problem::DrivenTwice { other: other.path.clone() }));
            }
        }
        Ok(())
    }

    /// A shape from end poses has both ends held in the world and nothing else that acts.
    fn validate_shape(&self) -> Result<(), Invalid> {
        let refuse =
            |path: String, reason: &str| Err(Invalid::new(path, Problem::Contradiction { reason: reason.into() }));
        if self.gravity.norm() > 0.0 {
            return refuse("world.gravity".into(), "acts, but a shape from end poses knows no loads: ask for statics");
        }
        let loads = self.loads.iter().map(|load| &load.name).chain(self.frame_loads.iter().map(|load| &load.name));
        if let Some(name) = loads.into_iter().next() {
            return refuse(format!("load.{name}"), "acts, but a shape from end poses knows no loads: ask for statics");
        }
        let pulls = self.cables.iter().map(|cable| format!("cable.{}", cable.name));
        let pulls = pulls.chain(self.tendons.iter().map(Tendon::path));
        if let Some(path) = pulls.chain(self.springs.iter().map(|spring| format!("spring.{}", spring.name))).next() {
            return refuse(path, "acts, but a shape from end poses knows rods alone: ask for statics");
        }
        if let Some(obstacle) = self.obstacles.first() {
            return refuse(
                obstacle.path(),
                "is in the way, but a shape from end poses knows rods alone: ask for statics",
            );
        }
        for rod in &self.rods {
            if rod.tubes.is_some() {
                return refuse(rod.path(), "a shape from end poses knows plain rods alone: ask for statics");
            }
            for (end, frame) in [("base", &rod.base), ("tip", &rod.tip)] {
                if frame.and_then(|frame| frame.world_pose()).is_none() {
                    let need = "a shape from end poses needs both ends held in the world".into();
                    return Err(Invalid::new(format!("rod.{}.{end}", rod.name), Problem::Missing { need }));
                }
            }
        }
        Ok(())
    }
}
