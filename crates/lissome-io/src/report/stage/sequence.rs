//! What the view plays: the frames of a run, where each stands on the axis of the plots, and groups of frames that belong
//! together (branches of a path, swings of modes).

use super::super::modes::{self, Rods};
use super::thinning::evenly;
use crate::number;
use crate::placing::Placing;
use crate::still_frame;
use crate::summary::Summary;
use lissome_lie::{Pose, Rotation};
use lissome_model::{Frame, FrameOf, Mount, Scene};
use lissome_shape::{RodShapes, Shape, Verdict};
use lissome_solve::{Equilibrium, MotionFrame, RodFrame};
use nalgebra::Vector3;
use std::ops::Range;

/// Frames of one swing of a mode.
const SWING: usize = 16;
/// Modes that are played.
const MOST_MODES: usize = 12;
/// Stations of a shape between two ends.
const SHAPE_STATIONS: usize = 65;
/// A path plays in this time, a shape after the other in that, and a mode swings in this time, s.
const PATH_SECONDS: f64 = 8.0;
const SHAPE_SECONDS: f64 = 1.5;
const SWING_SECONDS: f64 = 2.0;
/// A motion plays in its own time if that takes between these, s; else it is slowed down or sped up.
const MOTION_SECONDS: (f64, f64) = (2.0, 30.0);

/// What changes from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Nothing: one frame.
    Still,
    /// Time.
    Time,
    /// The parameter of a path.
    Parameter,
    /// The phase of a swing.
    Phase,
    /// Frames are alternatives, each with a name.
    Choice,
}

impl Axis {
    /// Its name for the script.
    pub fn name(self) -> &'static str {
        match self {
            Self::Still => "still",
            Self::Time => "time",
            Self::Parameter => "parameter",
            Self::Phase => "phase",
            Self::Choice => "choice",
        }
    }
}

/// Frames that are played together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name; empty if it is the only one.
    pub name: String,
    /// The first of its frames.
    pub from: usize,
    /// How many.
    pub count: usize,
    /// After the last comes the first again.
    pub cycle: bool,
    /// How long it plays, s.
    pub seconds: f64,
}

/// The frames and what is known of them.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// What changes.
    pub axis: Axis,
    /// The frames.
    pub frames: Vec<MotionFrame>,
    /// Number of each frame among the samples of the run.
    pub samples: Vec<usize>,
    /// A name for each frame, if frames are alternatives.
    pub labels: Vec<String>,
    /// Groups, in order.
    pub groups: Vec<Group>,
    /// What moves in modes, for the choice of a view: places and displacements.
    pub swings: Vec<(Rods, Rods)>,
}

impl Sequence {
    fn empty(axis: Axis) -> Self {
        let (frames, samples, labels) = (Vec::new(), Vec::new(), Vec::new());
        Self { axis, frames, samples, labels, groups: Vec::new(), swings: Vec::new() }
    }

    fn push_group(&mut self, name: String, frames: Vec<(usize, MotionFrame)>, cycle: bool, seconds: f64) {
        let from = self.frames.len();
        for (sample, frame) in frames.into_iter().filter(|(_, frame)| still_frame::can_be_shown(frame)) {
            self.samples.push(sample);
            self.frames.push(frame);
        }
        let count = self.frames.len() - from;
        if count > 0 {
            self.groups.push(Group { name, from, count, cycle, seconds });
        }
    }

    /// Of a motion: at most so many of its frames.
    pub fn of_motion(frames: &[MotionFrame], most: usize) -> Self {
        let mut out = Self::empty(Axis::Time);
        let duration = frames.last().map_or(0.0, |last| last.time - frames[0].time);
        let seconds = duration.clamp(MOTION_SECONDS.0, MOTION_SECONDS.1);
        let all = evenly(frames.len(), most).into_iter().map(|index| (index, frames[index].clone())).collect();
        out.push_group(String::new(), all, false, seconds);
        out
    }

    /// Of a path: at most so many of its samples, and both ends of each branch.
    pub fn of_path(summary: &Summary<'_>, most: usize) -> Self {
        let mut out = Self::empty(Axis::Parameter);
        let path = summary.path;
        let branches = summary.branches.iter().enumerate();
        let mut ranges: Vec<(String, Range<usize>)> =
            branches.map(|(number, branch)| (format!("branch {number}"), branch.samples.clone())).collect();
        if ranges.is_empty() {
            ranges.push((String::new(), 0..path.len()));
        }
        for (name, range) in ranges {
            let range = range.start..range.end.min(path.len());
            let share = (most * range.len() / path.len().max(1)).max(2);
            let frame = |index: usize| (range.start + index, still_frame::of_sample(&path[range.start + index]));
            let frames = evenly(range.len(), share).into_iter().map(frame).collect();
            out.push_group(name, frames, false, PATH_SECONDS);
        }
        out
    }

