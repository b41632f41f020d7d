//! Loads up to 50 EI/L² in any direction, dead and follower, slenderness from 10 to 10⁴, round rods and strips.
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_lie::Wrench;
use lissome_model::{LoadFrame, LoadKind, Material, Profile, Scene, Section, Shape};
use lissome_reference::{negative_directions, solve_cantilever};
use nalgebra::Vector3;
use scenes::{cantilever, with_load};

/// Deterministic numbers in (−1, 1).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::new(self.roll(), self.roll(), self.roll());
            if v.norm() < 1.0 && v.norm() > 0.1 {
                return v.normalize();
            }
        }
    }
}

/// A unit rod with a random force on its tip.
fn random_scene(dice: &mut Dice) -> Scene {
    let radius = 10f64.powf(-2.5 + 1.5 * dice.roll());
    let material = Material::from_poisson(1e9, 0.4);
    let section = if dice.roll() > 0.0 {
        Section::circle(radius, material)
    } else {
        Section::plain(Shape::Rectangle { width: 4.0 * radius, height: radius }, material)
    };
    let scene = cantilever(1.0, Profile::uniform(section));
    let bending = scene.rods[0].profile.at(0.0).stiffness()[(1, 1)];
    let force = dice.direction() * (25.0 * (1.0 + dice.roll()) * bending);
    let frame = if dice.roll() > 0.0 { LoadFrame::World } else { LoadFrame::Body };
    with_load(scene, frame, LoadKind::Point { at: 1.0, wrench: Wrench::new(Vector3::zeros(), force) })
}

#[test]
fn random_loads() {
    let mut dice = Dice(1);
    let mut lost = Vec::new();
    for i in 0..30 {
        let scene = random_scene(&mut dice);
        match solve_cantilever(&scene, 0, None) {
            Ok(solution) => {
                let tip = solution.tip();
                let LoadKind::Point { wrench, .. } = scene.loads[0].kind else { unreachable!() };
                let force = match scene.loads[0].frame {
                    LoadFrame::World => wrench.force,
                    LoadFrame::Body => tip.rotation.rotate(&wrench.force),
                };
                let scale = force.norm();
                assert!((solution.base_wrench.force - force).amax() < 1e-10 * scale, "{i}");
                let moment = tip.position.cross(&force);
                assert!((solution.base_wrench.moment - moment).amax() < 1e-10 * scale, "{i}");
                if scene.loads[0].frame == LoadFrame::World {
                    // A force in general position leads no rod through a bifurcation.
                    assert_eq!(negative_directions(&solution).unwrap(), 0, "{i}");
                }
            }
            Err(error) => lost.push((i, error)),
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}
