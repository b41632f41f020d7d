//! Motions written, killed, read back and gone on with.
#![allow(clippy::unwrap_used)]

use super::columns::{Columns, frames};
use super::*;
use crate::motion_summary::MotionSummary;
use crate::run_folder::RunFacts;
use crate::run_folder::npz::{self, Array};
use crate::scene::{LoadedScene, parse};
use crate::summary::Ending;
use lissome_lie::{Pose, Rotation, Wrench};
use lissome_solve::{
    CableFrame, ContactFrame, ContactPoint, Momentum, MotionAnswer, MotionEffort, MotionEnd, MotionEnergy, MotionEvent,
    MotionEventKind, MotionFrame, MotionRecord, MotionStop, RodFrame, Velocity,
};
use nalgebra::Vector3;
use std::path::PathBuf;

const SCENE: &str = r#"
schema = 1
title = "arm -- with a <plate>"
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "rubber"
length = "1 m"
section = { shape = "circle", radius = "20 mm" }
base = { fixed_to = "world", tangent = [1, 0, 0] }
[body.plate]
mass = "20 g"
shape = { cylinder = { radius = "60 mm", length = "4 mm" } }
frames = { hole = { position = [0, 0, "60 mm"] } }
mount = { fixed_to = "arm", at = "tip" }
[cable.flexor]
points = [{ position = [0, 0, "60 mm"] }, "plate.hole"]
tension = "5 N"
[drive]
"flexor.tension" = { ramp = ["0 N", "20 N"], over = "1 s" }
[job]
kind = "dynamics"
duration = "20 s"
output_rate = "100 Hz"
"#;

pub(crate) fn scene() -> LoadedScene {
    parse("t", SCENE.into(), &[]).unwrap()
}

/// A frame with numbers that no two columns share.
pub(crate) fn frame(index: usize) -> MotionFrame {
    let t = index as f64 * 0.01;
    let bend = 0.3 * (6.0 * t).sin();
    let poses: Vec<Pose> = (0..9)
        .map(|k| {
            let s = f64::from(k) / 8.0;
            Pose::new(Rotation::exp(&(Vector3::y() * (bend * s - 3.0))), Vector3::new(s, 0.1 / 3.0, bend * s * s))
        })
        .collect();
    let tip = poses[8];
    let stress = (0..9).map(|k| Wrench::new(Vector3::y() * bend, Vector3::z() * f64::from(k))).collect();
    let velocities = (0..9)
        .map(|k| f64::from(k) * t)
        .map(|x| Velocity { linear: Vector3::new(x, 3.0, -x), angular: Vector3::new(4.0, x, 5.0) });
    let velocities = velocities.collect();
    let hole = tip.transform(&Vector3::new(0.0, 0.0, 0.06));
    MotionFrame {
        time: t,
        drives: vec![20.0 * t],
        rods: vec![RodFrame { poses, velocities, stress, discretisation_error: 1e-6 * t }],
        bodies: vec![tip],
        body_velocities: vec![Velocity { linear: Vector3::new(7.0, t, bend), angular: Vector3::new(bend, 8.0, t) }],
        joints: Vec::new(),
        joint_rates: Vec::new(),
        tendons: Vec::new(),
        cables: vec![CableFrame { tension: 20.0 * t, length: 1.0 + bend, points: vec![Vector3::z() * 0.06, hole] }],
        contacts: Vec::new(),
        loop_gap: 1e-15 * t,
        energy: MotionEnergy {
            kinetic: 1.0 + bend,
            elastic: 2.0 - bend,
            gravity: 0.5,
            dissipated: t,
            friction: 0.5 * t,
            work: t,
        },
        momentum: Momentum { linear: Vector3::new(1.0, bend, t), angular: Vector3::new(t, 2.0, bend) },
        effort: MotionEffort { step: 0.01 / 3.0, steps: index as u64, iterations: 7, rejected: 1, halved: 2 },
    }
}

