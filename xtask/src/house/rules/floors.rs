//! Floors: a crate imports what its row names and nothing else, in its manifest and in its sources.

use crate::house::Violation;
use crate::house::imports;
use crate::house::page::{CrateRow, Page};
use crate::house::rules::PAGE;
use crate::house::workspace::{Package, Source};

/// Compares the floors table with the packages.
pub fn check(page: &Page, packages: &[Package]) -> Vec<Violation> {
    let mut found = check_table(page, packages);
    for package in packages {
        match page.row(&package.name) {
            None => {
                found.push(Violation::new(&package.manifest, 0, format!("`{}` has no row in {PAGE}", package.name)))
            }
            Some(row) => check_package(page, row, package, packages, &mut found),
        }
    }
    found
}

/// The table in itself: every row a crate, every import from a lower floor.
fn check_table(page: &Page, packages: &[Package]) -> Vec<Violation> {
    let mut found = Vec::new();
    for row in &page.crates {
        let wrong = |what: String| Violation::new(PAGE, row.line, what);
        if !packages.iter().any(|package| package.name == row.name) {
            found.push(wrong(format!("there is no crate `{}`", row.name)));
        }
        if page.crates.iter().filter(|other| other.name == row.name).count() > 1 {
            found.push(wrong(format!("`{}` has two rows", row.name)));
        }
        for import in &row.imports {
            match page.row(import) {
                None => found.push(wrong(format!("`{}` may import `{import}`, which has no row", row.name))),
                Some(below) => {
                    let lower = match (row.floor, below.floor) {
                        (Some(own), Some(other)) => other < own,
                        (None, Some(_)) => true,
                        (_, None) => false,
                    };
                    if !lower {
                        found.push(wrong(format!(
                            "`{}` may not import `{import}`: it is not on a lower floor",
                            row.name
                        )));
                    }
                }
            }
        }
    }
    found
}

fn check_package(page: &Page, row: &CrateRow, package: &Package, packages: &[Package], found: &mut Vec<Violation>) {
    let in_workspace = |name: &str| packages.iter().any(|other| other.name == name);
    for name in &package.dependencies.normal {
        let allowed = if in_workspace(name) { &row.imports } else { &row.outside };
        if !allowed.contains(name) {
            let what = format!("depends on `{name}`, which its row in {PAGE} does not name");
            found.push(Violation::new(&package.manifest, 0, what));
        }
    }
    for name in package.dependencies.dev.iter().filter(|name| in_workspace(name)) {
        if !test_may_import(page, row, name) {
            let what = format!("its tests depend on `{name}`, which stands on a higher floor");
            found.push(Violation::new(&package.manifest, 0, what));
        }
    }
    for source in &package.sources {
        check_source(page, row, package, source, found);
    }
}

fn check_source(page: &Page, row: &CrateRow, package: &Package, source: &Source, found: &mut Vec<Violation>) {
    // Only names that are packages count: a crate may call a variable `lissome_scene`.
    let foreign = |code: &str| {
        let mut mentions = imports::packages(code);
        mentions.retain(|mention| mention.name != package.name && page.row(&mention.name).is_some());
        mentions
    };
    let product = if source.is_test { Vec::new() } else { foreign(&source.rust.product_code) };
    for mention in foreign(&source.rust.code) {
        let what = if row.imports.contains(&mention.name) {
            continue;
        } else if product.contains(&mention) {
            format!("names `{}`, which the row of `{}` in {PAGE} does not", mention.name, row.name)
        } else if test_may_import(page, row, &mention.name) {
            continue;
        } else {
            format!("a test names `{}`, which stands on a higher floor than `{}`", mention.name, row.name)
        };
        found.push(Violation::new(&source.file, mention.line, what));
    }
}

/// Tests may use what their crate may, and besides any crate that stands no higher: oracles above all.
fn test_may_import(page: &Page, row: &CrateRow, name: &str) -> bool {
    let other = page.row(name).and_then(|other| other.floor);
    match (row.floor, other) {
        (Some(own), Some(other)) => other <= own,
        (None, Some(_)) => true,
        (_, None) => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::house::rules::fixture::package;

    const TABLE: &str = "\
| floor | crate | holds | may import | from outside |
|---|---|---|---|---|
| 0 | `lissome-lie` | groups | – | nalgebra |
| 2 | `lissome-mech` | equations | lie | nalgebra |
| 2 | `lissome-reference` | oracles | lie | nalgebra |
";

    fn page() -> Page {
        Page::read(PAGE, TABLE).unwrap()
    }

    fn house(mech: Package) -> Vec<Package> {
        vec![
            package("lissome-lie", &["nalgebra"], &[], &[("lib", "//! Groups.\n")]),
            mech,
            package("lissome-reference", &["lissome-lie"], &[], &[("lib", "//! Oracles.\n")]),
        ]
    }

    fn whats(mech: Package) -> Vec<String> {
        check(&page(), &house(mech)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_the_table_allows_passes() {
        let text = "//! Equations.\nuse lissome_lie::Pose;\n// lissome_reference is only named here\n";
        let mech = package(
            "lissome-mech",
            &["lissome-lie", "nalgebra"],
            &["lissome-reference"],
            &[("lib", text), ("tests/agreement", "//! T.\nuse lissome_reference::solve;\n")],
        );
        assert_eq!(whats(mech), [""; 0]);
    }

    #[test]
    fn a_dependency_the_row_does_not_name_is_found() {
        let mech = package("lissome-mech", &["lissome-reference", "serde"], &[], &[]);
        let found = whats(mech);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("crates/lissome-mech/Cargo.toml: depends on `lissome-reference`"));
        assert!(found[1].contains("depends on `serde`"));
    }

    #[test]
    fn a_path_in_product_code_is_found_with_its_line() {
        let text = "//! Equations.\nfn f() {\n    lissome_reference::solve();\n}\n#[cfg(test)]\nmod t { use lissome_reference::x; }\n";
        let found = whats(package("lissome-mech", &[], &[], &[("lib", text)]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/lissome-mech/src/lib.rs:3: names `lissome-reference`"));
    }

    #[test]
    fn a_test_may_not_climb() {
        let lie =
            package("lissome-lie", &[], &["lissome-mech"], &[("tests/up", "//! T.\nuse lissome_mech::System;\n")]);
        let mech = package("lissome-mech", &[], &[], &[]);
        let packages = vec![lie, mech, package("lissome-reference", &[], &[], &[])];
        let found = check(&page(), &packages);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn the_table_must_match_the_crates_and_point_downwards() {
        let more = format!("{TABLE}| 1 | `lissome-gone` | nothing | mech | – |\n");
        let page = Page::read(PAGE, &more).unwrap();
        let mut packages = house(package("lissome-mech", &[], &[], &[]));
        packages.push(package("lissome-extra", &[], &[], &[]));
        let found: Vec<_> = check(&page, &packages).iter().map(ToString::to_string).collect();
        assert!(found.iter().any(|what| what.contains("there is no crate `lissome-gone`")), "{found:?}");
        assert!(found.iter().any(|what| what.contains("not on a lower floor")), "{found:?}");
        assert!(found.iter().any(|what| what.contains("`lissome-extra` has no row")), "{found:?}");
    }
}
