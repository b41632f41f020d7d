//! The scene file: TOML with units in, a validated [`lissome_model::Scene`] out, every complaint with its place.
//!
//! ```text
//! text ── document ──(overrides, like)── lower: material, section, natural, frame, rod, tubes, body, joint, cable, tendon, spring,
//!          obstacle, contact, load, drive, job
//!      ── Scene::validate
//! ```

mod arclength;
mod body;
mod cable;
mod contact;
pub mod dimension;
mod document;
mod drive;
mod findings;
mod frame;
mod free;
mod job;
mod joint;
mod joint_limits;
pub mod keys;
mod like;
mod load;
mod lower;
mod material;
mod model;
mod names;
mod natural;
mod obstacle;
mod overrides;
mod pattern;
mod pose;
mod reader;
mod rod;
mod routing;
pub mod schema;
mod section;
mod signal;
mod spring;
mod stiffness;
mod target;
mod tendon;
mod tubes;
mod twisted;
pub mod units;
mod velocity;
mod write;

pub use document::Document;
use document::Table;
pub use drive::{drivable, target as drive_target};

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files;
use findings::Findings;
use lissome_model::{Invalid, Scene};
use std::path::Path;

/// A scene ready to run, and the document it came from.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The model.
    pub scene: Scene,
    /// What is possible but hardly meant.
    pub warnings: Vec<Diagnostic>,
    /// What the scene was read from: every `like` carried out.
    document: Document,
    /// The file with its overrides.
    written: Table,
}

impl LoadedScene {
    /// The scene with its overrides, as TOML that can be run again.
    pub fn to_toml(&self) -> String {
        write::to_toml(&self.written)
    }

    /// A dotted path of an override with its family: `cable.a.tension` for `a.tension`.
    pub fn canonical_path(&self, path: &str) -> String {
        overrides::canonical(&self.written, path)
    }

    /// A refusal of the model, at the place in the file that it is about.
    pub fn diagnose(&self, invalid: &Invalid) -> Diagnostic {
        let (fault, span) = lower::fault_of(invalid, &self.document);
        Diagnostic::at(fault, Some(invalid.path.clone()), span, &self.document.sources)
    }
}

/// Reads a scene file and applies `path=value` overrides. Errors come sorted by place, warnings last.
pub fn load(path: &Path, overrides: &[String]) -> Result<LoadedScene, Vec<Diagnostic>> {
    let bytes = files::read_limited(path, files::SCENE_LIMIT).map_err(|fault| vec![Diagnostic::new(fault)])?;
    let name = path.display().to_string();
    match String::from_utf8(bytes) {
        Ok(text) => parse(&name, text, overrides),
        Err(error) => {
            // The readable part still locates the byte.
            let byte = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let source = crate::source::Source { name, text };
            let span = crate::source::Span::new(0, byte..byte + 1);
            Err(vec![Diagnostic::at(Fault::NotUtf8 { byte }, None, Some(span), &[source])])
        }
    }
}

/// Reads a scene's text; `name` stands for the file in messages.
pub fn parse(name: &str, text: String, overrides: &[String]) -> Result<LoadedScene, Vec<Diagnostic>> {
    let mut document = Document::parse(name, text).map_err(|diagnostic| vec![*diagnostic])?;
    overrides::apply(&mut document, overrides)
        .map_err(|(fault, span)| vec![Diagnostic::at(fault, None, Some(span), &document.sources)])?;
    let mut findings = Findings::default();
    job::set_aside(&mut document.root, &mut findings);
    let mut expanded = like::expand(&document.root, &mut findings);
    pattern::expand(&mut expanded, &mut findings);
    if findings.has_errors() {
        // Half a part would be wrong in many ways.
        return Err(findings.into_diagnostics(&document));
    }
    let mut written = std::mem::replace(&mut document.root, expanded);
    obstacle::fix_files(&mut written, &document.folder());
    match lower::lower(&document, &mut findings) {
        Some(scene) if !findings.has_errors() => {
            let warnings = findings.into_diagnostics(&document);
            Ok(LoadedScene { scene, warnings, document, written })
        }
        _ => Err(findings.into_diagnostics(&document)),
    }
}

#[cfg(test)]
mod arclength_tests;
#[cfg(test)]
mod contact_tests;
#[cfg(test)]
mod robot_tests;
#[cfg(test)]
mod spring_tests;
#[cfg(test)]
mod tendon_tests;
#[cfg(test)]
mod tests;
