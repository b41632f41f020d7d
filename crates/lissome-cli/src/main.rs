//! The `lissome` program.

fn main() {}
