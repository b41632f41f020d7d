//! The numbers of each part of a scene that a file may hold as they are, in an order that is the same in parts of the same structure. What is left
//! out (turns, routings, obstacles, the job) is read anew.

use lissome_model::{
    Body, Cable, CableDrive, FrameLoad, FrameLoadKind, FrameOf, Joint, JointMotion, Load, LoadKind, Material, Mount,
    NaturalShape, Outline, Rod, Section, Shape, Signal, Spring, SpringLaw, Tendon, TubeSet,
};
use lissome_model::{Drive, Frame, InitialVelocity};
use nalgebra::Vector3;

pub(super) fn cable(cable: &mut Cable, see: &mut impl FnMut(&mut f64)) {
    cable.points.iter_mut().for_each(|point| frame(point, see));
    drive(&mut cable.drive, see);
    cable.stiffness.iter_mut().for_each(&mut *see);
}

pub(super) fn tendon(tendon: &mut Tendon, see: &mut impl FnMut(&mut f64)) {
    drive(&mut tendon.drive, see);
    tendon.stiffness.iter_mut().for_each(&mut *see);
    see(&mut tendon.friction);
}

pub(super) fn spring(spring: &mut Spring, see: &mut impl FnMut(&mut f64)) {
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

pub(super) fn load(load: &mut Load, see: &mut impl FnMut(&mut f64)) {
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

pub(super) fn frame_load(load: &mut FrameLoad, see: &mut impl FnMut(&mut f64)) {
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

pub(super) fn drives(drives: &mut [Drive], see: &mut impl FnMut(&mut f64)) {
    drives.iter_mut().for_each(|own| signal(&mut own.signal, see));
}

pub(super) fn rod(rod: &mut Rod, see: &mut impl FnMut(&mut f64)) {
    see(&mut rod.length);
    for station in &mut rod.profile.stations {
        see(&mut station.s);
        section(&mut station.section, see);
    }
    natural(&mut rod.natural, see);
    rod.base.iter_mut().chain(&mut rod.tip).for_each(|end| frame(end, see));
    vector(&mut rod.turns, see);
    rod.laid.iter_mut().for_each(|point| vector(point, see));
    rod.initial_velocity.iter_mut().for_each(|own| velocity(own, see));
    rod.tubes.iter_mut().for_each(|own| tubes(own, see));
}

pub(super) fn natural(shape: &mut NaturalShape, see: &mut impl FnMut(&mut f64)) {
    match shape {
        NaturalShape::Straight => {}
        NaturalShape::Curvature(table) => {
            for (s, curvature) in table {
                see(s);
                vector(curvature, see);
            }
        }
        NaturalShape::ControlPoses(poses) => poses.iter_mut().for_each(|pose| vector(&mut pose.position, see)),
    }
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

pub(super) fn body(body: &mut Body, see: &mut impl FnMut(&mut f64)) {
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

pub(super) fn joint(joint: &mut Joint, see: &mut impl FnMut(&mut f64)) {
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

pub(super) fn vector(vector: &mut Vector3<f64>, see: &mut impl FnMut(&mut f64)) {
    vector.iter_mut().for_each(see);
}