#[test]
fn of_contacts_the_sums_come_back() {
    let text = SCENE.replace("[cable.flexor]", "[obstacle.floor]\nplane = {}\nposition = [0, 0, -1]\n[cable.flexor]");
    let loaded = parse("t", text, &[]).unwrap();
    let press = |s: f64, force: f64| {
        let (place, force) = (Vector3::new(s, 0.0, -1.0), Vector3::new(0.1, 0.0, force));
        ContactPoint { s, gap: 1e-12, place, force }
    };
    let touching = ContactFrame { least_gap: 1e-12, points: vec![press(0.5, 1.0), press(1.0, 2.0)] };
    let apart = ContactFrame { least_gap: 0.3, points: Vec::new() };
    let written = MotionFrame { contacts: vec![touching.clone(), apart.clone()], ..frame(3) };
    let mut columns = Columns::default();
    columns.push(&loaded.scene, &written);
    let name = |array: &&Array| array.name.starts_with("contact.arm.floor.");
    assert_eq!(columns.arrays().iter().filter(name).count(), 4);
    let back = frames(&loaded.scene, columns.arrays()).unwrap().remove(0).contacts;
    assert_eq!((back[0].least_gap, back[0].force()), (1e-12, touching.force()));
    // A place times a force over that force: two roundings.
    assert!((back[0].centre() - touching.centre()).norm() < 1e-15);
    assert_eq!(back[1], apart);
}

/// A folder of its own for each test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lissome-motion-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn summary<'a>(loaded: &'a LoadedScene, motion: &'a MotionAnswer) -> MotionSummary<'a> {
    MotionSummary { scene: &loaded.scene, motion, ending: Ending::Finished, wall_seconds: 1.0 }
}

fn snapshot(index: usize) -> Vec<Array> {
    vec![Array { name: "motion.time".into(), shape: vec![], values: vec![index as f64] }]
}

/// Writes frames and closes parts where they are full; stops at the first refusal.
fn write(writer: &mut MotionWriter<'_>, range: std::ops::Range<usize>) -> Result<(), crate::Fault> {
    for index in range {
        if writer.push(&frame(index)) {
            writer.checkpoint(&snapshot(index))?;
        }
    }
    Ok(())
}

#[test]
fn columns_come_back_to_the_bit() {
    let loaded = scene();
    let written: Vec<MotionFrame> = (0..7).map(frame).collect();
    let mut columns = Columns::default();
    written.iter().for_each(|frame| columns.push(&loaded.scene, frame));
    let mut bytes = Vec::new();
    npz::write(&mut bytes, columns.arrays()).unwrap();
    let arrays = npz::read(&bytes).unwrap();
    assert_eq!(frames(&loaded.scene, &arrays).unwrap(), written);
    assert!(arrays.iter().all(|array| array.shape[0] == 7));
    let without: Vec<Array> = arrays.into_iter().filter(|array| array.name != "arm.force").collect();
    assert!(frames(&loaded.scene, &without).is_none());
}

#[test]
fn a_killed_run_keeps_its_closed_parts_and_goes_on_after_them() {
    let home = Folder::new("killed");
    let target = home.0.join("arm.run");
    let loaded = scene();
    let mut writer = MotionWriter::create(&target, &loaded, RunFacts::default(), Disk::default()).unwrap();
    write(&mut writer, 0..1300).unwrap();
    drop(writer);
    // 1300 frames are two parts of 512 and an open one.
    let stored = read(&target).unwrap();
    assert_eq!((stored.frames.len(), stored.status.as_str()), (1024, "running"));
    assert_eq!(stored.frames[1023], frame(1023));

    let resumption = resume(&target, &[]).unwrap();
    assert_eq!(resumption.record.count, 1024);
    let time = resumption.snapshot.lists.iter().find(|(name, _)| name == "motion.time").unwrap();
    assert_eq!(time.1, [1023.0]);
    let Resumption { loaded, written, mut record, .. } = resumption;
    let facts = RunFacts::default();
    let mut writer = MotionWriter::reopen(
        &target,
        &loaded,
        facts,
        Disk::default(),
        written,
        (record.reached(), MotionEffort::default()),
    )
    .unwrap();
    write(&mut writer, 1024..1400).unwrap();
    (1024..1400).for_each(|index| record.push(&frame(index)));
    let motion = MotionAnswer { start: None, record, end: MotionEnd::Finished };
    let summary = summary(&loaded, &motion);
    let files = writer.finish(&summary, &snapshot(1399)).unwrap();
    assert!(files.iter().all(|name| target.join(name).exists()));
    let stored = read(&target).unwrap();
    let expected: Vec<MotionFrame> = (0..1400).map(frame).collect();
    assert_eq!(stored.frames, expected);
    assert_eq!(stored.status, "finished");
}

