//! Stopped at any moment: signals end every verb soon and leave whole results, and a motion that is killed goes on to the
//! same bytes as one that was left alone.
//!
//! One moment of each verb and signal is a test; `cargo xtask signals 20` tries twenty, and tells how long each verb took. Seven
//! kills are a test; `cargo xtask kills 60` tries sixty.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value as Json;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A program that was told to stop has this long, however busy the machine is: the promise is 0.2 s on a quiet one.
const SOON: Duration = Duration::from_secs(10);
/// A signal that was not heard is sent again after this.
const AGAIN: Duration = Duration::from_secs(3);
/// What is promised on a quiet machine; it is told how often it was later, which the load of the machine decides too.
const PROMISED: Duration = Duration::from_millis(200);
/// No signal is sent later than this after the start.
const LONGEST_MOMENT: Duration = Duration::from_millis(600);
/// Half of them stop within this.
const MEDIAN: Duration = Duration::from_secs(1);

/// A motion whose frames take long enough to be killed between two of them.
const SWING: &str = include_str!("../../../examples/scenes/swing.toml");
/// A rod whose shape follows from the poses of its ends.
const STRIP: &str = include_str!("../../../examples/scenes/two-grippers.toml");
const ROD: &str = include_str!("../../../examples/scenes/rod.toml");

/// An arm that finds its tensions.
const DRAWING: &str = include_str!("../../../examples/scenes/drawing-arm.toml");
const BEST: &str = "job={ kind = \"optimise\", maximise = \"arm.tip.position.z\" }";
const READINGS: &str = "world.gravity.2,r0.tip.position.z (mm)\n-9.81,-10\n-5,-6\n";
const MARKERS: &str = "r0.tip.position.z (mm)\n-10\n";

impl Folder {
    fn new(name: &str) -> Self {
        let (many, tied) = (many_rods(400), tied_rods(1500));
        Self::with(
            &format!("stops-{name}"),
            &[
                ("swing.toml", SWING),
                ("rod.toml", ROD),
                ("strip.toml", STRIP),
                ("many.toml", many.as_str()),
                ("tied.toml", tied.as_str()),
                ("drawing.toml", DRAWING),
                ("readings.csv", READINGS),
                ("markers.csv", MARKERS),
            ],
        )
    }

