//! The columns of a motion: a frame to named arrays of numbers, and back. The page on run folders lists them.

use crate::columns;
use crate::run_folder::npz::Array;
use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::{Joint, Scene, Toucher};
use lissome_solve::{CableFrame, ContactFrame, Momentum, MotionEffort, MotionEnergy, MotionFrame, RodFrame, Velocity};
use nalgebra::Vector3;
use std::collections::HashMap;

/// Frames side by side: one array a column, the first index counts frames.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    arrays: Vec<Array>,
    frames: usize,
}

impl Columns {
    /// The first frames of arrays that were read back; `None` if one of them is shorter.
    pub fn of(mut arrays: Vec<Array>, frames: usize) -> Option<Self> {
        for array in &mut arrays {
            let (rows, cells) = array.shape.split_first_mut()?;
            if *rows < frames {
                return None;
            }
            *rows = frames;
            array.values.truncate(frames * cells.iter().product::<usize>());
        }
        Some(Self { arrays, frames })
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The arrays, ready to be written.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// Adds a frame; all frames must be of the same scene.
    pub fn push(&mut self, scene: &Scene, frame: &MotionFrame) {
        let (arrays, first) = (&mut self.arrays, self.frames == 0);
        let mut column = 0;
        visit(scene, frame, &mut |name, shape, values| {
            if first {
                let shape = std::iter::once(0).chain(shape.iter().copied()).collect();
                arrays.push(Array { name, shape, values: Vec::new() });
            }
            arrays[column].shape[0] += 1;
            arrays[column].values.extend(values);
            column += 1;
        });
        self.frames += 1;
    }

    /// Bytes of the numbers in it.
    pub fn bytes(&self) -> usize {
        self.arrays.iter().map(|array| array.values.len() * size_of::<f64>()).sum()
    }
}

/// Sees a column: its name, its shape and its numbers.
pub type Show<'a> = dyn FnMut(String, &[usize], Vec<f64>) + 'a;

/// Shows every column of a frame.
pub fn visit(scene: &Scene, frame: &MotionFrame, show: &mut Show<'_>) {
    let mut one = |name: String, value: f64| show(name, &[], vec![value]);
    one("time".into(), frame.time);
    for (drive, value) in scene.drives.iter().zip(&frame.drives) {
        one(columns::drive(&drive.path), *value);
    }
    for (rod, at) in scene.rods.iter().zip(&frame.rods) {
        let name = |field: &str| columns::array(&rod.name, field);
        let poses = at.poses.iter();
        show(name("position"), &[at.poses.len(), 3], flat(poses.clone().map(|pose| pose.position)));
        show(name("quat_wxyz"), &[at.poses.len(), 4], poses.flat_map(|pose| pose.rotation.stored()).collect());
        let (moving, stress) = (at.velocities.iter(), at.stress.iter());
        show(name("velocity"), &[moving.len(), 3], flat(moving.clone().map(|velocity| velocity.linear)));
        show(name("angular_velocity"), &[moving.len(), 3], flat(moving.map(|velocity| velocity.angular)));
        show(name("moment"), &[stress.len(), 3], flat(stress.clone().map(|wrench| wrench.moment)));
        show(name("force"), &[stress.len(), 3], flat(stress.map(|wrench| wrench.force)));
        show(name("discretisation_error"), &[], vec![at.discretisation_error]);
    }
    for ((body, pose), velocity) in scene.bodies.iter().zip(&frame.bodies).zip(&frame.body_velocities) {
        let name = |field: &str| columns::array(&body.name, field);
        show(name("position"), &[3], pose.position.as_slice().to_vec());
        show(name("quat_wxyz"), &[4], pose.rotation.stored().to_vec());
        show(name("velocity"), &[3], velocity.linear.as_slice().to_vec());
        show(name("angular_velocity"), &[3], velocity.angular.as_slice().to_vec());
    }
    for ((joint, values), rates) in scene.joints.iter().zip(&frame.joints).zip(&frame.joint_rates) {
        for ((coordinate, value), rate) in coordinates(joint).zip(values).zip(rates) {
            show(columns::array(&joint.name, coordinate), &[], vec![*value]);
            show(rate_name(&joint.name, coordinate), &[], vec![*rate]);
        }
    }
    let cables = scene.cables.iter().zip(&frame.cables).map(|(cable, at)| (&cable.name, at));
    let tendons = scene.tendons.iter().zip(&frame.tendons).map(|(tendon, at)| (&tendon.name, at));
    for (name, at) in cables.chain(tendons) {
        show(columns::array(name, "tension"), &[], vec![at.tension]);
        show(columns::array(name, "length"), &[], vec![at.length]);
        show(columns::array(name, "points"), &[at.points.len(), 3], flat(at.points.iter().copied()));
    }
    for ((part, obstacle), contact) in scene.contact_pairs().zip(&frame.contacts) {
        let name = |field: &str| columns::array(&contact_name(scene, part, obstacle), field);
        show(name("gap"), &[], vec![contact.least_gap]);
        show(name("touching"), &[], vec![contact.points.len() as f64]);
        show(name("force"), &[3], contact.force().as_slice().to_vec());
        show(name("centre"), &[3], contact.centre().as_slice().to_vec());
    }
    let mut one = |name: &str, value: f64| show(name.to_owned(), &[], vec![value]);
    let MotionEnergy { kinetic, elastic, gravity, dissipated, friction, work } = frame.energy;
    one("loops.gap", frame.loop_gap);
    one("energy.kinetic", kinetic);
    one("energy.elastic", elastic);
    one("energy.gravity", gravity);
    one("energy.dissipated", dissipated);
    one("energy.friction", friction);
    one("energy.work", work);
    show("momentum.linear".into(), &[3], frame.momentum.linear.as_slice().to_vec());
    show("momentum.angular".into(), &[3], frame.momentum.angular.as_slice().to_vec());
    let mut one = |name: &str, value: f64| show(name.to_owned(), &[], vec![value]);
    let MotionEffort { step, steps, iterations, rejected, halved } = frame.effort;
    one("effort.step", step);
    // Counts are exact in an f64 up to 2⁵³.
    one("effort.steps", steps as f64);
    one("effort.iterations", iterations as f64);
    one("effort.rejected", rejected as f64);
    one("effort.halved", halved as f64);
}

/// What the columns of a pair begin with.
fn contact_name(scene: &Scene, part: Toucher, touched: Toucher) -> String {
    columns::pair(part.name(scene), touched.name(scene))
}

/// Names of a joint's coordinates.
fn coordinates(joint: &Joint) -> impl Iterator<Item = &'static str> {
    joint.kind.coordinates().iter().map(|(name, _)| *name)
}