#[test]
fn a_damaged_checkpoint_leaves_the_one_before() {
    let home = Folder::new("damaged");
    let target = home.0.join("arm.run");
    let loaded = scene();
    let mut writer = MotionWriter::create(&target, &loaded, RunFacts::default(), Disk::default()).unwrap();
    write(&mut writer, 0..1024).unwrap();
    let latest = target.join(checkpoint_name(1));
    let bytes = std::fs::read(&latest).unwrap();
    std::fs::write(&latest, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(resume(&target, &[]).unwrap().record.count, 512);
    std::fs::remove_file(target.join(checkpoint_name(0))).unwrap();
    let refused = resume(&target, &[]).unwrap_err();
    assert_eq!(refused[0].fault.code(), "E0612");
    // A part that is damaged takes its checkpoint with it.
    std::fs::write(&latest, &bytes).unwrap();
    std::fs::write(target.join(part_name(1)), b"PK").unwrap();
    assert_eq!(resume(&target, &[]).unwrap_err()[0].fault.code(), "E0612");
}

#[test]
fn only_the_duration_may_change_on_the_way() {
    let home = Folder::new("changed");
    let target = home.0.join("arm.run");
    let loaded = scene();
    let mut writer = MotionWriter::create(&target, &loaded, RunFacts::default(), Disk::default()).unwrap();
    write(&mut writer, 0..512).unwrap();
    assert!(resume(&target, &["job.duration=\"30 s\"".into()]).is_ok());
    for other in ["rod.arm.length=\"2 m\"", "job.output_rate=\"50 Hz\"", "job.duration=\"1 s\""] {
        assert_eq!(resume(&target, &[other.into()]).unwrap_err()[0].fault.code(), "E0612", "{other}");
    }
}

#[test]
fn wherever_the_disk_fills_up_what_was_closed_stays_readable() {
    let home = Folder::new("full");
    let loaded = scene();
    let mut closed = Vec::new();
    for budget in (0..12).map(|i| i * 300_000 + 7) {
        let target = home.0.join("arm.run");
        let facts = RunFacts::default();
        let mut writer = MotionWriter::create(&target, &loaded, facts, Disk::with_budget(budget)).unwrap();
        let refused = write(&mut writer, 0..1024).and_then(|()| writer.checkpoint(&snapshot(1023)));
        drop(writer);
        if let Err(fault) = &refused {
            assert_eq!(fault.code(), "E0603", "{fault:?}");
        }
        // Without a single state there is nothing to read.
        let frames = match read(&target) {
            Ok(stored) => stored.frames,
            Err(refused) => {
                assert_eq!(refused[0].fault.code(), "E0606");
                Vec::new()
            }
        };
        assert_eq!(frames.len() % 512, 0, "whole parts only");
        assert!(frames.iter().enumerate().all(|(i, found)| *found == frame(i)));
        closed.push(frames.len());
        let partial = std::fs::read_dir(&target).unwrap().any(|f| f.unwrap().path().ends_with(".partial"));
        assert!(!partial);
    }
    assert_eq!((closed[0], *closed.last().unwrap()), (0, 1024));
    assert!(closed.windows(2).all(|pair| pair[0] <= pair[1]), "{closed:?}");
}

#[test]
fn the_report_tells_why_it_stopped_and_has_no_nan() {
    let loaded = scene();
    let mut record = MotionRecord::default();
    (0..5000).map(frame).for_each(|frame| record.push(&frame));
    assert_eq!(record.count, 5000);
    assert!(record.frames.len() < 3000);
    let gaps: Vec<f64> = record.frames.windows(2).map(|w| w[1].time - w[0].time).collect();
    assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() < 1e-9), "evenly thinned");
    let mut odd = frame(5000);
    odd.rods[0].poses[3].position.x = f64::NAN;
    odd.energy.kinetic = f64::INFINITY;
    record.frames.push(odd);
    let stop =
        MotionStop { time: 50.0, step: 1e-9, place: "rod.arm at 0.3 m".into(), reason: "it <did> not settle".into() };
    let motion = MotionAnswer { start: None, record, end: MotionEnd::Stopped(stop) };
    let summary = summary(&loaded, &motion);
    let page = crate::report::motion::html(&summary, &loaded.to_toml());
    assert!(page.contains("rod.arm at 0.3 m") && page.contains("it &lt;did&gt; not settle"));
    for picture in crate::report::motion::pictures(&loaded.scene, &motion.record) {
        let svg = picture.svg.standalone();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", picture.name);
        let opened = svg.matches("<g ").count() + svg.matches("<g>").count();
        assert_eq!(opened, svg.matches("</g>").count());
    }
    assert_eq!(summary.to_json()["stop"]["place"], "rod.arm at 0.3 m");
    let nothing = MotionRecord::default();
    assert!(crate::report::motion::pictures(&loaded.scene, &nothing).len() > 2, "an empty motion has pictures too");
}

