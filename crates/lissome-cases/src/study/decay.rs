//! Does the tip error fall exponentially with the number of functions that a strain has?

use crate::error::CaseError;
use crate::report::Row;
use crate::solved::Solved;
use crate::template;
use crate::truth;
use lissome::lie::Pose;
use lissome::solve::StaticOptions;
use serde::Deserialize;

/// Tip errors over the order of a strain basis: each two functions more take at least a given factor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decay {
    scene: String,
    /// Words for what is refined.
    name: String,
    /// Settings `path=value` of the scene with `{order}` to fill.
    set: Vec<String>,
    /// From the lowest to the highest order.
    orders: [usize; 2],
    /// By what factor the error falls with two functions more, at least.
    factor: f64,
    /// Errors of the tip's position below this, of the length, have arrived: what they owe to steps and oracle.
    floor: f64,
}

impl Decay {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = format!("{folder}/{}", self.scene);
        let plain = template::scene(&scene, &[])?;
        let length = plain.rods.first().map_or(1.0, |rod| rod.length);
        let truth = truth::follow_from_natural(&plain)?.tip();
        let [first, last] = self.orders;
        if last < first + 2 {
            return Err(CaseError::TooFew { what: "orders", found: (last + 1).saturating_sub(first), need: 3 });
        }
        let tips = (first..=last).map(|order| self.tip(&scene, order)).collect::<Result<Vec<_>, _>>()?;
        let errors: Vec<f64> = tips.iter().map(|tip| (tip.position - truth.position).norm() / length).collect();
        let mut rows = Vec::new();
        for (order, three) in (first..).zip(errors.windows(3)) {
            if three[2] > self.floor {
                let title = format!(
                    "{}, order {order} ({:.1e}) over order {} ({:.1e}): tip error, at least",
                    self.name,
                    three[0],
                    order + 2,
                    three[2]
                );
                rows.push(Row::at_least(title, three[0] / three[2], self.factor));
            }
        }
        let title = format!("{}, order {last}: tip error over the length, at most", self.name);
        rows.push(Row::at_most(title, errors.last().copied().unwrap_or(f64::NAN), self.floor));
        Ok(rows)
    }

    fn tip(&self, scene: &str, order: usize) -> Result<Pose, CaseError> {
        let settings = template::fill_all(&self.set, &|name| (name == "order").then(|| order.to_string()))?;
        let solved = Solved::new(template::scene(scene, &settings)?, &StaticOptions::default())?;
        Ok(solved.converged(&format!("{}, order {order}", self.name))?.tip())
    }
}
