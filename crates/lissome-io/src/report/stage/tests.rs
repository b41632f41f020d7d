//! What a page holds: numbers that come back, a bounded size, and no script but its own.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::report::motion;
use crate::run_folder::motion::tests::{frame, scene};
use crate::{Ending, MotionSummary};
use lissome_solve::{MotionAnswer, MotionEnd, MotionRecord};

/// A page may run so many bytes of script.
const MOST_SCRIPT: usize = 60_000;

fn page_of(scene: &Scene, count: usize) -> String {
    let mut record = MotionRecord::of(scene);
    (0..count).map(frame).for_each(|frame| record.push(&frame));
    let motion = MotionAnswer { start: None, record, end: MotionEnd::Finished };
    let summary = MotionSummary { scene, motion: &motion, ending: Ending::Finished, wall_seconds: 1.0 };
    motion::html(&summary, "schema = 1")
}

/// The numbers of the page's view.
fn numbers_of(page: &str) -> Json {
    let (_, rest) = page.split_once("id=\"stage-numbers\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// Single-precision numbers from base64, read by rules of its own.
fn floats(text: &Json) -> Vec<f32> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = text.as_str().unwrap().trim_end_matches('=');
    let bits: Vec<u8> = text.bytes().flat_map(|c| (0..6).rev().map(move |i| digit(c) >> i & 1)).collect();
    let bytes: Vec<u8> = bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit)).collect();
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

#[test]
fn the_numbers_of_a_motion_come_back() {
    let loaded = scene();
    let stage = numbers_of(&page_of(&loaded.scene, 120));
    assert_eq!((stage["axis"].as_str(), stage["x"].as_array().unwrap().len()), (Some("time"), 120));
    let rod = &stage["rods"][0];
    let (stations, positions) = (rod["stations"].as_u64().unwrap() as usize, floats(&rod["position"]));
    assert_eq!((stations, positions.len()), (9, 120 * 9 * 3));
    for (index, at) in positions.chunks_exact(27).enumerate() {
        let expected = frame(index).rods[0].poses[8].position;
        assert!((0..3).all(|i| at[24 + i] == expected[i] as f32), "{index}: {at:?} {expected}");
    }
    let (cable, plate) = (&stage["threads"][0], &stage["solids"][0]);
    assert_eq!((cable["name"].as_str(), floats(&cable["points"]).len()), (Some("flexor"), 120 * 2 * 3));
    assert_eq!((plate["kind"].as_str(), plate["moves"].as_bool()), (Some("body"), Some(true)));
    assert_eq!(floats(&plate["position"]).len(), 120 * 3);
}

#[test]
fn a_page_stays_small_however_long_the_run() {
    let loaded = scene();
    let (short, long) = (page_of(&loaded.scene, 300).len(), page_of(&loaded.scene, 20_000).len());
    assert!(long < 3_000_000 && long < 3 * short, "{short} {long}");
    assert!(script().len() <= MOST_SCRIPT, "{}", script().len());
}

#[test]
fn hostile_names_stay_words() {
    let hostile = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "'+alert(1)+'",
        "<!--<script>",
        "]]>",
        "javascript:alert(1)",
        "\u{2028}alert(1)",
        "</style><style>*{}",
        "&lt;script&gt;",
    ];
    let loaded = scene();
    let plain = page_of(&loaded.scene, 3);
    let tags = |page: &str| page.matches('<').count();
    for name in hostile {
        for place in 0..10 {
            let mut scene = loaded.scene.clone();
            let name = format!("{name}{place}");
            match place % 4 {
                0 => scene.title.clone_from(&name),
                1 => scene.rods[0].name.clone_from(&name),
                2 => scene.bodies[0].name.clone_from(&name),
                _ => scene.cables[0].name.clone_from(&name),
            }
            let page = page_of(&scene, 3);
            assert_eq!(tags(&page), tags(&plain), "{name}");
            assert_eq!(numbers_of(&page)["rods"].as_array().unwrap().len(), 1);
        }
    }
}

#[test]
fn the_policy_knows_the_script_and_the_style() {
    let page = page_of(&scene().scene, 3);
    let inside = |tag: &str| {
        let (_, rest) = page.rsplit_once(&format!("<{tag}>")).unwrap();
        rest.split_once(&format!("</{tag}>")).unwrap().0.to_owned()
    };
    for tag in ["script", "style"] {
        use sha2::Digest as _;
        let hash = base64(&sha2::Sha256::digest(inside(tag).as_bytes()));
        assert!(page.contains(&format!("{tag}-src 'sha256-{hash}'")), "{tag}");
    }
    assert!(page.contains("default-src 'none'") && !page.contains("unsafe-inline"));
    assert!(!page.contains(" style=\""), "the policy would drop it");
}

#[test]
fn nothing_finite_nothing_shown() {
    let loaded = scene();
    let mut spoilt = frame(1);
    spoilt.rods[0].poses[3].position.x = f64::NAN;
    assert!(of_motion(&loaded.scene, &[spoilt.clone()]).is_empty() && of_motion(&loaded.scene, &[]).is_empty());
    let stage = numbers_of(&of_motion(&loaded.scene, &[frame(0), spoilt, frame(2)]));
    assert_eq!(stage["samples"], json!([0, 2]), "the good ones are shown");
}
