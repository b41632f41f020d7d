//! Every number of a scene, held against the table.

use super::{Quantity, ratios, size, vector};
use crate::invalid::Invalid;
use crate::scene::{Passed, ScenePart};
use crate::{
    Body, BorePiece, Cable, CableDrive, Coordinate, Drive, DriveTarget, Frame, FrameLoadKind, FrameOf, HolePath,
    InitialVelocity, Job, Joint, JointMotion, Load, LoadKind, Material, Mount, NaturalShape, Obstacle, ObstacleShape,
    Outline, Rod, Scene, Section, Shape, Signal, Spring, SpringLaw, StepControl, Tendon, Tube,
};
use lissome_lie::{Pose, Wrench};
use nalgebra::{Matrix6, Vector2, Vector3};
use std::fmt::Display;

type Checked = Result<(), Invalid>;

impl Scene {
    /// Refuses numbers that are too large or too small to compute with, given or derived. Numbers that are not finite,
    /// indices of nothing and whatever else is wrong are told by the other checks.
    pub(crate) fn validate_magnitudes(&self, passed: Passed<'_>) -> Checked {
        vector(|| "world.gravity".into(), Quantity::Acceleration, &self.gravity)?;
        job(&self.job)?;
        passed.others(&self.rods, |scene| &scene.rods, ScenePart::Rod).try_for_each(rod)?;
        passed.others(&self.bodies, |scene| &scene.bodies, ScenePart::Body).try_for_each(body)?;
        passed.others(&self.joints, |scene| &scene.joints, ScenePart::Joint).try_for_each(joint)?;
        for closure in passed.others(&self.closures, |scene| &scene.closures, ScenePart::Closure) {
            frame(|| format!("closure.{}.a", closure.name), &closure.a)?;
            frame(|| format!("closure.{}.b", closure.name), &closure.b)?;
        }
        passed.others(&self.cables, |scene| &scene.cables, ScenePart::Cable).try_for_each(cable)?;
        passed.others(&self.tendons, |scene| &scene.tendons, ScenePart::Tendon).try_for_each(tendon)?;
        for disks in &self.disks {
            size(|| format!("tendon.{}.disks", disks.name), Quantity::Size, disks.radius)?;
        }
        passed.others(&self.springs, |scene| &scene.springs, ScenePart::Spring).try_for_each(spring)?;
        passed.others(&self.obstacles, |scene| &scene.obstacles, ScenePart::Obstacle).try_for_each(obstacle)?;
        size(|| "contact.friction".into(), Quantity::Number, self.touching.friction)?;
        if let Some(smoothing) = &self.touching.smoothing {
            size(|| "contact.smoothing.force".into(), Quantity::Force, smoothing.force)?;
        }
        let mut frictions = self.touching.pairs.iter().filter_map(|pair| pair.friction);
        frictions.try_for_each(|friction| size(|| "contact.pairs.friction".into(), Quantity::Number, friction))?;
        passed.others(&self.loads, |scene| &scene.loads, ScenePart::Load).try_for_each(load)?;
        for load in passed.others(&self.frame_loads, |scene| &scene.frame_loads, ScenePart::FrameLoad) {
            frame(|| format!("load.{}.on", load.name), &load.on)?;
            match &load.kind {
                FrameLoadKind::Wrench { wrench, .. } => point_wrench(&load.name, wrench)?,
                FrameLoadKind::Toward { point, size: force } => {
                    place(|| format!("load.{}.toward", load.name), point)?;
                    size(|| format!("load.{}.size", load.name), Quantity::Force, *force)?;
                }
            }
        }
        self.drives.iter().try_for_each(|drive| self.drive(drive))?;
        ratios::between_rods(self)
    }

