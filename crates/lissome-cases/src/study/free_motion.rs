//! Once the loads have ended, do energy and momenta stay what they are; and have the momenta grown by the impulse of the loads?

use super::Variant;
use super::motion::frames;
use crate::error::CaseError;
use crate::report::Row;
use lissome::model::{DriveTarget, LoadFrame, LoadKind, Scene};
use lissome::solve::MotionFrame;
use lissome_reference::motion::beam_chain::{Layout, Places, extrapolated};
use lissome_reference::motion::free_flight::{
    ELBOW, FLIGHT_IN_PLANE, FLIGHT_IN_SPACE, FlexibleBeam, PLACED_AT, POINTS_ALONG,
};
use nalgebra::Vector3;
use serde::Deserialize;

/// A motion under loads that end, and what is asked of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreeMotion {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// The time at which the last load has ended, s.
    after: f64,
    /// Most by which the kinetic and elastic energy may rise, and fall, after that: of itself.
    energy: Option<[f64; 2]>,
    /// Most by which linear and angular momentum may change after that, of their largest size.
    momentum: Option<f64>,
    /// Most by which they may differ from the impulse of the loads at any time, of their largest size.
    impulse: Option<f64>,
    /// Linear momentum at the end, N·s, known in closed form.
    linear: Option<[f64; 3]>,
    /// An independent solution beside it.
    chain: Option<Chain>,
}

/// The chain of rigid sections of the oracle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chain {
    beam: Beam,
    /// Pieces a leg of its coarser chain.
    pieces: usize,
    /// When to compare, s.
    times: Vec<f64>,
    /// Of the places of the loaded section and the far end, m.
    within: f64,
}

/// The beams that the oracle knows.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Beam {
    FlightInPlane,
    FlightInSpace,
    Elbow,
}

impl Beam {
    fn data(self) -> (FlexibleBeam, Layout) {
        let flight = Layout::Flight { from: PLACED_AT, along: POINTS_ALONG };
        match self {
            Self::FlightInPlane => (FLIGHT_IN_PLANE, flight),
            Self::FlightInSpace => (FLIGHT_IN_SPACE, flight),
            Self::Elbow => (ELBOW, Layout::Elbow),
        }
    }
}

impl FreeMotion {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let frames = frames(&scene, &variant.title("motion"))?;
            let mut add =
                |what: &str, measured: f64, bar: f64| rows.push(Row::deviation(variant.title(what), measured, bar));
            self.energy_rows(&frames, &mut add);
            self.momentum_rows(&scene, &frames, &mut add)?;
            if let Some(chain) = &self.chain {
                chain.rows(&frames, variant, &mut rows)?;
            }
        }
        Ok(rows)
    }

    fn energy_rows(&self, frames: &[MotionFrame], add: &mut impl FnMut(&str, f64, f64)) {
        let Some([rise, fall]) = self.energy else { return };
        let mut free = self.free(frames).map(|frame| frame.energy.mechanical());
        let Some(first) = free.next() else { return };
        let (mut rises, mut falls) = (0.0f64, 0.0f64);
        for energy in free {
            rises = rises.max(energy / first - 1.0);
            falls = falls.max(1.0 - energy / first);
        }
        add("energy gained after the loads, relative", rises, rise);
        add("energy lost after the loads, relative", falls, fall);
    }

    fn momentum_rows(
        &self,
        scene: &Scene,
        frames: &[MotionFrame],
        add: &mut impl FnMut(&str, f64, f64),
    ) -> Result<(), CaseError> {
        let linear = |frame: &MotionFrame| frame.momentum.linear;
        let angular = |frame: &MotionFrame| frame.momentum.angular;
        let largest =
            |of: &dyn Fn(&MotionFrame) -> Vector3<f64>| frames.iter().map(|f| of(f).norm()).fold(0.0, f64::max);
        let sizes = [largest(&linear), largest(&angular)];
        if let (Some(bar), Some(first)) = (self.momentum, self.free(frames).next()) {
            let change = |of: &dyn Fn(&MotionFrame) -> Vector3<f64>| {
                self.free(frames).map(|frame| (of(frame) - of(first)).norm()).fold(0.0, f64::max)
            };
            add("change of linear momentum after the loads, relative", change(&linear) / sizes[0], bar);
            add("change of angular momentum after the loads, relative", change(&angular) / sizes[1], bar);
        }
        if let Some(bar) = self.impulse {
            let impulses = impulses(scene, frames)?;
            let apart = |of: &dyn Fn(&MotionFrame) -> Vector3<f64>, k: usize| {
                let distances = frames.iter().zip(&impulses).map(|(frame, impulse)| (of(frame) - impulse[k]).norm());
                distances.fold(0.0, f64::max) / sizes[k]
            };
            add("linear momentum beside the impulse of the loads, relative", apart(&linear, 0), bar);
            add("angular momentum beside the impulse of the loads, relative", apart(&angular, 1), bar);
            if let (Some(expected), Some(last)) = (self.linear, frames.last()) {
                let distance = (linear(last) - Vector3::from(expected)).norm() / sizes[0];
                add("linear momentum at the end beside the closed form, relative", distance, bar);
            }
        }
        Ok(())
    }

    /// Frames after the loads.
    fn free<'a>(&self, frames: &'a [MotionFrame]) -> impl Iterator<Item = &'a MotionFrame> + use<'a> {
        let after = self.after;
        frames.iter().filter(move |frame| frame.time >= after)
    }
}

