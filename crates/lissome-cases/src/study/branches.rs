//! Branches of equilibria that are followed by their length: which events they meet, where they lead, how they end.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use lissome::model::Scene;
use lissome::solve::{BranchEnd, Event, PathAnswer, PathSample, RodRecord};
use lissome_reference::analytic::arch::{Arch, Foot};
use lissome_reference::analytic::continuation::EventKind as OracleEvent;
use serde::Deserialize;

/// A path by arclength and what is expected of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branches {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// What happens on branches, each branch in order.
    #[serde(default)]
    event: Vec<Expected>,
    /// How many branches there are, if that is known.
    count: Option<usize>,
    /// How branches end, and where.
    #[serde(default)]
    end: Vec<ExpectedEnd>,
    /// The events of the first branch by the oracle of arches.
    arch: Option<ArchOracle>,
}

/// A circular arch under a force at its crown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArchOracle {
    /// Half of the angle that it subtends, rad.
    half_angle: f64,
    left_clamped: bool,
    right_clamped: bool,
    /// EI/(EA R²).
    axial_compliance: f64,
    /// How far the oracle goes along its own curve, and how many events of it are compared.
    reach: f64,
    events: usize,
    /// The drive whose value is the load in EI/R².
    drive: String,
    /// Of the load, relative.
    within: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    branch: usize,
    /// Which of the branch's events of this kind, from 0.
    #[serde(default)]
    nth: usize,
    /// `fold` or `bifurcation`.
    kind: String,
    /// Eigenvalues that pass through zero at once.
    multiplicity: Option<usize>,
    /// Which drive's value is compared.
    drive: String,
    value: f64,
    /// Of the value, relative.
    within: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedEnd {
    branch: usize,
    /// `leaves-range`, `closes` or `meets-branch`.
    kind: String,
    /// True if its equilibria turn for free.
    neutral: Option<bool>,
    /// The rod whose last sample is compared.
    rod: Option<String>,
    /// Arc length of the place that is compared, as a part of the length; the tip by default.
    at: Option<f64>,
    /// Distance of that place from the line along `axis` through the world's origin, and its position along it.
    axis: Option<[f64; 3]>,
    off_axis: Option<f64>,
    along_axis: Option<f64>,
    /// Of these, parts of the rod's length.
    #[serde(default)]
    within: f64,
}

impl Branches {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let (path, unsolved) = variant.path(&scene, &self.scene)?;
            rows.push(unsolved);
            let lost = path.branches.iter().filter(|branch| branch.end == BranchEnd::Lost).count();
            rows.push(Row::deviation(variant.title("branches that were lost"), lost as f64, 0.0));
            if let Some(count) = self.count {
                let title = variant.title("branches");
                let found = path.branches.len();
                rows.push(Row::within(title, count as f64, found as f64, count.abs_diff(found) as f64, 0.0));
            }
            for expected in &self.event {
                expected.rows(&scene, &path, variant, &mut rows)?;
            }
            if let Some(arch) = &self.arch {
                arch.rows(&scene, &path, variant, &mut rows)?;
            }
            for expected in &self.end {
                expected.rows(&scene, &path, variant, &mut rows)?;
            }
        }
        Ok(rows)
    }
}

impl ArchOracle {
    fn rows(&self, scene: &Scene, path: &PathAnswer, variant: &Variant, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let drive = scene.drives.iter().find(|drive| drive.path == self.drive);
        let drive = drive.ok_or_else(|| CaseError::NoSuchPart { name: self.drive.clone() })?;
        let foot = |clamped| if clamped { Foot::Clamped } else { Foot::Pinned };
        let arch = Arch {
            half_angle: self.half_angle,
            left: foot(self.left_clamped),
            right: foot(self.right_clamped),
            axial_compliance: self.axial_compliance,
        };
        let expected = arch.events(self.reach)?;
        let lacking = self.events.saturating_sub(expected.len());
        rows.push(Row::deviation(variant.title("events that the oracle lacks"), lacking as f64, 0.0));
        let main = path.samples.iter().skip(1).filter(|sample| sample.branch == 0);
        let found: Vec<&Event> = main.flat_map(|sample| &sample.equilibrium.outcome.events).collect();
        for (index, expected) in expected.iter().take(self.events).enumerate() {
            let kind = match expected.kind {
                OracleEvent::Fold => "fold",
                OracleEvent::Bifurcation => "bifurcation",
            };
            let same = found.get(index).filter(|event| event.kind.name() == kind);
            let value = same.map_or(f64::NAN, |event| drive.signal.at(event.at));
            let error = (value / expected.load() - 1.0).abs();
            let title = variant.title(&format!("event {index}, a {kind}: {}, relative", self.drive));
            rows.push(Row::within(title, expected.load(), value, error, self.within));
        }
        Ok(())
    }
}

