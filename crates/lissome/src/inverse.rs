//! The inverse job: drives that bring outputs to their targets, moment after moment, each from its predecessor.
//!
//! [`Seeker`] is a robot compiled once for its targets. `follow` asks it for every moment of a job and records what it finds.

use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::insertion::renewed;
use crate::insertion_division::{BESIDE, divide, need};
use crate::observer::{Progress, Watch};
use crate::robot::solved::{Judgement, accurate};
use lissome_lie::{Pose, Rotation};
use lissome_mech::index::RodIndex;
use lissome_mech::{Input, Inputs, System};
use lissome_model::{
    CableDrive, Coordinate, DriveTarget, Frame, FrameOf, InverseJob, Job, Scene, Signal, StaticsJob, Wanted,
};
use lissome_solve::accuracy::Finer;
use lissome_solve::inverse::{
    self, Carrier, Crease, End, Found, Goal, Memories, Place, Posture, Problem, Quantity, TARGET_TOLERANCE, Unit,
    Unknown,
};
use lissome_solve::statics::{Solution, StaticOptions};
use lissome_solve::{Iteration, Outcome, PathAnswer, PathSample, Sought, path, statics};
use nalgebra::Vector3;
use std::sync::Arc;

/// Derivatives smaller than this part of the largest are zero.
const UNFELT: f64 = 1e-12;

