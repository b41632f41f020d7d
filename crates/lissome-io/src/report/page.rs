//! `report.html`: one file, no script, nothing fetched.

use super::style::{PAGE_CSS, PICTURE_CSS};
use super::svg::escape;
use super::{modes, path_plots, plots, robot_tables, shapes, tables};
use crate::summary::Summary;
use lissome_model::{Job, Scene};
use lissome_shape::RodShapes;
use lissome_solve::Iteration;
use std::fmt::Write as _;

/// The whole page; `shapes` has a section of its own if there are any, `scene_toml` is shown at the foot.
pub fn html(summary: &Summary<'_>, shapes: &[RodShapes], scene_toml: &str) -> String {
    let title = if summary.scene.title.is_empty() { "A scene without title" } else { summary.scene.title.as_str() };
    let title = escape(title);
    let status = summary.status();
    let badge = if status == "converged" { "badge" } else { "badge bad" };
    let mut body = format!(
        "<h1>{title}<span class=\"{badge}\">{}</span></h1><p class=\"under\">{}</p>",
        escape(&status.replace('_', " ")),
        contents(summary.scene),
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
    for rod in shapes {
        let _ = write!(body, "<h2>Shapes of {}</h2>{}", escape(&rod.rod), shapes::table(&rod.comparison));
        section(&mut body, &format!("{} between its ends", rod.rod), &shapes::pictures(rod));
    }
    if !summary.recording.modes.is_empty() {
        let _ = write!(body, "<h2>Natural modes</h2>{}", modes::table(&summary.recording.modes));
        body.push_str(&cards(&modes::pictures(summary)));
    }
    section(&mut body, "Responses", &path_plots::responses(summary));
    section(&mut body, "Along the path", &path_plots::over_parameter(summary));
    if !summary.recording.rods.is_empty() {
        let _ = write!(body, "<h2>Rods</h2>{}", tables::rods(summary));
    }
    body.push_str(&robot_tables::all(summary));
    body.push_str(&tables::loads(summary.scene));
    body.push_str(&robot_tables::samples(summary));
    // More rods than this would push everything else off the page.
    const OPEN_RODS: usize = 2;
    let fold = summary.recording.rods.len() > OPEN_RODS;
    for rod in &summary.recording.rods {
        if fold {
            let _ = write!(
                body,
                "<details><summary>Along {}</summary>{}</details>",
                escape(&rod.name),
                cards(&plots::along(rod))
            );
        } else {
            section(&mut body, &format!("Along {}", rod.name), &plots::along(rod));
        }
    }
    let history: Vec<Iteration> = summary.iterations().copied().collect();
    if let Some(history) = plots::history(&history) {
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
    if !pictures.is_empty() {
        let _ = write!(body, "<h2>{}</h2>{}", escape(title), cards(pictures));
    }
}

fn cards(pictures: &[plots::Picture]) -> String {
    let cards: String = pictures.iter().map(|p| format!("<div class=\"card\">{}</div>", p.svg.inline())).collect();
    format!("<div class=\"pair\">{cards}</div>")
}

/// What the scene holds, in a sentence.
fn contents(scene: &Scene) -> String {
    let what = match scene.job {
        Job::Path(_) => "Equilibria along the drives of",
        _ => "Equilibrium of",
    };
    let families = [
        (scene.rods.len(), "rod", "rods"),
        (scene.bodies.len(), "body", "bodies"),
        (scene.joints.len(), "joint", "joints"),
        (scene.cables.len(), "cable", "cables"),
        (scene.springs.len(), "spring", "springs"),
    ];
    let parts: Vec<String> =
        families.into_iter().filter(|f| f.0 > 0).map(|(n, one, many)| count(n, one, many)).collect();
    let loads = count(scene.loads.len() + scene.frame_loads.len(), "load", "loads");
    let gravity = if scene.gravity.norm() > 0.0 { " and gravity" } else { "" };
    format!("{what} {} under {loads}{gravity}", parts.join(", "))
}

fn count(n: usize, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {one}"),
        1 => format!("one {one}"),
        n => format!("{n} {many}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::summary::Ending;
    use lissome_lie::{Pose, Rotation, Strain, Wrench};
    use lissome_solve::{Energy, Outcome, Recording, RodRecord, Sample, Status};
    use nalgebra::Vector3;

    const SCENE: &str = "schema = 1\ntitle = \"<b>&\"\n[material.m]\nyoung = 1e6\npoisson = 0.4\n[rod.arm]\nmaterial = \"m\"\n\
        length = 1\nsection = { shape = \"rectangle\", width = 0.1, height = 0.01 }\nbase = {}\n\
        [load.a]\nrod = \"arm\"\nat = 0.5\nforce = [1, 0, 0]\nmoment = [0, 2, 3]\nframe = \"body\"\n\
        [load.b]\nrod = \"arm\"\nforce_per_length = [0, 1, 0]\n";

    /// A quarter circle in the x–z plane whose numbers are spoilt from `bad` on.
    fn recording(status: Status, bad: usize) -> Recording {
        let spoilt = |i: usize, x: f64| if i >= bad { f64::NAN } else { x };
        let samples: Vec<Sample> = (0..=20)
            .map(|i| {
                let s = i as f64 / 20.0;
                let angle = s * std::f64::consts::FRAC_PI_2;
                let position = Vector3::new(spoilt(i, angle.sin()), 0.0, 1.0 - angle.cos());
                Sample {
                    s,
                    pose: Pose::new(Rotation::exp(&(Vector3::y() * -angle)), position),
                    strain: Strain::straight(),
                    stress: Wrench::new(Vector3::y() * spoilt(i, s), Vector3::z() * 1e300),
                }
            })
            .collect();
        let tip = samples[20].pose;
        let step = |residual| Iteration { load_factor: 1.0, residual, step: 1.0, fraction: 1.0, shift: 0.0 };
        let outcome = Outcome {
            status,
            history: vec![step(1.0), step(1e-8), step(0.0), step(f64::NAN)],
            load_steps: 1,
            residual: f64::NAN,
            stability: None,
            energy: Energy::default(),
            defect: None,
        };
        let rod = RodRecord {
            name: "arm".into(),
            samples,
            control_poses: vec![tip],
            tip,
            base_wrench: Wrench::zero(),
            tip_wrench: Wrench::zero(),
        };
        Recording::of_rods(outcome, vec![rod])
    }

    #[test]
    fn any_answer_makes_a_page_without_nan_in_its_pictures() {
        let loaded = crate::scene::parse("t", SCENE.into(), &[]).unwrap();
        let fold = Status::Fold { load_factor: 0.7, rod: 0, s: 0.1 };
        for (status, bad) in [(Status::Converged, 99), (fold, 10), (Status::NotConverged { load_factor: 0.0 }, 0)] {
            let recording = recording(status, bad);
            let summary = Summary { scene: &loaded.scene, recording: &recording, ending: Ending::Finished };
            let page = html(&summary, &[], &loaded.to_toml());
            assert!(page.contains("&lt;b&gt;&amp;") && !page.contains("<b>&<"), "texts are escaped");
            assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
            for picture in crate::report::pictures(&summary) {
                let svg = picture.svg.standalone();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}: {svg}", picture.name);
            }
        }
        let empty = Recording { rods: Vec::new(), ..recording(Status::NotConverged { load_factor: 0.0 }, 0) };
        let summary = Summary { scene: &loaded.scene, recording: &empty, ending: Ending::Interrupted };
        assert!(html(&summary, &[], "").contains("interrupted"));
    }

    #[test]
    fn the_side_view_passes_through_the_samples() {
        let loaded = crate::scene::parse("t", SCENE.into(), &[]).unwrap();
        let recording = recording(Status::Converged, 99);
        let summary = Summary { scene: &loaded.scene, recording: &recording, ending: Ending::Finished };
        let svg = crate::report::pictures(&summary)[0].svg.inline();
        let path = svg.split("class=\"axisline\" d=\"M").nth(1).unwrap().split('"').next().unwrap();
        let points: Vec<(f64, f64)> = path
            .split('L')
            .map(|p| p.split_once(' ').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap())
            .collect();
        assert_eq!(points.len(), 21);
        // A quarter circle: as wide as it is high, bulging to the right and below its chord.
        let (wide, high) = (points[20].0 - points[0].0, points[0].1 - points[20].1);
        assert!((wide - high).abs() < 0.03 && wide > 100.0, "equal scales: {wide} {high}");
        let middle = points[10];
        let expected = points[0].0 + wide * std::f64::consts::FRAC_1_SQRT_2;
        assert!((middle.0 - expected).abs() < 0.03, "{middle:?}");
    }
}