    fn drive(&self, drive: &Drive) -> Checked {
        let of_cable = |drive: CableDrive| match drive {
            CableDrive::Tension(_) => Quantity::Force,
            CableDrive::Length(_) | CableDrive::Pull(_) => Quantity::Coordinate,
        };
        let coordinate = |joint: usize, index: usize| {
            self.joints.get(joint).and_then(|joint| joint.kind.coordinates().get(index)).map(|(_, kind)| *kind)
        };
        let quantity = match drive.target {
            DriveTarget::JointValue { joint, coordinate: index } => coordinate(joint, index).map(coordinate_quantity),
            DriveTarget::JointEffort { joint, coordinate: index } => coordinate(joint, index).map(effort_quantity),
            DriveTarget::Cable(cable) => self.cables.get(cable).map(|cable| of_cable(cable.drive)),
            DriveTarget::Tendon(tendon) => self.tendons.get(tendon).map(|tendon| of_cable(tendon.drive)),
            DriveTarget::Load(_) | DriveTarget::FrameLoad(_) | DriveTarget::Gravity => Some(Quantity::Number),
            DriveTarget::TubeRotation { .. } => Some(Quantity::Angle),
            DriveTarget::TubeInsertion { .. } => Some(Quantity::Coordinate),
        };
        let Some(quantity) = quantity else { return Ok(()) };
        let path = || format!("drive.{}", drive.path);
        // A signal passes through small values on its way: only its extremes count.
        let (least, most) = drive.signal.range();
        for value in [least, most] {
            if value.is_finite() && !quantity.permits_component(value) {
                return size(path, quantity, value);
            }
        }
        match &drive.signal {
            Signal::Constant(_) | Signal::CubicTable(_) => Ok(()),
            Signal::Ramp { start, over, .. } | Signal::SmoothRamp { start, over, .. } => {
                size(path, Quantity::Time, *over)?;
                upper(path, Quantity::Time, *start)
            }
            Signal::Sine { frequency, phase, .. } => {
                size(path, Quantity::Frequency, *frequency)?;
                size(path, Quantity::Angle, *phase)
            }
            Signal::Table(table) => table.iter().try_for_each(|(time, _)| upper(path, Quantity::Time, *time)),
        }
    }
}

/// Holds a number against the upper bound only.
fn upper(path: impl FnOnce() -> String, quantity: Quantity, value: f64) -> Checked {
    if quantity.permits_component(value) { Ok(()) } else { size(path, quantity, value) }
}

fn job(job: &Job) -> Checked {
    match job {
        Job::Dynamics(job) => {
            size(|| "job.duration".into(), Quantity::Time, job.duration)?;
            size(|| "job.output_rate".into(), Quantity::Frequency, job.output_rate)?;
            match job.step {
                StepControl::Fixed(step) => size(|| "job.step".into(), Quantity::Time, step),
                StepControl::Tolerance(tolerance) => size(|| "job.tolerance".into(), Quantity::Tolerance, tolerance),
            }
        }
        Job::Path(job) => size(|| "job.end".into(), Quantity::Time, job.end),
        Job::Inverse(job) => size(|| "job.end".into(), Quantity::Time, job.end),
        Job::FoldCurve(job) => size(|| "job.end".into(), Quantity::Time, job.end),
        Job::Statics(_) | Job::Modes(_) | Job::Buckling(_) | Job::Shape(_) | Job::Optimise(_) => Ok(()),
    }
}

fn place(path: impl FnOnce() -> String, position: &Vector3<f64>) -> Checked {
    vector(path, Quantity::Coordinate, position)
}

fn pose(path: impl FnOnce() -> String, pose: &Pose) -> Checked {
    place(path, &pose.position)
}

fn frame(path: impl FnOnce() -> String, frame: &Frame) -> Checked {
    match frame.of {
        FrameOf::World | FrameOf::Body(_) | FrameOf::Joint(_) | FrameOf::Rod { .. } => pose(path, &frame.pose),
    }
}

fn velocity(path: &str, velocity: &InitialVelocity) -> Checked {
    vector(|| format!("{path}.velocity"), Quantity::Velocity, &velocity.velocity)?;
    vector(|| format!("{path}.spin"), Quantity::Spin, &velocity.spin)
}

fn material(path: impl Display, material: &Material) -> Checked {
    size(|| format!("{path}.young"), Quantity::Modulus, material.young)?;
    size(|| format!("{path}.shear"), Quantity::Modulus, material.shear)?;
    size(|| format!("{path}.density"), Quantity::Density, material.density.unwrap_or(0.0))?;
    size(|| format!("{path}.damping"), Quantity::Time, material.damping)
}

fn shape(path: impl Display, shape: &Shape) -> Checked {
    match *shape {
        Shape::Circle { radius } => size(|| format!("{path}.radius"), Quantity::Size, radius),
        Shape::Annulus { inner, outer } => {
            size(|| format!("{path}.inner"), Quantity::Size, inner)?;
            size(|| format!("{path}.outer"), Quantity::Size, outer)
        }
        Shape::Rectangle { width, height } => {
            size(|| format!("{path}.width"), Quantity::Size, width)?;
            size(|| format!("{path}.height"), Quantity::Size, height)
        }
    }
}