impl Expected {
    fn rows(&self, scene: &Scene, path: &PathAnswer, variant: &Variant, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let drive = scene.drives.iter().find(|drive| drive.path == self.drive);
        let drive = drive.ok_or_else(|| CaseError::NoSuchPart { name: self.drive.clone() })?;
        let on_branch = path.samples.iter().skip(1).filter(|sample| sample.branch == self.branch);
        let events = on_branch.flat_map(|sample| &sample.equilibrium.outcome.events);
        let found: Option<&Event> = events.filter(|event| event.kind.name() == self.kind).nth(self.nth);
        let (kind, branch, nth) = (&self.kind, self.branch, self.nth + 1);
        let value = found.map_or(f64::NAN, |event| drive.signal.at(event.at));
        let error = (value - self.value).abs() / self.value.abs().max(f64::MIN_POSITIVE);
        let title = variant.title(&format!("branch {branch}, {kind} {nth}: {}, relative", self.drive));
        rows.push(Row::within(title, self.value, value, error, self.within));
        if let Some(multiplicity) = self.multiplicity {
            let counted = found.map_or(0, |event| event.multiplicity);
            let title = variant.title(&format!("branch {branch}, {kind} {nth}: multiplicity"));
            let error = counted.abs_diff(multiplicity) as f64;
            rows.push(Row::within(title, multiplicity as f64, counted as f64, error, 0.0));
        }
        Ok(())
    }
}

impl ExpectedEnd {
    fn rows(&self, scene: &Scene, path: &PathAnswer, variant: &Variant, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let (index, kind) = (self.branch, &self.kind);
        let missing = || CaseError::NoSuchPart { name: format!("branch {index}") };
        let branch = path.branches.get(index).ok_or_else(missing)?;
        let named = f64::from(u8::from(branch.end.name() == kind));
        let title = variant.title(&format!("branch {index} ends with {kind}: 1"));
        rows.push(Row::within(title, 1.0, named, 1.0 - named, 0.0));
        if let Some(neutral) = self.neutral {
            let (expected, found) = (f64::from(u8::from(neutral)), f64::from(u8::from(branch.neutral)));
            let title = variant.title(&format!("branch {index} turns for free: 1"));
            rows.push(Row::within(title, expected, found, (expected - found).abs(), 0.0));
        }
        let (Some(name), Some(axis)) = (&self.rod, self.axis) else { return Ok(()) };
        let no_rod = || CaseError::NoSuchPart { name: name.clone() };
        let last: &PathSample = path.samples.get(branch.samples.end.saturating_sub(1)).ok_or_else(missing)?;
        let rod: &RodRecord = last.equilibrium.rod(name).ok_or_else(no_rod)?;
        let length = scene.rods.iter().find(|rod| rod.name == *name).ok_or_else(no_rod)?.length;
        let last_place = rod.samples.len().saturating_sub(1);
        let place = (self.at.unwrap_or(1.0) * last_place as f64).round() as usize;
        let position = rod.samples.get(place).ok_or_else(no_rod)?.pose.position;
        let axis = nalgebra::Vector3::from(axis).normalize();
        let along = position.dot(&axis);
        let off = (position - axis * along).norm();
        for (what, expected, found) in [("off", self.off_axis, off), ("along", self.along_axis, along)] {
            let Some(expected) = expected else { continue };
            let title = variant.title(&format!("end of branch {index}: {name} {what} its axis / L"));
            let (expected, found) = (expected / length, found / length);
            rows.push(Row::within(title, expected, found, (expected - found).abs(), self.within));
        }
        Ok(())
    }
}