impl Chain {
    fn rows(&self, frames: &[MotionFrame], variant: &Variant, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let (beam, layout) = self.beam.data();
        let (exact, uncertainty) = extrapolated(&beam, layout, self.pieces, &self.times);
        rows.push(Row::at_most(variant.title("uncertainty of the oracle / m, at most"), uncertainty, self.within));
        for Places { time, loaded, end, .. } in exact {
            let nearest = frames.iter().min_by(|a, b| (a.time - time).abs().total_cmp(&(b.time - time).abs()));
            let rod = nearest.and_then(|frame| frame.rods.last());
            let ends = rod.and_then(|rod| Some((rod.poses.first()?.position, rod.poses.last()?.position)));
            let Some((first, last)) = ends else {
                return Err(CaseError::TooFew { what: "rods", found: 0, need: 1 });
            };
            for (what, place, expected) in [("loaded section", first, loaded), ("far end", last, end)] {
                let title = variant.title(&format!("{what} at {time} s / m from the oracle's"));
                rows.push(Row::deviation(title, (place - expected).norm(), self.within));
            }
        }
        Ok(())
    }
}

/// The impulse of the loads from the start to each frame, linear and about the origin, by the rule of trapezoids: exact for loads
/// that vary linearly between frames, but for the way of the loaded section within a step.
fn impulses(scene: &Scene, frames: &[MotionFrame]) -> Result<Vec<[Vector3<f64>; 2]>, CaseError> {
    let mut sum = [Vector3::zeros(); 2];
    let mut impulses = Vec::with_capacity(frames.len());
    let mut before: Option<(f64, [Vector3<f64>; 2])> = None;
    for frame in frames {
        let now = total_wrench(scene, frame)?;
        if let Some((time, before)) = before {
            let half = 0.5 * (frame.time - time);
            sum = std::array::from_fn(|k| sum[k] + (before[k] + now[k]) * half);
        }
        impulses.push(sum);
        before = Some((frame.time, now));
    }
    Ok(impulses)
}

/// Force and moment about the origin of all loads at a frame. They act on ends of rods and keep their direction.
fn total_wrench(scene: &Scene, frame: &MotionFrame) -> Result<[Vector3<f64>; 2], CaseError> {
    let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
    for (index, load) in scene.loads.iter().enumerate() {
        let unusable = || CaseError::WrongLoad { name: load.name.clone() };
        let drive = scene.drives.iter().position(|drive| drive.target == DriveTarget::Load(index));
        let part = drive.map_or(1.0, |drive| frame.drives[drive]);
        let LoadKind::Point { at, wrench } = &load.kind else { return Err(unusable()) };
        let poses = &frame.rods[load.rod].poses;
        let end = match *at {
            0.0 => poses.first(),
            at if at == scene.rods[load.rod].length => poses.last(),
            _ => None,
        };
        let (Some(end), LoadFrame::World) = (end, load.frame) else { return Err(unusable()) };
        force += wrench.force * part;
        moment += (wrench.moment + end.position.cross(&wrench.force)) * part;
    }
    Ok([force, moment])
}
