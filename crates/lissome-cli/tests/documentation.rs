//! Every snippet of every document runs: scenes are checked, commands are executed and their shown output compared.
//!
//! | block | what happens |
//! |---|---|
//! | `toml NAME` | written to NAME in the page's folder, then `lissome check NAME` |
//! | `toml` with `schema = …` | the same as `scene.toml` |
//! | `toml` without | a fragment: laid over the page's last scene, then checked; keys of a rod go to its only rod |
//! | `console` | lines after `$ ` are executed in the page's folder; the lines below must occur in the output, in order |
//! | `csv NAME` | written to NAME |
//! | `json` | must parse |
//! | `rust` | a doc test of the `lissome` crate (`lissome/src/documents.rs`) |
//! | `python` | runs in the tests of the Python package, with the shipped scenes as files |
//! | `text` | nothing |
//!
//! In shown output `…` stands for anything. A command that must fail is followed by `# exit N`. `cargo run --release --`
//! means the program; `cargo xtask …` is not executed, since this test runs inside it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lissome");
/// Where the pages with Rust blocks are listed.
const DOC_TESTS: &str = "crates/lissome/src/documents.rs";
/// Commands that documents may show and that are not executed here.
const NOT_EXECUTED: &[&str] = &["cargo xtask ", "cargo test ", "cargo add ", "git clone ", "pip install "];

struct Block {
    line: usize,
    kind: String,
    argument: Option<String>,
    text: String,
}

