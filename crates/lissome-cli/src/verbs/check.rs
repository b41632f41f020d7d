//! `lissome check FILE`.

use crate::args::CheckArgs;
use crate::console::{refuse, say, say_json, show};
use crate::exit::Exit;
use lissome::SimulateError;
use lissome::io::number;
use lissome::io::places;
use lissome::io::size::Size;
use lissome::io::{Diagnostic, LoadedScene, load};
use lissome::model::{Job, Joint};
use serde_json::{Value as Json, json};

/// Reads a scene and tells what it holds and how large it is.
pub fn run(args: &CheckArgs) -> Exit {
    let loaded = match load(&args.file, &args.overrides) {
        Ok(loaded) => loaded,
        Err(diagnostics) => return refuse(&diagnostics, args.json),
    };
    if let Err(SimulateError::Invalid(invalid)) = lissome::check(&loaded.scene) {
        return refuse(&[loaded.diagnose(&invalid)], args.json);
    }
    report(&loaded, args);
    Exit::Ok
}

fn report(loaded: &LoadedScene, args: &CheckArgs) {
    let scene = &loaded.scene;
    let sizes = Size::of_all(scene);
    let unknowns = crate::screen::unknowns(scene);
    // Coupled 6×6 blocks of the matrix and of its factor: a band for each rod, a little more where rods meet.
    let bytes = unknowns.map(|rows| {
        let band = sizes.iter().map(|size| size.half_bandwidth + 1).max().unwrap_or(1);
        2 * rows.div_ceil(6) * band * 36 * size_of::<f64>()
    });
    if args.json {
        let rods: Vec<_> = scene
            .rods
            .iter()
            .zip(&sizes)
            .map(|(rod, size)| {
                json!({
                    "name": rod.name,
                    "length": rod.length,
                    "degree": size.degree,
                    "spans": size.spans,
                    "control_poses": size.control_poses,
                })
            })
            .collect();
        say_json(&json!({
            "status": "ok",
            "file": args.file.display().to_string(),
            "title": scene.title,
            "rods": rods,
            "bodies": scene.bodies.iter().map(|body| &body.name).collect::<Vec<_>>(),
            "joints": scene.joints.iter().map(joint_json).collect::<Vec<_>>(),
            "tendons": scene.tendons.iter().map(|tendon| &tendon.name).collect::<Vec<_>>(),
            "cables": scene.cables.iter().map(|cable| &cable.name).collect::<Vec<_>>(),
            "springs": scene.springs.iter().map(|spring| &spring.name).collect::<Vec<_>>(),
            "obstacles": scene.obstacles.iter().map(|obstacle| &obstacle.name).collect::<Vec<_>>(),
            "drives": scene.drives.iter().map(|drive| &drive.path).collect::<Vec<_>>(),
            "loops": places::loops(scene),
            "loads": scene.loads.len() + scene.frame_loads.len(),
            "unknowns": unknowns,
            "matrix_bytes": bytes,
            "warnings": loaded.warnings.iter().map(Diagnostic::to_json).collect::<Vec<_>>(),
        }));
        return;
    }
    show(&loaded.warnings);
    if let Job::Shape(_) = scene.job {
        say(&format!("{}: ok{}", args.file.display(), with_title(&scene.title)));
        for rod in &scene.rods {
            let length = number::length(rod.length);
            say(&format!("  rod {:<16} {length:>9}   shape from the poses of both ends", rod.name));
        }
        return;
    }
    say(&format!("{}: ok{}", args.file.display(), with_title(&scene.title)));
    for (rod, size) in scene.rods.iter().zip(&sizes) {
        say(&format!("  rod {:<16} {:>9}   {}", rod.name, number::length(rod.length), size.words()));
    }
    let names = |family: &str, names: Vec<&str>| {
        if !names.is_empty() {
            say(&format!("  {family:<8} {}", names.join(", ")));
        }
    };
    names("bodies", scene.bodies.iter().map(|body| body.name.as_str()).collect());
    names("joints", scene.joints.iter().map(|joint| joint.name.as_str()).collect());
    names("tendons", scene.tendons.iter().map(|tendon| tendon.name.as_str()).collect());
    names("cables", scene.cables.iter().map(|cable| cable.name.as_str()).collect());
    names("springs", scene.springs.iter().map(|spring| spring.name.as_str()).collect());
    names("obstacles", scene.obstacles.iter().map(|obstacle| obstacle.name.as_str()).collect());
    names("drives", scene.drives.iter().map(|drive| drive.path.as_str()).collect());
    let gravity = if scene.gravity.norm() > 0.0 { ", gravity" } else { "" };
    let loops = match places::loops(scene) {
        0 => String::new(),
        count => format!(", {count} loop(s)"),
    };
    let size = match (unknowns, bytes) {
        (Some(unknowns), Some(bytes)) => {
            format!("{unknowns} unknowns, about {} kB of matrices", bytes.div_ceil(1000))
        }
        _ => "unknowns as many as the tolerance needs".into(),
    };
    let loads = scene.loads.len() + scene.frame_loads.len();
    say(&format!("  {loads} load(s){gravity}{loops}; {size}"));
}

fn joint_json(joint: &Joint) -> Json {
    let coordinates: Vec<&str> = joint.kind.coordinates().iter().map(|(name, _)| *name).collect();
    json!({ "name": joint.name, "coordinates": coordinates })
}

fn with_title(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!(", {title}") }
}
