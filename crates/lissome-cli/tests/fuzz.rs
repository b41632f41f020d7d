//! Fuzzing as a habit: shipped scenes whose numbers, words and tables are changed at random but in keeping with their
//! structure, and run folders whose files are damaged. Whatever comes out, nothing panics, nothing takes longer or more
//! memory than it may, and nothing that succeeds holds a number that is not finite.
//!
//! A short seeded run is a test; `cargo xtask fuzz SCENES FOLDERS SEED` makes it as long as one likes.

#![allow(clippy::unwrap_used)]

use lissome::io::run_folder::{self, RunFacts, motion};
use lissome::io::{Ending, Summary, export, scene};
use lissome::model::Job;
use lissome::{Answer, Progress};
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use toml::{Table, Value};

/// Longest work on one input, by the clock of the processor where there is one: it is asked to stop after [`ENOUGH`].
const LONGEST: Duration = Duration::from_secs(5);
/// Time after which the work on one scene is asked to stop.
const ENOUGH: Duration = Duration::from_millis(60);
/// Largest memory of the whole run, kB.
const MOST_MEMORY: u64 = 500_000;

/// Numbers that look random and are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.roll() % count.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn shipped() -> Vec<(String, Table)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
    let mut scenes: Vec<(String, Table)> = (fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap().parse().unwrap())
        })
        .collect();
    scenes.sort_by(|a, b| a.0.cmp(&b.0));
    scenes
}

/// What a value may become.
const TEXTS: [&str; 22] = [
    "",
    "0 m",
    "1e300 m",
    "-3 mm",
    "5e-324 N",
    "world",
    "arm",
    "tip",
    "base",
    "12 parsecs",
    "nan N",
    "inf",
    "90 deg",
    "1 mpa",
    "statics",
    "dynamics",
    "path",
    "modes",
    "buckling",
    "shape",
    "\u{0}",
    "é∞",
];
const NUMBERS: [f64; 16] =
    [0.0, 1.0, -1.0, 0.5, 1e-3, 1e3, 1e6, -1e6, 1e-9, 1e9, 1e-30, 1e30, 1e300, 5e-324, f64::NAN, f64::INFINITY];
const KEYS: [&str; 14] = [
    "length",
    "at",
    "force",
    "moment",
    "like",
    "tolerance",
    "spans",
    "kind",
    "radius",
    "position",
    "tension",
    "stiffness",
    "velocity",
    "unknown",
];

/// Changes one place of a table.
fn mutate(table: &mut Table, dice: &mut Dice) {
    let keys: Vec<String> = table.keys().cloned().collect();
    if keys.is_empty() {
        table.insert((*dice.of(&KEYS)).into(), Value::Float(1.0));
        return;
    }
    let key = dice.of(&keys).clone();
    match dice.below(20) {
        0 => drop(table.remove(&key)),
        1 => {
            let value = table[&key].clone();
            table.insert((*dice.of(&KEYS)).into(), value);
        }
        2 => {
            let other = table[dice.of(&keys)].clone();
            table.insert(key, other);
        }
        _ => {
            if let Some(value) = table.get_mut(&key) {
                mutate_value(value, dice);
            }
        }
    }
}

fn mutate_value(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Table(inner) if dice.below(10) > 0 => mutate(inner, dice),
        Value::Array(items) if !items.is_empty() && dice.below(10) > 0 => {
            let index = dice.below(items.len());
            match dice.below(8) {
                0 => drop(items.remove(index)),
                1 => items.push(items[index].clone()),
                _ => mutate_value(&mut items[index], dice),
            }
        }
        // A quantity with a unit mostly stays one.
        Value::String(text) if dice.below(4) > 0 => {
            let number = *dice.of(&NUMBERS);
            let unit = text.split_once(' ').map(|(_, unit)| unit.to_owned());
            *text = match unit {
                Some(unit) if dice.below(3) > 0 => {
                    let old: f64 = text.split(' ').next().unwrap_or("").parse().unwrap_or(1.0);
                    format!("{} {unit}", old * 10f64.powi(dice.below(9) as i32 - 4))
                }
                Some(unit) => format!("{number:e} {unit}"),
                None => (*dice.of(&TEXTS)).to_owned(),
            };
        }
        Value::Float(x) if dice.below(2) > 0 => *x *= 10f64.powi(dice.below(9) as i32 - 4),
        Value::Integer(n) if dice.below(2) > 0 => {
            *n = *dice.of(&[0, 1, 2, -1, 3, 7, 100, 1_000_000, i64::MAX]);
        }
        other => {
            *other = match dice.below(6) {
                0 | 1 => Value::Float(*dice.of(&NUMBERS)),
                2 => Value::String((*dice.of(&TEXTS)).into()),
                3 => Value::Integer(dice.below(50) as i64),
                4 => Value::Array(vec![Value::Float(*dice.of(&NUMBERS)); dice.below(4)]),
                _ => Value::Boolean(true),
            }
        }
    }
}

