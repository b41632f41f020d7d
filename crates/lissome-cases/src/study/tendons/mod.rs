//! Questions about tendons: against the reference, between the methods, by length, with friction, from disk to
//! disk.

pub(super) mod battery;
pub(super) mod disks;
pub(super) mod friction;
pub(super) mod jump;
pub(super) mod lengths;
pub(super) mod table;
pub(super) mod tips;

use crate::error::CaseError;
use crate::template;
use lissome::model::{CableDrive, Job, Scene, StaticsJob, TendonMethod};
use lissome::solve::Equilibrium;
use lissome::{Answer, Unobserved};

/// A scene of this case, or with `../` of one beside it.
fn scene(folder: &str, name: &str, settings: &[String]) -> Result<Scene, CaseError> {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in name.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    template::scene(&parts.join("/"), settings)
}

/// Gives the tendons of a scene these tensions, N; the others are slack.
fn set_tensions(scene: &mut Scene, tensions: &[f64]) {
    for (index, tendon) in scene.tendons.iter_mut().enumerate() {
        tendon.drive = CableDrive::Tension(tensions.get(index).copied().unwrap_or(0.0));
    }
}

/// The equilibrium of a scene, with default settings or by a classical method.
fn solve(scene: &Scene, method: Option<TendonMethod>) -> Result<Equilibrium, CaseError> {
    let job = Job::Statics(StaticsJob { method, ..StaticsJob::default() });
    let scene = Scene { job, ..scene.clone() };
    match lissome::run(&scene, &mut Unobserved)? {
        Answer::Statics(equilibrium) => Ok(equilibrium),
        _ => Err(CaseError::WrongJob { what: scene.title, need: "statics" }),
    }
}

/// Tensions in words, such as `(5, 0, 0) N`.
fn words(tensions: &[f64]) -> String {
    let list: Vec<String> = tensions.iter().map(f64::to_string).collect();
    format!("({}) N", list.join(", "))
}
