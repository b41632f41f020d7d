//! The contacts of a scene: a point in each span of a rod, its ends, and points of bodies, each with every obstacle that it
//! may touch.

use super::Contact;
use super::carrier::{Carrier, RodCell};
use super::law::Friction;
use super::surface::Surface;
use crate::attach::Attach;
use crate::rod::Rod;
use lissome_model::{Frame, FrameOf, JointMotion, Outline, Scene, Toucher};
use nalgebra::Vector3;
use std::sync::Arc;

/// Points on each rim of a cylinder.
const RIM: usize = 8;

impl Contact {
    /// Every contact of a scene.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        if scene.obstacles.is_empty() {
            return Vec::new();
        }
        let touchers = touchers(scene, places);
        let mut contacts = Vec::new();
        for (obstacle, model) in scene.obstacles.iter().enumerate() {
            let frame = places.slot(&model.frame);
            let surface = Arc::new(Surface::of(&model.shape));
            for (toucher, carrier, mass, firmness) in &touchers {
                let Some(coefficient) = scene.touching.friction_of(*toucher, Toucher::Obstacle(obstacle)) else {
                    continue;
                };
                let friction = (coefficient > 0.0).then_some(Friction { coefficient });
                let multiplier = places.multiplier(if friction.is_some() { 3 } else { 1 });
                let anchor = friction.map(|_| places.reaction());
                let told = places.reaction();
                let restitution = match toucher {
                    Toucher::Body(_) => scene.touching.restitution,
                    _ => 0.0,
                };
                contacts.push(Self {
                    obstacle,
                    toucher: *toucher,
                    carrier: carrier.clone(),
                    frame,
                    surface: surface.clone(),
                    friction,
                    restitution,
                    mass: *mass,
                    firmness: *firmness,
                    multiplier,
                    anchor,
                    told,
                });
            }
        }
        contacts
    }
}

/// Every point that may touch something, with the mass that moves with it and what it resists with.
fn touchers<'s>(scene: &Scene, places: &mut impl Attach<'s>) -> Vec<(Toucher, Carrier, f64, f64)> {
    let mut found = Vec::new();
    for (index, model) in scene.rods.iter().enumerate() {
        let Ok(rod) = Rod::compile(model, &model.path(), &scene.places_on(index), Vec::new()) else { continue };
        let (rod, first) = (Arc::new(rod), places.rod_slot(index, 0.0));
        let cells =
            cells_of(&rod, [&model.base, &model.tip].map(|end| end.is_some_and(|frame| is_prescribed(scene, &frame))));
        let weight: f64 =
            (0..rod.curve().point_count()).map(|q| rod.curve().line_density(q) * rod.curve().point_weight(q)).sum();
        let (mass, spans) = (weight / cells.len() as f64, rod.curve().knot_vector().spans().count() as f64);
        for cell in cells {
            let radii = cell.map(|s| model.profile.at(s).outer_radius());
            let cell = RodCell { rod: rod.clone(), index, first, cell, radii };
            let span = rod.curve().length() / spans;
            let firmness = rod.curve().soft_bending() / span.powi(3);
            found.push((Toucher::Rod(index), Carrier::Rod(cell), mass, firmness));
        }
    }
    for (index, body) in scene.bodies.iter().enumerate() {
        let slot = places.slot(&Frame::body(index));
        let points: Vec<(Vector3<f64>, f64)> = body
            .solids
            .iter()
            .flat_map(|solid| {
                points_of(&solid.outline).into_iter().map(|(at, radius)| (solid.pose.transform(&at), radius))
            })
            .collect();
        for (offset, radius) in &points {
            let carrier = Carrier::Point { slot, offset: *offset, radius: *radius };
            let firmness = body_firmness(scene, body.inertia.mass, places.length_scale());
            found.push((Toucher::Body(index), carrier, body.inertia.mass / points.len() as f64, firmness));
        }
    }
    found
}

/// What weighs a gap of a body against a force: its weight over the length of the robot.
fn body_firmness(scene: &Scene, mass: f64, length: f64) -> f64 {
    let acceleration = if scene.gravity.norm() > 0.0 { scene.gravity.norm() } else { 1.0 };
    if mass > 0.0 { mass * acceleration / length } else { 1.0 / length }
}

/// True if nothing that touches can move a frame: it stands in the world, or on a joint there that is driven.
fn is_prescribed(scene: &Scene, frame: &Frame) -> bool {
    match frame.of {
        FrameOf::World => true,
        FrameOf::Joint(joint) => {
            let joint = &scene.joints[joint];
            matches!(joint.motion, JointMotion::Driven { .. }) && is_prescribed(scene, &joint.parent)
        }
        FrameOf::Body(_) | FrameOf::Rod { .. } => false,
    }
}

/// One stretch for each span of a rod, and the ends that nothing holds.
fn cells_of(rod: &Rod, held: [bool; 2]) -> Vec<[f64; 2]> {
    let curve = rod.curve();
    let mut cells: Vec<[f64; 2]> = curve.knot_vector().spans().map(|span| [span.start, span.end]).collect();
    let ends = [0.0, curve.length()];
    cells.extend(ends.into_iter().zip(held).filter(|(_, held)| !held).map(|(end, _)| [end, end]));
    cells
}

/// Points of a solid that stand for it, each with the radius of a ball around it.
fn points_of(outline: &Outline) -> Vec<(Vector3<f64>, f64)> {
    match *outline {
        Outline::Sphere { radius } => vec![(Vector3::zeros(), radius)],
        Outline::Box { size } => {
            let corner = |k: usize| {
                let sign = |axis: usize| if k >> axis & 1 == 1 { 0.5 } else { -0.5 };
                Vector3::from_fn(|axis, _| sign(axis) * size[axis])
            };
            (0..8).map(|k| (corner(k), 0.0)).collect()
        }
        Outline::Cylinder { radius, length } => {
            let rim = |k: usize| {
                let angle = std::f64::consts::TAU * (k % RIM) as f64 / RIM as f64;
                let end = if k < RIM { -0.5 } else { 0.5 };
                Vector3::new(end * length, radius * angle.cos(), radius * angle.sin())
            };
            (0..2 * RIM).map(|k| (rim(k), 0.0)).collect()
        }
    }
}
