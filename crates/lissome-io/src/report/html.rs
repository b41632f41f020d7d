//! The frame of every report: one file, nothing fetched. The one script and the one style are known by their hashes, so that
//! a browser runs nothing else, whatever stands in a name.

use super::picture::Picture;
use super::stage;
use super::style::{PAGE_CSS, PICTURE_CSS};
use super::svg::escape;
use crate::diagnostic::Diagnostic;
use lissome_model::Scene;
use sha2::{Digest as _, Sha256};

/// The scene's title, escaped.
pub(super) fn title(scene: &Scene) -> String {
    escape(if scene.title.is_empty() { "A scene without title" } else { &scene.title })
}

/// Colour of a status: green, amber, red.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    /// All is well.
    Good,
    /// There is an answer, and something in it that a robot would not do.
    Careful,
    /// There is no whole answer.
    Bad,
}

/// The heading: the title with the status as a badge, and a line under it.
pub(super) fn heading(scene: &Scene, status: &str, mood: Mood, under: &str) -> String {
    let badge = match mood {
        Mood::Good => "badge",
        Mood::Careful => "badge careful",
        Mood::Bad => "badge bad",
    };
    let status = escape(&status.replace('_', " "));
    format!("<h1>{}<span class=\"{badge}\">{status}</span></h1><p class=\"under\">{under}</p>", title(scene))
}

/// What there is to complain about.
pub(super) fn note(diagnostic: &Diagnostic) -> String {
    let text = diagnostic.fault.text();
    format!(
        "<div class=\"note\"><p><b>{} {}</b></p><p>{}</p><p>{}</p></div>",
        diagnostic.fault.code(),
        escape(&text.message),
        escape(&text.reason),
        escape(&text.help)
    )
}

/// Pictures side by side under a heading; nothing if there are none.
pub(super) fn section(heading: &str, pictures: &[Picture]) -> String {
    if pictures.is_empty() { String::new() } else { format!("<h2>{}</h2>{}", escape(heading), cards(pictures)) }
}

/// Pictures side by side.
pub(super) fn cards(pictures: &[Picture]) -> String {
    let cards: String = pictures.iter().map(|p| format!("<div class=\"card\">{}</div>", p.svg.inline())).collect();
    format!("<div class=\"pair\">{cards}</div>")
}

/// The whole page: the body, the scene at its foot, and a remark on units and axes.
pub(super) fn page(scene: &Scene, body: &str, scene_toml: &str, remark: &str) -> String {
    let (title, version, scene_toml) = (title(scene), env!("CARGO_PKG_VERSION"), escape(scene_toml));
    let (style, script) = (format!("{PICTURE_CSS}{PAGE_CSS}"), stage::script());
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{title}</title>\
         <style>{style}</style></head><body><main>{body}\
         <details><summary>The scene</summary><pre>{scene_toml}</pre></details>\
         <footer>lissome {version}. {remark}</footer></main><script>{script}</script></body></html>\n"
    )
}

/// The hash by which a policy knows a text.
fn hash(text: &str) -> String {
    format!("sha256-{}", stage::base64(&Sha256::digest(text.as_bytes())))
}