    /// How long a verb takes when nobody disturbs it, or the longest that is waited before it is: moments lie within.
    fn time_of(&self, verb: &[&str]) -> Duration {
        let begun = Instant::now();
        let mut child = self.command(verb).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && begun.elapsed() < LONGEST_MOMENT {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        let _ = child.wait();
        self.tidy();
        begun.elapsed()
    }

    /// Without what verbs made.
    fn tidy(&self) {
        for made in fs::read_dir(&self.0).unwrap().flatten().map(|entry| entry.path()) {
            let name = made.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("x.") || name.starts_with(".x.") || name.contains("partial") {
                let _ = fs::remove_dir_all(&made);
                let _ = fs::remove_file(&made);
            }
        }
    }

    fn manifest(&self, run: &str) -> Option<Json> {
        let text = fs::read_to_string(self.0.join(run).join("manifest.json")).ok()?;
        Some(serde_json::from_str(&text).expect("a manifest is there whole or not at all"))
    }
}

/// A scene whose one factorisation takes a while: rods side by side, tied to each other in the middle.
fn many_rods(count: usize) -> String {
    let mut text = String::from("schema = 1\n[material.m]\nyoung = \"1 MPa\"\npoisson = 0.45\ndensity = 1000.0\n");
    text.push_str("[world]\ngravity = [0, 0, -9.81]\n");
    for i in 0..count {
        text.push_str(&format!(
            "[rod.r{i}]\nmaterial = \"m\"\nlength = 0.2\nsection = {{ shape = \"circle\", radius = 0.005 }}\n\
             base = {{ position = [0, {}, 0] }}\nmodel = {{ spline = {{ degree = 3, spans = 8 }} }}\n",
            0.02 * i as f64
        ));
        if i > 0 {
            text.push_str(&format!(
                "[spring.s{i}]\na = {{ fixed_to = \"r{}\", at = 0.1 }}\nb = {{ fixed_to = \"r{i}\", at = 0.1 }}\n\
                 stiffness = 5.0\n",
                i - 1
            ));
        }
    }
    text
}

/// A scene whose one factorisation takes seconds: every rod is tied to some that are far from it in the matrix.
fn tied_rods(count: usize) -> String {
    let mut text = many_rods(count);
    for i in 0..count {
        text.push_str(&format!(
            "[spring.far{i}]\na = {{ fixed_to = \"r{i}\", at = 0.15 }}\nb = {{ fixed_to = \"r{}\", at = 0.15 }}\nstiffness = 0.1\n",
            (i * 617 + 331) % count
        ));
    }
    text
}

/// Numbers that look random and are the same each time.
struct Moments(u64);

impl Moments {
    fn below(&mut self, most: u64) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_micros((self.0 >> 33) % most.max(1))
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    // It may have ended by itself just now; then there is nobody to be told.
    let _ = sent;
}

/// Waits for the end of a child, and how long that took; kills one that does not end. What it says is read meanwhile, and the
/// signal is sent again after a while: where whoever started these tests ignores it, so does a child that has not begun to watch.
fn wait(mut child: Child, name: Option<&str>) -> (Output, Duration) {
    let asked = Instant::now();
    let mut again = AGAIN;
    let [stdout, stderr] = [read_all(child.stdout.take()), read_all(child.stderr.take())];
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if asked.elapsed() > SOON {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("did not end within {SOON:?}: {}", String::from_utf8_lossy(&stderr.join().unwrap()));
        }
        if let Some(name) = name.filter(|_| asked.elapsed() > again) {
            signal(&child, name);
            again += AGAIN;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let time = asked.elapsed();
    (Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }, time)
}

/// Reads a pipe to its end, in a thread of its own.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut all).unwrap();
        }
        all
    })
}

const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

#[test]
fn every_verb_ends_soon_with_the_number_of_the_signal() {
    let here = Folder::new("verbs");
    here.lissome(&["run", "swing.toml", "job.duration=\"0.1 s\"", "--out", "done.run", "--quiet"], 0);
    let verbs: [&[&str]; 20] = [
        &["run", "swing.toml", "job.duration=\"1000 s\"", "--out", "x.run"],
        &["run", "many.toml", "--out", "x.run"],
        &["run", "tied.toml", "--out", "x.run"],
        &["run", "many.toml", "--out", "x.run", "--limit", "100"],
        &["run", "rod.toml", "--out", "x.run"],
        &["run", "strip.toml", "job.all=true", "--out", "x.run"],
        &["shape", "strip.toml", "--out", "x.run"],
        &["demo", "--out", "x.run"],
        &["sweep", "rod.toml", "rod.arm.length=200..300 mm:20000", "--out", "x.sweep"],
        &["fit", "many.toml", "readings.csv", "--free", "material.m.young", "--out", "x.fit"],
        &["observe", "many.toml", "markers.csv", "--noise", "1 mm", "--out", "x.observe"],
        &["run", "drawing.toml", "--out", "x.run"],
        &["run", "rod.toml", "--out", "x.run", BEST, "free={ \"rod.arm.length\" = { min = 0.5, max = 1.5 } }"],
        &["check", "many.toml"],
        &["validate", "paper0"],
        &["bench"],
        &["export", "done.run", "--out", "x.export", "--force"],
        &["new", "rod", "x.toml"],
        &["schema"],
        &["doctor"],
    ];
    let moments_each = std::env::var("LISSOME_SIGNAL_MOMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (mut moments, mut times) = (Moments(7), Vec::new());
    for verb in verbs {
        let (mut of_verb, mut at_work) = (Vec::new(), 0);
        let span = here.time_of(verb);
        for (name, exit) in SIGNALS.into_iter().flat_map(|signal| std::iter::repeat_n(signal, moments_each)) {
            let child = here.command(verb).spawn().unwrap();
            std::thread::sleep(moments.below(span.as_micros() as u64));
            signal(&child, name);
            let (output, time) = wait(child, Some(name));
            of_verb.push(time);
            let said = String::from_utf8_lossy(&output.stderr);
            let by_default = output.status.signal().is_some();
            let code = output.status.code();
            at_work += usize::from(code == Some(exit));
            assert!(by_default || code == Some(exit) || code == Some(0), "{verb:?} {name}: {code:?}\n{said}");
            assert!(!said.contains("bug"), "{verb:?} {name}: {said}");
            // What is left is a whole run, which tells how it ended, or nothing.
            if let Some(manifest) = here.manifest("x.run") {
                let status = manifest["status"].as_str().unwrap();
                let expected: &[&str] = if code == Some(exit) { &["interrupted"] } else { &["finished", "converged"] };
                assert!(by_default || expected.contains(&status), "{verb:?} {name}: {status}");
            }
            let left: Vec<String> = (fs::read_dir(&here.0).unwrap())
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name.contains("partial"))
                .collect();
            assert!(by_default || left.is_empty(), "{verb:?} {name}: {left:?}");
            here.tidy();
        }
        of_verb.sort();
        let late = of_verb.iter().filter(|time| **time > PROMISED).count();
        println!(
            "{:<60} {} signals, {at_work} at work; median {:>4} ms, largest {:>4} ms, {late} above {PROMISED:?}",
            verb.join(" "),
            of_verb.len(),
            of_verb[of_verb.len() / 2].as_millis(),
            of_verb[of_verb.len() - 1].as_millis()
        );
        times.extend(of_verb);
    }
    times.sort();
    assert!(times[times.len() / 2] < MEDIAN, "{times:?}");
}

