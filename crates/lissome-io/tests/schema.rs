//! Every scene that is shipped passes the schema that editors check it by, and a wrong one does not.

#![allow(clippy::unwrap_used)]

use lissome_io::scene::schema::json_schema;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Patterns of the schema, and what they mean: a further one must be added here.
fn fits(pattern: &str, text: &str) -> bool {
    let name = |text: &str| {
        text.len() <= 64
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    match pattern {
        "^[A-Za-z][A-Za-z0-9_-]{0,63}$" => name(text),
        "^[A-Za-z][A-Za-z0-9_-]{0,63}(\\.([A-Za-z][A-Za-z0-9_-]{0,63}|[0-9]+))?\\.[a-z_]+$" => {
            let parts: Vec<&str> = text.split('.').collect();
            let member = |part: &str| name(part) || (!part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
            let field = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            match parts[..] {
                [part, last] => name(part) && field(last),
                [part, middle, last] => name(part) && member(middle) && field(last),
                _ => false,
            }
        }
        other => panic!("the checker does not know the pattern {other}"),
    }
}

fn is_of_type(name: &str, value: &Json) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the checker does not know the type {other}"),
    }
}

/// What the schema has against a value; it knows the words that ours has, and panics at others.
fn complaint(schema: &Json, value: &Json, at: &str) -> Option<String> {
    let wrong = |what: String| Some(format!("{at}: {what}"));
    for (word, rule) in schema.as_object().unwrap() {
        let found = match word.as_str() {
            "$schema" | "title" | "description" | "examples" | "additionalProperties" => None,
            "type" => {
                let types = rule.as_array().map_or_else(|| vec![rule], |list| list.iter().collect());
                let fits = types.iter().any(|name| is_of_type(name.as_str().unwrap(), value));
                if fits { None } else { wrong(format!("{value} is no {rule}")) }
            }
            "const" => {
                if value == rule {
                    None
                } else {
                    wrong(format!("{value} is not {rule}"))
                }
            }
            "enum" => {
                if rule.as_array().unwrap().contains(value) {
                    None
                } else {
                    wrong(format!("{value} is none of {rule}"))
                }
            }
            "anyOf" => {
                let all: Vec<Option<String>> =
                    rule.as_array().unwrap().iter().map(|one| complaint(one, value, at)).collect();
                if all.iter().any(Option::is_none) {
                    None
                } else {
                    wrong(format!("none fits: {}", all.into_iter().flatten().collect::<Vec<_>>().join("; ")))
                }
            }
            "minimum" => {
                let less = value.as_f64().is_some_and(|x| x < rule.as_f64().unwrap());
                if less { wrong(format!("{value} is below {rule}")) } else { None }
            }
            "minItems" | "maxItems" => value.as_array().and_then(|items| {
                let bound = rule.as_u64().unwrap() as usize;
                let fits = if word == "minItems" { items.len() >= bound } else { items.len() <= bound };
                if fits { None } else { wrong(format!("{} items, {word} {bound}", items.len())) }
            }),
            "items" => value.as_array().and_then(|items| {
                items.iter().enumerate().find_map(|(i, item)| complaint(rule, item, &format!("{at}.{i}")))
            }),
            "required" => value.as_object().and_then(|object| {
                let missing = rule.as_array().unwrap().iter().find(|key| !object.contains_key(key.as_str().unwrap()));
                missing.and_then(|key| wrong(format!("{key} is missing")))
            }),
            "propertyNames" => value.as_object().and_then(|object| {
                let pattern = rule["pattern"].as_str().unwrap();
                object.keys().find(|key| !fits(pattern, key)).and_then(|key| wrong(format!("`{key}` is no name")))
            }),
            "properties" => None,
            other => panic!("the checker does not know the word {other}"),
        };
        if found.is_some() {
            return found;
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        let found = match (schema["properties"].get(key), schema.get("additionalProperties")) {
            (Some(rule), _) => complaint(rule, inner, &path),
            (None, Some(Json::Bool(false))) => Some(format!("{path}: unknown key")),
            (None, Some(rule @ Json::Object(_))) => complaint(rule, inner, &path),
            (None, _) => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn scenes(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            scenes(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

fn to_json(text: &str) -> Option<Json> {
    serde_json::to_value(text.parse::<toml::Table>().ok()?).ok()
}

#[test]
fn every_shipped_scene_passes_the_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    ["examples", "cases"].iter().for_each(|folder| scenes(&root.join(folder), &mut files));
    let (schema, mut count, mut wrong) = (json_schema(), 0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        // Scenes say their schema; the other files of a case do not.
        let Some(scene) = to_json(&text).filter(|scene| scene.get("schema").is_some()) else { continue };
        count += 1;
        wrong.extend(complaint(&schema, &scene, "").map(|what| format!("{}: {what}", file.display())));
    }
    assert!(count > 40, "the scenes are found: {count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_checker_can_fail() {
    let (schema, rod) = (json_schema(), include_str!("../../../examples/scenes/rod.toml"));
    assert_eq!(complaint(&schema, &to_json(rod).unwrap(), ""), None);
    for (from, to) in [
        ("schema = 1", "schema = 2"),
        ("young ", "yung "),
        ("\"statics\"", "\"static\""),
        ("[rod.arm]", "[rod.\"1arm\"]"),
        ("degree = 3", "degree = 3.5"),
        ("position = [0, 0, 0]", "position = [0, 0]"),
        ("poisson = 0.45", "poisson = true"),
    ] {
        let changed = rod.replacen(from, to, 1);
        assert_ne!(changed, rod, "{from}");
        assert!(complaint(&schema, &to_json(&changed).unwrap(), "").is_some(), "{to}");
    }
    assert!(complaint(&schema, &json!({ "title": "no schema" }), "").is_some());
}
