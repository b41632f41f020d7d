//! Exports read by the programs they are made for: Khronos' validator of glTF (with Node) and pyvista (with Python). Both are
//! fetched into `target/tools` the first time; a machine that cannot do that is told so.

use crate::pages;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where the readers are installed, and where exports go, below the workspace.
const TOOLS: &str = "target/tools";
const FOLDER: &str = "target/exports";

/// Prints errors and warnings of each file, and ends with 1 if there is one.
const VALIDATE: &str = "const validator = require('gltf-validator'), fs = require('fs');
(async () => { let bad = 0;
for (const file of process.argv.slice(1)) {
  const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
  if (issues.numErrors + issues.numWarnings) { bad = 1;
    console.log(file, issues.messages.slice(0, 5).map((m) => m.code + ': ' + m.message + ' ' + m.pointer).join('; ')); }
} process.exit(bad); })();";

/// Reads every file and wants points, cells, and finite numbers in every array.
const READ: &str = "import sys, numpy, pyvista
for file in sys.argv[1:]:
    mesh = pyvista.read(file)
    blocks = [block for block in mesh if block is not None] if isinstance(mesh, pyvista.MultiBlock) else [mesh]
    assert blocks, file + ': empty'
    for block in blocks:
        assert block.n_points > 1 and block.n_cells > 0, file + ': no points or cells'
        assert numpy.isfinite(block.points).all(), file + ': points that are not finite'
        for name in ('radius', 'moment', 'force'):
            assert numpy.isfinite(block.point_data[name]).all(), file + ': ' + name + ' is not finite'
        assert len(block.cell_data['part']) == block.n_cells, file + ': parts and cells differ'
";

/// The two readers.
pub struct Readers {
    node_modules: PathBuf,
    python: PathBuf,
}

/// Finds the readers, or fetches them; the complaint where that fails.
pub fn readers(root: &Path) -> Result<Readers, String> {
    let tools = root.join(TOOLS);
    fs::create_dir_all(&tools).map_err(|error| format!("{}: {error}", tools.display()))?;
    let node_modules = tools.join("node_modules");
    if !node_modules.join("gltf-validator").is_dir() {
        let npm = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"];
        said(Command::new("npm").args(npm).arg(&tools).arg("gltf-validator@2.0.0-dev.3.10"), "npm")?;
    }
    let (venv, python) = (tools.join("venv"), tools.join("venv/bin/python"));
    let has = |python: &Path| {
        let output = Command::new(python).args(["-c", "import pyvista"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !has(&python) {
        said(Command::new("python3").args(["-m", "venv"]).arg(&venv), "python3 -m venv")?;
        said(Command::new(&python).args(["-m", "pip", "install", "--quiet", "pyvista"]), "pip")?;
        // It may be there and still miss a library of the system.
        said(Command::new(&python).args(["-c", "import pyvista"]), "pyvista")?;
    }
    said(Command::new("node").args(["-e", "require('gltf-validator')"]).env("NODE_PATH", &node_modules), "node")?;
    Ok(Readers { node_modules, python })
}

/// Runs and exports a scene of every kind and hands the files to both readers.
pub fn test(root: &Path, readers: &Readers) -> Result<(), String> {
    let folder = root.join(FOLDER);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    pages::build(root)?;
    let (mut models, mut series) = (Vec::new(), Vec::new());
    for (kind, scene) in pages::scenes(root, &folder)? {
        let (run, out) = (folder.join(format!("{kind}.run")), folder.join(kind));
        pages::run(root, &scene, &run)?;
        let told =
            said(pages::lissome(root).args(["export", "--to", "glb,vtk", "--out"]).args([&out, &run]), "export")?;
        let lines = String::from_utf8_lossy(&told.stdout).lines().count();
        if lines != 1 {
            return Err(format!("{kind}: export prints {lines} lines instead of one"));
        }
        let files = fs::read_dir(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        let files: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
        let ending = |ending: &str| {
            let has = |file: &&PathBuf| file.extension().is_some_and(|own| own == ending);
            files.iter().filter(has).cloned().collect::<Vec<PathBuf>>()
        };
        models.extend(ending("glb"));
        series.extend(ending("vtp").into_iter().chain(ending("pvd")));
    }
    let node = Command::new("node")
        .args(["-e", VALIDATE, "--"])
        .args(&models)
        .env("NODE_PATH", &readers.node_modules)
        .output();
    checked(node, "the glTF validator")?;
    checked(Command::new(&readers.python).args(["-c", READ]).args(&series).output(), "pyvista")?;
    println!("   {} glb without errors or warnings, {} vtk read", models.len(), series.len());
    Ok(())
}

fn said(command: &mut Command, name: &str) -> Result<Output, String> {
    checked(command.output(), name)
}

fn checked(output: std::io::Result<Output>, name: &str) -> Result<Output, String> {
    let output = output.map_err(|error| format!("{name} does not start: {error}"))?;
    match output.status.success() {
        true => Ok(output),
        false => {
            let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
            let text = said.join(" ");
            let end = text.char_indices().rev().nth(1500).map_or(0, |(index, _)| index);
            Err(format!("{name} complains: {}", &text[end..]))
        }
    }
}
