//! Rods, random end poses that are reachable by construction, and the oracle that integrates from the base.
#![allow(dead_code, clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_model::{Layer, Material, NaturalShape, Profile, Section, Shape as Outline, Station};
use lissome_reference::kirchhoff::KirchhoffRod;
use lissome_shape::ElasticRod;
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

/// The fibreglass of [muller2025cfk, section VI].
pub fn fibreglass() -> Material {
    Material::from_moduli(35e9, 3e9)
}

pub fn section(outline: Outline) -> Section {
    Section::Layers { layers: vec![Layer { shape: outline, material: fibreglass() }], shear_factor: 1.0 }
}

/// A rod, and what the oracle needs to know of it.
pub struct TestRod {
    pub name: &'static str,
    pub rod: ElasticRod,
    pub length: f64,
    pub profile: Profile,
    pub natural: NaturalShape,
}

impl TestRod {
    fn new(name: &'static str, length: f64, profile: Profile, natural: NaturalShape) -> Self {
        let rod = ElasticRod::new(length, &profile, &natural).unwrap();
        Self { name, rod, length, profile, natural }
    }

    /// The rod of the paper.
    pub fn round() -> Self {
        let profile = Profile::uniform(section(Outline::Circle { radius: 1e-3 }));
        Self::new("round", 0.6, profile, NaturalShape::Straight)
    }

    pub fn strip() -> Self {
        let profile = Profile::uniform(section(Outline::Rectangle { width: 3e-3, height: 1e-3 }));
        Self::new("strip", 0.4, profile, NaturalShape::Straight)
    }

    pub fn tapered() -> Self {
        let ends = [2e-3, 1e-3].map(|radius| section(Outline::Circle { radius }));
        let [root, tip] = ends;
        Self::new("tapered", 1.5, Profile::taper(root, tip, 1.5), NaturalShape::Straight)
    }

    pub fn stepped() -> Self {
        let [thick, thin] = [2e-3, 1e-3].map(|radius| section(Outline::Circle { radius }));
        let stations = [(0.0, &thick), (0.4, &thick), (0.4, &thin), (1.0, &thin)]
            .map(|(s, section)| Station { s, section: section.clone() });
        Self::new("stepped", 1.0, Profile { stations: stations.to_vec() }, NaturalShape::Straight)
    }

    pub fn curved() -> Self {
        let profile = Profile::uniform(section(Outline::Circle { radius: 1.5e-3 }));
        let table = vec![(0.0, Vector3::new(0.0, 0.0, 2.0)), (0.8, Vector3::new(0.5, 1.0, 1.0))];
        Self::new("curved", 0.8, profile, NaturalShape::Curvature(table))
    }

    pub fn all() -> [Self; 5] {
        [Self::round(), Self::strip(), Self::tapered(), Self::stepped(), Self::curved()]
    }

    /// Where the tip ends, seen from the base, when the base section carries `wrench` (N·m, N, base axes).
    pub fn integrate(&self, wrench: &Wrench) -> Pose {
        KirchhoffRod { length: self.length, profile: &self.profile, natural: &self.natural }.tip(wrench).unwrap()
    }
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        low + (high - low) * (z >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::new(self.uniform(-size, size), self.uniform(-size, size), self.uniform(-size, size))
    }
}

/// End poses that some smooth rod of the length reaches: bending curvature of random direction and four random waves,
/// ∫|κ_⊥| uniform up to 300°, twist uniform up to a full turn either way.
pub fn reachable_tip(random: &mut Random, length: f64) -> Pose {
    let bend = random.uniform(0.0, 300f64.to_radians());
    let twist = random.uniform(-TAU, TAU);
    let waves: Vec<Vector3<f64>> = (0..4).map(|_| random.vector(1.0)).collect();
    let raw = |t: f64| {
        let term = |(i, wave): (usize, &Vector3<f64>)| wave * ((i as f64 * PI * t).cos() / (1.0 + i as f64));
        waves.iter().enumerate().map(term).sum::<Vector3<f64>>()
    };
    const STEPS: usize = 400;
    let middle = |i: usize| (i as f64 + 0.5) / STEPS as f64;
    let total: f64 = (0..STEPS).map(|i| raw(middle(i)).yz().norm() / STEPS as f64).sum();
    let mut pose = Pose::identity();
    for i in 0..STEPS {
        let k = raw(middle(i));
        let turn = Vector3::new(twist + k.x - waves[0].x, k.y * bend / total, k.z * bend / total);
        pose = pose.boxplus(&Twist::new(turn / STEPS as f64, Vector3::x() / STEPS as f64));
    }
    Pose::new(pose.rotation, pose.position * length)
}

/// Largest of rotation (rad) and position (over the length) between two poses.
pub fn misfit(a: &Pose, b: &Pose, length: f64) -> f64 {
    let gap = a.boxminus(b);
    gap.angular.amax().max(gap.linear.amax() / length)
}

pub fn about(axis: Vector3<f64>, position: Vector3<f64>) -> Pose {
    Pose::new(Rotation::exp(&axis), position)
}
