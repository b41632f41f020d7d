//! Layers inside a crate: modules import only the layers that theirs names.

use crate::house::Violation;
use crate::house::imports;
use crate::house::page::{Layer, LayerTable, Page};
use crate::house::rules::PAGE;
use crate::house::workspace::Package;

/// Compares every table of layers with the modules of its crate.
pub fn check(page: &Page, packages: &[Package]) -> Vec<Violation> {
    let mut found = Vec::new();
    for table in &page.layers {
        match packages.iter().find(|package| package.name == table.package) {
            Some(package) => check_package(table, package, &mut found),
            None => found.push(Violation::new(PAGE, 0, format!("layers of `{}`, which is no crate", table.package))),
        }
    }
    found
}

fn check_package(table: &LayerTable, package: &Package, found: &mut Vec<Violation>) {
    let modules: Vec<&str> = package.sources.iter().filter_map(|source| source.module.as_deref()).collect();
    for layer in &table.layers {
        for name in &layer.modules {
            if !modules.iter().any(|module| imports::within(module, name)) {
                found.push(Violation::new(PAGE, layer.line, format!("`{}` has no module `{name}`", table.package)));
            }
        }
        for import in &layer.imports {
            if !table.layers.iter().any(|other| other.name == *import) {
                found.push(Violation::new(PAGE, layer.line, format!("there is no layer `{import}`")));
            }
        }
    }
    let root = package.sources.iter().find(|source| source.module.as_deref() == Some(""));
    let re_exports = root.map(|root| imports::re_exports("", &root.rust.product_code)).unwrap_or_default();
    for source in package.sources.iter().filter(|source| !source.is_test) {
        let Some(module) = source.module.as_deref() else { continue };
        // A module that only holds others, such as `element`, is named by its children.
        let holds_listed =
            table.layers.iter().flat_map(|layer| &layer.modules).any(|listed| imports::within(listed, module));
        let Some((own_layer, own)) = place(table, module) else {
            if !module.is_empty() && !holds_listed {
                found.push(Violation::new(&source.file, 0, format!("module `{module}` stands in no layer of {PAGE}")));
            }
            continue;
        };
        for mention in imports::own_paths(module, &source.rust.product_code) {
            let path = re_exports
                .iter()
                .find(|(name, _)| *name == mention.name)
                .map_or(mention.name.as_str(), |(_, from)| from.as_str());
            let Some((layer, named)) = place(table, path) else { continue };
            let allowed = named == own || own_layer.imports.contains(&layer.name);
            if !allowed {
                let what = format!(
                    "`{own}` ({}) names `{named}` ({}), which its layer in {PAGE} may not import",
                    own_layer.name, layer.name
                );
                found.push(Violation::new(&source.file, mention.line, what));
            }
        }
    }
}

/// The layer and the listed module that a path belongs to.
fn place<'a>(table: &'a LayerTable, path: &str) -> Option<(&'a Layer, &'a str)> {
    let listed = table.layers.iter().flat_map(|layer| layer.modules.iter().map(move |name| (layer, name.as_str())));
    listed.filter(|(_, name)| imports::within(path, name)).max_by_key(|(_, name)| name.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::house::rules::fixture::package;

    const PAGE_TEXT: &str = "\
| floor | crate | holds | may import | from outside |
|---|---|---|---|---|
| 2 | `lissome-mech` | equations | – | – |

| layer | modules of `lissome-mech` | may import |
|---|---|---|
| values | `load`, `state` | – |
| kinds | `element/spline`, `element/linear` | values |
| system | `system`, `assemble` | values, kinds, system |
";

    const ROOT: (&str, &str) = ("lib", "//! Root.\npub use state::State;\npub use system::System;\n");

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let complete = [
            ROOT,
            ("load", "//! L.\n"),
            ("state", "//! S.\n"),
            ("element/mod", "//! E.\npub mod spline;\n"),
            ("element/spline/mod", "//! Sp.\n"),
            ("element/linear", "//! Li.\n"),
            ("system", "//! Sy.\nuse crate::assemble::x;\nuse crate::element::spline::Rod;\n"),
            ("assemble", "//! A.\nuse crate::System;\n"),
        ];
        let kept = complete.iter().filter(|(module, _)| !sources.iter().any(|(other, _)| other == module));
        let all: Vec<_> = kept.chain(sources).copied().collect();
        let page = Page::read(PAGE, PAGE_TEXT).unwrap();
        let package = package("lissome-mech", &[], &[], &all);
        check(&page, &[package]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn imports_downwards_pass() {
        let rod = "//! R.\nuse super::kernel;\nuse crate::load::Load;\nuse crate::State;\n/// See [`crate::System`].\nfn f() {}\n";
        assert_eq!(found(&[("element/spline/rod", rod)]), [""; 0]);
    }

    #[test]
    fn kinds_may_not_import_each_other_nor_the_system() {
        let text = "//! R.\nuse crate::element::linear::Y;\nuse crate::System;\nuse super::super::linear;\n";
        let found = found(&[("element/spline/rod", text)]);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("rod.rs:2: `element/spline` (kinds) names `element/linear` (kinds)"));
        assert!(found[1].contains("rod.rs:3: `element/spline` (kinds) names `system` (system)"));
    }

    #[test]
    fn a_module_without_a_layer_and_a_layer_without_a_module_are_found() {
        let found_new = found(&[("contact", "//! C.\n")]);
        assert!(found_new[0].contains("module `contact` stands in no layer"), "{found_new:?}");
        let page = Page::read(PAGE, PAGE_TEXT).unwrap();
        let bare = package("lissome-mech", &[], &[], &[ROOT]);
        assert_eq!(check(&page, &[bare]).len(), 6);
    }
}
