//! `report.html` of equilibria: views, plots and tables.

use super::html::Mood;
use super::svg::escape;
use super::{
    contacts, diagram, fold_curves, html, modes, optimum, path_plots, plots, robot_tables, shapes, stage, tables,
    targets, tendons,
};
use crate::summary::Summary;
use lissome_model::{Job, Scene};
use lissome_solve::Iteration;
use std::fmt::Write as _;

/// Rods whose curves are drawn: a page of a thousand would be too heavy to open.
const MOST_ALONG: usize = 20;

/// The whole page; `scene_toml` is shown at the foot.
pub fn html(summary: &Summary<'_>, scene_toml: &str) -> String {
    let status = summary.status();
    let (shown, mood) = match (status, summary.unstable_count()) {
        ("converged", 0) if summary.complaint().is_none() => (status.to_owned(), Mood::Good),
        ("converged", 0) => (status.to_owned(), Mood::Careful),
        ("converged", _) if summary.path.is_empty() => ("converged, unstable".to_owned(), Mood::Careful),
        ("converged", count) => (format!("converged, {count} of {} unstable", summary.path.len()), Mood::Careful),
        _ => (status.to_owned(), Mood::Bad),
    };
    let mut body = html::heading(summary.scene, &shown, mood, &contents(summary.scene));
    body.push_str(&stage::of_summary(summary));
    body.push_str(&tables::facts(summary));
    for note in summary.complaint().iter().chain(&summary.warnings()) {
        body.push_str(&html::note(note));
    }
    body.push_str(&html::section("Shape", &plots::views(summary)));
    for rod in summary.shapes {
        // Writing to a String cannot fail.
        let _ = write!(body, "<h2>Shapes of {}</h2>{}", escape(&rod.rod), shapes::table(&rod.comparison));
        body.push_str(&html::section(&format!("{} between its ends", rod.rod), &shapes::pictures(rod)));
    }
    if !summary.modes.is_empty() {
        let _ = write!(body, "<h2>Natural modes</h2>{}", modes::table(summary.modes));
        body.push_str(&html::cards(&modes::pictures(summary)));
    }
    if let Some(buckling) = summary.buckling {
        let _ = write!(body, "<h2>Critical loads</h2>{}", modes::critical_loads(buckling));
        body.push_str(&html::cards(&modes::buckling_pictures(buckling)));
    }
    if !summary.fold_curves.is_empty() {
        let (table, pictures) = (fold_curves::table(summary), fold_curves::pictures(summary));
        let _ = write!(body, "<h2>Curves of folds</h2>{}{table}", html::cards(&pictures));
    }
    body.push_str(&targets::section(summary));
    body.push_str(&optimum::section(summary));
    let branches = diagram::pictures(summary);
    if !summary.branches.is_empty() {
        let _ = write!(body, "<h2>Branches of equilibria</h2>{}{}", html::cards(&branches), diagram::tables(summary));
    }
    body.push_str(&html::section("Responses", &path_plots::responses(summary)));
    body.push_str(&html::section("Along the path", &path_plots::over_parameter(summary)));
    if !summary.equilibrium.rods.is_empty() {
        let _ = write!(body, "<h2>Rods</h2>{}", tables::rods(summary));
    }
    body.push_str(&robot_tables::all(summary));
    body.push_str(&tables::loads(summary.scene));
    body.push_str(&robot_tables::samples(summary));
    // More rods than this would push everything else off the page.
    const OPEN_RODS: usize = 2;
    let fold = summary.equilibrium.rods.len() > OPEN_RODS;
    for (index, rod) in summary.equilibrium.rods.iter().enumerate().take(MOST_ALONG) {
        let (heading, mut plots) = (format!("Along {}", rod.name), plots::along(rod));
        plots.extend(tendons::along(summary, index));
        plots.extend(contacts::along(summary, index));
        if fold {
            let (heading, cards) = (escape(&heading), html::cards(&plots));
            let _ = write!(body, "<details><summary>{heading}</summary>{cards}</details>");
        } else {
            body.push_str(&html::section(&heading, &plots));
        }
    }
    let more = summary.equilibrium.rods.len().saturating_sub(MOST_ALONG);
    if more > 0 {
        let _ = write!(body, "<p>Curves along {more} more rods are in samples.csv.</p>");
    }
    let history: Vec<Iteration> = summary.iterations().copied().collect();
    if let Some(history) = plots::history(&history) {
        body.push_str(&html::section("Convergence", &[history]));
    }
    let remark =
        "Everything in SI; strain and internal force in the section's axes, whose x axis is the rod's tangent.";
    html::page(summary.scene, &body, scene_toml, remark)
}