    /// One equilibrium.
    pub fn of_equilibrium(scene: &Scene, equilibrium: &Equilibrium) -> Self {
        let mut out = Self::empty(Axis::Still);
        let frame = still_frame::of_equilibrium(scene, equilibrium);
        out.push_group(String::new(), vec![(0, frame)], false, 0.0);
        out
    }

    /// Natural modes, each as a swing about the equilibrium.
    pub fn of_modes(summary: &Summary<'_>) -> Self {
        let mut out = Self::empty(Axis::Phase);
        let rest = still_frame::of_equilibrium(summary.scene, summary.equilibrium);
        for (index, mode) in summary.modes.iter().enumerate().take(MOST_MODES) {
            let stations: Vec<usize> = mode.rods.iter().map(Vec::len).collect();
            let at_stations = coarsened(&rest, &stations);
            out.push_swing(summary.scene, modes::title(index, mode), &at_stations, &mode.rods, &mode.bodies);
        }
        out
    }

    /// How the robot gives way at its critical loads, each as a swing.
    pub fn of_buckling(summary: &Summary<'_>) -> Self {
        let mut out = Self::empty(Axis::Phase);
        let rest = still_frame::of_equilibrium(summary.scene, summary.equilibrium);
        let loads = summary.buckling.iter().flat_map(|buckling| &buckling.loads);
        for load in loads.take(MOST_MODES) {
            let stations: Vec<usize> = load.places.iter().map(Vec::len).collect();
            let mut there = coarsened(&rest, &stations);
            for (rod, places) in there.rods.iter_mut().zip(&load.places) {
                rod.poses = along_places(&rod.poses, places);
            }
            let name = format!("load factor {}", number::significant(load.factor, 5));
            out.push_swing(summary.scene, name, &there, &load.rods, &load.bodies);
        }
        out
    }

    fn push_swing(
        &mut self,
        scene: &Scene,
        name: String,
        rest: &MotionFrame,
        rods: &[Vec<Vector3<f64>>],
        bodies: &[Vector3<f64>],
    ) {
        let places: Rods = rest.rods.iter().map(|rod| rod.poses.iter().map(|p| p.position).collect()).collect();
        let amplitude = modes::amplitude(places.iter().flatten());
        let moved = |k: usize| {
            let part = amplitude * (std::f64::consts::TAU * k as f64 / SWING as f64).sin();
            (k, displaced(scene, rest, rods, bodies, part))
        };
        self.push_group(name, (0..SWING).map(moved).collect(), true, SWING_SECONDS);
        self.swings.push((places, rods.to_vec()));
    }

    /// Shapes between two ends: the exact one, the approximations beside it, then every further equilibrium.
    pub fn of_shapes(scene: &Scene, rods: &[RodShapes]) -> Self {
        let mut out = Self::empty(Axis::Choice);
        let of = |rod: &RodShapes| -> Vec<(String, Shape)> {
            let comparison = &rod.comparison;
            let approximations = comparison.approximations.iter().map(|shape| (shape.method.name().into(), shape));
            let found = comparison.all.iter().enumerate().map(|(index, found)| {
                let word = match found.stability.verdict {
                    Verdict::Stable => "stable",
                    Verdict::Neutral => "neutral",
                    Verdict::Unstable => "unstable",
                };
                (format!("equilibrium {}: {word}", index + 1), &found.shape)
            });
            let exact = std::iter::once(("exact".to_owned(), &comparison.exact));
            exact.chain(approximations).chain(found).map(|(name, shape)| (name, shape.clone())).collect()
        };
        let shapes: Vec<Vec<(String, Shape)>> = rods.iter().map(of).collect();
        let most = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let mut frames = Vec::new();
        for index in 0..most {
            let chosen = |list: &Vec<(String, Shape)>| {
                list.get(index)
                    .or(list.first())
                    .map(|(_, shape)| RodFrame { poses: shape.samples(SHAPE_STATIONS), ..RodFrame::default() })
            };
            // Rods of the job are those of the scene, by name.
            let by_name = |name: &str| rods.iter().position(|rod| rod.rod == name).and_then(|i| chosen(&shapes[i]));
            let rods = scene.rods.iter().map(|rod| by_name(&rod.name).unwrap_or_default()).collect();
            frames.push((index, MotionFrame { time: index as f64, rods, ..MotionFrame::default() }));
        }
        let names = shapes.iter().max_by_key(|list| list.len());
        let seconds = SHAPE_SECONDS * most as f64;
        out.push_group(String::new(), frames, false, seconds);
        let labels = names.into_iter().flatten().map(|(name, _)| name.clone());
        out.labels = labels.enumerate().filter(|(i, _)| out.samples.contains(i)).map(|(_, name)| name).collect();
        out
    }
}

