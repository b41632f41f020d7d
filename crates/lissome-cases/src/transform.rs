//! The same scene elsewhere, or in other units: what may not change the answer.

use lissome::lie::{Pose, Wrench};
use lissome::model::{FrameOf, Layer, LoadFrame, LoadKind, NaturalShape, Profile, Scene, Section, Shape, Station};
use nalgebra::{Matrix6, Vector6};

/// The whole scene, its loads and gravity included, moved by a rigid motion of the world.
pub fn moved(scene: &Scene, motion: &Pose) -> Scene {
    let turn = |v: &nalgebra::Vector3<f64>| motion.rotation.rotate(v);
    let mut scene = scene.clone();
    scene.gravity = turn(&scene.gravity);
    for rod in &mut scene.rods {
        for end in [&mut rod.base, &mut rod.tip].into_iter().flatten() {
            if end.of == FrameOf::World {
                end.pose = *motion * end.pose;
            }
        }
    }
    for load in scene.loads.iter_mut().filter(|load| load.frame == LoadFrame::World) {
        let (LoadKind::Point { wrench, .. } | LoadKind::Distributed { per_length: wrench, .. }) = &mut load.kind;
        *wrench = Wrench::new(turn(&wrench.moment), turn(&wrench.force));
    }
    scene
}

/// The scene with every length times `length` and every modulus times `modulus`, and the loads that then give the same
/// shape: forces scale with modulus·length², moments with modulus·length³.
pub fn scaled(scene: &Scene, length: f64, modulus: f64) -> Scene {
    let force = modulus * length * length;
    let wrench = |w: &Wrench| Wrench::new(w.moment * (force * length), w.force * force);
    let mut scene = scene.clone();
    // Weight per length, ρ A g, must scale with modulus·length: densities stay.
    scene.gravity *= modulus / length;
    for rod in &mut scene.rods {
        rod.length *= length;
        for end in [&mut rod.base, &mut rod.tip].into_iter().flatten() {
            end.pose.position *= length;
        }
        match &mut rod.natural {
            NaturalShape::Straight => {}
            NaturalShape::Curvature(table) => table.iter_mut().for_each(|(s, curvature)| {
                *s *= length;
                *curvature /= length;
            }),
            NaturalShape::ControlPoses(poses) => poses.iter_mut().for_each(|pose| pose.position *= length),
        }
        let stations = rod.profile.stations.iter().map(|station| Station {
            s: station.s * length,
            section: scaled_section(&station.section, length, modulus),
        });
        rod.profile = Profile { stations: stations.collect() };
    }
    for load in &mut scene.loads {
        load.kind = match &load.kind {
            LoadKind::Point { at, wrench: w } => LoadKind::Point { at: at * length, wrench: wrench(w) },
            LoadKind::Distributed { from, to, per_length } => LoadKind::Distributed {
                from: from * length,
                to: to * length,
                per_length: wrench(per_length) * (1.0 / length),
            },
        };
    }
    scene
}

fn scaled_section(section: &Section, length: f64, modulus: f64) -> Section {
    match section {
        Section::Layers { layers, shear_factor } => {
            let layers = layers.iter().map(|Layer { shape, material }| {
                let shape = match *shape {
                    Shape::Circle { radius } => Shape::Circle { radius: radius * length },
                    Shape::Annulus { inner, outer } => Shape::Annulus { inner: inner * length, outer: outer * length },
                    Shape::Rectangle { width, height } => {
                        Shape::Rectangle { width: width * length, height: height * length }
                    }
                };
                let mut material = *material;
                material.young *= modulus;
                material.shear *= modulus;
                Layer { shape, material }
            });
            Section::Layers { layers: layers.collect(), shear_factor: *shear_factor }
        }
        Section::Given { stiffness, mass, damping, radius } => {
            // d K d with d² = (modulus·length⁴, modulus·length²) on bending and stretch; mass likewise at fixed density.
            let d = |m: f64| {
                let (bend, stretch) = (m.sqrt() * length * length, m.sqrt() * length);
                Matrix6::from_diagonal(&Vector6::new(bend, bend, bend, stretch, stretch, stretch))
            };
            Section::Given {
                stiffness: d(modulus) * stiffness * d(modulus),
                mass: d(1.0) * mass * d(1.0),
                damping: *damping,
                radius: radius * length,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome::model::Material;

    #[test]
    fn a_given_stiffness_scales_as_an_outline_does() {
        let outline = Section::circle(0.01, Material::from_poisson(1e6, 0.3).with_density(1000.0));
        let given = Section::Given { stiffness: outline.stiffness(), mass: outline.mass(), damping: 0.0, radius: 0.01 };
        let (a, b) = (scaled_section(&outline, 7.0, 3.0), scaled_section(&given, 7.0, 3.0));
        assert!((a.stiffness() - b.stiffness()).amax() < 1e-14 * a.stiffness().amax());
        assert!((a.mass() - b.mass()).amax() < 1e-14 * a.mass().amax());
    }
}
