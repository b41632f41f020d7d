//! Where frames are in an answer, and how well its loops are closed.

use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, Scene};
use lissome_solve::{Equilibrium, RodRecord};

/// Pose of a frame in the world. On a rod it is that of the ends, or between samples for drawing.
pub fn of_frame(equilibrium: &Equilibrium, frame: &Frame) -> Option<Pose> {
    let carrier = match frame.of {
        FrameOf::World => Pose::identity(),
        FrameOf::Body(index) => equilibrium.bodies.get(index)?.pose,
        FrameOf::Joint(index) => equilibrium.joints.get(index)?.pose,
        FrameOf::Rod { rod, s } => {
            let rod = equilibrium.rods.get(rod)?;
            end_at(rod, s).or_else(|| between_samples(rod, s))?
        }
    };
    Some(carrier * frame.pose)
}

/// Pose of the end of a rod, if `s` is one.
fn end_at(rod: &RodRecord, s: f64) -> Option<Pose> {
    let length = rod.samples.last()?.s;
    let near = 1e-9 * length;
    if s <= near {
        rod.control_poses.first().copied()
    } else if s >= length - near {
        Some(rod.tip)
    } else {
        None
    }
}

fn between_samples(rod: &RodRecord, s: f64) -> Option<Pose> {
    let after = rod.samples.partition_point(|sample| sample.s < s).clamp(1, rod.samples.len().checked_sub(1)?.max(1));
    let (a, b) = (rod.samples.get(after - 1)?, rod.samples.get(after)?);
    let part = (s - a.s) / (b.s - a.s);
    Some(a.pose.boxplus(&(b.pose.boxminus(&a.pose) * part)))
}

/// What is left open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gap {
    /// Largest distance, m.
    pub position: f64,
    /// Largest angle, rad.
    pub rotation: f64,
}

/// Number of loops that the scene closes: rods held at both ends, and closures.
pub fn loops(scene: &Scene) -> usize {
    scene.rods.iter().filter(|rod| rod.base.is_some() && rod.tip.is_some()).count() + scene.closures.len()
}

/// Largest gap of the loops whose two sides the answer knows exactly: all but closures on the middle of a rod. `None` if
/// there is no such loop.
pub fn largest_gap(scene: &Scene, equilibrium: &Equilibrium) -> Option<Gap> {
    let rods = scene.rods.iter().zip(&equilibrium.rods).filter_map(|(rod, record)| {
        rod.base?;
        Some((record.tip, of_frame(equilibrium, &exact(equilibrium, rod.tip?)?)?))
    });
    let closures = scene.closures.iter().filter_map(|closure| {
        let side = |frame: Frame| of_frame(equilibrium, &exact(equilibrium, frame)?);
        Some((side(closure.a)?, side(closure.b)?))
    });
    rods.chain(closures).map(|(a, b)| a.boxminus(&b)).fold(None, |largest: Option<Gap>, gap| {
        let largest = largest.unwrap_or_default();
        Some(Gap {
            position: largest.position.max(gap.linear.norm()),
            rotation: largest.rotation.max(gap.angular.norm()),
        })
    })
}

/// The frame, unless it is on the middle of a rod, where the samples only know it nearly.
fn exact(equilibrium: &Equilibrium, frame: Frame) -> Option<Frame> {
    match frame.of {
        FrameOf::Rod { rod, s } => end_at(equilibrium.rods.get(rod)?, s).map(|_| frame),
        _ => Some(frame),
    }
}
