//! The JSON Schema of the scene format, made from the same table of keys that the reader uses.

use super::dimension::Dimension;
use super::keys::{FRAME, Key, Kind, SCENE};
use serde_json::{Map, Value as Json, json};

/// The schema, for editors that complete and check TOML.
pub fn json_schema() -> Json {
    let mut schema = table(SCENE, &["schema"]);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("lissome scene");
    schema["properties"]["schema"] = json!({ "const": 1, "description": "version of this format; always 1" });
    schema
}

fn table(keys: &'static [Key], required: &[&str]) -> Json {
    let properties: Map<String, Json> = keys
        .iter()
        .map(|key| {
            let mut schema = of_kind(&key.kind);
            schema["description"] = json!(key.doc);
            schema["examples"] = json!([key.example]);
            (key.name.to_owned(), schema)
        })
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn of_kind(kind: &Kind) -> Json {
    match kind {
        Kind::Text | Kind::Name(_) => json!({ "type": "string" }),
        Kind::Choice(choices) => json!({ "enum": choices }),
        Kind::Count => json!({ "type": "integer", "minimum": 0 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Quantity(dimension) => quantity(*dimension),
        Kind::Tapered(dimension) => json!({ "anyOf": [quantity(*dimension), array(quantity(*dimension), 2)] }),
        Kind::Several(dimension) => {
            json!({ "anyOf": [quantity(*dimension), { "type": "array", "items": quantity(*dimension) }] })
        }
        Kind::Pair(dimension) => array(quantity(*dimension), 2),
        Kind::Station => json!({ "anyOf": [{ "enum": ["base", "tip"] }, quantity(Dimension::LENGTH)] }),
        Kind::Vector(dimension) => json!({ "anyOf": [array(quantity(*dimension), 3), { "type": "string" }] }),
        Kind::Quaternion => array(json!({ "type": "number" }), 4),
        Kind::Stiffness => {
            let row = array(json!({ "type": ["number", "string"] }), 6);
            json!({ "anyOf": [row.clone(), array(row, 6)] })
        }
        Kind::Each(dimension) => {
            json!({ "anyOf": [quantity(*dimension), array(quantity(*dimension), 3)] })
        }
        Kind::OneOrSix => {
            let count = json!({ "type": "integer", "minimum": 0 });
            json!({ "anyOf": [count.clone(), array(count, 6)] })
        }
        Kind::Grid(dimension) => {
            let row = json!({ "type": "array", "items": quantity(*dimension), "minItems": 2 });
            json!({ "type": "array", "items": row, "minItems": 2 })
        }
        Kind::Matrix => array(array(json!({ "type": ["number", "string"] }), 6), 6),
        Kind::WordOrCount(words) => json!({ "anyOf": [{ "enum": words }, { "type": "integer", "minimum": 0 }] }),
        Kind::Table(keys) => table(keys, &[]),
        Kind::Family(keys) => json!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$" },
            "additionalProperties": table(keys, &[]),
        }),
        Kind::List(keys) => json!({ "type": "array", "items": table(keys, &[]) }),
        Kind::WordOrTable(words, keys) => json!({ "anyOf": [{ "enum": words }, table(keys, &[])] }),
        Kind::Frame => frame(),
        Kind::Frames => json!({ "type": "array", "items": frame(), "minItems": 2 }),
        Kind::OneOrList(keys) => {
            json!({ "anyOf": [table(keys, &[]), { "type": "array", "items": table(keys, &[]) }] })
        }
        Kind::Inertia => {
            let row = array(quantity(Dimension::INERTIA), 3);
            json!({ "anyOf": [row.clone(), array(row, 3)] })
        }
        Kind::Coordinates => json!({ "anyOf": [driven(), { "type": "array", "items": driven(), "maxItems": 6 }] }),
        Kind::Limits => {
            let each = json!({ "anyOf": [array(driven(), 2), { "const": "none" }] });
            json!({ "anyOf": [array(driven(), 2), { "type": "array", "items": each, "maxItems": 6 }] })
        }
        Kind::Axes => array(array(json!({ "type": "number" }), 3), 2),
        Kind::Names(_) => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Driven => driven(),
        Kind::DrivenList(0) => json!({ "type": "array", "items": driven() }),
        Kind::DrivenList(n) => array(driven(), *n),
        Kind::DrivenTable => json!({ "type": "array", "items": array(driven(), 2), "minItems": 1 }),
        Kind::Course(keys) => json!({ "anyOf": [driven(), table(keys, &[])] }),
        Kind::Courses(keys) => {
            json!({ "anyOf": [array(json!({ "anyOf": [driven(), table(keys, &[])] }), 3), { "type": "string" }] })
        }
        Kind::Paths(keys) => json!({ "type": "object", "additionalProperties": table(keys, &[]) }),
        Kind::Cases => json!({ "type": ["string", "object"] }),
        Kind::Drives(keys) => json!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}(\\.([A-Za-z][A-Za-z0-9_-]{0,63}|[0-9]+))?\\.[a-z_]+$" },
            "additionalProperties": { "anyOf": [driven(), table(keys, &[])] },
        }),
    }
}

fn frame() -> Json {
    json!({ "anyOf": [{ "type": "string" }, table(FRAME, &[])] })
}

/// A quantity whose unit another key decides.
fn driven() -> Json {
    json!({ "type": ["number", "string"] })
}

fn quantity(dimension: Dimension) -> Json {
    if dimension == Dimension::NONE {
        return json!({ "type": ["number", "string"] });
    }
    json!({ "anyOf": [
        { "type": "number", "description": format!("in SI: {dimension}") },
        { "type": "string", "description": format!("{}, such as {}", dimension.name(), dimension.example()) },
    ] })
}

fn array(items: Json, length: usize) -> Json {
    json!({ "type": "array", "items": items, "minItems": length, "maxItems": length })
}
