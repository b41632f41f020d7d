//! Places of a scene where a number of its file stands as it is, so that the scene with another value of it need not be read again.
//!
//! Which they are is not told by names: the scene read with one other value tells it. What has the old value here and the new one there
//! holds the number, and if these places alone make the one scene of the other, nothing else follows from it.

use lissome_model::{
    Body, CableDrive, FrameLoadKind, FrameOf, Joint, JointMotion, LoadKind, Material, Mount, NaturalShape, Outline,
    Rod, Scene, Section, Shape, Signal, SpringLaw, TubeSet,
};
use lissome_model::{Frame, InitialVelocity};
use nalgebra::Vector3;

/// Where a number stands in a scene, once the scene was read with another value of it.
#[derive(Clone, Debug, Default)]
pub enum NumberPlaces {
    /// Not sought yet.
    #[default]
    Unsought,
    /// Not sought yet, but read with this value.
    Read(Box<Scene>, f64),
    /// Something else follows from it.
    Elsewhere,
    /// Here alone, counted as `each_number` goes.
    Found(Vec<usize>),
}

impl NumberPlaces {
    /// Notes the scene with another value of the number, unless that was done before.
    pub(super) fn note(&mut self, scene: &Scene, value: f64) {
        if matches!(self, Self::Unsought) {
            *self = Self::Read(Box::new(scene.clone()), value);
        }
    }

    /// A scene in which the number has one value with another value of it; `None` unless it stands in known places.
    pub(super) fn put(&mut self, scene: &Scene, own: f64, value: f64) -> Option<Scene> {
        if let Self::Read(other, there) = self {
            let there = *there;
            let mut places = Vec::new();
            let mut place = 0;
            each_number(other, &mut |found| {
                if *found == there {
                    places.push(place);
                }
                place += 1;
            });
            let alone = put(scene, &places, own, there).is_some_and(|made| made == **other);
            *self = if alone { Self::Found(places) } else { Self::Elsewhere };
        }
        match self {
            Self::Found(places) => put(scene, places, own, value),
            _ => None,
        }
    }
}

/// A scene with another value in these places; `None` unless one stands there that it has so far.
fn put(scene: &Scene, places: &[usize], own: f64, value: f64) -> Option<Scene> {
    let mut made = scene.clone();
    let (mut left, mut place, mut as_told) = (places.iter().copied().peekable(), 0, true);
    each_number(&mut made, &mut |found| {
        if left.next_if_eq(&place).is_some() {
            as_told &= *found == own;
            *found = value;
        }
        place += 1;
    });
    (as_told && left.next().is_none()).then_some(made)
}

/// The numbers of a scene that a file may hold as they are, in an order that is the same in scenes of the same structure. What is left
/// out (turns, routings, obstacles, the job) is read anew.
fn each_number(scene: &mut Scene, see: &mut impl FnMut(&mut f64)) {
    vector(&mut scene.gravity, see);
    scene.rods.iter_mut().for_each(|own| rod(own, see));
    scene.bodies.iter_mut().for_each(|own| body(own, see));
    scene.joints.iter_mut().for_each(|own| joint(own, see));
    for cable in &mut scene.cables {
        cable.points.iter_mut().for_each(|point| frame(point, see));
        drive(&mut cable.drive, see);
        cable.stiffness.iter_mut().for_each(&mut *see);
    }
    for tendon in &mut scene.tendons {
        drive(&mut tendon.drive, see);
        tendon.stiffness.iter_mut().for_each(&mut *see);
        see(&mut tendon.friction);
    }
    for spring in &mut scene.springs {
        frame(&mut spring.a, see);
        frame(&mut spring.b, see);
        match &mut spring.law {
            SpringLaw::Line { stiffness, rest_length, damping } => {
                see(stiffness);
                rest_length.iter_mut().for_each(&mut *see);
                see(damping);
            }
            SpringLaw::Axes { stiffness } => vector(stiffness, see),
            SpringLaw::Bushing { .. } => {}
        }
    }
    for load in &mut scene.loads {
        let wrench = match &mut load.kind {
            LoadKind::Point { at, wrench } => {
                see(at);
                wrench
            }
            LoadKind::Distributed { from, to, per_length } => {
                see(from);
                see(to);
                per_length
            }
        };
        vector(&mut wrench.moment, see);
        vector(&mut wrench.force, see);
    }
    for load in &mut scene.frame_loads {
        frame(&mut load.on, see);
        match &mut load.kind {
            FrameLoadKind::Wrench { wrench, .. } => {
                vector(&mut wrench.moment, see);
                vector(&mut wrench.force, see);
            }
            FrameLoadKind::Toward { point, size } => {
                vector(point, see);
                see(size);
            }
        }
    }
    scene.drives.iter_mut().for_each(|own| signal(&mut own.signal, see));
}

