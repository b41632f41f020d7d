//! One way to set up a robot that a study follows in several.

use crate::error::CaseError;
use crate::report::Row;
use crate::robot::Robot;
use crate::template;
use lissome::model::Scene;
use lissome::solve::PathAnswer;
use lissome::{Answer, Unobserved};
use serde::Deserialize;

/// A name and the settings that make it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Words for it; empty if it is alone.
    pub name: String,
    /// Settings `path=value` of the scene.
    #[serde(default)]
    pub set: Vec<String>,
    /// Its own bar on positions, m.
    pub position: Option<f64>,
    /// Its own bar on angles, rad.
    pub angle: Option<f64>,
}

impl Variant {
    /// Those given, or one that changes nothing.
    pub fn each(given: &[Self]) -> Vec<Self> {
        if given.is_empty() { vec![Self::default()] } else { given.to_vec() }
    }

    /// A scene of the study under the study's settings and its own.
    pub fn scene(&self, folder: &str, scene: &str, settings: &[String]) -> Result<Scene, CaseError> {
        let settings: Vec<String> = settings.iter().chain(&self.set).cloned().collect();
        template::scene(&format!("{folder}/{scene}"), &settings)
    }

    /// Follows the robot of such a scene.
    pub fn follow(&self, folder: &str, scene: &str, settings: &[String]) -> Result<Robot, CaseError> {
        Robot::follow(self.scene(folder, scene, settings)?, &self.name)
    }

    /// The path of a scene, and a row that says how many of its samples have no equilibrium: none may.
    pub fn path(&self, scene: &Scene, what: &str) -> Result<(PathAnswer, Row), CaseError> {
        let Answer::Path(path) = lissome::run(scene, &mut Unobserved)? else {
            return Err(CaseError::WrongJob { what: what.to_owned(), need: "a path" });
        };
        let unsolved = path.samples.iter().filter(|sample| !sample.equilibrium.outcome.converged()).count();
        let row = Row::deviation(self.title("samples without an equilibrium"), unsolved as f64, 0.0);
        Ok((path, row))
    }

    /// Words for a row of it.
    pub fn title(&self, what: &str) -> String {
        if self.name.is_empty() { what.to_owned() } else { format!("{}: {what}", self.name) }
    }
}
