//! The checks. Each compares the page with the sources and returns what it found.

pub mod circles;
pub mod citations;
pub mod floors;
pub mod habits;
pub mod layers;
pub mod links;
pub mod scripts;

use super::page::Page;
use super::{Violation, workspace};
use std::path::Path;

/// Where the rules are written.
pub const PAGE: &str = "ARCHITECTURE.md";

/// Every check on the workspace at `root`.
pub fn check(root: &Path) -> Vec<Violation> {
    let text = match std::fs::read_to_string(root.join(PAGE)) {
        Ok(text) => text,
        Err(error) => return vec![Violation::new(PAGE, 0, error.to_string())],
    };
    let page = match Page::read(PAGE, &text) {
        Ok(page) => page,
        Err(violations) => return violations,
    };
    let packages = match workspace::read(root) {
        Ok(packages) => packages,
        Err(violations) => return violations,
    };
    let mut found = floors::check(&page, &packages);
    found.extend(layers::check(&page, &packages));
    found.extend(packages.iter().flat_map(circles::check));
    found.extend(packages.iter().flat_map(|package| habits::check(&page, package)));
    found.extend(scripts::check_all(root, "crates"));
    let documents = workspace::documents(root);
    let pages = documents.iter().filter(|(file, _)| file.ends_with(".md"));
    found.extend(pages.flat_map(|(file, text)| links::check(root, file, text)));
    match std::fs::read_to_string(root.join(citations::BIBLIOGRAPHY)) {
        Err(error) => found.push(Violation::new(citations::BIBLIOGRAPHY, 0, error.to_string())),
        Ok(bibliography) => {
            let keys = citations::keys(&bibliography);
            let sources = packages.iter().flat_map(|package| &package.sources);
            found.extend(sources.flat_map(|source| citations::check(&source.file, &source.rust.comments, &keys)));
            found.extend(documents.iter().flat_map(|(file, text)| citations::check(file, text, &keys)));
        }
    }
    found.sort();
    found
}

#[cfg(test)]
pub(super) mod fixture {
    //! Small packages made of strings.

    use crate::house::rust_text::RustText;
    use crate::house::workspace::{Dependencies, Package, Source};

    /// A source at a module path of `src`, or a test if the file says so.
    pub fn source(package: &str, module: &str, text: &str) -> Source {
        let is_test = module.starts_with("tests/");
        let file =
            if is_test { format!("crates/{package}/{module}.rs") } else { format!("crates/{package}/src/{module}.rs") };
        let path = match module {
            "lib" | "main" => String::new(),
            other => other.trim_end_matches("/mod").to_string(),
        };
        Source { file, module: (!is_test).then_some(path), is_test, text: text.into(), rust: RustText::split(text) }
    }

    /// A package that follows the habits, with these dependencies and sources.
    pub fn package(name: &str, normal: &[&str], dev: &[&str], sources: &[(&str, &str)]) -> Package {
        let owned = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
        Package {
            name: name.into(),
            manifest: format!("crates/{name}/Cargo.toml"),
            dependencies: Dependencies { normal: owned(normal), dev: owned(dev), workspace_lints: true },
            sources: sources.iter().map(|(module, text)| source(name, module, text)).collect(),
        }
    }
}
