//! The load at which a straight rod loses its stability, from the inertia of its tangent; and where it goes then.

use crate::error::CaseError;
use crate::report::Row;
use crate::solved::Solved;
use crate::template::{self, exact};
use crate::truth;
use lissome::lie::Pose;
use lissome::solve::StaticOptions;
use lissome_reference::{TipSupport, critical_load_factor, negative_directions};
use serde::Deserialize;

/// The load at which stability is lost.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buckling {
    scene: String,
    /// Settings `path=value` of the scene with `{load}` to fill.
    set: Vec<String>,
    /// Words for the load.
    quantity: String,
    /// Two loads, one on either side.
    between: [f64; 2],
    /// The source's value.
    expected: Option<f64>,
    /// The exact linearised rod's.
    exact: Option<Exact>,
    /// Of the load, relative.
    tolerance: f64,
    /// What must be found under a higher load.
    beyond: Option<Beyond>,
    /// True if a bent rod may turn about the load for free, so that the sign of the exact rod's least stiffness is
    /// that of a rounding error.
    #[serde(default)]
    neutral_turn: bool,
}

/// The linearised rod of the oracle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exact {
    /// The rod with a free tip under its unit load.
    scene: String,
    /// What holds the tip across the axis.
    tip: Tip,
    /// A load above the critical one.
    up_to: f64,
}

/// What holds the tip of the exact rod across its axis.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Tip {
    Free,
    Pinned,
    Clamped,
}

impl Tip {
    fn support(self) -> TipSupport {
        match self {
            Self::Free => TipSupport::Free,
            Self::Pinned => TipSupport::Pinned,
            Self::Clamped => TipSupport::Clamped,
        }
    }
}

/// A load beyond the critical one, under which the rod must be found in a stable state.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beyond {
    load: f64,
    /// The least distance of its tip from the straight rod's, in lengths: else it is not the buckled state.
    deflection: f64,
    /// Of that distance against the exact rod's.
    tolerance: f64,
}

/// Bisections: the bracket shrinks to 1e-9 of itself, far below any tolerance of a case.
const BISECTIONS: usize = 30;

impl Buckling {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let critical = self.critical_load(folder)?;
        let row = |expected: f64, whose: &str| {
            let title = format!("{}, from the stability of the straight rod, beside {whose}, relative", self.quantity);
            Row::within(title, expected, critical, (critical / expected - 1.0).abs(), self.tolerance)
        };
        let mut rows = Vec::new();
        rows.extend(self.expected.map(|expected| row(expected, "the source's")));
        if let Some(exact) = &self.exact {
            let scene = template::scene(&format!("{folder}/{}", exact.scene), &[])?;
            let expected = critical_load_factor(&scene, 0, exact.tip.support(), exact.up_to)?;
            rows.push(row(expected, "the exact rod's"));
        }
        if let Some(beyond) = &self.beyond {
            self.beyond(folder, beyond, &mut rows)?;
        }
        Ok(rows)
    }

    fn beyond(&self, folder: &str, beyond: &Beyond, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let name = format!("{} = {}", self.quantity, beyond.load);
        let solved = Solved::new(self.scene(folder, beyond.load)?, &StaticOptions::default())?.converged(&name)?;
        let stability = solved.outcome().stability;
        let unstable = stability.map_or(f64::NAN, |stability| stability.negative_directions as f64);
        rows.push(Row::deviation(format!("{name}: negative directions of the answer"), unstable, 0.0));
        let exact = truth::nearest_to(&solved)?;
        if !self.neutral_turn {
            let index = negative_directions(&exact)? as f64;
            rows.push(Row::deviation(format!("{name}: negative directions of the exact rod there"), index, 0.0));
        }
        // Positions are compared by their distance from the straight rod's tip: a round rod may bend to any side.
        let straight = self.straight(folder, beyond.load)?.tip().position;
        let distance = |tip: Pose| (tip.position - straight).norm() / solved.length();
        let (measured, expected) = (distance(solved.tip()), distance(exact.tip()));
        let words = format!("{name}: distance of the tip from the straight rod's / L");
        rows.push(Row::at_least(format!("{words}, at least"), measured, beyond.deflection));
        rows.push(Row::within(words, expected, measured, (measured - expected).abs(), beyond.tolerance));
        Ok(())
    }

    fn scene(&self, folder: &str, load: f64) -> Result<lissome::model::Scene, CaseError> {
        let settings = template::fill_all(&self.set, &|name| (name == "load").then(|| exact(load)))?;
        template::scene(&format!("{folder}/{}", self.scene), &settings)
    }

    /// The straight state, stable or not.
    fn straight(&self, folder: &str, load: f64) -> Result<Solved, CaseError> {
        let options = StaticOptions { leave_saddles: false, ..StaticOptions::default() };
        Solved::new(self.scene(folder, load)?, &options)?.converged(&format!("straight at {load}"))
    }

    fn critical_load(&self, folder: &str) -> Result<f64, CaseError> {
        let stiffness = |load: f64| -> Result<f64, CaseError> {
            let solved = self.straight(folder, load)?;
            Ok(solved.outcome().stability.map_or(f64::NAN, |stability| stability.smallest_eigenvalue))
        };
        let [mut low, mut high] = self.between;
        if !(stiffness(low)? > 0.0 && stiffness(high)? < 0.0) {
            return Err(CaseError::NoChange { low, high });
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if stiffness(middle)? > 0.0 { low = middle } else { high = middle }
        }
        Ok(0.5 * (low + high))
    }
}