#[test]
fn every_snippet_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = pages(&root);
    assert!(pages.iter().any(|page| page.ends_with("README.md")), "the documents are found");
    let doc_tests = fs::read_to_string(root.join(DOC_TESTS)).unwrap();
    let mut failures = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("documentation-{index}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let name = page.strip_prefix(&root).unwrap().display().to_string();
        let is_doc_test = doc_tests.contains(&format!("/{name}\""));
        let mut base = None;
        for block in blocks(&fs::read_to_string(page).unwrap()) {
            if block.kind == "rust" && !is_doc_test {
                failures.push(format!("{name}:{}: `{DOC_TESTS}` does not include this page", block.line));
            }
            if let Err(what) = run(&block, &folder, &mut base) {
                failures.push(format!("{name}:{}: {what}", block.line));
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(failures.is_empty(), "{} snippets fail:\n{}", failures.len(), failures.join("\n"));
}

/// The Markdown files at the root and under `docs` and `cases`.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![(root.to_path_buf(), false), (root.join("docs"), true), (root.join("cases"), true)];
    while let Some((folder, deep)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() && deep {
                folders.push((path, true));
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// The fenced blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(info), None) => {
                let mut words = info.split_whitespace().map(str::to_string);
                let kind = words.next().unwrap_or_default();
                open = Some(Block { line: index + 1, kind, argument: words.next(), text: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

fn run(block: &Block, folder: &Path, base: &mut Option<toml::Table>) -> Result<(), String> {
    match block.kind.as_str() {
        "toml" => {
            let table: toml::Table = block.text.parse().map_err(|error| format!("{error}"))?;
            let scene = match (&block.argument, table.contains_key("schema")) {
                (None, false) => {
                    let base = base.as_ref().ok_or("a fragment needs a whole scene above it on the page")?;
                    toml::to_string(&overlay(base, &table)).unwrap()
                }
                _ => {
                    *base = Some(table);
                    block.text.clone()
                }
            };
            let name = block.argument.as_deref().unwrap_or("scene.toml");
            fs::write(folder.join(name), scene).unwrap();
            execute(&format!("lissome check {name}"), 0, "", folder)
        }
        "console" => {
            let mut commands: Vec<(String, String)> = Vec::new();
            for line in block.text.lines() {
                match (line.strip_prefix("$ "), commands.last_mut()) {
                    (Some(command), _) => commands.push((command.into(), String::new())),
                    (None, Some((_, output))) => {
                        output.push_str(line);
                        output.push('\n');
                    }
                    (None, None) => return Err("a console block starts with `$ `".into()),
                }
            }
            commands.iter().try_for_each(|(command, output)| {
                let (command, code) = match command.split_once("# exit ") {
                    Some((command, code)) => (command.trim(), code.trim().parse().map_err(|_| "no exit code")?),
                    None => (command.as_str(), 0),
                };
                execute(command, code, output, folder)
            })
        }
        "csv" => {
            let name = block.argument.as_deref().ok_or("a table needs the name of its file")?;
            fs::write(folder.join(name), &block.text).map_err(|error| error.to_string())
        }
        "json" => serde_json::from_str::<serde_json::Value>(&block.text).map(drop).map_err(|error| error.to_string()),
        "rust" | "text" | "python" => Ok(()),
        other => Err(format!("a block of kind `{other}` is not tested")),
    }
}

/// A scene with the keys of a fragment replaced: `[rod.arm]` replaces keys of that rod, not the rod.
fn overlay(base: &toml::Table, fragment: &toml::Table) -> toml::Table {
    fn lay(base: &mut toml::Table, over: &toml::Table, depth: usize) {
        for (key, value) in over {
            match (base.get_mut(key), value) {
                (Some(toml::Value::Table(below)), toml::Value::Table(above)) if depth > 0 => {
                    lay(below, above, depth - 1)
                }
                _ => drop(base.insert(key.clone(), value.clone())),
            }
        }
    }
    let mut scene = base.clone();
    let of_rod = |key: &str| ["section", "shape", "base", "tip", "model"].contains(&key);
    let (rod_part, scene_part): (toml::Table, toml::Table) =
        fragment.clone().into_iter().partition(|(key, _)| of_rod(key));
    lay(&mut scene, &scene_part, 2);
    if let Some(toml::Value::Table(rods)) = scene.get_mut("rod") {
        for rod in rods.iter_mut().filter_map(|(_, rod)| rod.as_table_mut()) {
            lay(rod, &rod_part, 0);
            if rod.get("section").is_some_and(|section| section.get("stiffness").is_some()) {
                // A given stiffness stands instead of a material.
                rod.remove("material");
            }
        }
    }
    scene
}

/// Runs a command of the program and compares exit code and output.
fn execute(command: &str, code: i32, shown: &str, folder: &Path) -> Result<(), String> {
    if NOT_EXECUTED.iter().any(|start| command.starts_with(start)) {
        return Ok(());
    }
    let words = shell_words(command);
    let arguments = match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["lissome", ..] => &words[1..],
        ["cargo", "run", "--release"] => &[],
        ["cargo", "run", "--release", "--", ..] => &words[4..],
        _ => return Err(format!("`{command}` is no command of the program")),
    };
    let result = Command::new(PROGRAM).args(arguments).current_dir(folder).output().unwrap();
    let output = String::from_utf8_lossy(&result.stdout).into_owned() + &String::from_utf8_lossy(&result.stderr);
    if result.status.code() != Some(code) {
        return Err(format!("`{command}` ends with {:?}, not {code}:\n{output}", result.status.code()));
    }
    let mut lines = output.lines().map(squeeze);
    for wanted in shown.lines().map(squeeze).filter(|line| !line.is_empty() && line != "…") {
        if !lines.any(|line| matches(&wanted, &line)) {
            return Err(format!("`{command}` does not print\n  {wanted}\n(in this order) but\n{output}"));
        }
    }
    Ok(())
}

/// Words of a command line; quotes keep blanks together and may start inside a word.
fn shell_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Runs of blanks count as one.
fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if `line` is `pattern`, in which `…` stands for anything.
fn matches(pattern: &str, line: &str) -> bool {
    let pieces: Vec<&str> = pattern.split('…').collect();
    let [first, middle @ .., last] = &pieces[..] else { return pattern == line };
    let Some(mut rest) = line.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[test]
fn the_tester_can_fail() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let block = |kind: &str, text: &str| Block { line: 1, kind: kind.into(), argument: None, text: text.into() };
    let fails = |kind: &str, text: &str| run(&block(kind, text), folder, &mut None).is_err();
    assert!(fails("toml", "[rod.a]\nlength = 1\n"), "a fragment without a scene");
    assert!(fails("toml", "schema = 1\nyung = 3\n"), "a scene that is refused");
    assert!(fails("console", "$ lissome --version\nlissome 9.9\n"), "output that does not come");
    assert!(fails("console", "$ lissome --version # exit 2\n"), "another exit code");
    assert!(fails("console", "$ rm -rf /nothing\n"), "a foreign command");
    assert!(fails("matlab", "plot(s, kappa)\n"), "an untested kind");
    assert!(!fails("console", "$ lissome --version\nlissome …\n"));
    assert!(matches("tip (…, 0, …) mm … stable …", "tip (1, 0, 2) mm and stable (3)"));
    assert!(!matches("tip (…, 1) mm", "tip (1, 0) mm"));
    assert_eq!(
        shell_words("lissome run a.toml rod.a.length=\"2 m\" '[0, \"1 N\"]'")[3..],
        ["rod.a.length=2 m", "[0, \"1 N\"]"]
    );
}
