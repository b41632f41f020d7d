//! What derivatives leave out where tendons rub: the shares of the tension are held, so that a change of the shape does not change them.

use crate::fault_text::{FaultText, list, words};
use lissome_model::Scene;

/// Tendons that rub, by name; none where derivatives are whole.
pub fn rubbing(scene: &Scene) -> Vec<String> {
    scene.tendons.iter().filter(|own| own.friction > 0.0).map(|own| own.name.clone()).collect()
}

/// The words for people: what it does, and what helps.
pub(crate) fn text(tendons: &[String], consequence: &str, help: &str) -> FaultText {
    words(
        "derivatives hold how friction shares out the tension along tendons",
        format!("they lack a part of the order of the coefficient of friction ({}): {consequence}", list(tendons)),
        help,
    )
}
