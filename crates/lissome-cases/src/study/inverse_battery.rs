//! Do random poses within reach get their drives, and poses out of reach the nearest point?
//!
//! A case looks at the first poses of the stream. With `LISSOME_ALL_SCENES` in the environment it looks at as many as `all` says.

use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use crate::template;
use lissome::inverse::Seeker;
use lissome::lie::Pose;
use lissome::mech::Input;
use lissome::solve::inverse::{End, Goal, Place, Posture, Quantity, Unknown};
use lissome::solve::path::advance;
use lissome::solve::statics::{StaticOptions, solve};
use serde::Deserialize;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Poses out of reach are those within it, times this from the base.
const BEYOND: f64 = 4.0 / 3.0;
/// Directions in which a nearest point is left, and how far, in half ranges of the drives.
const PROBES: usize = 12;
const AWAY: [f64; 2] = [1e-3, 3e-2];
/// A point is nearer if it is by this part of the distance: settled equilibria are good to 1e-9.
const NEARER: f64 = 1e-7;

/// Random poses of a robot whose drives are sought.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InverseBattery {
    name: String,
    /// A scene whose job is inverse.
    scene: String,
    seed: u64,
    /// Poses within reach, and out of it.
    count: [usize; 2],
    /// The same where all are asked for.
    all: [usize; 2],
    /// Where the drives of these lie, one for each free drive, SI.
    ranges: Vec<[f64; 2]>,
    /// Largest weighted gap of a pose that counts as found.
    within: f64,
    /// Part of them that must be found.
    solved: f64,
    /// Rounds in the median.
    rounds: f64,
    /// Part of the poses out of reach whose nearest point must be found; of the others the branch ends on the way.
    nearest: f64,
}

impl InverseBattery {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &[])?;
        let Some(mut seeker) = Seeker::of(&scene)? else {
            return Err(CaseError::WrongJob { what: self.name.clone(), need: "an inverse job with an equilibrium" });
        };
        let Some(place) = place(&seeker) else {
            return Err(CaseError::WrongJob { what: self.name.clone(), need: "a target with a position" });
        };
        let [within_reach, out_of_reach] =
            if std::env::var_os("LISSOME_ALL_SCENES").is_some() { self.all } else { self.count };
        let mut random = Random::new(self.seed);
        let (mut found, mut again, mut rounds) = (0, 0.0_f64, Vec::new());
        while rounds.len() < within_reach {
            let drives: Vec<f64> = self.ranges.iter().map(|[low, high]| random.uniform(*low, *high)).collect();
            let Some(there) = under(&seeker, &drives) else { continue };
            let target = pose_at(&place, &there);
            let wanted = goals(&seeker, place, &target);
            let sought = seeker.reach(&wanted, &mut |_| true);
            rounds.push(sought.iterations as f64);
            if sought.end != End::Met || sought.distance > self.within {
                continue;
            }
            found += 1;
            // Equilibria under the drives that were found, by statics from where the search ended.
            let Posture { system, state, inputs } = &sought.posture;
            let options = StaticOptions { eigenvalue: false, ..StaticOptions::default() };
            let settled = solve(system, state, inputs, &options, &mut system.workspace(), &mut |_| true);
            let stands = Posture { state: settled.state, ..sought.posture.clone() };
            again = again.max(distance(&pose_at(&place, &stands), &target, system.scales().length));
        }
        rounds.sort_by(f64::total_cmp);
        let part = f64::from(found) / within_reach as f64;
        let title = |what: &str| format!("{}: {what}", self.name);
        let mut rows = vec![
            Row::at_least(title("part of the poses found"), part, self.solved),
            Row::at_most(title("rounds in the median"), rounds[rounds.len() / 2], self.rounds),
            Row::deviation(title("farthest from the pose when settled again"), again, self.within),
        ];
        if out_of_reach > 0 {
            let (nearer, part) = beyond(&mut seeker, place, (&self.ranges, out_of_reach), &mut random);
            rows.push(Row::deviation(title("how much nearer drives around a nearest point are"), nearer, NEARER));
            rows.push(Row::at_least(title("part of the poses out of reach with a nearest point"), part, self.nearest));
        }
        Ok(rows)
    }
}

