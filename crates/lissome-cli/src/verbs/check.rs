//! `lissome check FILE`.

use crate::args::CheckArgs;
use crate::console::{refuse, say, say_json, show};
use crate::exit::Exit;
use lissome::io::report::number;
use lissome::io::size::Size;
use lissome::io::{Diagnostic, LoadedScene, load};
use lissome::model::Job;
use serde_json::json;

/// Reads a scene and tells what it holds and how large it is.
pub fn run(args: &CheckArgs) -> Exit {
    match load(&args.file, &args.overrides) {
        Ok(loaded) => {
            report(&loaded, args);
            Exit::Ok
        }
        Err(diagnostics) => refuse(&diagnostics, args.json),
    }
}

fn report(loaded: &LoadedScene, args: &CheckArgs) {
    let scene = &loaded.scene;
    let sizes: Vec<Size> = (0..scene.rods.len()).map(|index| Size::of(scene, index)).collect();
    let unknowns: Option<usize> = sizes.iter().map(|s| s.blocks.map(|n| 6 * n)).sum();
    // A band of 6×6 blocks, tangent and factor.
    let bytes: Option<usize> =
        sizes.iter().map(|s| s.blocks.map(|n| 2 * n * (s.half_bandwidth + 1) * 36 * size_of::<f64>())).sum();
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
            "loads": scene.loads.len(),
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
    let gravity = if scene.gravity.norm() > 0.0 { ", gravity" } else { "" };
    let size = match (unknowns, bytes) {
        (Some(unknowns), Some(bytes)) => {
            format!("{unknowns} unknowns, about {} kB of matrices", bytes.div_ceil(1000))
        }
        _ => "unknowns as many as the tolerance needs".into(),
    };
    say(&format!("  {} load(s){gravity}; {size}", scene.loads.len()));
}

fn with_title(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!(", {title}") }
}
