//! Nothing in this crate allocates: its types are `Copy`, which owns no heap, and its sources name no heap type.
#![allow(clippy::unwrap_used)]

use lissome_lie::dual::{DualMatrix, ExpMap, InverseMap};
use lissome_lie::{
    Cayley, CubicHermite, CumulativeBasis, CumulativeCurve, GaussPoint, Jacobian, KnotVector, Pose, Rates, Rotation,
    Segment, Strain, Twist, Wrench,
};
use std::path::Path;

/// Words that bring the heap in; `Extend` is how callers take knots into storage of their own.
const HEAP: [&str; 14] = [
    "Vec<",
    "Vec::",
    "vec!",
    "Box<",
    "Box::",
    "String",
    "format!",
    ".to_string(",
    ".to_owned(",
    ".to_vec(",
    ".collect",
    "Rc<",
    "Arc<",
    "DMatrix",
];

fn heap_words(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            heap_words(&path, found);
            continue;
        }
        for (line, text) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            let code = text.split("//").next().unwrap_or_default();
            if let Some(word) = HEAP.iter().find(|w| code.contains(**w)) {
                found.push(format!("{}:{} uses {word}", path.display(), line + 1));
            }
        }
    }
}

#[test]
fn sources_name_no_heap_type() {
    let mut found = Vec::new();
    heap_words(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn types_own_nothing() {
    fn copies<T: Copy>() {}
    copies::<(Rotation, Pose, Twist, Strain, Wrench, GaussPoint)>();
    copies::<(DualMatrix, ExpMap, InverseMap, KnotVector<'static>, CumulativeBasis)>();
    copies::<(CumulativeCurve<'static, Pose>, Segment<Pose>, Rates<Pose>, Jacobian<Pose>, CubicHermite<Pose>)>();
    copies::<(CumulativeCurve<'static, Rotation, Cayley>, Segment<Rotation, Cayley>, Jacobian<Rotation>)>();
}