fn section(path: impl Display, section: &Section) -> Checked {
    match section {
        Section::Layers { layers, shear_factor } => {
            size(|| format!("{path}.shear_factor"), Quantity::Number, *shear_factor)?;
            layers.iter().try_for_each(|layer| {
                shape(&path, &layer.shape)?;
                material(format_args!("{path}.material"), &layer.material)
            })
        }
        Section::Given { damping, radius, .. } => {
            size(|| format!("{path}.damping"), Quantity::Time, *damping)?;
            size(|| format!("{path}.radius"), Quantity::Size, *radius)
        }
    }
}

fn rod(rod: &Rod) -> Checked {
    let path = rod.path();
    if let Some(tubes) = &rod.tubes {
        tubes.tubes.iter().try_for_each(|one| tube(format_args!("{path}.tube.{}", one.name), one))?;
    }
    size(|| format!("{path}.length"), Quantity::Length, rod.length)?;
    for station in &rod.profile.stations {
        size(|| format!("{path}.section"), Quantity::Coordinate, station.s)?;
        section(format_args!("{path}.section"), &station.section)?;
    }
    match &rod.natural {
        NaturalShape::Straight => {}
        NaturalShape::Curvature(table) => {
            for (_, curvature) in table {
                vector(|| format!("{path}.shape.curvature"), Quantity::Curvature, curvature)?;
            }
        }
        NaturalShape::ControlPoses(poses) => {
            poses.iter().try_for_each(|at| pose(|| format!("{path}.shape.control_poses"), at))?;
        }
    }
    for (key, held) in [("base", &rod.base), ("tip", &rod.tip)] {
        held.as_ref().map_or(Ok(()), |held| frame(|| format!("{path}.{key}"), held))?;
    }
    vector(|| format!("{path}.turns"), Quantity::Number, &rod.turns)?;
    rod.laid.iter().try_for_each(|at| vector(|| format!("{path}.laid"), Quantity::Coordinate, at))?;
    rod.initial_velocity.as_ref().map_or(Ok(()), |start| velocity(&path, start))?;
    ratios::rod(&path, rod)
}

fn tube(path: impl Display, tube: &Tube) -> Checked {
    material(format_args!("{path}.material"), &tube.material)?;
    size(|| format!("{path}.inner_diameter"), Quantity::Size, tube.inner_diameter)?;
    size(|| format!("{path}.outer_diameter"), Quantity::Size, tube.outer_diameter)?;
    for (key, stiffness) in
        [("bending_stiffness", tube.bending_stiffness), ("torsion_stiffness", tube.torsion_stiffness)]
    {
        size(|| format!("{path}.{key}"), Quantity::BendingStiffness, stiffness.unwrap_or(0.0))?;
    }
    size(|| format!("{path}.length"), Quantity::Length, tube.length)?;
    upper(|| format!("{path}.curved_length"), Quantity::Length, tube.curved_length)?;
    for (_, curvature) in &tube.curvature {
        size(|| format!("{path}.curvature"), Quantity::Curvature, curvature.amax())?;
    }
    upper(|| format!("{path}.insertion"), Quantity::Length, tube.insertion)?;
    size(|| format!("{path}.rotation"), Quantity::Angle, tube.rotation)
}

fn body(body: &Body) -> Checked {
    let path = ["body.", &body.name].concat();
    size(|| format!("{path}.mass"), Quantity::Mass, body.inertia.mass)?;
    place(|| format!("{path}.centre"), &body.inertia.centre)?;
    size(|| format!("{path}.inertia"), Quantity::Inertia, body.inertia.about_centre.amax())?;
    match &body.mount {
        Mount::Free(start) => pose(|| format!("{path}.start"), start)?,
        Mount::On(on) => frame(|| format!("{path}.mount"), on)?,
    }
    for (name, at) in &body.frames {
        pose(|| format!("{path}.frames.{name}"), at)?;
    }
    for solid in &body.solids {
        let path = [path.as_str(), ".shape"].concat();
        pose(|| path.clone(), &solid.pose)?;
        match solid.outline {
            Outline::Box { size: edges } => edges_of(format_args!("{path}.size"), &edges)?,
            Outline::Cylinder { radius, length } => {
                size(|| format!("{path}.radius"), Quantity::Size, radius)?;
                size(|| format!("{path}.length"), Quantity::Size, length)?;
            }
            Outline::Sphere { radius } => size(|| format!("{path}.radius"), Quantity::Size, radius)?,
        }
    }
    velocity(&path, &body.initial_velocity)
}

