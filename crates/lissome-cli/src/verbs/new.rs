//! `lissome new TEMPLATE FILE`: the scene, and beside it the schema by which editors complete and check it.

use crate::args::NewArgs;
use crate::console::{refuse, say, say_json};
use crate::exit::Exit;
use lissome::io::{Diagnostic, Fault};
use lissome::templates::{self, TEMPLATES, Template};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Name of the schema beside a scene.
const SCHEMA: &str = "scene.schema.json";

/// Writes a template to a file that is not there yet.
pub fn run(args: &NewArgs) -> Exit {
    if args.list {
        return list(args.json);
    }
    let (Some(name), Some(file)) = (&args.template, &args.file) else {
        let message = "a template and a file are needed".into();
        return refuse(&[Diagnostic::new(Fault::Usage { message })], args.json);
    };
    let text = |template: Template| format!("#:schema {SCHEMA}\n{}", template.text);
    let written = templates::find(name).and_then(|template| write(file, &text(template)));
    let schema = file.with_file_name(SCHEMA);
    // A schema that is there serves: it is that of another scene, or somebody's.
    let schema = written.and_then(|()| match write(&schema, &schema_text()) {
        Err(Fault::FileThere { .. }) => Ok(None),
        result => result.map(|()| Some(schema.display().to_string())),
    });
    let schema = match schema {
        Ok(schema) => schema,
        Err(fault) => return refuse(&[Diagnostic::new(fault)], args.json),
    };
    let shown = file.display();
    if args.json {
        say_json(&json!({ "status": "ok", "template": name, "file": shown.to_string(), "schema": schema }));
    } else {
        let beside =
            schema.map_or(String::new(), |schema| format!("\n      {schema}   by which editors complete and check it"));
        say(&format!("wrote {shown}{beside}\nnext  lissome check {shown}      lissome run {shown}"));
    }
    Exit::Ok
}

/// The schema as `lissome schema` prints it.
fn schema_text() -> String {
    format!("{:#}\n", lissome::io::scene::schema::json_schema())
}

/// Lists the shipped scenes.
pub fn list(as_json: bool) -> Exit {
    if as_json {
        let all: Vec<_> = TEMPLATES.iter().map(|t| json!({ "name": t.name, "title": t.title() })).collect();
        say_json(&json!({ "status": "ok", "scenes": all }));
    } else {
        for template in TEMPLATES {
            say(&format!("  {:<16} {}", template.name, template.title()));
        }
    }
    Exit::Ok
}

fn write(file: &Path, text: &str) -> Result<(), Fault> {
    let path = file.display().to_string();
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut out = opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Fault::FileThere { path: path.clone() },
        _ => Fault::CannotWrite { path: path.clone(), reason: error.to_string() },
    })?;
    out.write_all(text.as_bytes()).map_err(|error| {
        // The file is ours and incomplete.
        let _ = std::fs::remove_file(file);
        Fault::CannotWrite { path, reason: error.to_string() }
    })
}
