//! Tendons: threads that run through holes in the sections of rods and are tied to the last of them.
//!
//! A tendon enters a rod at the beginning of its first run, where its motor stands, slides through the sections and is tied
//! to the rod at the end of its last run. Where a run ends and another begins, on the next rod, the thread goes on in the
//! same hole.

use crate::invalid::{Invalid, Problem, check};
use crate::{CableDrive, Routing};

/// Places along a run that are looked at.
const LOOKS: u32 = 64;

/// A tendon.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Unique name.
    pub name: String,
    /// Along which rods it runs, from its motor to where it is tied.
    pub runs: Vec<TendonRun>,
    /// What is prescribed at its motor.
    pub drive: CableDrive,
    /// Axial stiffness EA, N; `None` if it does not stretch. Only a tendon driven by its length feels it.
    pub stiffness: Option<f64>,
    /// Coulomb's coefficient μ between the tendon and its holes; its tension changes by e^(∓μθ) where it turns by θ.
    pub friction: f64,
    /// Which way it slides, where there is friction.
    pub sliding: Sliding,
}

/// A stretch of a tendon along one rod.
#[derive(Clone, Debug, PartialEq)]
pub struct TendonRun {
    /// Index of the rod.
    pub rod: usize,
    /// Arc length where the tendon enters it, m.
    pub from: f64,
    /// Arc length where it leaves it or is tied to it, m.
    pub to: f64,
    /// Where it runs in the section. It covers `from` to `to` and may reach farther.
    pub routing: Routing,
}

/// Which way a tendon slides through its holes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sliding {
    /// Towards its motor: friction takes from the tension on the way to the tied end.
    #[default]
    Pulled,
    /// Away from its motor: the tension grows on the way to the tied end.
    Released,
}

/// Disks on a rod, which guide tendons or cables. They are drawn and have no part in the equations: a tendon follows its
/// routing between them too, a cable goes straight from point to point.
#[derive(Clone, Debug, PartialEq)]
pub struct Disks {
    /// Name of the tendons that they guide.
    pub name: String,
    /// Index of the rod.
    pub rod: usize,
    /// Arc lengths where they sit, m.
    pub places: Vec<f64>,
    /// Their radius, m.
    pub radius: f64,
}

impl Default for Tendon {
    /// Slack, without friction, and still without a run: [`Scene::validate`](crate::Scene::validate) refuses it as it is.
    fn default() -> Self {
        Self {
            name: String::new(),
            runs: Vec::new(),
            drive: CableDrive::Tension(0.0),
            stiffness: None,
            friction: 0.0,
            sliding: Sliding::Pulled,
        }
    }
}

impl Disks {
    /// More than this cannot be drawn apart.
    pub const MOST: usize = 1000;

    /// So many along a run: evenly spaced, none where it begins, the last where it ends.
    pub fn along(name: &str, run: &TendonRun, count: usize, radius: f64) -> Self {
        let part = |k: usize| k as f64 / count as f64;
        let places = (1..=count).map(|k| run.from + (run.to - run.from) * part(k)).collect();
        Self { name: name.to_owned(), rod: run.rod, places, radius }
    }
}

impl TendonRun {
    /// Arc lengths of its rod where the strain may jump on its account: its ends and its kinks.
    pub fn breaks(&self) -> impl Iterator<Item = f64> + '_ {
        let inside = move |s: &f64| *s > self.from && *s < self.to;
        [self.from, self.to].into_iter().chain(self.routing.kinks().into_iter().filter(inside))
    }

    /// Evenly spaced arc lengths inside it.
    pub(crate) fn looks(&self) -> impl Iterator<Item = f64> + '_ {
        (0..LOOKS).map(|k| self.from + (self.to - self.from) * (f64::from(k) + 0.5) / f64::from(LOOKS))
    }
}

impl Tendon {
    /// Its dotted path.
    pub fn path(&self) -> String {
        format!("tendon.{}", self.name)
    }

    /// Refuses tendons that cannot exist, whatever they run through.
    pub(crate) fn validate(&self, path: &str) -> Result<(), Invalid> {
        if self.runs.is_empty() {
            let need = "a tendon runs along at least one rod".into();
            return Err(Invalid::new(format!("{path}.rod"), Problem::Count { found: 0, need }));
        }
        self.drive.validate(path)?;
        if let Some(stiffness) = self.stiffness {
            check::positive(format_args!("{path}.stiffness"), stiffness)?;
        }
        check::not_negative(format_args!("{path}.friction"), self.friction)
    }

    /// True if it has that name, or is of the family of that name.
    pub(crate) fn belongs_to(&self, name: &str) -> bool {
        self.name == name || self.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
    }
}
