//! Random damage to good scenes: whatever the bytes, the reader answers, and never by a panic.

use lissome::io::scene;
use proptest::prelude::*;

const SCENES: [&str; 6] = [
    include_str!("../../../examples/scenes/rod.toml"),
    include_str!("../../../examples/scenes/catheter-tip.toml"),
    include_str!("../../../examples/scenes/strip.toml"),
    include_str!("../../../examples/scenes/sheathed-cable.toml"),
    include_str!("../../../examples/scenes/hooked.toml"),
    OBSTACLES,
];

/// Every shape of an obstacle, and pairs.
const OBSTACLES: &str = r#"
schema = 1
[material.rubber]
young = "1 MPa"
poisson = 0.45
[rod.arm]
material = "rubber"
length = "10 cm"
section = { shape = "circle", radius = "1 mm" }
base = {}
[obstacle.floor]
plane = { normal = [0, 0, 1], point = [0, 0, "-5 cm"] }
[obstacle.pin]
cylinder = { radius = "5 mm", length = "10 cm" }
position = ["50 cm", 0, "-4 cm"]
tangent = [0, 1, 0]
[obstacle.rounded]
like = "pin"
capsule = { radius = "5 mm", length = "4 cm" }
[obstacle.stone]
sphere = { radius = "3 cm" }
fixed_to = "arm"
at = "5 cm"
[obstacle.block]
box = ["10 cm", "20 cm", 0.05]
[obstacle.vessel]
bore = { radius = "3 mm", axis = [{ straight = "50 mm" }, { arc = "90 deg", radius = "2 cm", toward = "180 deg" }] }
[obstacle.dunes]
heights = { spacing = ["1 cm", "1 cm"], origin = [0, 1], rows = [[0, 1, 2], [0, "5 mm", 0]] }
[obstacle.bone]
mesh = { file = "bone.stl", unit = "1 mm" }
[contact]
friction = 0.2
restitution = 0.5
pairs = [{ of = ["arm", "floor"], friction = 0.4 }, { of = ["vessel", "arm"], touches = false }]
"#;

/// Pieces that are likely to hurt.
const PIECES: [&str; 24] = [
    "nan",
    "inf",
    "-",
    "1e999",
    "0",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "=",
    ".",
    ",",
    "\n",
    "µ",
    "\u{0}",
    "99999999999999999999",
    "\"3 m^9\"",
    "[rod.arm]",
    "true",
    "1979-05-27",
    "[[rod]]",
    "''",
    "\"\\u0000\"",
];

#[derive(Clone, Debug)]
enum Damage {
    Insert(usize, usize),
    Delete(usize, usize),
    Swap(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (any::<usize>(), 0..PIECES.len()).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (any::<usize>(), 1..30usize).prop_map(|(at, length)| Damage::Delete(at, length)),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Damage::Swap(a, b)),
    ]
}

fn apply(text: &str, damage: &Damage) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let n = chars.len().max(1);
    match damage {
        Damage::Insert(at, piece) => {
            let at = at % (n + 1);
            chars.splice(at.min(chars.len())..at.min(chars.len()), PIECES[*piece].chars());
        }
        Damage::Delete(at, length) => {
            let at = (at % n).min(chars.len());
            chars.drain(at..(at + length).min(chars.len()));
        }
        Damage::Swap(a, b) if chars.len() > 1 => chars.swap(a % n, b % n),
        Damage::Swap(..) => {}
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_scenes_are_answered(which in 0..SCENES.len(), wounds in prop::collection::vec(damage(), 1..4)) {
        let text = wounds.iter().fold(SCENES[which].to_owned(), |text, wound| apply(&text, wound));
        match scene::parse("damaged.toml", text, &[]) {
            // What is accepted is sound, and its resolved form reads back to the same scene.
            Ok(loaded) => {
                prop_assert!(loaded.scene.validate().is_ok());
                let again = scene::parse("again.toml", loaded.to_toml(), &[]);
                prop_assert_eq!(again.map(|a| a.scene).ok(), Some(loaded.scene));
            }
            Err(diagnostics) => {
                prop_assert!(diagnostics.iter().any(|d| d.fault.code().starts_with('E')));
                for diagnostic in diagnostics {
                    prop_assert!(!diagnostic.to_string().is_empty());
                }
            }
        }
    }

    #[test]
    fn random_overrides_are_answered(path in "[a-z.0-9]{0,20}", value in "\\PC{0,20}") {
        let _ = scene::parse("rod.toml", SCENES[0].to_owned(), &[format!("{path}={value}")]);
        let _ = scene::parse("rod.toml", SCENES[0].to_owned(), &[format!("rod.arm.{path}={value}")]);
        let _ = scene::parse("rod.toml", SCENES[0].to_owned(), &[format!("load.tip.force={value}")]);
    }

    #[test]
    fn random_text_is_answered(text in "\\PC{0,200}") {
        let _ = scene::parse("noise.toml", text, &[]);
    }
}