fn rate_name(joint: &str, coordinate: &str) -> String {
    columns::array(&columns::array(joint, coordinate), "rate")
}

fn flat(vectors: impl Iterator<Item = Vector3<f64>>) -> Vec<f64> {
    vectors.flat_map(|v| [v.x, v.y, v.z]).collect()
}

/// Frames from the arrays of one part; `None` if a column is missing or does not fit the scene.
pub fn frames(scene: &Scene, arrays: &[Array]) -> Option<Vec<MotionFrame>> {
    let by_name: HashMap<&str, &Array> = arrays.iter().map(|array| (array.name.as_str(), array)).collect();
    let count = by_name.get("time")?.values.len();
    (0..count).map(|index| Row { by_name: &by_name, index, count }.frame(scene)).collect()
}

/// One frame of a part.
struct Row<'a> {
    by_name: &'a HashMap<&'a str, &'a Array>,
    index: usize,
    count: usize,
}

impl Row<'_> {
    fn many(&self, name: &str) -> Option<&[f64]> {
        let array = self.by_name.get(name)?;
        let width = array.values.len() / self.count;
        (array.shape.first() == Some(&self.count)).then(|| &array.values[self.index * width..][..width])
    }

    fn one(&self, name: &str) -> Option<f64> {
        self.many(name).filter(|values| values.len() == 1).map(|values| values[0])
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.one(name).map(|value| value as u64)
    }

    fn vectors(&self, name: &str) -> Option<Vec<Vector3<f64>>> {
        let values = self.many(name)?;
        values.len().is_multiple_of(3).then(|| values.chunks_exact(3).map(Vector3::from_column_slice).collect())
    }

    fn vector(&self, name: &str) -> Option<Vector3<f64>> {
        self.vectors(name)?.first().copied()
    }

    fn poses(&self, name: &str) -> Option<Vec<Pose>> {
        let positions = self.vectors(&columns::array(name, "position"))?;
        let turns = self.many(&columns::array(name, "quat_wxyz"))?.chunks_exact(4);
        let turns = turns.map(|q| Rotation::from_stored([q[0], q[1], q[2], q[3]])).collect::<Option<Vec<_>>>()?;
        (turns.len() == positions.len())
            .then(|| turns.into_iter().zip(positions).map(|(turn, position)| Pose::new(turn, position)).collect())
    }

    fn velocities(&self, name: &str) -> Option<Vec<Velocity>> {
        let linear = self.vectors(&columns::array(name, "velocity"))?;
        let angular = self.vectors(&columns::array(name, "angular_velocity"))?;
        (linear.len() == angular.len())
            .then(|| linear.into_iter().zip(angular).map(|(linear, angular)| Velocity { linear, angular }).collect())
    }

    fn frame(&self, scene: &Scene) -> Option<MotionFrame> {
        Some(MotionFrame {
            time: self.one("time")?,
            drives: scene.drives.iter().map(|d| self.one(&columns::drive(&d.path))).collect::<Option<_>>()?,
            rods: scene.rods.iter().map(|rod| self.rod(&rod.name)).collect::<Option<_>>()?,
            bodies: scene.bodies.iter().map(|body| self.poses(&body.name)?.first().copied()).collect::<Option<_>>()?,
            body_velocities: scene
                .bodies
                .iter()
                .map(|body| self.velocities(&body.name)?.first().copied())
                .collect::<Option<_>>()?,
            joints: scene
                .joints
                .iter()
                .map(|joint| coordinates(joint).map(|of| self.one(&columns::array(&joint.name, of))).collect())
                .collect::<Option<_>>()?,
            joint_rates: scene
                .joints
                .iter()
                .map(|joint| coordinates(joint).map(|of| self.one(&rate_name(&joint.name, of))).collect())
                .collect::<Option<_>>()?,
            cables: scene.cables.iter().map(|cable| self.thread(&cable.name)).collect::<Option<_>>()?,
            tendons: scene.tendons.iter().map(|tendon| self.thread(&tendon.name)).collect::<Option<_>>()?,
            contacts: scene
                .contact_pairs()
                .map(|(part, obstacle)| self.contact(&contact_name(scene, part, obstacle)))
                .collect::<Option<_>>()?,
            loop_gap: self.one("loops.gap")?,
            energy: MotionEnergy {
                kinetic: self.one("energy.kinetic")?,
                elastic: self.one("energy.elastic")?,
                gravity: self.one("energy.gravity")?,
                dissipated: self.one("energy.dissipated")?,
                friction: self.one("energy.friction")?,
                work: self.one("energy.work")?,
            },
            momentum: Momentum { linear: self.vector("momentum.linear")?, angular: self.vector("momentum.angular")? },
            effort: MotionEffort {
                step: self.one("effort.step")?,
                steps: self.count("effort.steps")?,
                iterations: self.count("effort.iterations")?,
                rejected: self.count("effort.rejected")?,
                halved: self.count("effort.halved")?,
            },
        })
    }

    fn rod(&self, name: &str) -> Option<RodFrame> {
        let moments = self.vectors(&columns::array(name, "moment"))?;
        let forces = self.vectors(&columns::array(name, "force"))?;
        Some(RodFrame {
            poses: self.poses(name)?,
            velocities: self.velocities(name)?,
            stress: moments.into_iter().zip(forces).map(|(m, f)| Wrench::new(m, f)).collect(),
            discretisation_error: self.one(&columns::array(name, "discretisation_error"))?,
        })
    }

    /// The sums that were kept of a pair.
    fn contact(&self, name: &str) -> Option<ContactFrame> {
        let (force, centre) =
            (self.vector(&columns::array(name, "force"))?, self.vector(&columns::array(name, "centre"))?);
        Some(ContactFrame::of_sums(self.one(&columns::array(name, "gap"))?, force, centre))
    }

    fn thread(&self, name: &str) -> Option<CableFrame> {
        Some(CableFrame {
            tension: self.one(&columns::array(name, "tension"))?,
            length: self.one(&columns::array(name, "length"))?,
            points: self.vectors(&columns::array(name, "points"))?,
        })
    }
}
