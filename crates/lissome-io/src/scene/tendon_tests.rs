//! The scene format for tendons: what they lower to, and what is refused or warned of.

#![allow(clippy::unwrap_used)]

use super::*;
use lissome_model::{CableDrive, DriveTarget, FrameOf, HolePath, Job, Sliding, StaticsJob, TendonMethod};
use nalgebra::Vector2;
use std::f64::consts::{PI, TAU};

const ARM: &str = r#"
schema = 1
title = "tendon-driven arm"
[material.steel]
young = "210 GPa"
poisson = 0.3125
[rod.arm]
material = "steel"
length = "242 mm"
section = { shape = "circle", radius = "0.4 mm" }
base = { fixed_to = "world" }
[tendon.pull]
rod = "arm"
radius = "8 mm"
tension = "5 N"
disks = 10
[job]
kind = "statics"
method = "total-stress"
"#;

fn load(text: &str) -> LoadedScene {
    parse("arm.toml", text.to_owned(), &[])
        .unwrap_or_else(|d| panic!("{}", d.iter().map(ToString::to_string).collect::<String>()))
}

fn with(old: &str, new: &str) -> String {
    assert_eq!(ARM.matches(old).count(), 1, "`{old}` must stand once in the scene");
    ARM.replace(old, new)
}

fn routing(keys: &str) -> lissome_model::Routing {
    load(&with("radius = \"8 mm\"", keys)).scene.tendons[0].runs[0].routing.clone()
}

/// Code and path of the first complaint.
fn refused(text: &str) -> (&'static str, String) {
    let first = parse("arm.toml", text.to_owned(), &[]).expect_err("the scene is wrong").remove(0);
    (first.fault.code(), first.path.unwrap_or_default())
}

#[test]
fn one_parallel_tendon() {
    let loaded = load(ARM);
    assert_eq!(loaded.warnings, []);
    let scene = loaded.scene;
    let tendon = &scene.tendons[0];
    assert_eq!((tendon.name.as_str(), tendon.drive, tendon.stiffness), ("pull", CableDrive::Tension(5.0), None));
    assert_eq!((tendon.friction, tendon.sliding), (0.0, Sliding::Pulled));
    let run = &tendon.runs[0];
    assert_eq!((run.rod, run.from, run.to), (0, 0.0, 0.242));
    assert_eq!(run.routing.pieces[0].path, HolePath::Parallel { position: Vector2::new(8e-3, 0.0) });
    assert_eq!((scene.disks[0].places.len(), scene.disks[0].places[9]), (10, 0.242));
    assert!((scene.disks[0].radius - 10e-3).abs() < 1e-15);
    let Job::Statics(StaticsJob { method, .. }) = scene.job else { panic!("statics") };
    assert_eq!(method, Some(TendonMethod::TotalStress));
}

#[test]
fn a_family_stands_evenly_round() {
    let family = "radius = \"8 mm\"\ncount = 3\nangle = \"30 deg\"";
    let text = with("radius = \"8 mm\"", family).replace("tension = \"5 N\"", "tension = [\"5 N\", 0, 2]");
    let scene = load(&text).scene;
    let names: Vec<&str> = scene.tendons.iter().map(|tendon| tendon.name.as_str()).collect();
    assert_eq!(names, ["pull.1", "pull.2", "pull.3"]);
    assert_eq!(scene.tendons.iter().map(|t| t.drive.value()).collect::<Vec<_>>(), [5.0, 0.0, 2.0]);
    for (k, tendon) in scene.tendons.iter().enumerate() {
        let angle = PI / 6.0 + TAU * k as f64 / 3.0;
        let place = tendon.runs[0].routing.at(0.1).position;
        assert!((place.y - 8e-3 * angle.cos()).abs() < 1e-17 && (place.z - 8e-3 * angle.sin()).abs() < 1e-17);
    }
    assert_eq!(scene.disks.len(), 1, "one set of disks for the family");
    assert_eq!(refused(&text.replace("[\"5 N\", 0, 2]", "[1, 2]")), ("E0310", "tendon.pull.tension".into()));
    assert_eq!(refused(&text.replace("count = 3", "count = 0")), ("E0305", "tendon.pull.count".into()));
}

#[test]
fn every_way_to_say_where_it_runs() {
    let linear = routing("radius = [\"8 mm\", 0]\nangle = \"180 deg\"");
    assert!((linear.at(0.0).position.y + 8e-3).abs() < 1e-17 && linear.at(0.242).position.norm() < 1e-17);
    let helix = routing("radius = [\"8 mm\", \"4 mm\"]\npitch = \"121 mm\"");
    assert_eq!(helix.pieces[0].path, HolePath::Helix { radius: [8e-3, 4e-3], angle: 0.0, turns: 2.0 });
    assert_eq!(routing("position = [0, \"3 mm\"]").at(0.1).position.z, 3e-3);
    let table = "table = [{ at = \"base\", radius = \"8 mm\" }, { at = 0.1, position = [0.004, 0] }, \
                 { at = 0.1, position = [0.004, 0] }, { at = \"tip\", radius = 0 }]";
    assert_eq!(routing(table).kinks(), [0.1]);
    let pieces = "pieces = [{ to = 0.1, radius = \"8 mm\", angle = \"90 deg\" }, { to = 0.2, turns = 1 }, \
                  { radius = [\"8 mm\", 0] }]";
    let pieces = routing(pieces);
    assert_eq!(pieces.kinks(), [0.1, 0.2]);
    assert!((pieces.at(0.15).position.z + 8e-3).abs() < 1e-15, "half a turn from z");
    assert!((pieces.at(0.221).position.z - 4e-3).abs() < 1e-15, "half way in, at the angle where the helix ended");
}

