//! Where a path ends: its energy there, and the value of a drive at which it would lose its stability a little further on.

use super::Variant;
use super::motion::Bar;
use crate::error::CaseError;
use crate::report::Row;
use lissome::model::Scene;
use lissome::solve::PathSample;
use lissome::{Answer, Unobserved};
use lissome_reference::analytic::helix::RoundRod;
use lissome_reference::analytic::ring::critical_turn_extensible;
use serde::Deserialize;

/// A path and what is asked of its end. Every sample must be found, and be stable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathEnd {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// Elastic energy of the last sample, J; the bar is relative.
    energy: Option<Bar>,
    /// Where the smallest eigenvalue would vanish.
    limit: Option<Limit>,
}

/// The value of a drive at which the smallest eigenvalue vanishes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    /// Path of the drive.
    drive: String,
    /// The source's value.
    expected: f64,
    /// Mode of a closed, twisted ring whose exact turn is compared too: the rods of the scene, with stretch and shear.
    ring_mode: Option<usize>,
    /// Relative.
    within: f64,
}

impl PathEnd {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let samples = follow(&scene, &variant.title("path"))?;
            let unstable = samples.iter().filter(|sample| !stable(sample)).count();
            rows.push(Row::deviation(variant.title("samples that are not stable"), unstable as f64, 0.0));
            if let (Some(bar), Some(last)) = (&self.energy, samples.last()) {
                let energy = last.equilibrium.outcome.energy.elastic;
                let error = (energy / bar.expected - 1.0).abs();
                let title = variant.title("elastic energy at the end / J, relative");
                rows.push(Row::within(title, bar.expected, energy, error, bar.within));
            }
            if let Some(limit) = &self.limit {
                limit.rows(&scene, &samples, variant, &mut rows)?;
            }
        }
        Ok(rows)
    }
}

fn stable(sample: &PathSample) -> bool {
    sample.equilibrium.outcome.stability.is_some_and(|stability| stability.negative_directions == 0)
}

fn follow(scene: &Scene, what: &str) -> Result<Vec<PathSample>, CaseError> {
    match lissome::run(scene, &mut Unobserved)? {
        answer if !answer.succeeded() => Err(CaseError::NotConverged { what: what.to_owned() }),
        Answer::Path(path) => Ok(path.samples),
        _ => Err(CaseError::WrongJob { what: what.to_owned(), need: "path" }),
    }
}

impl Limit {
    fn rows(
        &self,
        scene: &Scene,
        samples: &[PathSample],
        variant: &Variant,
        rows: &mut Vec<Row>,
    ) -> Result<(), CaseError> {
        let drive = scene.drives.iter().position(|drive| drive.path == self.drive);
        let drive = drive.ok_or_else(|| CaseError::NoSuchPart { name: self.drive.clone() })?;
        let point = |sample: &PathSample| {
            let stability = sample.equilibrium.outcome.stability?;
            Some([stability.smallest_eigenvalue, sample.drives[drive]])
        };
        let points: Vec<[f64; 2]> = samples.iter().filter_map(point).collect();
        let [.., a, b, c] = points.as_slice() else {
            return Err(CaseError::TooFew { what: "samples", found: points.len(), need: 3 });
        };
        let measured = at_zero([*a, *b, *c]);
        let mut add = |whose: &str, expected: f64| {
            let title = format!("{} where stability is lost, beside the {whose}, relative", self.drive);
            let error = (measured / expected - 1.0).abs();
            rows.push(Row::within(variant.title(&title), expected, measured, error, self.within));
        };
        add("source's", self.expected);
        if let (Some(mode), Some(rod)) = (self.ring_mode, scene.rods.first()) {
            let stiffness = rod.profile.at(0.0).stiffness();
            let [torsion, bending, axial, shear] = [0, 1, 3, 4].map(|i| stiffness[(i, i)]);
            let length = scene.rods.iter().map(|rod| rod.length).sum();
            add("exact ring's", critical_turn_extensible(&RoundRod { torsion, bending, axial, shear }, length, mode)?);
        }
        Ok(())
    }
}

/// The value at argument zero of the parabola through three points (argument, value).
fn at_zero(points: [[f64; 2]; 3]) -> f64 {
    let term = |i: usize| {
        let others = (0..3).filter(|j| *j != i);
        others.fold(points[i][1], |product, j| product * points[j][0] / (points[j][0] - points[i][0]))
    };
    term(0) + term(1) + term(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parabola_at_zero() {
        let value = |x: f64| 3.0 - 2.0 * x + 0.5 * x * x;
        assert!((at_zero([1.0, 0.4, -0.3].map(|x| [x, value(x)])) - 3.0).abs() < 1e-14);
    }
}