#[test]
fn events_are_written_with_their_frames_and_come_back_with_them() {
    let home = Folder::new("events");
    let target = home.0.join("arm.run");
    let loaded = scene();
    let mut writer = MotionWriter::create(&target, &loaded, RunFacts::default(), Disk::default()).unwrap();
    let event = |time| MotionEvent { time, kind: MotionEventKind::Limit, part: "joint.hinge".into(), value: 1.0 / 3.0 };
    writer.motion_event(&event(2.5));
    write(&mut writer, 0..512).unwrap();
    // Of a time after the last frame: a motion that is resumed computes it again.
    writer.motion_event(&event(5.2));
    writer.event(&serde_json::json!({ "event": "halved", "time": 1.0, "steps": 2 }));
    writer.checkpoint(&snapshot(511)).unwrap();
    assert_eq!(resume(&target, &[]).unwrap().record.events, [event(2.5)]);
}

#[test]
fn a_broken_balance_is_said_everywhere_and_a_loss_is_a_warning() {
    let loaded = scene();
    let mut record = MotionRecord::of(&loaded.scene);
    for (index, kinetic) in [0.0, 1.0, 7.5].into_iter().enumerate() {
        let energy = MotionEnergy { kinetic, ..MotionEnergy::default() };
        record.push(&MotionFrame { time: index as f64, energy, ..frame(index) });
    }
    record.push_event(MotionEvent { time: 0.5, kind: MotionEventKind::Limit, part: "joint.h<".into(), value: 2.0 });
    let end = MotionEnd::BalanceBroken { time: 2.0, missing: 7.5, allowed: 0.15 };
    let motion = MotionAnswer { start: None, record, end };
    let broken = summary(&loaded, &motion);
    let complaint = broken.complaint().unwrap();
    assert_eq!((broken.status(), complaint.fault.code()), ("balance_broken", "E0524"));
    assert!(broken.warnings().is_empty());
    let json = broken.to_json();
    assert_eq!((json["broken_balance"]["missing"].as_f64(), json["energy_rise"].as_f64()), (Some(7.5), Some(1.0)));
    assert_eq!(json["events"][0]["event"], "limit");
    let page = crate::report::motion::html(&broken, "");
    assert!(page.contains("balance broken") && page.contains("E0524") && page.contains("joint.h&lt;"));

    let through =
        MotionEvent { time: 0.5, kind: MotionEventKind::Through, part: "rod.arm obstacle.bar".into(), value: 1e-3 };
    let mut record = MotionRecord::of(&loaded.scene);
    record.push(&frame(0));
    record.push_event(through.clone());
    assert_eq!(record.ran_through.as_ref(), Some(&through));
    let motion = MotionAnswer { start: None, record, end: MotionEnd::RanThrough(through) };
    let passed = summary(&loaded, &motion);
    assert_eq!((passed.status(), passed.complaint().unwrap().fault.code()), ("ran_through", "E0527"));
    let json = passed.to_json();
    assert_eq!(
        (json["ran_through"]["time"].as_f64(), json["events"][0]["event"].as_str()),
        (Some(0.5), Some("through"))
    );
    let page = crate::report::motion::html(&passed, "");
    assert!(page.contains("E0527") && page.contains("rod.arm and obstacle.bar ran through each other"));

    let mut record = MotionRecord::of(&loaded.scene);
    for (index, kinetic) in [1.0, 0.9].into_iter().enumerate() {
        let energy = MotionEnergy { kinetic, ..MotionEnergy::default() };
        record.push(&MotionFrame { energy, ..frame(index) });
    }
    record.judge(0.5, &[0.1]);
    let motion = MotionAnswer { start: None, record, end: MotionEnd::Finished };
    let lossy = summary(&loaded, &motion);
    assert!(lossy.complaint().is_none());
    assert_eq!(lossy.warnings()[0].fault.code(), "W0503");
    assert!((lossy.to_json()["scheme_loss"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    let page = crate::report::motion::html(&lossy, "");
    assert!(page.contains("W0503") && page.contains("W0507") && page.contains("or rad at 500 ms"));
}

/// Frames with a checkpoint after some of them, and the end.
fn write_with_checkpoints(writer: &mut MotionWriter<'_>, range: std::ops::Range<usize>, at: &[usize]) {
    for index in range {
        // What happens before a frame is told before it.
        if index.is_multiple_of(100) {
            writer.event(&serde_json::json!({ "event": "halved", "time": frame(index).time, "steps": 1 }));
        }
        if writer.push(&frame(index)) || at.contains(&index) {
            writer.checkpoint(&snapshot(index)).unwrap();
        }
    }
}

fn finish(writer: MotionWriter<'_>, loaded: &LoadedScene, mut record: MotionRecord, range: std::ops::Range<usize>) {
    let last = range.end - 1;
    range.for_each(|index| record.push(&frame(index)));
    let motion = MotionAnswer { start: None, record, end: MotionEnd::Finished };
    writer.finish(&summary(loaded, &motion), &snapshot(last)).unwrap();
}

#[test]
fn wherever_it_is_cut_a_motion_leaves_the_same_files() {
    let home = Folder::new("cuts");
    let loaded = scene();
    let (whole, cut) = (home.0.join("whole.run"), home.0.join("cut.run"));
    let mut writer = MotionWriter::create(&whole, &loaded, RunFacts::default(), Disk::default()).unwrap();
    write_with_checkpoints(&mut writer, 0..700, &[0]);
    finish(writer, &loaded, MotionRecord::of(&loaded.scene), 0..700);
    // Checkpoints after these frames, and a kill some frames later.
    for (checkpoints, killed) in
        [(&[0][..], 5), (&[0, 3, 99], 130), (&[0, 511], 512), (&[0, 510], 513), (&[0, 600, 650], 699)]
    {
        let mut writer = MotionWriter::create(&cut, &loaded, RunFacts::default(), Disk::default()).unwrap();
        write_with_checkpoints(&mut writer, 0..killed, checkpoints);
        drop(writer);
        let resumption = resume(&cut, &[]).unwrap();
        let from = resumption.record.count;
        assert!(from <= killed && from > *checkpoints.iter().filter(|at| **at < killed).max().unwrap(), "{from}");
        let Resumption { loaded, written, record, .. } = resumption;
        let (facts, time) = (RunFacts::default(), record.reached());
        let mut writer =
            MotionWriter::reopen(&cut, &loaded, facts, Disk::default(), written, (time, MotionEffort::default()))
                .unwrap();
        write_with_checkpoints(&mut writer, from..700, &[]);
        finish(writer, &loaded, record, from..700);
        let mut names: Vec<_> = std::fs::read_dir(&whole).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        let mut found: Vec<_> = std::fs::read_dir(&cut).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        found.sort();
        assert_eq!(names, found);
        for name in names.iter().filter(|name| *name != "manifest.json") {
            let [a, b] = [&whole, &cut].map(|folder| std::fs::read(folder.join(name)).unwrap());
            assert!(a == b, "{name:?} after a kill at frame {killed}");
        }
        // Nothing in it is foreign: it may be replaced.
        crate::run_folder::check_target(&cut).unwrap();
    }
}

#[test]
fn at_every_moment_all_files_are_lissomes_own() {
    let home = Folder::new("own");
    let loaded = scene();
    let target = home.0.join("arm.run");
    let mut writer = MotionWriter::create(&target, &loaded, RunFacts::default(), Disk::default()).unwrap();
    for index in 0..1100 {
        if writer.push(&frame(index)) || index % 90 == 0 {
            writer.checkpoint(&snapshot(index)).unwrap();
            crate::run_folder::check_target(&target).unwrap();
        }
    }
    let mut scene = std::fs::read_to_string(target.join("scene.toml")).unwrap();
    scene = scene.replace("[world]", "[world] # mine");
    scene.push('\n');
    std::fs::write(target.join("scene.toml"), scene).unwrap();
    assert_eq!(crate::run_folder::check_target(&target).unwrap_err().code(), "E0610");
    assert_eq!(resume(&target, &[]).unwrap_err()[0].fault.code(), "E0612", "a scene that was changed");
}

#[test]
fn parts_that_are_gone_or_of_another_run_are_refused() {
    let home = Folder::new("gone");
    let loaded = scene();
    let target = home.0.join("arm.run");
    let mut writer = MotionWriter::create(&target, &loaded, RunFacts::default(), Disk::default()).unwrap();
    write_with_checkpoints(&mut writer, 0..600, &[0]);
    finish(writer, &loaded, MotionRecord::of(&loaded.scene), 0..600);
    let [first, second] = [0, 1].map(|part| target.join(part_name(part)));
    let kept = std::fs::read(&second).unwrap();
    std::fs::remove_file(&second).unwrap();
    assert_eq!(read(&target).unwrap_err()[0].fault.code(), "E0606", "the last part is gone");
    std::fs::write(&second, std::fs::read(&first).unwrap()).unwrap();
    assert_eq!(read(&target).unwrap_err()[0].fault.code(), "E0606", "a part of elsewhere");
    std::fs::write(&second, kept).unwrap();
    assert_eq!(read(&target).unwrap().frames.len(), 600);
    std::fs::remove_file(&first).unwrap();
    assert_eq!(read(&target).unwrap_err()[0].fault.code(), "E0606", "the first part is gone");
}

#[test]
fn another_version_does_not_go_on() {
    let home = Folder::new("version");
    let loaded = scene();
    let target = home.0.join("arm.run");
    let mut writer = MotionWriter::create(&target, &loaded, RunFacts::default(), Disk::default()).unwrap();
    write_with_checkpoints(&mut writer, 0..20, &[10]);
    drop(writer);
    let manifest = std::fs::read_to_string(target.join("manifest.json")).unwrap();
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    std::fs::write(target.join("manifest.json"), manifest.replace(&version, "\"version\": \"0.0.9\"")).unwrap();
    assert_eq!(resume(&target, &[]).unwrap_err()[0].fault.code(), "E0612");
}
