//! Two rods twisted around each other: at mid-length each is a helix, and what one exerts on the other follows from what
//! each carries.

use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::solve::Equilibrium;
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;
use serde::Deserialize;

/// A path at whose end two rods about the x axis are twisted around each other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwistedPair {
    scene: String,
    /// Numbers of spans, rising.
    spans: Vec<usize>,
    /// How far the relations may be off, relative.
    within: f64,
}

/// What the middle of the first rod says.
struct Middle {
    /// Contact load that was found, N/m, and the one that the balance of forces needs.
    load: [f64; 2],
    /// Force along the binormal that was found, N, and the one that the balance of moments needs.
    shear: [f64; 2],
}

impl TwistedPair {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        let mut errors = Vec::new();
        for spans in &self.spans {
            let settings: Vec<String> =
                ["left", "right"].map(|rod| format!("rod.{rod}.model.spline.spans={spans}")).into();
            let scene = template::scene(&format!("{folder}/{}", self.scene), &settings)?;
            let what = format!("{spans} spans");
            let last = match lissome::run(&scene, &mut Unobserved)? {
                answer if !answer.succeeded() => return Err(CaseError::NotConverged { what }),
                Answer::Path(mut path) => path.samples.pop().map(|sample| sample.equilibrium),
                _ => return Err(CaseError::WrongJob { what, need: "a path" }),
            };
            let Some(middle) = last.as_ref().and_then(|last| middle_of(last, *spans)) else {
                return Err(CaseError::NotConverged { what });
            };
            for (name, [measured, expected]) in
                [("contact load / (N/m)", middle.load), ("shear force / N", middle.shear)]
            {
                let error = (measured / expected - 1.0).abs();
                rows.push(Row::within(format!("{what}: {name}, relative"), expected, measured, error, self.within));
            }
            errors.push((middle.load[0] / middle.load[1] - 1.0).abs());
        }
        if let [first, .., last] = errors.as_slice() {
            rows.push(Row::at_most("error of the load, finest over coarsest", last / first, 1.0));
        }
        Ok(rows)
    }
}

fn middle_of(found: &Equilibrium, spans: usize) -> Option<Middle> {
    let rod = found.rods.first()?;
    let length = rod.samples.last()?.s;
    let off = |s: f64| (s - 0.5 * length).abs();
    let sample = rod.samples.iter().min_by(|a, b| off(a.s).total_cmp(&off(b.s)))?;
    // Two spans share the middle.
    let mut points: Vec<_> = found.contacts.iter().flat_map(|pair| &pair.contact.points).collect();
    points.sort_by(|a, b| off(a.s).total_cmp(&off(b.s)));
    let pressed: f64 = points.iter().take(2).map(|point| point.force.norm()).sum();
    let load = pressed / (2.0 * length / spans as f64);
    let (strain, stress) = (&sample.strain, &sample.stress);
    let bent = Vector3::new(0.0, strain.curvature.y, strain.curvature.z);
    let tangent = sample.pose.rotation.rotate(&Vector3::x());
    // κ = ω sin β and τ = ω cos β on a helix that goes about x at the angle β.
    let torsion = bent.norm() * tangent.x / tangent.yz().norm();
    let darboux = bent + Vector3::x() * (torsion * strain.curvature.x.signum());
    let needed = darboux.cross(&stress.force).norm();
    let binormal = bent.try_normalize(0.0)?;
    let normal = binormal.cross(&Vector3::x());
    // ω × M + ε × F = 0 along the normal, solved for the force along the binormal.
    let turned = darboux.cross(&stress.moment).dot(&normal);
    let along = stress.force.x * strain.stretch.dot(&binormal);
    let shear = (turned + along) / strain.stretch.x;
    Some(Middle { load: [load, needed], shear: [stress.force.dot(&binormal), shear] })
}
