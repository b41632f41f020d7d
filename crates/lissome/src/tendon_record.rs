//! Where tendons run in the world and how they press on their rods, from sections of the solved rods.
//!
//! With Γ = ε + κ×D + D′ and t = Γ/|Γ| the thread turns by |κ×t + t′| per length of the rod. It presses on its hole with
//! its tension times that: T |κ_t| per length.

use crate::equilibrium_record::SAMPLES;
use lissome_model::{Hole, Scene, Tendon, TendonRun};
use lissome_solve::{Sample, TendonRecord, TendonRunRecord};
use nalgebra::Vector3;

/// Distance of the sections between which the direction of a tendon is differentiated, over the length of its rod.
/// Differences of second order err by its square, 1e-8 of the pressure where that changes over the whole rod.
const DIFFERENCE: f64 = 1e-4;

/// What a tendon does: its tension at each arc length of its runs, its length, and sections of rods at rising arc lengths.
pub(crate) fn record(
    scene: &Scene,
    tendon: &Tendon,
    length: f64,
    tension: impl Fn(usize, f64) -> f64,
    sections: impl Fn(usize, &[f64]) -> Vec<Sample>,
) -> TendonRecord {
    let runs: Vec<TendonRunRecord> = (tendon.runs.iter().enumerate())
        .map(|(index, run)| record_run(scene, run, |s| tension(index, s), |arc| sections(run.rod, arc)))
        .collect();
    let motor = tendon.runs.first().map_or(0.0, |run| tension(0, run.from));
    TendonRecord { name: tendon.name.clone(), tension: motor, length, runs }
}

fn record_run(
    scene: &Scene,
    run: &TendonRun,
    tension: impl Fn(f64) -> f64,
    sections: impl Fn(&[f64]) -> Vec<Sample>,
) -> TendonRunRecord {
    // Where the strain jumps the thread kinks: no difference reaches over such a place.
    let mut borders = vec![run.from];
    borders.extend(scene.rod_jumps(run.rod).into_iter().filter(|s| *s > run.from && *s < run.to));
    borders.push(run.to);
    let mut record = TendonRunRecord { rod: run.rod, ..TendonRunRecord::default() };
    for piece in borders.windows(2) {
        let share = (piece[1] - piece[0]) / (run.to - run.from);
        let count = ((share * SAMPLES as f64).ceil() as usize).max(3);
        // From border to border, both just inside.
        let reach = (DIFFERENCE * scene.rods[run.rod].length).min(0.1 * (piece[1] - piece[0]) / count as f64);
        let (first, last) = (piece[0] + reach, piece[1] - reach);
        let middle = |k: usize| first + (last - first) * k as f64 / (count - 1) as f64;
        let arc: Vec<f64> = (0..count).flat_map(|k| [-0.99, 0.0, 0.99].map(|part| middle(k) + part * reach)).collect();
        let found = sections(&arc);
        for near in found.chunks_exact(3) {
            let s = near[1].s;
            let tension = tension(s);
            let direction = |sample: &Sample| {
                let along = along(sample, &run.routing.at(sample.s));
                sample.pose.rotation.rotate(&along.normalize())
            };
            let turning = (direction(&near[2]) - direction(&near[0])).norm() / (near[2].s - near[0].s);
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
