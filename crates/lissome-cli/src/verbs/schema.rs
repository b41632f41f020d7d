//! `lissome schema`.

use crate::console;
use crate::exit::Exit;

/// Prints the JSON Schema of the scene format.
pub fn run() -> Exit {
    console::say_json(&lissome::io::scene::schema::json_schema());
    Exit::Ok
}