#[test]
fn along_several_rods() {
    let two = ARM.replace("[tendon.pull]\nrod = \"arm\"\nradius = \"8 mm\"", "[rod.fore]\nlike = \"arm\"\n\
        base = { fixed_to = \"arm\", roll = \"90 deg\" }\n[tendon.pull]\n\
        runs = [{ rod = \"arm\", radius = \"8 mm\", angle = \"90 deg\" }, { rod = \"fore\", to = \"10 cm\", radius = \"8 mm\" }]");
    // The classical methods take one rod; the tendon itself is right.
    assert_eq!(refused(&two), ("E0401", "rod.fore".into()));
    let beside = two.replace("roll = \"90 deg\"", "roll = \"80 deg\"");
    assert_eq!(refused(&beside), ("E0401", "tendon.pull.run.2".into()));
    let clash = two.replace("[tendon.pull]\n", "[tendon.pull]\nradius = \"8 mm\"\n");
    assert_eq!(refused(&clash), ("E0207", "tendon.pull.radius".into()));
}

#[test]
fn from_disk_to_disk_it_is_a_cable() {
    let text = with("disks = 10", "disks = 2\nrouting = \"disks\"\ncount = 2").replace("method = \"total-stress\"", "");
    let scene = load(&text).scene;
    assert!(scene.tendons.is_empty());
    assert_eq!((scene.cables.len(), scene.cables[1].name.as_str()), (2, "pull.2"));
    let places: Vec<f64> = scene.cables[1]
        .points
        .iter()
        .map(|frame| match frame.of {
            FrameOf::Rod { rod: 0, s } => s,
            _ => panic!("on the rod"),
        })
        .collect();
    assert_eq!(places, [0.0, 0.121, 0.242]);
    assert!((scene.cables[1].points[1].pose.position.y + 8e-3).abs() < 1e-17);
    assert_eq!(refused(&text.replace("disks = 2\n", "")), ("E0204", "tendon.pull.disks".into()));
    let rough = text.replace("disks = 2\n", "disks = 2\nfriction = 0.1\n");
    assert_eq!(refused(&rough), ("E0207", "tendon.pull.friction".into()));
}

#[test]
fn drives_of_tendons_and_of_members_of_a_family() {
    let driven = |text: String, drive: &str| text.replace("[job]", &format!("[drive]\n{drive}\n[job]"));
    let scene = load(&driven(with("tension = \"5 N\"\n", ""), "\"pull.tension\" = \"3 N\"")).scene;
    assert_eq!(scene.drives[0].target, DriveTarget::Tendon(0));
    assert_eq!(scene.tendons[0].drive, CableDrive::Tension(3.0), "it begins where its drive does");
    let family = with("tension = \"5 N\"\n", "count = 3\n");
    let scene = load(&driven(family.clone(), "\"pull.2.tension\" = \"3 N\"")).scene;
    assert_eq!(scene.drives[0].target, DriveTarget::Tendon(1));
    assert_eq!(scene.tendons[2].drive, CableDrive::Tension(0.0));
    let whole = driven(family.replace("count = 3\n", "count = 3\ntension = \"1 N\"\n"), "\"pull.tension\" = \"3 N\"");
    assert_eq!(refused(&whole).0, "E0215", "which of the three?");
    let negative = driven(with("tension = \"5 N\"\n", ""), "\"pull.tension\" = \"-3 N\"");
    assert_eq!(refused(&negative).0, "E0304");
    let discs = with("disks = 10", "disks = 2\nrouting = \"disks\"").replace("method = \"total-stress\"", "");
    let scene = load(&driven(discs, "\"pull.tension\" = \"3 N\"")).scene;
    assert_eq!(scene.drives[0].target, DriveTarget::Cable(0));
}

#[test]
fn an_argument_changes_a_tendon_and_the_drive_of_a_member() {
    let text = with("tension = \"5 N\"", "count = 3").replace("[job]", "[drive]\n\"pull.2.tension\" = \"3 N\"\n[job]");
    let arguments = ["pull.radius=\"6 mm\"".to_owned(), "pull.2.tension=\"4 N\"".to_owned()];
    let scene = parse("arm.toml", text, &arguments).unwrap().scene;
    assert_eq!(scene.tendons[0].runs[0].routing.at(0.0).position.y, 6e-3);
    assert_eq!(scene.tendons[1].drive, CableDrive::Tension(4.0));
}

