//! Robots beside each other: variants that must do the same, differ, or give way one more than the other.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use crate::robot::Robot;
use serde::Deserialize;

/// Variants of a robot beside each other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variants {
    scene: String,
    /// Settings `path=value` of the scene, for every variant.
    #[serde(default)]
    set: Vec<String>,
    variant: Vec<Variant>,
    /// Parts whose poses are compared; every body and rod tip without any.
    #[serde(default)]
    parts: Vec<String>,
    /// The most by which a variant may differ from the first, in m and rad, at any sample.
    same_within: Option<f64>,
    /// The least distance, m, between the paths of any two variants at the sample where they are farthest apart.
    distinct_by: Option<f64>,
    /// A joint's coordinate that must fall faster from its first sample from each variant to the next, at every sample.
    softer: Option<String>,
}

impl Variants {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let follow = |variant: &Variant| variant.follow(folder, &self.scene, &self.set);
        let robots = self.variant.iter().map(follow).collect::<Result<Vec<_>, _>>()?;
        let named: Vec<(&str, &Robot)> = self.variant.iter().map(|v| v.name.as_str()).zip(&robots).collect();
        let mut rows = Vec::new();
        let Some(((first_name, first), others)) = named.split_first() else { return Ok(rows) };
        if let Some(within) = self.same_within {
            for (name, other) in others {
                let title = format!("{name} beside {first_name}: largest difference, m or rad");
                rows.push(Row::deviation(title, self.difference(first, other)?.0, within));
            }
        }
        if let Some(least) = self.distinct_by {
            for (i, (name, robot)) in named.iter().enumerate() {
                for (other_name, other) in &named[..i] {
                    let title = format!("{name} beside {other_name}: farthest apart, m, at least");
                    rows.push(Row::at_least(title, self.difference(robot, other)?.1, least));
                }
            }
        }
        if let Some(path) = &self.softer {
            for pair in named.windows(2) {
                let [(stiff_name, stiff), (soft_name, soft)] = [pair[0], pair[1]];
                let title = format!("{soft_name} beside {stiff_name}: samples in which it gives way less");
                rows.push(Row::deviation(title, stiffer_samples(path, stiff, soft)? as f64, 0.0));
            }
        }
        Ok(rows)
    }

    /// The largest difference in m and rad, and in m alone, over every sample and part.
    fn difference(&self, a: &Robot, b: &Robot) -> Result<(f64, f64), CaseError> {
        let parts = if self.parts.is_empty() { a.parts() } else { self.parts.clone() };
        let (mut either, mut distance) = (0.0f64, 0.0f64);
        for sample in 0..a.samples.len().min(b.samples.len()) {
            for part in &parts {
                let gap = a.pose(sample, part)?.boxminus(&b.pose(sample, part)?);
                distance = distance.max(gap.linear.norm());
                either = either.max(gap.angular.norm()).max(gap.linear.norm());
            }
        }
        Ok((either, distance))
    }
}

/// Samples after the first in which the soft robot's coordinate has not fallen more than the stiff one's.
fn stiffer_samples(path: &str, stiff: &Robot, soft: &Robot) -> Result<usize, CaseError> {
    let fall = |robot: &Robot| -> Result<Vec<f64>, CaseError> {
        let values = robot.coordinate(path)?;
        Ok(values.iter().skip(1).map(|value| values[0] - value).collect())
    };
    Ok(fall(stiff)?.iter().zip(fall(soft)?).filter(|(stiff, soft)| *soft <= **stiff).count())
}