/// The frame with so many stations of each rod.
fn coarsened(frame: &MotionFrame, stations: &[usize]) -> MotionFrame {
    let mut out = frame.clone();
    for (rod, count) in out.rods.iter_mut().zip(stations) {
        let chosen = evenly(rod.poses.len(), *count);
        rod.poses = chosen.iter().filter_map(|i| rod.poses.get(*i).copied()).collect();
        rod.stress = chosen.iter().filter_map(|i| rod.stress.get(*i).copied()).collect();
    }
    out
}

/// Poses through places: the least turn of each old section that brings its tangent along the new curve.
fn along_places(poses: &[Pose], places: &[Vector3<f64>]) -> Vec<Pose> {
    let last = places.len().saturating_sub(1);
    let place = |i: usize| places.get(i).copied().unwrap_or_default();
    let turned = |(i, pose): (usize, &Pose)| {
        let (along, own) = (place((i + 1).min(last)) - place(i.saturating_sub(1)), pose.rotation.rotate(&Vector3::x()));
        let turn = along.try_normalize(0.0).and_then(|along| {
            let axis = own.cross(&along);
            let angle = axis.norm().atan2(own.dot(&along));
            axis.try_normalize(0.0).map(|axis| Rotation::exp(&(axis * angle)))
        });
        Pose::new(turn.unwrap_or_default() * pose.rotation, place(i))
    };
    poses.iter().take(places.len()).enumerate().map(turned).collect()
}

/// The robot moved by a part of a mode; cables and tendons go with what carries them.
fn displaced(
    scene: &Scene,
    rest: &MotionFrame,
    rods: &[Vec<Vector3<f64>>],
    bodies: &[Vector3<f64>],
    part: f64,
) -> MotionFrame {
    let mut frame = rest.clone();
    for (rod, ways) in frame.rods.iter_mut().zip(rods) {
        let places: Vec<Vector3<f64>> = rod.poses.iter().zip(ways).map(|(p, d)| p.position + d * part).collect();
        rod.poses = along_places(&rod.poses, &places);
    }
    for (body, way) in frame.bodies.iter_mut().zip(bodies) {
        body.position += way * part;
    }
    // A body that sits on a rod turns with it; of others only the way of the origin is known.
    let on_rods = Placing::in_motion(scene, &frame);
    for (body, pose) in scene.bodies.iter().zip(&mut frame.bodies) {
        if let Mount::On(at) = body.mount
            && matches!(at.of, FrameOf::Rod { .. })
        {
            *pose = on_rods.frame(&at).unwrap_or(*pose);
        }
    }
    let placing = Placing::in_motion(scene, &frame);
    for (cable, thread) in scene.cables.iter().zip(&mut frame.cables) {
        let points: Option<Vec<_>> = cable.points.iter().map(|at| placing.frame(at).map(|p| p.position)).collect();
        thread.points = points.unwrap_or_default();
    }
    let old = Placing::in_motion(scene, rest);
    for (tendon, thread) in scene.tendons.iter().zip(&mut frame.tendons) {
        let per_run = thread.points.len() / tendon.runs.len().max(1);
        for (k, point) in thread.points.iter_mut().enumerate() {
            let Some(run) = tendon.runs.get(k / per_run.max(1)) else { continue };
            let along = (k % per_run.max(1)) as f64 / per_run.saturating_sub(1).max(1) as f64;
            let of = FrameOf::Rod { rod: run.rod, s: run.from + (run.to - run.from) * along };
            let frame = Frame { of, pose: Pose::identity() };
            if let Some((before, after)) = old.frame(&frame).zip(placing.frame(&frame)) {
                *point = after.transform(&before.inverse().transform(point));
            }
        }
    }
    frame
}