#[test]
fn what_cannot_be_is_refused_at_its_place() {
    let at = |old: &str, new: &str| refused(&with(old, new));
    let tendon = |key: &str| format!("tendon.pull.{key}");
    assert_eq!(at("rod = \"arm\"", "rod = \"arn\""), ("E0205", tendon("rod")));
    assert_eq!(at("rod = \"arm\"", "rod = \"arm\"\nto = \"30 cm\""), ("E0405", tendon("to")));
    assert_eq!(at("rod = \"arm\"", "rod = \"arm\"\nfrom = \"tip\""), ("E0409", tendon("to")));
    assert_eq!(at("\"5 N\"", "\"-5 N\""), ("E0304", tendon("tension")));
    assert_eq!(at("\"5 N\"", "\"5 mm\""), ("E0306", tendon("tension")));
    assert_eq!(at("tension = \"5 N\"\n", ""), ("E0208", "tendon.pull".into()));
    assert_eq!(at("radius = \"8 mm\"", "radius = 0\nturns = 1"), ("E0303", tendon("radius")));
    assert_eq!(at("radius = \"8 mm\"", "turns = 1"), ("E0204", tendon("radius")));
    assert_eq!(at("radius = \"8 mm\"", "radius = 0.008\nturns = 1\npitch = 0.1"), ("E0207", tendon("pitch")));
    assert_eq!(at("radius = \"8 mm\"", "pieces = [{ to = 0.1, radius = 0.008 }]"), ("E0401", tendon("pieces")));
    let short = "table = [{ at = 0, radius = 0.008 }, { at = 0.1, radius = 0.008 }]";
    assert_eq!(at("radius = \"8 mm\"", short), ("E0401", tendon("table")));
    let sideways = "pieces = [{ to = 0.1, radius = 0.008 }, { radius = 0.004 }]";
    assert_eq!(at("radius = \"8 mm\"", sideways).0, "E0401");
    assert_eq!(at("disks = 10", "disks = 10\ndisk_radius = \"5 mm\""), ("E0401", tendon("disk_radius")));
    assert_eq!(at("disks = 10", "friction = -1"), ("E0304", tendon("friction")));
    assert_eq!(at("\"total-stress\"", "\"exact\""), ("E0206", "job.method".into()));
    assert_eq!(at("\"total-stress\"", "\"newtonian\"\nnodes = 12"), ("E0207", "job.nodes".into()));
    assert_eq!(at("\"total-stress\"", "\"lagrangian\"\nnodes = 7").0, "E0401");
}

#[test]
fn shared_holes_and_tendons_that_nothing_guides_are_warned_of() {
    let warned = |text: &str| load(text).warnings.iter().map(|w| w.fault.code()).collect::<Vec<_>>();
    assert_eq!(warned(&with("disks = 10\n", "")), ["W0410"]);
    let twice = with("[job]", "[tendon.other]\nlike = \"pull\"\n[job]");
    assert_eq!(warned(&twice), ["W0409"]);
}

#[test]
fn the_methods_and_their_sizes() {
    let method = |text: &str| match load(text).scene.job {
        Job::Statics(StaticsJob { method, .. }) => method,
        _ => None,
    };
    let lagrangian = |keys: &str| method(&with("method = \"total-stress\"", &format!("method = \"lagrangian\"{keys}")));
    assert_eq!(lagrangian(""), Some(TendonMethod::lagrangian()));
    let equal = Some(TendonMethod::Lagrangian { functions: [12; 6], nodes: 26 });
    assert_eq!(lagrangian("\nfunctions = 12\nnodes = 26"), equal);
    let own = Some(TendonMethod::Lagrangian { functions: [1, 2, 3, 1, 1, 1], nodes: 10 });
    assert_eq!(lagrangian("\nfunctions = [1, 2, 3, 1, 1, 1]"), own);
    assert_eq!(method(&with("total-stress", "newtonian")), Some(TendonMethod::Newtonian));
    // A method of statics is none of a shape: it is set aside with the file's job.
    let other =
        parse("arm.toml", ARM.to_owned(), &["job.kind=shape".to_owned()]).expect_err("tendons have no shape job");
    assert!(other.iter().any(|d| d.fault.code() == "W0204"), "{other:?}");
}

#[test]
fn friction_that_a_job_would_leave_out_is_refused() {
    let job = "kind = \"statics\"\nmethod = \"total-stress\"";
    let path = "kind = \"path\"\nfollow = \"arclength\"";
    for (job, kind) in [(job, "kind = \"buckling\""), (job, path), (job, job)] {
        let smooth = with(job, kind);
        assert!(parse("arm.toml", smooth.clone(), &[]).is_ok(), "{kind}");
        let rough = smooth.replace("disks = 10", "disks = 10\nfriction = 0.1");
        assert_eq!(refused(&rough), ("E0401", "tendon.pull.friction".into()), "{kind}");
    }
}