/// What the scene holds, in a sentence.
fn contents(scene: &Scene) -> String {
    let what = match scene.job {
        Job::Path(_) => "Equilibria along the drives of",
        Job::Buckling(_) => "Critical loads of",
        Job::Inverse(_) => "Drives that bring to its targets",
        Job::FoldCurve(_) => "Curves of folds of",
        Job::Optimise(_) => "What was sought of",
        _ => "Equilibrium of",
    };
    let families = [
        (scene.rods.len(), "rod", "rods"),
        (scene.bodies.len(), "body", "bodies"),
        (scene.joints.len(), "joint", "joints"),
        (scene.cables.len(), "cable", "cables"),
        (scene.tendons.len(), "tendon", "tendons"),
        (scene.springs.len(), "spring", "springs"),
        (scene.obstacles.len(), "obstacle", "obstacles"),
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
    use lissome_solve::{
        ContactFrame, ContactPoint, ContactRecord, Energy, Equilibrium, Outcome, RodRecord, Sample, Status,
    };
    use nalgebra::Vector3;

    const SCENE: &str = "schema = 1\ntitle = \"<b>&\"\n[material.m]\nyoung = 1e6\npoisson = 0.4\n[rod.arm]\nmaterial = \"m\"\n\
        length = 1\nsection = { shape = \"rectangle\", width = 0.1, height = 0.01 }\nbase = {}\n\
        [load.a]\nrod = \"arm\"\nat = 0.5\nforce = [1, 0, 0]\nmoment = [0, 2, 3]\nframe = \"body\"\n\
        [load.b]\nrod = \"arm\"\nforce_per_length = [0, 1, 0]\n";

    /// A quarter circle in the x–z plane whose numbers are spoilt from `bad` on.
    fn equilibrium(status: Status, bad: usize) -> Equilibrium {
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
            checks: 0,
            load_steps: 1,
            residual: f64::NAN,
            stability: None,
            energy: Energy::default(),
            defect: None,
            events: Vec::new(),
        };
        let rod = RodRecord {
            name: "arm".into(),
            samples,
            control_poses: vec![tip],
            tip,
            base_wrench: Wrench::zero(),
            tip_wrench: Wrench::zero(),
            discretisation_error: f64::NAN,
            tubes: Vec::new(),
        };
        Equilibrium::of_rods(outcome, vec![rod])
    }

    #[test]
    fn any_answer_makes_a_page_without_nan_in_its_pictures() {
        let loaded = crate::scene::parse("t", SCENE.into(), &[]).unwrap();
        let fold = Status::Fold { load_factor: 0.7, rod: 0, s: 0.1 };
        for (status, bad) in [(Status::Converged, 99), (fold, 10), (Status::NotConverged { load_factor: 0.0 }, 0)] {
            let equilibrium = equilibrium(status, bad);
            let summary = Summary::of_equilibrium(&loaded.scene, &equilibrium, Ending::Finished);
            let page = html(&summary, &loaded.to_toml());
            assert!(page.contains("&lt;b&gt;&amp;") && !page.contains("<b>&<"), "texts are escaped");
            assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
            for picture in crate::report::pictures(&summary) {
                let svg = picture.svg.standalone();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}: {svg}", picture.name);
            }
        }
        let empty = Equilibrium { rods: Vec::new(), ..equilibrium(Status::NotConverged { load_factor: 0.0 }, 0) };
        let summary = Summary::of_equilibrium(&loaded.scene, &empty, Ending::Interrupted);
        assert!(html(&summary, "").contains("interrupted"));
    }

    #[test]
    fn contacts_are_drawn_and_told_whatever_their_numbers() {
        let obstacles = "[obstacle.floor]\nplane = {}\n[obstacle.pipe]\n\
            bore = { radius = 2, axis = [{ straight = 1 }, { arc = 3, radius = 3 }] }\n";
        let loaded = crate::scene::parse("t", format!("{SCENE}{obstacles}"), &[]).unwrap();
        let point = |force: f64| ContactPoint {
            s: 0.5,
            gap: 0.0,
            place: Vector3::new(0.5, 0.0, 0.0),
            force: Vector3::new(0.0, 0.0, force),
        };
        for force in [2.5, f64::NAN, f64::INFINITY] {
            let pressed = ContactFrame { least_gap: 0.0, points: vec![point(force), point(1.0)] };
            let pairs = [("floor", pressed), ("pipe", ContactFrame::default())];
            let contacts = pairs.map(|(obstacle, contact)| ContactRecord {
                part: "arm".into(),
                obstacle: obstacle.into(),
                contact,
            });
            let found = Equilibrium { contacts: contacts.to_vec(), ..equilibrium(Status::Converged, 99) };
            let summary = Summary::of_equilibrium(&loaded.scene, &found, Ending::Finished);
            let page = html(&summary, "");
            assert!(page.contains("<h2>Contacts</h2>") && page.contains("pipe"), "{force}");
            // Beside an infinite force nothing has a length; what is not a number is left out.
            assert_eq!(page.contains("class=\"contact-head\""), !force.is_infinite(), "{force}");
            for picture in crate::report::pictures(&summary) {
                let svg = picture.svg.standalone();
                assert!(!svg.contains("NaN\"") && !svg.contains("inf "), "{}: {svg}", picture.name);
            }
        }
    }

    #[test]
    fn the_side_view_passes_through_the_samples() {
        let loaded = crate::scene::parse("t", SCENE.into(), &[]).unwrap();
        let equilibrium = equilibrium(Status::Converged, 99);
        let summary = Summary::of_equilibrium(&loaded.scene, &equilibrium, Ending::Finished);
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
