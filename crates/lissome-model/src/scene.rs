//! A scene: everything that is simulated, and the job to do.

use crate::invalid::{Invalid, Problem};
use crate::{Load, Rod, ShapeJob};
use nalgebra::Vector3;

/// A whole problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// One line for people.
    pub title: String,
    /// Gravity, m/s², world axes.
    pub gravity: Vector3<f64>,
    /// The rods.
    pub rods: Vec<Rod>,
    /// Loads on them.
    pub loads: Vec<Load>,
    /// What to compute.
    pub job: Job,
}

/// What to compute.
#[derive(Clone, Debug, PartialEq)]
pub enum Job {
    /// The equilibrium.
    Statics(StaticsJob),
    /// The shape of every rod from the poses of its two ends.
    Shape(ShapeJob),
}

/// How hard to look for the equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticsJob {
    /// Newton iterations in all, over every attempt and load step.
    pub max_iterations: usize,
}

impl Default for StaticsJob {
    fn default() -> Self {
        Self { max_iterations: 500 }
    }
}

impl Scene {
    /// The door: every scene that reaches a solver has passed here. Returns the first defect found.
    pub fn validate(&self) -> Result<(), Invalid> {
        if self.gravity.iter().any(|x| !x.is_finite()) {
            return Err(Invalid::new("world.gravity", Problem::NotFinite));
        }
        if self.rods.is_empty() {
            return Err(Invalid::new(
                "rod",
                Problem::Count { found: 0, need: "a scene needs at least one rod".into() },
            ));
        }
        for rod in &self.rods {
            let path = format!("rod.{}", rod.name);
            rod.validate(&path)?;
            if self.gravity.norm() > 0.0 && !rod.profile.has_mass() {
                return Err(Invalid::new(
                    format!("{path}.material"),
                    Problem::Missing { need: "gravity acts, so the rod needs a density".into() },
                ));
            }
            if rod.base.is_none() && rod.tip.is_none() {
                return Err(Invalid::new(
                    format!("{path}.base"),
                    Problem::Missing {
                        need: "nothing holds the rod, so it has no equilibrium; hold one of its ends".into(),
                    },
                ));
            }
        }
        if let Job::Shape(_) = self.job {
            self.validate_shape()?;
        }
        for load in &self.loads {
            let path = format!("load.{}", load.name);
            let Some(rod) = self.rods.get(load.rod) else {
                return Err(Invalid::new(
                    format!("{path}.rod"),
                    Problem::UnknownName {
                        name: load.rod.to_string(),
                        known: self.rods.iter().map(|r| r.name.clone()).collect(),
                    },
                ));
            };
            load.validate(&path, rod.length)?;
        }
        Ok(())
    }

    /// A shape from end poses has both ends held and nothing else that acts.
    fn validate_shape(&self) -> Result<(), Invalid> {
        let refuse =
            |path: String, reason: &str| Err(Invalid::new(path, Problem::Contradiction { reason: reason.into() }));
        if self.gravity.norm() > 0.0 {
            return refuse("world.gravity".into(), "acts, but a shape from end poses knows no loads: ask for statics");
        }
        if let Some(load) = self.loads.first() {
            return refuse(
                format!("load.{}", load.name),
                "acts, but a shape from end poses knows no loads: ask for statics",
            );
        }
        for rod in &self.rods {
            for (end, pose) in [("base", &rod.base), ("tip", &rod.tip)] {
                if pose.is_none() {
                    let need = "a shape from end poses needs both ends held".into();
                    return Err(Invalid::new(format!("rod.{}.{end}", rod.name), Problem::Missing { need }));
                }
            }
        }
        Ok(())
    }
}