/// Every number of an answer that is written down.
fn is_finite(answer: &Answer) -> bool {
    let equilibrium = answer.equilibrium().is_none_or(|found| {
        found.rods.iter().flat_map(|rod| &rod.samples).all(|at| at.pose.is_finite() && at.stress.is_finite())
            && found.bodies.iter().all(|body| body.pose.is_finite())
    });
    let motion = match answer {
        Answer::Dynamics(motion) => motion.record.frames.iter().all(|frame| {
            let rods = frame.rods.iter().flat_map(|rod| &rod.poses).chain(&frame.bodies).all(|pose| pose.is_finite());
            rods && frame.joints.iter().flatten().all(|value| value.is_finite())
        }),
        _ => true,
    };
    equilibrium && motion
}

/// Reads a scene and, where it is accepted, does a little of its job. What is wrong with that, if anything is.
fn try_scene(text: &str) -> Result<bool, String> {
    let loaded = match scene::parse("fuzzed.toml", text.to_owned(), &[]) {
        Ok(loaded) => loaded,
        Err(told) => {
            return match told.iter().find(|d| d.to_string().len() > 2000 || d.fault.text().help.is_empty()) {
                Some(bad) => Err(format!("a message that is too long or without remedy: {bad}")),
                None => Ok(false),
            };
        }
    };
    let again = scene::parse("again.toml", loaded.to_toml(), &[]).map(|again| again.scene);
    if again.ok().as_ref() != Some(&loaded.scene) {
        return Err("written down it is another scene".into());
    }
    // Many spans need more memory than a short test should take.
    let spans: usize = lissome::io::size::Size::of_all(&loaded.scene).iter().filter_map(|size| size.spans).sum();
    if spans > 500 {
        return Ok(true);
    }
    // Some jobs cannot be watched from within: the program itself leaves them when their time is up.
    if !matches!(loaded.scene.job, Job::Statics(_) | Job::Path(_) | Job::Dynamics(_)) {
        return run_by_program(text);
    }
    let begun = Instant::now();
    let mut watch = |_: &Progress<'_>| match begun.elapsed() < ENOUGH {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let Ok(answer) = lissome::run(&loaded.scene, &mut watch) else { return Ok(true) };
    if answer.succeeded() && !is_finite(&answer) {
        return Err("a success with a number that is not finite".into());
    }
    if let Some(summary) = Summary::of(&loaded.scene, &answer, Ending::Finished) {
        let told = summary.complaint().into_iter().chain(summary.warnings());
        if let Some(long) = told.map(|d| d.to_string()).find(|text| text.len() > 2000) {
            return Err(format!("a long message: {long}"));
        }
    }
    Ok(true)
}

/// Does the job of a scene as a user does, with little time.
fn run_by_program(text: &str) -> Result<bool, String> {
    let home = Folder(std::env::temp_dir().join(format!("lissome-fuzz-scene-{}", std::process::id())));
    let _ = fs::remove_dir_all(&home.0);
    fs::create_dir_all(&home.0).unwrap();
    fs::write(home.0.join("fuzzed.toml"), text).unwrap();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_lissome"))
        .args(["run", "fuzzed.toml", "--quiet", "--limit", "0.3"])
        .current_dir(&home.0)
        .output()
        .unwrap();
    match done.status.code() {
        Some(0 | 2 | 3 | 4) => Ok(true),
        other => Err(format!("exit code {other:?}: {}", String::from_utf8_lossy(&done.stderr))),
    }
}

/// Runs one input; a panic, and work that takes too long, are failures too.
fn guarded(work: impl FnOnce() -> Result<bool, String>) -> Result<bool, String> {
    let begun = spent();
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(format!("panic: {}", text.or(panic.downcast_ref::<&str>().map(|s| (*s).into())).unwrap_or_default()))
    });
    match spent() - begun {
        time if time > LONGEST => Err(format!("took {time:?}")),
        _ => result,
    }
}

/// Time that this thread has worked: a busy machine does not add to it. Where the system does not say, nothing is known.
fn spent() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Largest memory of this process so far, kB; `None` where the system does not say.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").trim().parse().ok()
}

