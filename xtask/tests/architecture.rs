//! `ARCHITECTURE.md` and the code agree: floors, layers, habits.

use std::path::Path;
use xtask::house::rules;

#[test]
fn the_house_keeps_its_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let found = rules::check(root);
    let list: String = found.iter().map(|violation| format!("  {violation}\n")).collect();
    assert!(found.is_empty(), "{} broken rules:\n{list}", found.len());
}
