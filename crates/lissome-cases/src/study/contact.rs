//! Equilibria of what touches: the sum of the contact forces at samples of a path, where a rod touches first, where its tip is.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use lissome::solve::{ContactPoint, Equilibrium};
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;
use serde::Deserialize;

/// An equilibrium or a path, and what is asked of its contacts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactStudy {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// Sums of all contact forces.
    #[serde(default)]
    force: Vec<ForceBar>,
    /// Size of the moment that the first rod exerts on what holds its base at the end.
    base_moment: Option<MomentBar>,
    /// Smallest arc length of the first rod that touches at the end.
    first_touch: Option<LengthBar>,
    /// Where the tip of the first rod is at the end.
    tip: Option<TipBar>,
    /// How far anything may be inside an obstacle, m.
    sinks: f64,
}

/// What the sum of all contact forces is to be along a direction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForceBar {
    /// Parameter of the sample; the last one if absent.
    at: Option<f64>,
    /// Direction; its length counts.
    along: [f64; 3],
    /// Taken off before it is compared, N.
    #[serde(default)]
    less: f64,
    /// N.
    expected: f64,
    /// Relative.
    within: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MomentBar {
    /// N·m.
    expected: f64,
    /// Relative.
    within: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LengthBar {
    /// m.
    expected: f64,
    /// m.
    within: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TipBar {
    /// m.
    expected: [f64; 3],
    /// m.
    within: f64,
}

fn points(equilibrium: &Equilibrium) -> impl Iterator<Item = &ContactPoint> {
    equilibrium.contacts.iter().flat_map(|pair| &pair.contact.points)
}

impl ContactStudy {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let what = variant.title("contact");
            let samples: Vec<(f64, Equilibrium)> = match lissome::run(&scene, &mut Unobserved)? {
                answer if !answer.succeeded() => return Err(CaseError::NotConverged { what }),
                Answer::Statics(found) => vec![(0.0, found)],
                Answer::Path(path) => path.samples.into_iter().map(|sample| (sample.at, sample.equilibrium)).collect(),
                _ => return Err(CaseError::WrongJob { what, need: "statics or path" }),
            };
            for bar in &self.force {
                let near = |at: f64| samples.iter().min_by(|a, b| (a.0 - at).abs().total_cmp(&(b.0 - at).abs()));
                let found = bar.at.map_or(samples.last(), near);
                let Some((at, found)) = found else { continue };
                let sum: Vector3<f64> = points(found).map(|point| point.force).sum();
                let measured = sum.dot(&Vector3::from(bar.along)) - bar.less;
                let error = (measured / bar.expected - 1.0).abs();
                let title = variant.title(&format!("contact force along {:?} at {at} / N, relative", bar.along));
                rows.push(Row::within(title, bar.expected, measured, error, bar.within));
            }
            let deepest = samples.iter().flat_map(|(_, found)| &found.contacts).map(|pair| pair.contact.least_gap);
            let deepest = deepest.fold(0.0, f64::min);
            rows.push(Row::at_most(variant.title("how far something is inside / m"), -deepest, self.sinks));
            if let Some((_, last)) = samples.last() {
                self.end_rows(last, variant, &mut rows);
            }
        }
        Ok(rows)
    }

    fn end_rows(&self, last: &Equilibrium, variant: &Variant, rows: &mut Vec<Row>) {
        if let Some(bar) = &self.base_moment
            && let Some(rod) = last.rods.first()
        {
            let measured = rod.base_wrench.moment.norm();
            let error = (measured / bar.expected - 1.0).abs();
            let title = variant.title("moment on the base / N·m, relative");
            rows.push(Row::within(title, bar.expected, measured, error, bar.within));
        }
        if let Some(bar) = &self.first_touch {
            let measured = points(last).map(|point| point.s).fold(f64::INFINITY, f64::min);
            let error = (measured - bar.expected).abs();
            rows.push(Row::within(variant.title("first touch / m"), bar.expected, measured, error, bar.within));
        }
        if let Some(bar) = &self.tip
            && let Some(tip) = last.rods.first().and_then(|rod| rod.samples.last())
        {
            let error = (tip.pose.position - Vector3::from(bar.expected)).norm();
            rows.push(Row::deviation(variant.title("tip from the reference / m"), error, bar.within));
        }
    }
}
