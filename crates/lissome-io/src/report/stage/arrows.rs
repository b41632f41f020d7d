//! Loads and what presses, as arrows in space.

use super::super::arrows::{self, Acting};
use super::pack;
use super::sequence::Sequence;
use crate::placing::Placing;
use lissome_lie::Pose;
use lissome_model::{DriveTarget, Frame, FrameOf, Job, Scene};
use lissome_solve::MotionFrame;
use nalgebra::Vector3;
use serde_json::{Value as Json, json};
use std::collections::HashMap;

/// Length of the longest arrow of a kind, of the size of the robot.
const LONGEST: f64 = 0.18;
/// Arrows of contact in a frame: more are not told apart.
const MOST_CONTACTS: usize = 60;
/// Shorter arrows of contact are left out, of the longest.
const SHORTEST: f64 = 0.02;

/// Forces, moments and forces of contact, by the number that the script knows.
const FORCE: u8 = 0;
const MOMENT: u8 = 1;
const CONTACT: u8 = 2;

/// Every load of a frame where it acts.
fn loads(scene: &Scene, frame: &MotionFrame) -> Vec<Acting> {
    let placing = Placing::in_motion(scene, frame);
    let on_rod = |rod: usize, s: f64| placing.frame(&Frame { of: FrameOf::Rod { rod, s }, pose: Pose::identity() });
    let factor = |target: DriveTarget| {
        if released(scene, target) {
            return 0.0;
        }
        let drive = scene.drives.iter().position(|drive| drive.target == target);
        drive.map_or(1.0, |drive| frame.drives.get(drive).copied().unwrap_or(1.0))
    };
    arrows::acting(scene, on_rod, |at| placing.frame(at), factor)
}

/// True for a load that only holds the start of a motion.
fn released(scene: &Scene, target: DriveTarget) -> bool {
    let Job::Dynamics(job) = &scene.job else { return false };
    let index = match target {
        DriveTarget::Load(index) => index,
        DriveTarget::FrameLoad(index) => scene.loads.len() + index,
        _ => return false,
    };
    job.release.contains(&index)
}

/// The arrows of all frames, the longest of each kind a part of the size of the robot; and where they begin and end.
pub fn json(scene: &Scene, sequence: &Sequence, size: f64) -> (Json, Vec<Vector3<f64>>) {
    struct Arrow {
        at: Vector3<f64>,
        vector: Vector3<f64>,
        kind: u8,
        label: String,
    }
    let of_frame = |frame: &MotionFrame| -> Vec<Arrow> {
        let loads = loads(scene, frame).into_iter().map(|acting| Arrow {
            at: acting.at,
            vector: acting.vector,
            kind: if acting.is_moment { MOMENT } else { FORCE },
            label: acting.label,
        });
        let mut pressing: Vec<_> = frame.contacts.iter().flat_map(|pair| &pair.points).collect();
        pressing.sort_by(|a, b| b.force.norm().total_cmp(&a.force.norm()));
        let pressing = pressing.into_iter().take(MOST_CONTACTS).map(|point| Arrow {
            at: point.place,
            vector: point.force,
            kind: CONTACT,
            label: String::new(),
        });
        let finite = |arrow: &Arrow| arrow.at.iter().chain(arrow.vector.iter()).all(|x| x.is_finite());
        loads.chain(pressing).filter(finite).collect()
    };
    let frames: Vec<Vec<Arrow>> = sequence.frames.iter().map(of_frame).collect();
    let mut longest = [0.0_f64; 3];
    for arrow in frames.iter().flatten() {
        let most = &mut longest[usize::from(arrow.kind)];
        *most = most.max(arrow.vector.norm());
    }
    let (mut first, mut numbers, mut kinds, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    let mut ends = Vec::new();
    let (mut words, mut known): (Vec<String>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
    for frame in frames {
        for arrow in frame {
            let part = arrow.vector / longest[usize::from(arrow.kind)].max(f64::MIN_POSITIVE);
            if arrow.kind == CONTACT && part.norm() < SHORTEST {
                continue;
            }
            let (kind, vector) = (arrow.kind, part * (LONGEST * size));
            // A contact pushes: its arrow ends where it acts.
            let from = if kind == CONTACT { arrow.at - vector } else { arrow.at };
            ends.extend([from, from + vector]);
            numbers.extend(from.iter().chain(vector.iter()));
            kinds.push(kind);
            labels.push(*known.entry(arrow.label.clone()).or_insert_with(|| {
                words.push(arrow.label);
                words.len() - 1
            }));
        }
        first.push(kinds.len());
    }
    let json = json!({
        "first": first, "vectors": pack::floats(numbers.into_iter()), "kinds": pack::base64(&kinds),
        "labels": labels, "words": words,
    });
    (json, ends)
}
