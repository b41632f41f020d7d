//! Every equilibrium that can be found between two ends: other windings, other twists, other sides, and the unstable ones
//! that separate them.
//!
//! There is no end to them: a rod may be twisted by any number of full turns. The search covers the windings and twists it
//! is told to, from a fixed set of starts, each followed twice: downhill to a minimum, and by plain Newton to whatever
//! equilibrium is near; saddles met on the way down are kept. The same starts give the same answers, in the same order, on any number of threads.

use crate::elastic::ElasticRod;
use crate::ends::Ends;
use crate::energy::ladder::{self, Start, slope_for_reach};
use crate::energy::wrench_fit;
use crate::error::ShapeError;
use crate::exact::{self, Equilibrium, Guess};
use crate::options::Mechanics;
use crate::shape::Shape;
use crate::solve::{self, Reduced, from_minimum, shape_of};
use crate::stability::Stability;
use crate::winding::unwrapped;
use lissome_lie::{Pose, Rotation, Wrench};
use nalgebra::Vector3;
use rayon::prelude::*;

/// How widely to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Law of the section.
    pub mechanics: Mechanics,
    /// Full turns of twist added either way.
    pub twists: u32,
    /// Most half waves of the sideways bumps that starts are given, about y and z.
    pub waves: usize,
    /// Also look for unstable equilibria.
    pub unstable: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self { mechanics: Mechanics::Kirchhoff, twists: 1, waves: 2, unstable: true }
    }
}

/// An equilibrium with its stability.
#[derive(Clone, Debug)]
pub struct Found {
    /// The shape; its energy is in it.
    pub shape: Shape,
    /// Its stability with both ends held.
    pub stability: Stability,
}

/// Half waves and full turns beyond these are not worth a start.
const MOST_WAVES: usize = 6;
const MOST_TWISTS: u32 = 8;

/// Relative difference of energy and wrench below which two equilibria are one.
const SAME: f64 = 1e-6;

/// All equilibria that the search finds, least energy first.
pub fn equilibria(rod: &ElasticRod, ends: &Ends, search: &Search) -> Result<Vec<Found>, ShapeError> {
    solve::refuse(rod, ends, search.mechanics)?;
    let reduced = Reduced::new(rod, ends);
    let shortest = reduced.tip.rotation.log();
    let twists = search.twists.min(MOST_TWISTS) as i32;
    let slope = slope_for_reach(reduced.tip.position.norm());
    let mut starts = Vec::new();
    for total in [shortest, unwrapped(&shortest)] {
        for turn in -twists..=twists {
            starts.push(Start { total, twists: turn, bump: Vector3::zeros(), waves: 1 });
            for waves in 1..=search.waves.min(MOST_WAVES) {
                for bump in [Vector3::y(), -Vector3::y(), Vector3::z(), -Vector3::z()] {
                    starts.push(Start { total, twists: turn, bump: bump * slope, waves });
                }
            }
        }
    }
    let candidates: Vec<(Equilibrium, Vector3<f64>)> = starts
        .par_iter()
        .flat_map_iter(|start| {
            let downhill = ladder::met_from(rod, start, &reduced.tip.position);
            let downhill = downhill.iter().map(|met| from_minimum(rod, search.mechanics, &reduced, met));
            let nearby = search.unstable.then(|| newton(rod, search.mechanics, &reduced, start));
            let found: Vec<_> = downhill.chain(nearby).filter(|found| found.converged).collect();
            found.into_iter().map(|found| (found, start.total))
        })
        .collect();
    let mut kept = Kept { known: Vec::new(), turning_free: rod.turns_freely(&reduced.tip) };
    candidates.into_iter().for_each(|(candidate, total)| kept.add(rod, candidate, total));
    kept.known.sort_by(|a, b| a.energy.total_cmp(&b.energy));
    Ok(kept
        .known
        .into_par_iter()
        .map(|known| {
            let shape = shape_of(rod, ends, known.found, known.total);
            let stability = shape.stability();
            Found { shape, stability }
        })
        .collect())
}

struct Known {
    found: Equilibrium,
    total: Vector3<f64>,
    energy: f64,
}

struct Kept {
    known: Vec<Known>,
    turning_free: bool,
}

impl Kept {
    fn add(&mut self, rod: &ElasticRod, found: Equilibrium, total: Vector3<f64>) {
        let energy = found.curve.energy(rod);
        let seen = self.known.iter().any(|other| {
            same(other.energy, energy) && same_wrench(&other.found.curve.wrench, &found.curve.wrench, self.turning_free)
        });
        if !seen {
            self.known.push(Known { found, total, energy });
        }
    }
}

/// Plain Newton from the start itself, which is as likely to end in a saddle as in a minimum.
fn newton(rod: &ElasticRod, mechanics: Mechanics, reduced: &Reduced, start: &Start) -> Equilibrium {
    let curve = start.chain(rod).curve();
    let Wrench { moment, force } = wrench_fit::wrench_of(rod, &curve);
    // The start ends elsewhere; what is missing is spread over the rod.
    let missing = reduced.tip.position - curve.pose(1.0).1;
    let pose = |tau: f64| {
        let (rotation, position) = curve.pose(tau);
        Pose::new(Rotation::from_matrix(&rotation, 1e-6).unwrap_or_default(), position + missing * tau)
    };
    let guess = Guess { wrench: Wrench::new(moment, force), turning: solve::largest_curvature(&curve) };
    exact::equilibrium(rod, mechanics, &reduced.tip, &guess, pose)
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * (1.0 + a.abs().max(b.abs()))
}

fn same_wrench(a: &Wrench, b: &Wrench, turning_free: bool) -> bool {
    if turning_free {
        // Turned about the common axis: axial parts and lengths are what is left to compare.
        return same(a.moment.x, b.moment.x)
            && same(a.force.x, b.force.x)
            && same(a.moment.norm(), b.moment.norm())
            && same(a.force.norm(), b.force.norm());
    }
    let (a, b) = (a.to_vector(), b.to_vector());
    (a - b).norm() <= SAME * (1.0 + a.norm())
}