/// Of poses out of reach: the most that drives around the nearest point gain, in parts of the distance, and the part of them that has a
/// nearest point.
fn beyond(
    seeker: &mut Seeker,
    place: Place,
    (ranges, wanted): (&[[f64; 2]], usize),
    random: &mut Random,
) -> (f64, f64) {
    let (mut nearer, mut nearest, mut count) = (0.0_f64, 0, 0);
    let neutral = seeker.posture().clone();
    let length = neutral.system.scales().length;
    while count < wanted {
        let drives: Vec<f64> = ranges.iter().map(|[low, high]| random.uniform(*low, *high)).collect();
        seeker.stand(neutral.clone());
        let Some(there) = under(seeker, &drives) else { continue };
        let pose = pose_at(&place, &there);
        let target = Pose::new(pose.rotation, pose.position * BEYOND);
        let sought = seeker.reach(&goals(seeker, place, &target), &mut |_| true);
        count += 1;
        if sought.end != End::Nearest {
            continue;
        }
        nearest += 1;
        let best = distance(&pose_at(&place, &sought.posture), &target, length);
        let unknowns = seeker.unknowns().to_vec();
        seeker.stand(sought.posture.clone());
        for _ in 0..PROBES {
            for size in AWAY {
                let moved: Vec<f64> = unknowns
                    .iter()
                    .map(|own| {
                        let value = sought.posture.inputs.get(own.input) + own.unit * size * random.uniform(-1.0, 1.0);
                        value.clamp(own.limits.0, own.limits.1)
                    })
                    .collect();
                if let Some(there) = under(seeker, &moved) {
                    nearer = nearer.max(1.0 - distance(&pose_at(&place, &there), &target, length) / best);
                }
            }
        }
    }
    (nearer, f64::from(nearest) / wanted as f64)
}

/// The place whose position and rotation the scene wants.
fn place(seeker: &Seeker) -> Option<Place> {
    seeker.goals_at(0.0).iter().find_map(|goal| match goal.quantity {
        Quantity::Position { place, .. } => Some(place),
        _ => None,
    })
}

fn pose_at(place: &Place, posture: &Posture) -> Pose {
    place.on.pose(&posture.system, &posture.state) * place.offset
}

fn goals(seeker: &Seeker, place: Place, target: &Pose) -> [Goal; 2] {
    let weight = 1.0 / seeker.posture().system.scales().length;
    let position = Quantity::Position { place, target: target.position, axes: [true; 3] };
    let rotation = Quantity::Rotation { place, target: target.rotation };
    [Goal { quantity: position, weight }, Goal { quantity: rotation, weight: 1.0 }]
}

/// The first pose of a closed trajectory with the robot there, and targets for all: every drive swings about the middle third of
/// its range, each at its own phase. `None` if something happens on the way.
pub(crate) fn trajectory(seeker: &Seeker, count: usize) -> Option<(Posture, Vec<[Goal; 2]>)> {
    let unknowns = seeker.unknowns();
    let drives = |k: usize| -> Vec<f64> {
        let turn = TAU * k as f64 / count as f64;
        let swing = |(j, own): (usize, &Unknown)| {
            let middle = 0.5 * (own.limits.0 + own.limits.1);
            middle + own.unit * (0.2 * (turn + TAU * j as f64 / unknowns.len() as f64).sin() - 0.6)
        };
        unknowns.iter().enumerate().map(swing).collect()
    };
    let place = place(seeker)?;
    let poses =
        (0..count).map(|k| Some(pose_at(&place, &under(seeker, &drives(k))?))).collect::<Option<Vec<Pose>>>()?;
    let first = under(seeker, &drives(0))?;
    Some((first, poses.iter().map(|pose| goals(seeker, place, pose)).collect()))
}

/// Root of the sum of all squared weighted gaps.
fn distance(pose: &Pose, target: &Pose, length: f64) -> f64 {
    let turn = (target.rotation.inverse() * pose.rotation).log();
    ((pose.position - target.position).norm_squared() / (length * length) + turn.norm_squared()).sqrt()
}

/// The robot under drives, on the branch of where it stands; `None` if something happens on the way.
fn under(seeker: &Seeker, drives: &[f64]) -> Option<Posture> {
    let from = seeker.posture();
    let mut inputs = from.inputs.clone();
    seeker.unknowns().iter().zip(drives).for_each(|(own, value)| inputs.set(own.input, *value));
    let options = StaticOptions { eigenvalue: false, ..StaticOptions::default() };
    let pushes = seeker.unknowns().iter().any(|own| matches!(own.input, Input::TubeInsertion { .. }));
    let (system, found) = match pushes {
        false => {
            let mut work = from.system.workspace();
            let way = (&from.inputs, &inputs);
            let found = advance(&from.system, &from.state, way, &options, &mut work, &mut |_| true);
            (from.system.clone(), found)
        }
        true => {
            let system = seeker.equations(None, &inputs)?;
            let start = system.carried_state(&from.system, &from.state, &inputs);
            let found = solve(&system, &start, &inputs, &options, &mut system.workspace(), &mut |_| true);
            (Arc::new(system), found)
        }
    };
    let there = found.outcome.converged() && found.outcome.events.is_empty();
    there.then_some(Posture { system, state: found.state, inputs })
}
