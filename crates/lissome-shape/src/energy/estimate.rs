//! How far a polynomial shape is from the rod: one Newton step of the energy among polynomials two degrees higher.

use super::chain::{Chain, System};
use super::minimise::{Quadratic, TAMINGS};
use crate::elastic::ElasticRod;
use crate::polynomial::MAX_POWER;
use lissome_lie::Rotation;
use nalgebra::Vector3;

/// An estimated error, dimensionless.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Largest displacement of the centre line, over L.
    pub position: f64,
    /// Largest rotation of a section, rad.
    pub rotation: f64,
}

/// τ within each segment where the two shapes are compared.
const SAMPLES: [f64; 7] = [0.07, 0.2, 0.35, 0.5, 0.65, 0.8, 0.93];

/// Estimates the deviation of `chain` (tip at `position`, force `force`) from equilibrium; infinite if the shape is so
/// far from a minimum that no step can be computed.
pub fn estimate(rod: &ElasticRod, chain: &Chain, position: &Vector3<f64>, force: &Vector3<f64>) -> Deviation {
    let richer = chain.elevated((chain.degree + 2).min(MAX_POWER));
    let basis = richer.basis();
    let sections = richer.sections(rod, &basis);
    let mut system = System::sized(&richer);
    let mut work = Quadratic::sized(system.n);
    let solved = TAMINGS.into_iter().any(|taming| {
        richer.assemble(&basis, &sections, force, taming.share, &mut system);
        work.solve(&system, position, taming).is_some()
    });
    if !solved {
        return Deviation { position: f64::INFINITY, rotation: f64::INFINITY };
    }
    let mut better = richer.clone();
    better.move_from(&richer, work.step(), 1.0);
    let (here, there) = (richer.curve(), better.curve());
    let mut deviation = Deviation { position: 0.0, rotation: 0.0 };
    for (from, span) in &richer.spans {
        for u in SAMPLES {
            let (a, b) = (here.pose(from + span * u), there.pose(from + span * u));
            let turn = Rotation::from_matrix(&(a.0.transpose() * b.0), 1e-6).map_or(f64::INFINITY, |r| r.angle());
            deviation.position = deviation.position.max((a.1 - b.1).norm());
            deviation.rotation = deviation.rotation.max(turn);
        }
    }
    deviation
}