/// A search, as the solver has several.
type Way = fn(&mut Memories, &Posture, &Problem<'_>, &mut dyn FnMut(&Iteration) -> bool) -> Found;

/// A robot compiled once, whose drives are sought.
pub struct Seeker {
    scene: Scene,
    job: InverseJob,
    /// Spans of the sections of rods of tubes that are pushed.
    spans: Vec<Option<usize>>,
    unknowns: Vec<Unknown>,
    options: StaticOptions,
    posture: Posture,
    /// Kept from search to search.
    memories: Option<Memories>,
    /// How the equilibrium was found that the search begins with.
    begun: Outcome,
}

impl Seeker {
    /// Compiles a scene whose job is inverse on as many spans as its first equilibrium needs, and settles in that. `None` if
    /// there is none; the outcome then says why.
    fn new(scene: &Scene, job: &InverseJob, watch: &Watch<'_>) -> Result<Result<Self, Box<PathSample>>, SimulateError> {
        let mut still = scene.inserted_at(0.0);
        still.drives.retain(|drive| !drive.target.is_insertion());
        let first = StaticsJob { winding: job.winding, ..StaticsJob::default() };
        let (found, equilibrium) = accurate(&still, &first, Judgement::Eigenvalue, watch)?;
        if !found.solution.outcome.converged() {
            let drives = scene.drives.iter().map(|drive| drive.signal.at(0.0)).collect();
            let at = job.moment(0);
            let (branch, arc, sought, friction) = (0, 0.0, None, None);
            return Ok(Err(Box::new(PathSample { at, drives, branch, arc, sought, friction, equilibrium })));
        }
        let options = StaticOptions { eigenvalue: false, ..StaticOptions::of_job(first.max_iterations, job.winding) };
        let mut scene = Scene { drives: scene.drives.clone(), ..found.scene };
        let mut spans = vec![None; scene.rods.len()];
        let pushed = |free: &&lissome_model::FreeDrive| scene.drives[free.drive].target.is_insertion();
        let mut posture =
            Posture { system: Arc::new(found.system), state: found.solution.state, inputs: found.solution.inputs };
        if job.free.iter().any(|free| pushed(&free)) {
            need(&scene, &mut spans);
            divide(&mut scene, &spans);
            let system = System::compile(&scene)?;
            let start = system.carried_state(&posture.system, &posture.state, &posture.inputs);
            let mut work = system.workspace();
            let again = statics::solve(&system, &start, &posture.inputs, &options, &mut work, &mut |_| true);
            if again.outcome.converged() {
                posture = Posture { system: Arc::new(system), state: again.state, inputs: again.inputs };
            }
        }
        let unknowns = job.free.iter().map(|free| unknown(&scene, &posture.system, free)).collect();
        let begun = found.solution.outcome;
        Ok(Ok(Self { scene, job: job.clone(), spans, unknowns, options, posture, memories: None, begun }))
    }

    /// Compiles the scene of an inverse job, settles, and is ready to be asked. `None` if the job is another, or the robot has
    /// no equilibrium to begin with.
    pub fn of(scene: &Scene) -> Result<Option<Self>, SimulateError> {
        crate::check(scene)?;
        let Job::Inverse(job) = &scene.job else { return Ok(None) };
        let mut nobody = crate::Unobserved;
        Ok(Self::new(scene, job, &Watch::new(&mut nobody))?.ok())
    }

    /// Where the robot stands.
    pub fn posture(&self) -> &Posture {
        &self.posture
    }

    /// The drives that are sought.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// Lets the robot stand elsewhere: the next search begins there.
    pub fn stand(&mut self, posture: Posture) {
        self.posture = posture;
    }

    /// The targets at a moment.
    pub fn goals_at(&self, moment: f64) -> Vec<Goal> {
        let goal = |target: &lissome_model::Target| {
            let quantity = self.quantity(&target.output, moment);
            let scales = self.posture.system.scales();
            let unit = match quantity.unit() {
                Unit::Angle => 1.0,
                Unit::Length => scales.length,
                Unit::Force => scales.force,
            };
            Goal { quantity, weight: target.weight / unit }
        };
        self.job.targets.iter().map(goal).collect()
    }

    /// Looks for drives that bring the robot from where it stands to targets; it stays where it stands.
    pub fn reach(&mut self, goals: &[Goal], observer: &mut dyn FnMut(&Iteration) -> bool) -> Found {
        self.ask(goals, observer, inverse::solve_widely)
    }

    /// The same without looking for other ways where the first ends short of the targets.
    pub fn reach_nearby(&mut self, goals: &[Goal], observer: &mut dyn FnMut(&Iteration) -> bool) -> Found {
        self.ask(goals, observer, inverse::solve_with)
    }

    fn ask(&mut self, goals: &[Goal], observer: &mut dyn FnMut(&Iteration) -> bool, how: Way) -> Found {
        let mut memories = self.memories.take().unwrap_or_else(|| Memories::of(&self.posture));
        let found = self.ask_in(&mut memories, goals, observer, how);
        // Where tubes are pushed the next search has other equations.
        self.memories = self.spans.iter().all(Option::is_none).then_some(memories);
        found
    }

    fn ask_in(
        &self,
        memories: &mut Memories,
        goals: &[Goal],
        observer: &mut dyn FnMut(&Iteration) -> bool,
        how: Way,
    ) -> Found {
        let renew = |before: &System, inputs: &Inputs| self.equations(Some(before), inputs);
        let pushes = self.unknowns.iter().any(|own| matches!(own.input, Input::TubeInsertion { .. }));
        let problem = Problem {
            unknowns: &self.unknowns,
            goals,
            max_iterations: self.job.max_iterations,
            renew: if pushes { Some(&renew) } else { None },
            creases: &creases(&self.scene, &self.unknowns, &self.posture),
        };
        how(memories, &self.posture, &problem, observer)
    }

    /// The scene with its tubes where inputs push them.
    fn scene_under(&self, inputs: &Inputs) -> Scene {
        // Of one equilibrium: its drives are what the inputs say.
        let mut now = Scene { drives: Vec::new(), job: Job::Statics(StaticsJob::default()), ..self.scene.clone() };
        for (rod, tubes) in inputs.tubes.iter().enumerate() {
            tubes.iter().enumerate().for_each(|(tube, own)| now.insert_tube(rod, tube, own.insertion));
        }
        divide(&mut now, &self.spans);
        now
    }

    /// The equations under inputs that push tubes elsewhere; `None` if tubes cannot be there.
    pub fn equations(&self, before: Option<&System>, inputs: &Inputs) -> Option<System> {
        let now = self.scene_under(inputs);
        now.validate().ok()?;
        renewed(before, &now).ok()
    }

    fn place(&self, frame: &Frame) -> Place {
        let on = match frame.of {
            FrameOf::World => Carrier::World,
            FrameOf::Body(body) => Carrier::Body(body),
            FrameOf::Joint(joint) => Carrier::Joint(joint),
            FrameOf::Rod { rod, s } => {
                let index = RodIndex::new(rod);
                // Where tubes are pushed the end of the rod is meant, wherever it is.
                match s >= self.scene.rods[rod].length * (1.0 - 1e-12) || self.scene.rods[rod].tubes.is_some() {
                    true => Carrier::Tip(index),
                    false => Carrier::Rod(index, s),
                }
            }
        };
        Place { on, offset: frame.pose }
    }

    fn quantity(&self, output: &Wanted, t: f64) -> Quantity {
        let three = |axes: &[Signal; 3]| Vector3::new(axes[0].at(t), axes[1].at(t), axes[2].at(t));
        let some = |axes: &[Option<Signal>; 3]| {
            let at = |axis: usize| axes[axis].as_ref().map_or(0.0, |own| own.at(t));
            (Vector3::new(at(0), at(1), at(2)), [0, 1, 2].map(|axis| axes[axis].is_some()))
        };
        match output {
            Wanted::Position { of, axes } => {
                let (target, axes) = some(axes);
                Quantity::Position { place: self.place(of), target, axes }
            }
            Wanted::Rotation { of, turn } => {
                Quantity::Rotation { place: self.place(of), target: Rotation::exp(&three(turn)) }
            }
            Wanted::Direction { of, along } => {
                Quantity::Direction { place: self.place(of), target: three(along).normalize() }
            }
            Wanted::TendonTension { tendon, value } => Quantity::TendonTension { tendon: *tendon, target: value.at(t) },
            Wanted::TendonLength { tendon, value } => Quantity::TendonLength { tendon: *tendon, target: value.at(t) },
            Wanted::CableTension { cable, value } => Quantity::CableTension { cable: *cable, target: value.at(t) },
            Wanted::CableLength { cable, value } => Quantity::CableLength { cable: *cable, target: value.at(t) },
            Wanted::SpringPull { spring, value } => Quantity::SpringPull { spring: *spring, target: value.at(t) },
            Wanted::Force { rod, at_base, axes } => {
                let (target, axes) = some(axes);
                Quantity::Reaction { rod: RodIndex::new(*rod), at_base: *at_base, target, axes }
            }
        }
    }

    /// Brings drives that are not sought to a moment; false if the robot cannot follow.
    fn let_others_follow(&mut self, moment: f64) -> bool {
        let mut wanted = self.posture.inputs.clone();
        let sought: Vec<usize> = self.job.free.iter().map(|free| free.drive).collect();
        for (_, drive) in self.scene.drives.iter().enumerate().filter(|(index, _)| !sought.contains(index)) {
            wanted.set(drive.target.into(), drive.signal.at(moment));
        }
        if wanted == self.posture.inputs {
            return true;
        }
        let Posture { system, state, inputs } = &self.posture;
        let (mut work, way) = (system.workspace(), (inputs, &wanted));
        let found = path::advance(system, state, way, &self.options, &mut work, &mut |_| true);
        let converged = found.outcome.converged();
        if converged {
            (self.posture.state, self.posture.inputs) = (found.state, wanted);
        }
        converged
    }

    /// The numbers of what was found.
    fn sample(&self, at: f64, found: &Found) -> Result<PathSample, SimulateError> {
        let Posture { system, state, inputs } = &found.posture;
        let scene = self.scene_under(inputs);
        let mut work = system.workspace();
        let options = StaticOptions { leave_saddles: false, load_steps: false, look_back: false, ..self.options };
        let options = StaticOptions { eigenvalue: true, ..options };
        let settled = statics::solve(system, state, inputs, &options, &mut work, &mut |_| true);
        let mut outcome = settled.outcome.clone();
        outcome.history.clone_from(&found.history);
        outcome.checks = 0;
        outcome.events.clear();
        let solution = Solution { outcome, ..settled };
        let errors = match solution.outcome.converged() {
            true => Finer::new(&scene)?.errors(system, &solution.state, inputs),
            false => Vec::new(),
        };
        let equilibrium = record(&scene, system, &solution, &work, &errors);
        Ok(PathSample {
            at,
            drives: self.scene.drives.iter().map(|drive| inputs.get(drive.target.into())).collect(),
            branch: 0,
            arc: 0.0,
            sought: Some(self.sought(found)),
            friction: None,
            equilibrium: examined(equilibrium, &scene, system, &solution.state, inputs),
        })
    }

    fn sought(&self, found: &Found) -> Sought {
        let largest = found.jacobian.amax();
        let (mut row, mut gaps, mut moved) = (0, Vec::new(), Vec::new());
        for goal in self.goals_at(0.0) {
            let size = goal.quantity.size();
            let own = &found.gaps[row..row + size];
            gaps.push(own.iter().map(|gap| gap * gap).sum::<f64>().sqrt());
            let felt = found.jacobian.nrows() > row && found.jacobian.rows(row, size).amax() > UNFELT * largest;
            moved.push(felt);
            row += size;
        }
        Sought {
            end: found.end,
            distance: found.distance,
            gaps,
            iterations: found.iterations,
            at_limit: found.at_limit.clone(),
            event: found.event.map(|event| event.kind),
            moved,
        }
    }
}

/// Follows the targets. What the observer stops keeps what was found until then; a moment at which no search begins is the last.
pub(crate) fn follow(scene: &Scene, job: &InverseJob, watch: &Watch<'_>) -> Result<PathAnswer, SimulateError> {
    let mut seeker = match Seeker::new(scene, job, watch)? {
        Ok(seeker) => seeker,
        Err(sample) => return Ok(PathAnswer { samples: vec![*sample], branches: Vec::new() }),
    };
    let mut samples: Vec<PathSample> = Vec::new();
    for index in 0..job.samples {
        let at = job.moment(index);
        let follows = seeker.let_others_follow(at);
        let goals = seeker.goals_at(at);
        let found = seeker.reach(&goals, &mut |iteration| watch.iteration(iteration));
        if found.end == End::Stopped && !samples.is_empty() {
            break;
        }
        let mut sample = seeker.sample(at, &found)?;
        if index == 0 {
            // The way to the first equilibrium is told with it.
            let mut history = seeker.begun.history.clone();
            history.append(&mut sample.equilibrium.outcome.history);
            sample.equilibrium.outcome.history = history;
        }
        let go_on = watch.show(&Progress::Sample { index, of: job.samples, sample: &sample });
        samples.push(sample);
        seeker.stand(found.posture);
        if !go_on || !follows {
            break;
        }
    }
    Ok(PathAnswer { samples, branches: Vec::new() })
}

/// A drive of the scene as an unknown: in units of half its range, or of what the robot's size suggests.
fn unknown(scene: &Scene, system: &System, free: &lissome_model::FreeDrive) -> Unknown {
    let drive = &scene.drives[free.drive];
    let scales = system.scales();
    let thread = |drive: &CableDrive| match drive {
        CableDrive::Tension(_) => scales.force,
        _ => scales.length,
    };
    let coordinate = |joint: usize, coordinate: usize| scene.joints[joint].kind.coordinates()[coordinate].1;
    let natural = match drive.target {
        DriveTarget::JointValue { joint, coordinate: own } => match coordinate(joint, own) {
            Coordinate::Angle => 1.0,
            Coordinate::Distance => scales.length,
        },
        DriveTarget::JointEffort { joint, coordinate: own } => match coordinate(joint, own) {
            Coordinate::Angle => scales.force * scales.length,
            Coordinate::Distance => scales.force,
        },
        DriveTarget::Cable(cable) => thread(&scene.cables[cable].drive),
        DriveTarget::Tendon(tendon) => thread(&scene.tendons[tendon].drive),
        DriveTarget::TubeInsertion { .. } => scales.length,
        DriveTarget::TubeRotation { .. } | DriveTarget::Load(_) | DriveTarget::FrameLoad(_) | DriveTarget::Gravity => {
            1.0
        }
    };
    let half = 0.5 * (free.limits.1 - free.limits.0);
    let unit = if half.is_finite() { half } else { natural };
    Unknown { input: drive.target.into(), limits: free.limits, rest: free.rest, weight: free.weight, unit }
}

/// Where places of tubes meet each other or the entry while drives push them: sections appear and vanish there.
fn creases(scene: &Scene, unknowns: &[Unknown], posture: &Posture) -> Vec<Crease> {
    let mut creases = Vec::new();
    for (rod, tubes) in scene.rods.iter().enumerate().filter_map(|(rod, own)| Some((rod, own.tubes.as_ref()?))) {
        let width = 2.0 * BESIDE * posture.system.scales().length;
        // The unknown that moves each place, and where the place is without it; the entry first.
        let mut places = vec![(None, None, 0.0)];
        for (tube, own) in tubes.tubes.iter().enumerate() {
            let input = Input::TubeInsertion { rod, tube };
            let pushed = unknowns.iter().position(|unknown| unknown.input == input);
            let now = if pushed.is_some() { 0.0 } else { posture.inputs.get(input) };
            places.extend(own.breaks().into_iter().map(|s| (Some(tube), pushed, s - own.insertion + now)));
        }
        for (k, (of, by, a)) in places.iter().enumerate() {
            for (_, pushed, b) in places[..k].iter().filter(|own| own.0 != *of) {
                let parts: Vec<(usize, f64)> =
                    by.iter().map(|j| (*j, 1.0)).chain(pushed.iter().map(|j| (*j, -1.0))).collect();
                let ends = |low: bool| -> f64 {
                    let end = |(j, part): &(usize, f64)| {
                        let (least, most) = unknowns[*j].limits;
                        part * if low == (*part > 0.0) { least } else { most }
                    };
                    parts.iter().map(end).sum::<f64>() + a - b
                };
                if !parts.is_empty() && ends(true) < 0.0 && ends(false) > 0.0 {
                    creases.push(Crease { offset: a - b, width, parts });
                }
            }
        }
    }
    creases
}

/// True if every target of a sample was met.
pub fn is_met(sought: &Sought) -> bool {
    sought.end == End::Met && sought.distance <= TARGET_TOLERANCE
}

/// A place of the robot that is a pose of its equations, for targets of one's own.
pub fn place_at(on: Carrier) -> Place {
    Place { on, offset: Pose::identity() }
}