fn rod(rod: &mut Rod, see: &mut impl FnMut(&mut f64)) {
    see(&mut rod.length);
    for station in &mut rod.profile.stations {
        see(&mut station.s);
        section(&mut station.section, see);
    }
    match &mut rod.natural {
        NaturalShape::Straight => {}
        NaturalShape::Curvature(table) => {
            for (s, curvature) in table {
                see(s);
                vector(curvature, see);
            }
        }
        NaturalShape::ControlPoses(poses) => poses.iter_mut().for_each(|pose| vector(&mut pose.position, see)),
    }
    rod.base.iter_mut().chain(&mut rod.tip).for_each(|end| frame(end, see));
    vector(&mut rod.turns, see);
    rod.laid.iter_mut().for_each(|point| vector(point, see));
    rod.initial_velocity.iter_mut().for_each(|own| velocity(own, see));
    rod.tubes.iter_mut().for_each(|own| tubes(own, see));
}

fn section(section: &mut Section, see: &mut impl FnMut(&mut f64)) {
    match section {
        Section::Layers { layers, shear_factor } => {
            for layer in layers {
                match &mut layer.shape {
                    Shape::Circle { radius } => see(radius),
                    Shape::Annulus { inner, outer } => {
                        see(inner);
                        see(outer);
                    }
                    Shape::Rectangle { width, height } => {
                        see(width);
                        see(height);
                    }
                }
                material(&mut layer.material, see);
            }
            see(shear_factor);
        }
        Section::Given { damping, radius, .. } => {
            see(damping);
            see(radius);
        }
    }
}

fn material(material: &mut Material, see: &mut impl FnMut(&mut f64)) {
    see(&mut material.young);
    see(&mut material.shear);
    material.density.iter_mut().for_each(&mut *see);
    see(&mut material.damping);
}

fn tubes(set: &mut TubeSet, see: &mut impl FnMut(&mut f64)) {
    for tube in &mut set.tubes {
        material(&mut tube.material, see);
        see(&mut tube.inner_diameter);
        see(&mut tube.outer_diameter);
        tube.bending_stiffness.iter_mut().chain(&mut tube.torsion_stiffness).for_each(&mut *see);
        see(&mut tube.length);
        see(&mut tube.curved_length);
        for (s, curvature) in &mut tube.curvature {
            see(s);
            curvature.iter_mut().for_each(&mut *see);
        }
        see(&mut tube.insertion);
        see(&mut tube.rotation);
    }
}

fn body(body: &mut Body, see: &mut impl FnMut(&mut f64)) {
    see(&mut body.inertia.mass);
    vector(&mut body.inertia.centre, see);
    match &mut body.mount {
        Mount::On(on) => frame(on, see),
        Mount::Free(pose) => vector(&mut pose.position, see),
    }
    body.frames.iter_mut().for_each(|(_, pose)| vector(&mut pose.position, see));
    for solid in &mut body.solids {
        vector(&mut solid.pose.position, see);
        match &mut solid.outline {
            Outline::Box { size } => vector(size, see),
            Outline::Cylinder { radius, length } => {
                see(radius);
                see(length);
            }
            Outline::Sphere { radius } => see(radius),
        }
    }
    velocity(&mut body.initial_velocity, see);
}

fn joint(joint: &mut Joint, see: &mut impl FnMut(&mut f64)) {
    frame(&mut joint.parent, see);
    match &mut joint.motion {
        JointMotion::Free { start } => start.iter_mut().for_each(&mut *see),
        JointMotion::Driven { value } => value.iter_mut().for_each(&mut *see),
        JointMotion::Actuated { effort, start } => effort.iter_mut().chain(start).for_each(&mut *see),
    }
    joint.stiffness.iter_mut().chain(&mut joint.rest).chain(&mut joint.damping).for_each(&mut *see);
    for (least, most) in joint.limits.iter_mut().flatten() {
        see(least);
        see(most);
    }
    see(&mut joint.restitution);
    joint.initial_rate.iter_mut().for_each(&mut *see);
}

fn signal(signal: &mut Signal, see: &mut impl FnMut(&mut f64)) {
    match signal {
        Signal::Constant(value) => see(value),
        Signal::Ramp { from, to, start, over } | Signal::SmoothRamp { from, to, start, over } => {
            [from, to, start, over].into_iter().for_each(&mut *see);
        }
        Signal::Sine { mean, amplitude, frequency, phase } => {
            [mean, amplitude, frequency, phase].into_iter().for_each(&mut *see);
        }
        Signal::Table(table) => {
            for (time, value) in table {
                see(time);
                see(value);
            }
        }
        Signal::CubicTable(_) => {}
    }
}

fn drive(drive: &mut CableDrive, see: &mut impl FnMut(&mut f64)) {
    match drive {
        CableDrive::Tension(value) | CableDrive::Length(value) | CableDrive::Pull(value) => see(value),
    }
}

fn frame(frame: &mut Frame, see: &mut impl FnMut(&mut f64)) {
    if let FrameOf::Rod { s, .. } = &mut frame.of {
        see(s);
    }
    vector(&mut frame.pose.position, see);
}

fn velocity(velocity: &mut InitialVelocity, see: &mut impl FnMut(&mut f64)) {
    vector(&mut velocity.velocity, see);
    vector(&mut velocity.spin, see);
}

fn vector(vector: &mut Vector3<f64>, see: &mut impl FnMut(&mut f64)) {
    vector.iter_mut().for_each(see);
}
