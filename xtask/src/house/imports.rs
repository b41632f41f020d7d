//! Which crates and which modules of its own crate a Rust file names.

use super::rust_text::is_word;

/// A path that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Line, from 1.
    pub line: usize,
    /// What is named: a package, or a module path.
    pub name: String,
}

/// Packages of the workspace that the code names: `lissome_lie::…`, `use lissome_lie as lie`, `lissome::…`.
pub fn packages(code: &str) -> Vec<Mention> {
    let named = words(code).filter(|(_, word, rest)| {
        let is_path = rest.trim_start().starts_with("::");
        word.starts_with("lissome_") || (*word == "lissome" && is_path)
    });
    named.map(|(line, word, _)| Mention { line, name: word.replace('_', "-") }).collect()
}

/// Paths inside the own crate that the code of `module` names, as module paths with `/`: `crate::a::b` is `a/b`,
/// `super::c` within `x/y` is `x/c`. Groups such as `crate::{a::B, c}` are taken apart.
pub fn own_paths(module: &str, code: &str) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut skip_to = 0;
    for (line, word, rest) in words(code) {
        let at = code.len() - rest.len();
        if at < skip_to || !["crate", "super"].contains(&word) || !rest.starts_with("::") {
            continue;
        }
        let mut base: Vec<&str> = if word == "crate" { Vec::new() } else { parents(module) };
        let mut tail = &rest[2..];
        while let Some(after) = tail.strip_prefix("super::") {
            base.pop();
            tail = after;
        }
        skip_to = code.len() - tail.len();
        expand(&base.join("/"), tail, &mut |name| mentions.push(Mention { line, name }));
    }
    mentions
}

/// The modules above `module`, which is what `super` means.
fn parents(module: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = module.split('/').collect();
    parts.pop();
    parts
}

/// Reads one path, with its group if it ends in one, and reports each member joined to `base`.
fn expand(base: &str, tail: &str, report: &mut impl FnMut(String)) {
    let mut path = base.to_string();
    let mut rest = tail;
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            for member in members(group) {
                expand(&path, member.trim(), report);
            }
            return;
        }
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        if !word.is_empty() && word != "self" {
            path = if path.is_empty() { word.to_string() } else { format!("{path}/{word}") };
        }
        match rest[end..].strip_prefix("::") {
            Some(more) => rest = more,
            None => break,
        }
    }
    report(path);
}

/// The comma-separated members of a group whose opening brace has been read.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0usize, 0);
    let mut members = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                members.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    members.retain(|member| !member.trim().is_empty());
    members
}

/// Names that `module` re-exports, with the module they come from: `pub use state::State` in the root gives
/// (`State`, `state`).
pub fn re_exports(module: &str, code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let after = code.split("pub use ").chain(code.split("pub(crate) use ").skip(1)).skip(1);
    for statement in after.chain(code.split("pub(super) use ").skip(1)) {
        let mut path = statement.split(';').next().unwrap_or_default().trim();
        let mut base: Vec<&str> = module.split('/').filter(|part| !part.is_empty()).collect();
        if let Some(rest) = path.strip_prefix("crate::") {
            (base, path) = (Vec::new(), rest);
        }
        while let Some(rest) = path.strip_prefix("super::") {
            base.pop();
            path = rest;
        }
        expand(&base.join("/"), path.strip_prefix("self::").unwrap_or(path), &mut |full| {
            if let Some((home, name)) = full.rsplit_once('/') {
                found.push((name.to_string(), home.to_string()));
            }
        });
    }
    found
}

/// True if `path` is `module` or lies inside it; the root holds everything.
pub fn within(path: &str, module: &str) -> bool {
    module.is_empty() || path == module || path.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'))
}

/// Every identifier with its line and the text behind it.
fn words(code: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let mut rest = code;
    let mut line = 1;
    std::iter::from_fn(move || {
        let start = rest.find(is_word)?;
        line += rest[..start].matches('\n').count();
        let tail = &rest[start..];
        let end = tail.find(|c| !is_word(c)).unwrap_or(tail.len());
        rest = &tail[end..];
        Some((line, &tail[..end], rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(mentions: &[Mention]) -> Vec<&str> {
        mentions.iter().map(|m| m.name.as_str()).collect()
    }

    #[test]
    fn packages_are_found_in_uses_and_in_paths() {
        let code = "use lissome_lie::Pose;\nlet lissome = 3;\nlissome::simulate(lissome_mech::System::compile());\n";
        let found = packages(code);
        assert_eq!(names(&found), ["lissome-lie", "lissome", "lissome-mech"]);
        assert_eq!(found[2].line, 3);
    }

    #[test]
    fn own_paths_are_resolved() {
        let code = "use crate::load::{LoadTangent, SectionLoad};\nuse super::kernel;\nuse crate::{State, field::{self, Sample}};\n\
                    super::super::other::f();\n";
        let found = own_paths("element/spline/rod", code);
        assert_eq!(
            names(&found),
            [
                "load/LoadTangent",
                "load/SectionLoad",
                "element/spline/kernel",
                "State",
                "field",
                "field/Sample",
                "element/other/f"
            ]
        );
        assert_eq!(found[6].line, 4);
    }

    #[test]
    fn re_exports_name_their_module() {
        let found =
            re_exports("", "pub mod a;\npub use element::spline::Softening;\npub use energy::{Elasticity, Work};\n");
        let pairs: Vec<_> = found.iter().map(|(n, m)| (n.as_str(), m.as_str())).collect();
        assert_eq!(pairs, [("Softening", "element/spline"), ("Elasticity", "energy"), ("Work", "energy")]);
        let inner = re_exports("a/b", "pub(crate) use super::c::D;\npub use inner::E;\n");
        assert!(inner.contains(&("D".into(), "a/c".into())) && inner.contains(&("E".into(), "a/b/inner".into())));
    }
}