fn edges_of(path: impl Display, edges: &Vector3<f64>) -> Checked {
    edges.iter().try_for_each(|edge| size(|| path.to_string(), Quantity::Size, *edge))
}

fn coordinate_quantity(kind: Coordinate) -> Quantity {
    match kind {
        Coordinate::Angle => Quantity::Angle,
        Coordinate::Distance => Quantity::Coordinate,
    }
}

fn effort_quantity(kind: Coordinate) -> Quantity {
    match kind {
        Coordinate::Angle => Quantity::Moment,
        Coordinate::Distance => Quantity::Force,
    }
}

fn joint(joint: &Joint) -> Checked {
    let path = ["joint.", &joint.name].concat();
    frame(|| format!("{path}.parent"), &joint.parent)?;
    let kinds = joint.kind.coordinates();
    let all = |key: &str, values: &[f64], quantity: &dyn Fn(Coordinate) -> Quantity| {
        let mut values = kinds.iter().zip(values);
        values.try_for_each(|((_, kind), value)| size(|| format!("{path}.{key}"), quantity(*kind), *value))
    };
    let by = |angle: Quantity, distance: Quantity| {
        move |kind: Coordinate| match kind {
            Coordinate::Angle => angle,
            Coordinate::Distance => distance,
        }
    };
    match &joint.motion {
        JointMotion::Free { start } => all("start", start, &coordinate_quantity)?,
        JointMotion::Driven { value } => all("value", value, &coordinate_quantity)?,
        JointMotion::Actuated { effort, start } => {
            all("effort", effort, &effort_quantity)?;
            all("start", start, &coordinate_quantity)?;
        }
    }
    all("stiffness", &joint.stiffness, &by(Quantity::Moment, Quantity::ForcePerLength))?;
    all("rest", &joint.rest, &coordinate_quantity)?;
    all("damping", &joint.damping, &by(Quantity::RotaryDamping, Quantity::LinearDamping))?;
    all("rate", &joint.initial_rate, &by(Quantity::Spin, Quantity::Velocity))?;
    for ((_, kind), limits) in kinds.iter().zip(&joint.limits) {
        let Some((low, high)) = limits else { continue };
        for value in [low, high] {
            size(|| format!("{path}.limits"), coordinate_quantity(*kind), *value)?;
        }
    }
    Ok(())
}

fn cable_drive(path: &str, drive: CableDrive) -> Checked {
    let quantity = match drive {
        CableDrive::Tension(_) => Quantity::Force,
        CableDrive::Length(_) => Quantity::Size,
        CableDrive::Pull(_) => Quantity::Coordinate,
    };
    size(|| format!("{path}.{}", drive.name()), quantity, drive.value())
}

fn cable(cable: &Cable) -> Checked {
    let path = ["cable.", &cable.name].concat();
    cable.points.iter().try_for_each(|point| frame(|| format!("{path}.points"), point))?;
    cable_drive(&path, cable.drive)?;
    size(|| format!("{path}.stiffness"), Quantity::Force, cable.stiffness.unwrap_or(0.0))
}

fn tendon(tendon: &Tendon) -> Checked {
    let path = tendon.path();
    cable_drive(&path, tendon.drive)?;
    size(|| format!("{path}.stiffness"), Quantity::Force, tendon.stiffness.unwrap_or(0.0))?;
    size(|| format!("{path}.friction"), Quantity::Number, tendon.friction)?;
    let hole = |at: &Vector2<f64>| size(|| format!("{path}.holes"), Quantity::Coordinate, at.amax());
    let pieces = tendon.runs.iter().flat_map(|run| &run.routing.pieces);
    for piece in pieces {
        match &piece.path {
            HolePath::Parallel { position } => hole(position)?,
            HolePath::Linear { start, end } => {
                hole(start)?;
                hole(end)?;
            }
            HolePath::Helix { radius, angle, turns } => {
                hole(&Vector2::from(*radius))?;
                size(|| format!("{path}.holes"), Quantity::Angle, *angle)?;
                size(|| format!("{path}.holes"), Quantity::Number, *turns)?;
            }
            HolePath::Table { y, z } => {
                for (low, high) in [y.range(), z.range()] {
                    hole(&Vector2::new(low, high))?;
                }
            }
        }
    }
    Ok(())
}

