//! The Python package: set up, built with the workspace, tested; and its wheel.
//!
//! ```text
//! python3 ≥ 3.11 ──▶ target/python/venv-HASH (requirements-dev.txt, once)
//! cargo build --workspace ──▶ target/python/package/lissome (sources and the library) ──▶ pytest, pyright
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate, below the workspace.
const CRATE: &str = "crates/lissome-python";
/// Where environments and the package go, below the folder of artefacts.
const PLACE: &str = "python";
/// Profiles of the build: that of the tests, that of wheels, and that of the Rust beside which Python is timed.
const TESTED: &str = "release";
const SHIPPED: &str = "wheel";
const FASTEST: &str = "fastest";
/// The wheel is to be no larger than this, bytes.
const LARGEST_WHEEL: u64 = 5_000_000;

const NO_PYTHON: &str = "there is no Python 3.11 or newer with venv and pip: install one, or name it in LISSOME_PYTHON";

/// Builds the package and runs its tests; the complaint if they fail.
pub fn test(root: &Path) -> Result<(), String> {
    let python = environment(root, "venv", &root.join(CRATE).join("requirements-dev.txt"))?;
    let package = build(root, TESTED)?;
    pytest(root, &python, Some(&package), &[])?;
    pytest(root, &python, Some(&package), &["-O", "tests/test_bad_input.py"])?;
    pyright(root, &python, &package)
}

/// Sweeps on a local Ray cluster; apart from the other tests, since Ray takes 240 MB.
pub fn test_ray(root: &Path) -> Result<(), String> {
    let python = environment(root, "ray", &root.join(CRATE).join("requirements-ray.txt"))?;
    let package = build(root, TESTED)?;
    pytest(root, &python, Some(&package), &["tests_ray"])
}

/// Prints what Python costs beside Rust, how batches gain by cores, how soon Ctrl-C is heard.
pub fn bench(root: &Path) -> Result<(), String> {
    let python = environment(root, "venv", &root.join(CRATE).join("requirements-dev.txt"))?;
    // As it is shipped, beside Rust as fast as it gets.
    let package = build(root, SHIPPED)?;
    run(cargo()
        .args(["build", "--profile", FASTEST, "--package", "lissome", "--example", "timings", "--quiet"])
        .current_dir(root))?;
    let mut figures = Command::new(python);
    figures.arg(root.join(CRATE).join("benches/figures.py")).env("PYTHONPATH", package);
    figures.env("LISSOME_PROGRAM", artefacts(root).join("release/lissome"));
    figures.env("LISSOME_TIMINGS_IN_RUST", artefacts(root).join(FASTEST).join("examples/timings"));
    run(figures.current_dir(root))
}

/// Builds the workspace, and puts the package together with the library of a profile; where it is.
fn build(root: &Path, profile: &str) -> Result<PathBuf, String> {
    run(cargo().args(["build", "--release", "--workspace", "--quiet"]).current_dir(root))?;
    if profile != TESTED {
        let own = ["build", "--profile", profile, "--package", "lissome-python", "--quiet"];
        run(cargo().args(own).current_dir(root))?;
    }
    let built = artefacts(root).join(profile);
    let package = artefacts(root).join(PLACE).join("package");
    let _ = fs::remove_dir_all(&package);
    copy(&root.join(CRATE).join("python/lissome"), &package.join("lissome"))?;
    let library = ["lib_lissome.so", "lib_lissome.dylib", "_lissome.dll"].map(|name| built.join(name));
    let library = library.iter().find(|file| file.is_file()).ok_or("the build left no library of the package")?;
    let module = if cfg!(windows) { "_lissome.pyd" } else { "_lissome.abi3.so" };
    copied(library, &package.join("lissome").join(module))?;
    Ok(package)
}

