//! Large scenes are read and checked in time and memory that grow with them, and no faster.

#![allow(clippy::unwrap_used)]

use lissome::io::scene;
use lissome::io::size::Size;
use std::time::{Duration, Instant};

const MATERIAL: &str = "schema = 1\n[material.m]\nyoung = \"1 MPa\"\npoisson = 0.45\n";

fn rods(count: usize) -> String {
    let rod = |i: usize| {
        format!(
            "[rod.r{i}]\nmaterial = \"m\"\nlength = 0.2\nsection = {{ shape = \"circle\", radius = 0.005 }}\n\
             base = {{ position = [0, {i}, 0] }}\nmodel = {{ spline = {{ degree = 3, spans = 2 }} }}\n"
        )
    };
    (0..count).map(rod).fold(MATERIAL.to_owned(), |text, rod| text + &rod)
}

/// Each hangs on the one before.
fn tree(count: usize) -> String {
    let body = |i: usize| match i {
        0 => "[body.b0]\nmass = 1.0\nmount = \"r0\"\n".to_owned(),
        _ => format!("[body.b{i}]\nmass = 1.0\nmount = {{ fixed_to = \"b{}\", position = [0, 0, 0.1] }}\n", i - 1),
    };
    (0..count).map(body).fold(rods(1), |text, body| text + &body)
}

fn like_the_first(count: usize) -> String {
    (1..count).fold(rods(1), |text, i| text + &format!("[rod.r{i}]\nlike = \"r0\"\n"))
}

fn loads(count: usize) -> String {
    let load = |i: usize| {
        let at = 0.2 * i as f64 / count as f64;
        format!("[load.l{i}]\nrod = \"r0\"\nat = {at}\nforce = [0, 1e-9, 0]\n")
    };
    (0..count).map(load).fold(rods(1), |text, load| text + &load)
}

fn springs(count: usize) -> String {
    let spring = |i: usize| {
        format!(
            "[spring.s{i}]\na = {{ fixed_to = \"r{i}\", at = 0.1 }}\nb = {{ position = [0, 0, 1] }}\nstiffness = 1.0\n"
        )
    };
    (0..count).map(spring).fold(rods(count), |text, spring| text + &spring)
}

/// Makes a scene with so many of something.
type Make = fn(usize) -> String;

/// The shortest of a few times to read and check a scene and to tell its size.
fn time(text: &str) -> Duration {
    let once = || {
        let begun = Instant::now();
        let loaded = scene::parse("large.toml", text.to_owned(), &[]).unwrap();
        loaded.scene.validate().unwrap();
        assert_eq!(Size::of_all(&loaded.scene).len(), loaded.scene.rods.len());
        begun.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap()
}

#[test]
fn eight_times_as_much_takes_about_eight_times_as_long() {
    let kinds: [(&str, Make); 5] =
        [("rods", rods), ("tree", tree), ("like", like_the_first), ("loads", loads), ("springs", springs)];
    for (name, make) in kinds {
        let [small, large] = [500, 4000].map(|count| time(&make(count)));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        // Linear is 8, quadratic 64; between them lies what a busy machine adds.
        assert!(ratio < 28.0, "{name}: {small:?}, then {large:?}");
    }
}

/// Largest memory of `lissome check` of a text, kB, as its process tells it until it ends.
#[cfg(target_os = "linux")]
fn memory_of_check(name: &str, text: &str) -> u64 {
    use std::process::{Command, Stdio};
    let file = std::env::temp_dir().join(format!("lissome-sizes-{}-{name}.toml", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lissome"))
        .arg("check")
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        most = peak.and_then(|kilobytes| kilobytes.parse().ok()).unwrap_or(0).max(most);
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = std::fs::remove_file(&file);
    most
}

/// The bar of a scene of 15 MB, kB; one of 20,000 rods has 3.4 MB.
#[cfg(target_os = "linux")]
#[test]
fn large_scenes_are_checked_within_a_hundred_megabytes() {
    let blank = |line: &str| rods(1) + &line.repeat(14_900_000 / line.len());
    let texts = [
        ("100 rods", rods(100)),
        ("20000 rods", rods(20_000)),
        ("empty lines", blank("\n")),
        ("blanks", blank(" \n")),
        ("comments", blank("#\n")),
    ];
    for (name, text) in texts {
        let (begun, most) = (Instant::now(), memory_of_check(&name.replace(' ', "-"), &text));
        println!("{name}: {:.1} MB of text, {} MB, {:.2?}", text.len() as f64 / 1e6, most / 1000, begun.elapsed());
        assert!(most > 0 && most < 100_000, "{name}: {most} kB");
    }
}

#[test]
fn what_nobody_can_pay_for_is_refused_with_its_price() {
    let text = rods(1).replace("spans = 2", "spans = 200000");
    let told = scene::parse("x", text, &[]).unwrap_err();
    assert_eq!(told[0].fault.code(), "E0413");
    assert!(told[0].to_string().contains("3.8 GB"), "{}", told[0]);
    let many = rods(20).replace("spans = 2", "spans = 19000");
    let told = scene::parse("x", many, &[]).unwrap_err();
    assert_eq!(told[0].fault.code(), "E0413");
    let chain = (1..100).fold(rods(1), |text, i| text + &format!("[rod.r{i}]\nlike = \"r{}\"\n", i - 1));
    let told = scene::parse("x", chain, &[]).unwrap_err();
    assert_eq!(told.iter().filter(|d| d.fault.code() == "E0218").count(), 1, "told once");
}
