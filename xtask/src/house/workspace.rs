//! The crates of the workspace as they are on disk: manifests and sources.

use super::Violation;
use super::rust_text::{RustText, TestModule};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One package.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its manifest, relative to the root.
    pub manifest: String,
    /// What its manifest says.
    pub dependencies: Dependencies,
    /// Its Rust files.
    pub sources: Vec<Source>,
}

/// What a manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Names under `[dependencies]` and `[build-dependencies]`.
    pub normal: Vec<String>,
    /// Names under `[dev-dependencies]`.
    pub dev: Vec<String>,
    /// True if the lints of the workspace apply.
    pub workspace_lints: bool,
}

/// One Rust file.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path relative to the root, with `/`.
    pub file: String,
    /// Module path inside `src`, such as `element/spline/kernel`; none outside `src`.
    pub module: Option<String>,
    /// True if it is compiled for tests, benches or examples only.
    pub is_test: bool,
    /// Its text.
    pub text: String,
    /// The text in layers.
    pub rust: RustText,
}

/// Reads every package under `crates/` and `xtask/`.
pub fn read(root: &Path) -> Result<Vec<Package>, Vec<Violation>> {
    let mut folders = sorted_entries(&root.join("crates")).map_err(|e| vec![e])?;
    folders.push(root.join("xtask"));
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders.iter().map(|folder| read_package(root, folder).map_err(|e| vec![e])).collect()
}

fn read_package(root: &Path, folder: &Path) -> Result<Package, Violation> {
    let manifest = folder.join("Cargo.toml");
    let shown = relative(root, &manifest);
    let text = fs::read_to_string(&manifest).map_err(|e| Violation::new(&shown, 0, e.to_string()))?;
    let (name, dependencies) = read_manifest(&text).map_err(|what| Violation::new(&shown, 0, what))?;
    let mut sources = Vec::new();
    collect(root, folder, folder, &mut sources)?;
    mark_test_modules(&mut sources);
    Ok(Package { name, manifest: shown, dependencies, sources })
}

/// Name and dependencies of a manifest.
pub fn read_manifest(text: &str) -> Result<(String, Dependencies), String> {
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
    let name = table
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(toml::Value::as_str)
        .ok_or("has no package name")?;
    let names = |key: &str| -> Vec<String> {
        let section = table.get(key).and_then(toml::Value::as_table);
        section.map(|entries| entries.keys().cloned().collect()).unwrap_or_default()
    };
    let mut normal = names("dependencies");
    normal.extend(names("build-dependencies"));
    let lints = table.get("lints").and_then(|lints| lints.get("workspace"));
    let workspace_lints = lints.and_then(toml::Value::as_bool) == Some(true);
    Ok((name.to_string(), Dependencies { normal, dev: names("dev-dependencies"), workspace_lints }))
}

fn collect(root: &Path, package: &Path, folder: &Path, sources: &mut Vec<Source>) -> Result<(), Violation> {
    for entry in sorted_entries(folder)? {
        if entry.is_dir() {
            if entry.file_name().is_some_and(|name| name != "target") {
                collect(root, package, &entry, sources)?;
            }
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let file = relative(root, &entry);
            let text = fs::read_to_string(&entry).map_err(|e| Violation::new(&file, 0, e.to_string()))?;
            let module = entry.strip_prefix(package.join("src")).ok().map(module_path);
            let rust = RustText::split(&text);
            sources.push(Source { file, is_test: module.is_none(), module, text, rust });
        }
    }
    Ok(())
}

/// `element/spline/mod.rs` → `element/spline`; `lib.rs` and `main.rs` are the root, the empty path.
pub fn module_path(within_src: &Path) -> String {
    let path = within_src.with_extension("");
    let mut parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") || (parts.len() == 1 && ["lib", "main"].contains(&&*parts[0])) {
        parts.pop();
    }
    parts.join("/")
}

/// A module declared under `#[cfg(test)]` is test code in whichever file it lies.
fn mark_test_modules(sources: &mut [Source]) {
    let (mut modules, mut files) = (BTreeSet::new(), BTreeSet::new());
    for source in sources.iter() {
        let Some(module) = &source.module else { continue };
        for TestModule { name, path } in &source.rust.test_modules {
            let folder = source.file.rsplit_once('/').map_or("", |(folder, _)| folder);
            match path {
                Some(path) => files.insert(format!("{folder}/{path}")),
                None if module.is_empty() => modules.insert(name.clone()),
                None => modules.insert(format!("{module}/{name}")),
            };
        }
    }
    for source in sources {
        let module = source.module.as_deref().unwrap_or_default();
        let declared = modules.iter().any(|test| module == test || module.starts_with(&format!("{test}/")));
        source.is_test |= declared || files.contains(&source.file);
    }
}

/// Documents, cases and examples: the Markdown and TOML files of the root and of these folders. What cannot be read is
/// left out; the tests that use it will complain.
pub fn documents(root: &Path) -> Vec<(String, String)> {
    let mut pending: Vec<PathBuf> = ["docs", "cases", "examples"].iter().map(|folder| root.join(folder)).collect();
    let mut files = sorted_entries(root).unwrap_or_default();
    while let Some(folder) = pending.pop() {
        let (folders, plain): (Vec<_>, Vec<_>) =
            sorted_entries(&folder).unwrap_or_default().into_iter().partition(|entry| entry.is_dir());
        pending.extend(folders);
        files.extend(plain);
    }
    files.retain(|file| file.is_file() && file.extension().is_some_and(|e| e == "md" || e == "toml"));
    let read = |file: PathBuf| Some((relative(root, &file), fs::read_to_string(&file).ok()?));
    files.into_iter().filter_map(read).collect()
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, Violation> {
    let failed = |e: std::io::Error| Violation::new(folder.display().to_string(), 0, e.to_string());
    let mut entries = fs::read_dir(folder)
        .map_err(failed)?
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    entries.sort();
    Ok(entries)
}

fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn manifests_are_read() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nb.workspace = true\nc = { path = \"../c\" }\n\
                    [dev-dependencies]\nd = \"1\"\n[lints]\nworkspace = true\n";
        let (name, dependencies) = read_manifest(text).unwrap();
        assert_eq!(name, "a");
        assert_eq!(dependencies.normal, ["b", "c"]);
        assert_eq!(dependencies.dev, ["d"]);
        assert!(dependencies.workspace_lints);
        assert!(read_manifest("[dependencies]\n").is_err());
    }

    #[test]
    fn files_have_module_paths() {
        for (file, module) in [
            ("lib.rs", ""),
            ("main.rs", ""),
            ("element/mod.rs", "element"),
            ("element/spline/rod.rs", "element/spline/rod"),
        ] {
            assert_eq!(module_path(Path::new(file)), module);
        }
    }
}
