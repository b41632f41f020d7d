//! Where tendons run in the world and how they press on their rods, from sections of the solved rods.
//!
//! With Γ = ε + κ×D + D′ and t = Γ/|Γ| the thread turns by |κ×t + t′| per length of the rod. It presses on its hole with
//! its tension times that: T |κ_t| per length.

use crate::sampling::SAMPLES;
use lissome_lie::quadrature::gauss_legendre;
use lissome_model::{Hole, Scene, Tendon, TendonRun};
use lissome_solve::{Sample, TendonRecord, TendonRunRecord};
use nalgebra::Vector3;

/// Distance of the sections between which the direction of a tendon is differentiated, over the length of its rod.
/// Differences of second order err by its square, 1e-8 of the pressure where that changes over the whole rod.
const DIFFERENCE: f64 = 1e-4;
/// Pieces of a run, and Gauss points on each, that its length in the natural shape is integrated with: exact to rounding
/// for a helix of a turn on each piece.
const PIECES: u32 = 32;
const POINTS: usize = 8;

/// Tension at the motor and length inside the rods, in N and m.
#[derive(Clone, Copy)]
pub(crate) struct Carried {
    pub(crate) tension: f64,
    pub(crate) length: f64,
}

/// Sections of a rod, three beside each other at each place, on every piece where its strain is smooth.
struct Sections {
    pieces: Vec<(f64, f64, Vec<Sample>)>,
}

/// What each tendon does, from what it carries and from sections of rods at rising arc lengths.
pub(crate) fn records(
    scene: &Scene,
    carried: impl Fn(usize) -> Carried,
    tension_at: impl Fn(usize, usize, f64) -> f64,
    sections: impl Fn(usize, &[f64]) -> Vec<Sample>,
) -> Vec<TendonRecord> {
    let used = |rod: usize| scene.tendons.iter().flat_map(|tendon| &tendon.runs).any(|run| run.rod == rod);
    let rods = 0..scene.rods.len();
    let rods: Vec<Option<Sections>> =
        rods.map(|rod| used(rod).then(|| Sections::of(scene, rod, |arc| sections(rod, arc)))).collect();
    let record = |(index, tendon): (usize, &Tendon)| {
        let Carried { tension, length } = carried(index);
        let along = |run: &TendonRun| Some(run_record(run, rods[run.rod].as_ref()?, |s| tension_at(index, run.rod, s)));
        let runs = tendon.runs.iter().filter_map(along).collect();
        let pulled = natural_length(scene, tendon).map_or(f64::NAN, |natural| natural - length);
        TendonRecord { name: tendon.name.clone(), tension, length, pulled, runs }
    };
    scene.tendons.iter().enumerate().map(record).collect()
}

impl Sections {
    fn of(scene: &Scene, rod: usize, sections: impl Fn(&[f64]) -> Vec<Sample>) -> Self {
        let length = scene.rods[rod].length;
        // Where the strain jumps a thread kinks: no difference reaches over such a place.
        let mut borders = vec![0.0];
        borders.extend(scene.rod_jumps(rod));
        borders.push(length);
        let piece = |pair: &[f64]| {
            let size = pair[1] - pair[0];
            let count = ((size / length * SAMPLES as f64).ceil() as usize).max(3);
            let reach = (DIFFERENCE * length).min(0.1 * size / count as f64);
            // From border to border, both just inside.
            let (first, last) = (pair[0] + reach, pair[1] - reach);
            let middle = |k: usize| first + (last - first) * k as f64 / (count - 1) as f64;
            let near = |k: usize| [-0.99, 0.0, 0.99].map(|part| middle(k) + part * reach);
            let arc: Vec<f64> = (0..count).flat_map(near).collect();
            (pair[0], pair[1], sections(&arc))
        };
        Self { pieces: borders.windows(2).map(piece).collect() }
    }
}

/// A tendon along one rod.
fn run_record(run: &TendonRun, sections: &Sections, tension_at: impl Fn(f64) -> f64) -> TendonRunRecord {
    let mut record = TendonRunRecord { rod: run.rod, ..TendonRunRecord::default() };
    let inside = |piece: &&(f64, f64, Vec<Sample>)| {
        let middle = 0.5 * (piece.0 + piece.1);
        middle > run.from && middle < run.to
    };
    for (_, _, samples) in sections.pieces.iter().filter(inside) {
        for near in samples.chunks_exact(3) {
            let s = near[1].s;
            let direction = |sample: &Sample| {
                let along = along(sample, &run.routing.at(sample.s));
                sample.pose.rotation.rotate(&along.normalize())
            };
            let turning = (direction(&near[2]) - direction(&near[0])).norm() / (near[2].s - near[0].s);
            let tension = tension_at(s);
            record.s.push(s);
            record.points.push(near[1].pose.transform(&run.routing.at(s).position));
            record.tension.push(tension);
            record.pressure.push(tension * turning);
        }
    }
    record
}

/// Γ: how the place of a tendon moves with s, in section axes.
fn along(sample: &Sample, hole: &Hole) -> Vector3<f64> {
    sample.strain.stretch + sample.strain.curvature.cross(&hole.position) + hole.slope
}

/// Length of a tendon in rods without stress, m; `None` where only the discretised rod knows its natural shape.
fn natural_length(scene: &Scene, tendon: &Tendon) -> Option<f64> {
    let mut length = 0.0;
    for run in &tendon.runs {
        let rod = &scene.rods[run.rod];
        let mut borders: Vec<f64> = run.breaks().chain(rod.natural.places()).collect();
        borders.extend((0..=PIECES).map(|k| run.from + (run.to - run.from) * f64::from(k) / f64::from(PIECES)));
        borders.retain(|s| *s >= run.from && *s <= run.to);
        borders.sort_by(f64::total_cmp);
        for pair in borders.windows(2).filter(|pair| pair[1] > pair[0]) {
            for gauss in gauss_legendre(POINTS) {
                let s = pair[0] + gauss.abscissa * (pair[1] - pair[0]);
                let (hole, strain) = (run.routing.at(s), rod.natural.strain_at(s).filter(|_| rod.tubes.is_none())?);
                let along = strain.stretch + strain.curvature.cross(&hole.position) + hole.slope;
                length += gauss.weight * (pair[1] - pair[0]) * along.norm();
            }
        }
    }
    Some(length)
}
