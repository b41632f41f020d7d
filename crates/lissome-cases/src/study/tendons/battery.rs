//! Random tendon-driven robots, by tension and by length: does every one get an answer, and a true one?

use super::solve;
use crate::all_cores;
use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use lissome::lie::{Pose, Wrench};
use lissome::model::{
    CableDrive, Frame, HolePath, Load, LoadFrame, LoadKind, Material, Profile, Rod, Routing, Scene, Section, Tendon,
    TendonMethod, TendonRun,
};
use lissome::solve::{Equilibrium, Status};
use nalgebra::{Vector2, Vector3};
use serde::Deserialize;
use std::f64::consts::TAU;

/// Robots of one to four segments with up to eight tendons.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonBattery {
    seed: u64,
    count: usize,
    /// Part of them that must converge in one call.
    converged: f64,
    /// How far tips of robots driven by tension may be from the oracle's, of the length.
    within: f64,
}

/// Largest tension, of that at which a tendon on the farthest hole closes up.
const LARGEST: f64 = 0.5;
/// Largest pull, of the angle of a half turn at the distance of the hole.
const LARGEST_PULL: f64 = 0.6 * std::f64::consts::PI;

impl TendonBattery {
    pub(in crate::study) fn rows(&self) -> Result<Vec<Row>, CaseError> {
        let mut random = Random::new(self.seed);
        let is_by_length = |index: usize| index % 2 == 1;
        let scenes: Vec<Scene> = (0..self.count).map(|index| robot(&mut random, is_by_length(index))).collect();
        let ends = all_cores::map(self.count, |index| judge(&scenes[index], is_by_length(index)));
        let (mut found, mut nameless, mut checked, mut worst) = (0, 0, 0, 0.0_f64);
        for end in ends {
            match end? {
                End::Converged { apart } => {
                    found += 1;
                    checked += i32::from(apart.is_some());
                    worst = worst.max(apart.unwrap_or(0.0));
                }
                End::Failed { named } => nameless += usize::from(!named),
            }
        }
        let count = self.count as f64;
        let title = |what: &str| format!("{} robots, half of them by length: {what}", self.count);
        Ok(vec![
            Row::at_least(title("part that converges in one call"), f64::from(found) / count, self.converged),
            Row::deviation(title("failures without a name"), nameless as f64, 0.0),
            Row::deviation(
                format!("{checked} of those by tension that the oracle solves: tip off / L"),
                worst,
                self.within,
            ),
            // The oracle shoots from rest and may lose its way; it must check more than half.
            Row::at_least(title("part by tension that is checked"), 2.0 * f64::from(checked) / count, 0.5),
        ])
    }
}

/// How the call for one robot ended.
enum End {
    /// With an equilibrium; how far its tip is from the oracle's, where there is one to compare with.
    Converged { apart: Option<f64> },
    /// Without; whether the reason has a name.
    Failed { named: bool },
}

fn judge(scene: &Scene, by_length: bool) -> Result<End, CaseError> {
    let own = solve(scene, None)?;
    if !own.outcome.converged() {
        let named = own.outcome.defect.is_some() || matches!(own.outcome.status, Status::Fold { .. });
        return Ok(End::Failed { named });
    }
    let apart = if by_length { None } else { apart_from_oracle(scene, &own)? };
    Ok(End::Converged { apart })
}

/// Distance of the tip from that of shooting on the total stress; nothing where that finds none.
fn apart_from_oracle(scene: &Scene, own: &Equilibrium) -> Result<Option<f64>, CaseError> {
    let exact = solve(scene, Some(TendonMethod::TotalStress))?;
    let apart = (exact.rods[0].tip.position - own.rods[0].tip.position).norm() / scene.rods[0].length;
    Ok(exact.outcome.converged().then_some(apart))
}

fn robot(random: &mut Random, by_length: bool) -> Scene {
    let segments = 1 + random.below(4);
    let length = random.log_uniform(0.02, 2.0);
    let radius = length / random.log_uniform(60.0, 600.0);
    let young = random.log_uniform(1e6, 2e11);
    let section = Section::circle(radius, Material::from_poisson(young, 0.3).with_density(2000.0));
    let bending = section.stiffness()[(1, 1)];
    let rod = Rod {
        name: "arm".into(),
        length,
        profile: Profile::uniform(section),
        base: Some(Frame::world(Pose::identity())),
        ..Rod::default()
    };
    let border = |k: usize| length * k as f64 / segments as f64;
    let count = 1 + random.below(8);
    let tendons = (0..count).map(|number| {
        let last = 1 + random.below(segments);
        let distance = length * random.uniform(0.01, 0.05);
        let routing = routing(random, distance, last, &border);
        let drive = match by_length {
            true => {
                CableDrive::Pull(random.uniform(-0.3, 1.0) * LARGEST_PULL * distance * last as f64 / segments as f64)
            }
            // All tendons together stay below what closes one of them up.
            false => CableDrive::Tension(random.uniform(0.0, LARGEST) * bending / distance.powi(2) / count as f64),
        };
        let runs = vec![TendonRun { rod: 0, from: routing.start(), to: routing.end(), routing }];
        // Tendons that do not stretch and hold each other are nearly redundant: half of them stretch.
        let stiffness = (by_length && random.below(2) == 0).then(|| 1e3 * bending / length.powi(2));
        Tendon { name: format!("t{number}"), runs, drive, stiffness, ..Tendon::default() }
    });
    let tendons = tendons.collect();
    let force = random.direction() * (random.uniform(0.0, 2.0) * bending / length.powi(2));
    let wrench = Wrench::new(Vector3::zeros(), force);
    let load =
        Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind: LoadKind::Point { at: length, wrench } };
    Scene { rods: vec![rod], tendons, loads: vec![load], ..Scene::default() }
}

fn routing(random: &mut Random, distance: f64, last: usize, border: &dyn Fn(usize) -> f64) -> Routing {
    let angle = random.uniform(0.0, TAU);
    let start = Vector2::new(angle.cos(), angle.sin()) * distance;
    let end = border(last);
    match random.below(4) {
        0 => Routing::parallel(start, 0.0, end),
        1 => Routing::linear(start, Vector2::zeros(), 0.0, end),
        2 => Routing::helix([distance; 2], angle, random.uniform(-1.0, 1.0), 0.0, end),
        _ if last > 1 => {
            let path = HolePath::Linear { start, end: start * -0.5 };
            Routing::parallel(start, 0.0, border(last - 1)).then(end, path)
        }
        _ => Routing::parallel(start, 0.0, end),
    }
}