#[test]
fn a_limit_ends_work_that_cannot_be_cut_short() {
    let here = Folder::new("limit");
    let begun = Instant::now();
    let child = here.command(&["run", "many.toml", "--limit", "0.05", "--json"]).spawn().unwrap();
    let (output, _) = wait(child, None);
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(begun.elapsed() < SOON);
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["status"], "limit");
}

/// All files of a folder but the manifest, which tells times and resumptions.
fn contents(run: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = (fs::read_dir(run).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("manifest.json"))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn killed_at_any_moment_a_motion_goes_on_to_the_same_bytes() {
    let here = Folder::new("kills");
    let kills = std::env::var("LISSOME_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(7);
    let motions: [(&str, &[&str], u64, usize); 2] = [
        ("short", &["job.duration=\"0.2 s\"", "job.output_rate=\"50 Hz\""], 300_000, kills - kills / 2),
        ("long", &["job.duration=\"6 s\"", "job.output_rate=\"200 Hz\""], 2_500_000, kills / 2),
    ];
    let mut moments = Moments(11);
    for (name, changes, most, kills) in motions {
        let whole = format!("{name}.run");
        here.lissome(&[&["run", "swing.toml", "--quiet", "--out", &whole], changes].concat(), 0);
        let undisturbed = contents(&here.0.join(&whole));
        for kill in 0..kills {
            let out = format!("{name}-{kill}.run");
            let mut child =
                here.command(&[&["run", "swing.toml", "--quiet", "--out", &out], changes].concat()).spawn().unwrap();
            // There is something to go on with from the first state on.
            let begun = here.0.join(&out).join("checkpoint-0.npz");
            while !begun.exists() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            // A second kill strikes the resumption.
            for resume in [false, true] {
                std::thread::sleep(moments.below(most));
                let _ = child.kill();
                let _ = child.wait();
                if !resume {
                    child = here.command(&["run", "--resume", &out, "--quiet"]).spawn().unwrap();
                }
            }
            here.lissome(&["export", &out, "--to", "csv", "--out", "now.export", "--force"], 0);
            here.lissome(&["run", "--resume", &out, "--quiet"], 0);
            let found = contents(&here.0.join(&out));
            let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            assert_eq!(names(&found), names(&undisturbed), "{out}");
            for ((name, a), (_, b)) in found.iter().zip(&undisturbed) {
                assert!(a == b, "{out}: {name} differs");
            }
        }
    }
}
