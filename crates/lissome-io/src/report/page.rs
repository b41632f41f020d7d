//! `report.html`: one file, no script, nothing fetched.

use super::plots;
use super::style::{PAGE_CSS, PICTURE_CSS};
use super::svg::escape;
use super::tables;
use crate::summary::Summary;
use std::fmt::Write as _;

/// The whole page; `scene_toml` is shown at its foot.
pub fn html(summary: &Summary<'_>, scene_toml: &str) -> String {
    let title = if summary.scene.title.is_empty() { "A scene without title" } else { summary.scene.title.as_str() };
    let title = escape(title);
    let status = summary.status();
    let badge = if status == "converged" { "badge" } else { "badge bad" };
    let mut body = format!(
        "<h1>{title}<span class=\"{badge}\">{}</span></h1><p class=\"under\">Equilibrium of {} under {}</p>",
        escape(&status.replace('_', " ")),
        count(summary.scene.rods.len(), "rod"),
        count(summary.scene.loads.len(), "load") + if summary.scene.gravity.norm() > 0.0 { " and gravity" } else { "" },
    );
    body.push_str(&tables::facts(summary));
    if let Some(complaint) = summary.complaint() {
        let words = complaint.fault.wording();
        // Writing to a String cannot fail.
        let _ = write!(
            body,
            "<div class=\"note\"><p><b>{} {}</b></p><p>{}</p><p>{}</p></div>",
            complaint.fault.code(),
            escape(&words.message),
            escape(&words.reason),
            escape(&words.help)
        );
    }
    section(&mut body, "Shape", &plots::views(summary));
    let _ = write!(body, "<h2>Rods</h2>{}", tables::rods(summary));
    body.push_str(&tables::loads(summary.scene));
    for rod in &summary.recording.rods {
        section(&mut body, &format!("Along {}", rod.name), &plots::along(rod));
    }
    if let Some(history) = plots::history(&summary.recording.outcome.history) {
        section(&mut body, "Convergence", &[history]);
    }
    let _ = write!(body, "<details><summary>The scene</summary><pre>{}</pre></details>", escape(scene_toml));
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{title}</title>\
         <style>{PICTURE_CSS}{PAGE_CSS}</style></head><body><main>{body}\
         <footer>lissome {version}. Everything in SI; strain and internal force in the section's axes, \
         whose x axis is the rod's tangent.</footer></main></body></html>\n"
    )
}

fn section(body: &mut String, title: &str, pictures: &[plots::Picture]) {
    let cards: String = pictures.iter().map(|p| format!("<div class=\"card\">{}</div>", p.svg.inline())).collect();
    let _ = write!(body, "<h2>{}</h2><div class=\"pair\">{cards}</div>", escape(title));
}

fn count(n: usize, thing: &str) -> String {
    match n {
        0 => format!("no {thing}"),
        1 => format!("one {thing}"),
        n => format!("{n} {thing}s"),
    }
}
