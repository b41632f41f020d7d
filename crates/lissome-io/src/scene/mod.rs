//! The scene file: TOML with units in, a validated [`lissome_model::Scene`] out, every complaint with its place.
//!
//! ```text
//! text ── document ──(overrides, like)── lower: material, section, natural, frame, rod, tubes, body, joint, cable, tendon, spring,
//!          obstacle, contact, load, drive, job
//!      ── Scene::validate
//! ```

mod arclength;
mod beside;
mod body;
mod cable;
mod cases;
mod changed;
mod contact;
mod derivatives;
pub mod dimension;
mod document;
mod drive;
mod driven_quantity;
mod findings;
mod formula;
mod frame;
mod free;
mod in_si;
mod job;
mod job_values;
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
mod node;
mod numbers;
mod obstacle;
mod optimise;
mod overrides;
mod part;
mod pattern;
mod pieces;
mod places;
mod pose;
mod reader;
mod rod;
mod routing;
mod same;
pub mod schema;
mod section;
mod sections;
mod signal;
mod spring;
mod stiffness;
mod surface;
mod syntax;
mod target;
mod tendon;
mod tubes;
mod twisted;
pub mod units;
mod variants;
mod velocity;
mod write;

pub use beside::Beside;
pub use derivatives::DerivativeRequest;
pub use document::Document;
use document::Table;
pub use drive::{drivable, known_target as known_drive_target, target as drive_target};
pub use numbers::SceneNumber;
pub use same::holds as identity_holds;
pub use variants::Variants;

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files;
use crate::source::Source;
use crate::sweep::CasesTable;
use findings::Findings;
use lissome_model::{Invalid, Scene};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A scene ready to run, and the document it came from.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The model.
    pub scene: Scene,
    /// What is possible but hardly meant.
    pub warnings: Vec<Diagnostic>,
    /// Derivatives that its job asks for.
    pub derivatives: Vec<DerivativeRequest>,
    /// What the scene was read from: every `like` carried out.
    document: Document,
    /// What its parts are read with, once one of them was read anew.
    context: OnceLock<Arc<part::Context>>,
    /// The folder that files are named from, found when the scene was read.
    folder: PathBuf,
}

impl LoadedScene {
    /// The scene with its overrides, as TOML that can be run again.
    pub fn to_toml(&self) -> String {
        let mut written = self.written();
        obstacle::fix_files(&mut written, &self.folder);
        cases::fix_file(&mut written, &self.folder);
        write::to_toml(&written)
    }

    /// A dotted path of an override with its family: `cable.a.tension` for `a.tension`.
    pub fn canonical_path(&self, path: &str) -> String {
        overrides::canonical(&self.written(), path)
    }

    /// One name for every number, however a path calls it: two paths of the same identity name the same number.
    pub fn identity(&self, path: &str) -> String {
        same::identity(&self.context().written, path)
    }

    /// The file with its overrides, read again: kept, it would be as large as the scene.
    fn written(&self) -> Table {
        let sources = &self.document.sources;
        let mut document = Document { sources: Vec::new(), root: Table::default() };
        if let Some((file, arguments)) = sources.split_first() {
            document.root = sections::read(&file.text).unwrap_or_default();
            document.sources.push(Source { name: file.name.clone(), text: String::new() });
            let arguments: Vec<String> = arguments.iter().map(|argument| argument.text.clone()).collect();
            let applied = overrides::apply(&mut document, &arguments);
            debug_assert!(applied.is_ok(), "they were applied before");
        }
        job::set_aside(&mut document.root, &mut Findings::default());
        document.root
    }

    /// What its parts are read with.
    fn context(&self) -> &part::Context {
        self.context.get_or_init(|| Arc::new(part::Context::of(self.written(), &self.document.root)))
    }

    /// The table of cases that the scene brings along, if it does.
    pub fn cases(&self) -> Result<Option<CasesTable>, Vec<Diagnostic>> {
        cases::read(&self.document, &self.folder)
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
    let document = with_arguments(name, text, overrides)?;
    same::check_once(&document, overrides)
        .map_err(|(fault, span)| vec![Diagnostic::at(fault, None, Some(span), &document.sources)])?;
    read(document)
}

/// The document of a text with overrides, later ones in the place of earlier ones.
fn with_arguments(name: &str, text: String, overrides: &[String]) -> Result<Document, Vec<Diagnostic>> {
    let mut document = Document::parse(name, text).map_err(|diagnostic| vec![*diagnostic])?;
    match overrides::apply(&mut document, overrides) {
        Ok(()) => Ok(document),
        Err((fault, span)) => Err(vec![Diagnostic::at(fault, None, Some(span), &document.sources)]),
    }
}

/// Carries out every `like` and every pattern of a document.
fn expand(document: &mut Document, findings: &mut Findings) {
    job::set_aside(&mut document.root, findings);
    cases::check(&document.root, findings);
    like::expand(&mut document.root, findings);
    pattern::expand(&mut document.root, findings);
}

/// The scene of a document whose overrides have been applied, or the first complaint.
fn scene_of(mut document: Document) -> Result<Scene, Box<Diagnostic>> {
    let mut findings = Findings::default();
    expand(&mut document, &mut findings);
    // Half a part would be wrong in many ways.
    let scene = if findings.has_errors() { None } else { lower::lower(&document, &mut findings) };
    match scene.filter(|_| !findings.has_errors()) {
        Some(scene) => Ok(scene),
        None => Err(Box::new(findings.into_diagnostics(&document).swap_remove(0))),
    }
}

/// Reads a document whose overrides have been applied.
fn read(mut document: Document) -> Result<LoadedScene, Vec<Diagnostic>> {
    let mut findings = Findings::default();
    expand(&mut document, &mut findings);
    if findings.has_errors() {
        return Err(findings.into_diagnostics(&document));
    }
    let folder = document.folder();
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    let folder = folder.canonicalize().unwrap_or(folder);
    let derivatives = derivatives::read(&document.root, &mut findings);
    match lower::lower(&document, &mut findings) {
        Some(scene) if !findings.has_errors() => {
            lower::warn(&scene, &document, &mut findings);
            let warnings = Vec::new();
            let mut loaded = LoadedScene { scene, warnings, derivatives, document, context: OnceLock::new(), folder };
            derivatives::check_once(&loaded, &mut findings);
            if optimise::complete(&mut loaded, &mut findings).is_none() || findings.has_errors() {
                return Err(findings.into_diagnostics(&loaded.document));
            }
            loaded.warnings = findings.into_diagnostics(&loaded.document);
            Ok(loaded)
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