fn spring(spring: &Spring) -> Checked {
    let path = format!("spring.{}", spring.name);
    frame(|| format!("{path}.a"), &spring.a)?;
    frame(|| format!("{path}.b"), &spring.b)?;
    match &spring.law {
        SpringLaw::Line { stiffness, rest_length, damping } => {
            size(|| format!("{path}.stiffness"), Quantity::ForcePerLength, *stiffness)?;
            size(|| format!("{path}.rest_length"), Quantity::Size, rest_length.unwrap_or(0.0))?;
            size(|| format!("{path}.damping"), Quantity::LinearDamping, *damping)
        }
        SpringLaw::Bushing { stiffness, damping } => {
            let stiffnesses = [Quantity::Moment, Quantity::Force, Quantity::ForcePerLength];
            blocks(|| format!("{path}.bushing"), stiffness, stiffnesses)?;
            let dampings = [Quantity::RotaryDamping, Quantity::BushingDamping, Quantity::LinearDamping];
            blocks(|| format!("{path}.bushing"), damping, dampings)
        }
        SpringLaw::Axes { stiffness } => vector(|| format!("{path}.stiffness"), Quantity::ForcePerLength, stiffness),
    }
}

/// A matrix between turns and shifts: quantities of its blocks turn–turn, turn–shift and shift–shift.
fn blocks(path: impl Fn() -> String, matrix: &Matrix6<f64>, quantities: [Quantity; 3]) -> Checked {
    for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
        let quantity = quantities[usize::from(row >= 3) + usize::from(column >= 3)];
        let value = matrix[(row, column)];
        // Off the diagonal stands what rounding leaves of a product of matrices.
        if row == column { size(&path, quantity, value)? } else { upper(&path, quantity, value)? }
    }
    Ok(())
}

fn obstacle(obstacle: &Obstacle) -> Checked {
    let path = obstacle.path();
    frame(|| path.clone(), &obstacle.frame)?;
    let across = |key: &str, value: f64| size(|| format!("{path}.{key}"), Quantity::Size, value);
    match &obstacle.shape {
        ObstacleShape::Plane => Ok(()),
        ObstacleShape::Sphere { radius } => across("sphere.radius", *radius),
        ObstacleShape::Capsule { radius, length } => {
            across("capsule.radius", *radius)?;
            across("capsule.length", *length)
        }
        ObstacleShape::Cylinder { radius, length } => {
            across("cylinder.radius", *radius)?;
            across("cylinder.length", *length)
        }
        ObstacleShape::Box { size: edges } => edges_of(format_args!("{path}.box"), edges),
        ObstacleShape::Bore { axis, radius } => {
            across("bore.radius", *radius)?;
            axis.pieces.iter().try_for_each(|piece| match *piece {
                BorePiece::Straight { length } => across("bore.axis.straight", length),
                BorePiece::Arc { radius, angle, toward } => {
                    across("bore.axis.radius", radius)?;
                    size(|| format!("{path}.bore.axis.arc"), Quantity::Angle, angle)?;
                    size(|| format!("{path}.bore.axis.toward"), Quantity::Angle, toward)
                }
            })
        }
        ObstacleShape::Mesh { corners, .. } => {
            corners.iter().try_for_each(|corner| place(|| format!("{path}.mesh"), corner))
        }
        ObstacleShape::Heights { origin, spacing, heights, .. } => {
            let coordinate = |key: &str, x: &f64| size(|| format!("{path}.heights.{key}"), Quantity::Coordinate, *x);
            origin.iter().try_for_each(|x| coordinate("origin", x))?;
            spacing.iter().try_for_each(|x| across("heights.spacing", *x))?;
            heights.iter().try_for_each(|x| coordinate("rows", x))
        }
    }
}

fn load(load: &Load) -> Checked {
    match &load.kind {
        LoadKind::Point { wrench, .. } => point_wrench(&load.name, wrench),
        LoadKind::Distributed { per_length, .. } => {
            vector(|| format!("load.{}.force", load.name), Quantity::ForcePerLength, &per_length.force)?;
            vector(|| format!("load.{}.moment", load.name), Quantity::Force, &per_length.moment)
        }
    }
}

fn point_wrench(name: &str, wrench: &Wrench) -> Checked {
    vector(|| format!("load.{name}.force"), Quantity::Force, &wrench.force)?;
    vector(|| format!("load.{name}.moment"), Quantity::Moment, &wrench.moment)
}