/// Builds the wheel, installs it into an empty environment and runs the tests there.
pub fn wheel(root: &Path) -> Result<(), String> {
    let place = artefacts(root).join(PLACE);
    let tools = environment(root, "maturin", &root.join(CRATE).join("requirements-wheel.txt"))?;
    let wheels = place.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let mut build = Command::new(&tools);
    build.args(["-m", "maturin", "build", "--profile", SHIPPED, "--strip", "--quiet", "--out"]).arg(&wheels);
    run(build.current_dir(root.join(CRATE)))?;
    let file = fs::read_dir(&wheels).ok().and_then(|mut found| found.next()?.ok());
    let file = file.ok_or("maturin left no wheel")?.path();
    let bytes = fs::metadata(&file).map_err(|error| error.to_string())?.len();
    println!("   {}: {:.2} MB", file.display(), bytes as f64 / 1e6);
    if bytes > LARGEST_WHEEL {
        return Err(format!("the wheel has {bytes} bytes, more than {LARGEST_WHEEL}"));
    }
    let fresh = place.join("fresh");
    let _ = fs::remove_dir_all(&fresh);
    let python = create(&fresh)?;
    // The program that its answers are compared with.
    run(cargo().args(["build", "--release", "--workspace", "--quiet"]).current_dir(root))?;
    pip(&python, &[&file])?;
    run(Command::new(&python).args(["-c", "import lissome; print(lissome.demo('rod').solve())"]))?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(root.join(CRATE).join("requirements-dev.txt")))?;
    pytest(root, &python, None, &[])
}

fn pytest(root: &Path, python: &Path, package: Option<&Path>, arguments: &[&str]) -> Result<(), String> {
    let (flags, files): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    let mut tests = Command::new(python);
    tests.args(flags).args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    tests.args(if files.is_empty() { vec!["tests"] } else { files });
    tests.env("LISSOME_PROGRAM", artefacts(root).join("release/lissome")).env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(package) = package {
        tests.env("PYTHONPATH", package);
    }
    run(tests.current_dir(root.join(CRATE)))
}

fn pyright(root: &Path, python: &Path, package: &Path) -> Result<(), String> {
    let mut check = Command::new(python);
    check.args(["-m", "pyright", "--warnings", "--pythonpath"]).arg(python);
    // Whatever a newer version of the checker would say is not news here.
    check.env("PYRIGHT_PYTHON_IGNORE_WARNINGS", "1").env("PYTHONPATH", package);
    run(check.current_dir(root.join(CRATE)))
}

/// The interpreter of an environment with the packages of a list, made once for each list.
fn environment(root: &Path, name: &str, list: &Path) -> Result<PathBuf, String> {
    let text = fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let place = artefacts(root).join(PLACE).join(format!("{name}-{:016x}", hash(&text)));
    let ready = place.join("ready");
    let python = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !ready.is_file() {
        let _ = fs::remove_dir_all(&place);
        let python = create(&place)?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        run(Command::new(&python).args(install).arg(list))?;
        fs::write(&ready, "").map_err(|error| format!("{}: {error}", ready.display()))?;
    }
    Ok(python)
}

/// An empty environment.
fn create(place: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(place.parent().unwrap_or(place)).map_err(|error| format!("{}: {error}", place.display()))?;
    run(Command::new(find()?).args(["-m", "venv"]).arg(place)).map_err(|error| format!("{NO_PYTHON} ({error})"))?;
    Ok(place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" }))
}

fn pip(python: &Path, what: &[&Path]) -> Result<(), String> {
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(python).args(install).args(what))
}

/// A Python that is new enough.
fn find() -> Result<PathBuf, String> {
    let named = std::env::var_os("LISSOME_PYTHON").map(PathBuf::from);
    let candidates: Vec<PathBuf> = match named {
        Some(named) => vec![named],
        None => ["python3", "python3.13", "python3.12", "python3.11", "python"].map(PathBuf::from).to_vec(),
    };
    let new_enough = |python: &&PathBuf| {
        let asked = Command::new(python).args(["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).output();
        asked.is_ok_and(|asked| asked.status.success())
    };
    candidates.iter().find(new_enough).cloned().ok_or_else(|| NO_PYTHON.to_owned())
}

/// Where cargo puts what it builds.
fn artefacts(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// FNV-1a: tells one list of packages from another.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for entry in fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))?.flatten() {
        if entry.path().is_file() {
            copied(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn copied(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} {status}")),
        Err(error) => Err(format!("{name} does not start: {error}")),
    }
}