#[test]
fn fuzzed_scenes_are_answered() {
    let (count, seed) = (setting("LISSOME_FUZZ_SCENES", 250), setting("LISSOME_FUZZ_SEED", 1));
    let scenes = shipped();
    let (mut accepted, mut failures) = (0, Vec::new());
    for index in 0..count {
        let mut dice = Dice((seed as u64) << 32 | index as u64);
        let (name, table) = dice.of(&scenes);
        let mut table = table.clone();
        for _ in 0..=dice.below(3) {
            mutate(&mut table, &mut dice);
        }
        let text = toml::to_string(&table).unwrap();
        match guarded(|| try_scene(&text)) {
            Ok(was_accepted) => accepted += usize::from(was_accepted),
            Err(what) => failures.push(format!("--- {name}, seed {seed}, number {index}: {what}\n{text}")),
        }
        if failures.len() >= 5 {
            break;
        }
    }
    println!("{count} scenes, {accepted} accepted, peak memory {:?} kB", peak_memory());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(accepted * 10 > count, "the mutations are too wild: {accepted} of {count}");
    assert!(peak_memory().is_none_or(|found| found < MOST_MEMORY), "{:?} kB", peak_memory());
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Run folders of an equilibrium and of a motion, as names and contents of their files.
fn whole_runs(home: &Path) -> Vec<Vec<(String, Vec<u8>)>> {
    let scenes = shipped();
    let text = |wanted: &str| toml::to_string(&scenes.iter().find(|(name, _)| name == wanted).unwrap().1).unwrap();
    let still = home.join("still.run");
    let loaded = scene::parse("rod.toml", text("rod"), &[]).unwrap();
    let answer = lissome::run(&loaded.scene, &mut lissome::Unobserved).unwrap();
    let summary = Summary::of(&loaded.scene, &answer, Ending::Finished).unwrap();
    run_folder::write(&still, &loaded, &summary, &RunFacts::default()).unwrap();
    fs::write(home.join("swing.toml"), text("swing")).unwrap();
    let moving = home.join("moving.run");
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_lissome"))
        .args(["run", "swing.toml", "--quiet", "--out", "moving.run", "job.duration=\"0.05 s\""])
        .current_dir(home)
        .status()
        .unwrap();
    assert!(done.success());
    [still, moving]
        .iter()
        .map(|run| {
            let mut files: Vec<(String, Vec<u8>)> = (fs::read_dir(run).unwrap())
                .map(|entry| entry.unwrap().path())
                .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
                .collect();
            files.sort();
            files
        })
        .collect()
}

/// Damages the files of a run.
fn damage(files: &mut Vec<(String, Vec<u8>)>, dice: &mut Dice) {
    let index = dice.below(files.len());
    let other = dice.below(files.len());
    match dice.below(8) {
        0 => drop(files.remove(index)),
        1 => {
            let length = dice.below(files[index].1.len() + 1);
            files[index].1.truncate(length);
        }
        2 => files[index].1 = files[other].1.clone(),
        3 => {
            let name = files[index].0.clone();
            files[index].0 = files[other].0.clone();
            files[other].0 = name;
        }
        4 => {
            // A number of a text becomes another.
            let text = String::from_utf8_lossy(&files[index].1).into_owned();
            let digit = *dice.of(&["0", "1", "7", "9"]);
            let by = *dice.of(&["nan", "1e999", "-1", "\"\"", "99999999999999999999", "{", ","]);
            files[index].1 = text.replacen(digit, by, 1 + dice.below(3)).into_bytes();
        }
        _ => {
            let bytes = &mut files[index].1;
            for _ in 0..=dice.below(4) {
                if !bytes.is_empty() {
                    let at = dice.below(bytes.len());
                    bytes[at] = dice.roll() as u8;
                }
            }
        }
    }
}

/// Reads, exports and goes on with a run folder, whatever is in it.
fn try_folder(run: &Path) -> Result<bool, String> {
    let formats = export::parse_formats("csv,npz,svg,glb,vtk").unwrap();
    let mut read = false;
    for format in formats {
        if let Ok(files) = export::contents(run, &[format]) {
            read = true;
            if files.is_empty() {
                return Err(format!("an export of nothing to {format:?}"));
            }
        }
    }
    let _ = motion::resume(run, &[]);
    let _ = run_folder::check_target(run);
    Ok(read)
}

#[test]
fn fuzzed_run_folders_are_answered() {
    let (count, seed) = (setting("LISSOME_FUZZ_FOLDERS", 120), setting("LISSOME_FUZZ_SEED", 1));
    let home = Folder(std::env::temp_dir().join(format!("lissome-fuzz-{}", std::process::id())));
    let _ = fs::remove_dir_all(&home.0);
    fs::create_dir_all(&home.0).unwrap();
    let runs = whole_runs(&home.0);
    let (mut read, mut failures) = (0, Vec::new());
    let run = home.0.join("fuzzed.run");
    for index in 0..count {
        let mut dice = Dice((seed as u64) << 32 | index as u64);
        let mut files = dice.of(&runs).clone();
        for _ in 0..=dice.below(2) {
            damage(&mut files, &mut dice);
        }
        let _ = fs::remove_dir_all(&run);
        fs::create_dir(&run).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(run.join(name), bytes).unwrap());
        match guarded(|| try_folder(&run)) {
            Ok(was_read) => read += usize::from(was_read),
            Err(what) => failures.push(format!("--- seed {seed}, number {index}: {what}")),
        }
        if failures.len() >= 5 {
            break;
        }
    }
    println!("{count} run folders, {read} still readable, peak memory {:?} kB", peak_memory());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(peak_memory().is_none_or(|found| found < MOST_MEMORY), "{:?} kB", peak_memory());
}
