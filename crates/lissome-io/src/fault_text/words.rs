//! The three sentences of a diagnostic, and words that many of them share.

use crate::nearest::nearest;

/// The three sentences of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultText {
    /// What is wrong, for the headline.
    pub message: String,
    /// Why, beside the caret; may be empty.
    pub reason: String,
    /// How to mend it.
    pub help: String,
}

pub(crate) fn words(message: impl Into<String>, reason: impl Into<String>, help: impl Into<String>) -> FaultText {
    FaultText { message: message.into(), reason: reason.into(), help: help.into() }
}

pub(crate) fn list(names: &[String]) -> String {
    const SHOWN: usize = 16;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}

pub(crate) fn did_you_mean(word: &str, known: &[String], otherwise: impl FnOnce() -> String) -> String {
    match nearest(word, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => otherwise(),
    }
}
