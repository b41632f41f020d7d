//! Three robots whose drives are sought: six rods on three motors, an arm with six tendons, three concentric tubes.

use lissome::inverse::{Seeker, place_at};
use lissome::solve::inverse::{Carrier, Found, Goal, Posture, Quantity};
use lissome::solve::statics::{self, StaticOptions};
use lissome_io::scene;
use lissome_lie::Pose;
use lissome_mech::index::RodIndex;
use lissome_mech::{Input, System};
use lissome_model::Scene;
use lissome_solve::path;
use std::sync::Arc;

/// A scene from text.
pub fn load(text: &str) -> Scene {
    let loaded = scene::parse("inverse.toml", text.to_owned(), &[]);
    loaded.unwrap_or_else(|found| panic!("{}", found.iter().map(ToString::to_string).collect::<String>())).scene
}

/// A template without its drives and its job, with other ones.
fn template(name: &str, until: &str, rest: &str) -> Scene {
    let text = lissome::templates::find(name).unwrap().text;
    load(&format!("{}\n{rest}", text.split(until).next().unwrap()))
}

/// Six rods on three motors.
pub fn six_rods() -> Scene {
    let mut scene = template(
        "six-rod-robot",
        "[load]",
        "[free]\n\"motor_1.angle\" = { min = -1, max = 1 }\n\"motor_2.angle\" = { min = -1, max = 1 }\n\
         \"motor_3.angle\" = { min = -1, max = 1 }\n[target.platform]\nof = \"platform\"\nposition = [0, 0, 0.19]\n\
         rotvec = [0, 0, 0]\n[job]\nkind = \"inverse\"\n",
    );
    scene.title = "six rods".into();
    scene
}

/// An arm of two segments with three tendons each.
pub fn tendon_arm() -> Scene {
    let limits = "{ max = \"15 N\" }";
    let free: String = ["lower", "upper"]
        .iter()
        .flat_map(|set| (1..=3).map(move |k| format!("\"{set}.{k}.tension\" = {limits}\n")))
        .collect();
    let mut scene = template(
        "tendon-arm",
        "[job]",
        &format!(
            "[free]\n{free}[target.tip]\nof = \"backbone\"\nposition = [0.03, 0, 0.23]\nrotation = {{ tangent = [0, 0, 1] }}\n[job]\nkind = \"inverse\"\n"
        ),
    );
    scene.title = "tendon arm".into();
    scene
}

/// Three tubes, turned and pushed.
pub fn tubes() -> Scene {
    let turn = |tube: &str| format!("\"robot.{tube}.rotation\" = {{ min = -9, max = 9 }}\n");
    let push =
        |tube: &str, low: f64, high: f64| format!("\"robot.{tube}.insertion\" = {{ min = {low}, max = {high} }}\n");
    let free: String = ["inner", "middle", "outer"].iter().map(|tube| turn(tube)).collect();
    let free = free + &push("inner", 0.128, 0.202) + &push("middle", 0.098, 0.127) + &push("outer", 0.058, 0.097);
    let mut scene = template(
        "concentric-tubes",
        "[drive]",
        &format!(
            "[free]\n{free}[target.tip]\nof = \"robot\"\nposition = [0.03, 0, 0.13]\nrotation = {{ tangent = [0, 0, 1] }}\n[job]\nkind = \"inverse\"\n"
        ),
    );
    scene.title = "three tubes".into();
    scene
}

/// A stream of numbers that never changes.
pub struct Random(pub u64);

impl Random {
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The pose whose targets are set: the platform that several rods carry, or the tip of the first rod. Equations of tubes have bodies of their own.
pub fn carrier(system: &System) -> Carrier {
    if system.rods().len() > 1 { Carrier::Body(0) } else { Carrier::Tip(RodIndex::new(0)) }
}

/// The robot under drives, on the branch of where it stands; `None` if something happens on the way.
pub fn under(seeker: &Seeker, drives: &[f64]) -> Option<Posture> {
    let from = seeker.posture();
    let mut inputs = from.inputs.clone();
    seeker.unknowns().iter().zip(drives).for_each(|(own, value)| inputs.set(own.input, *value));
    let options = StaticOptions { eigenvalue: false, ..StaticOptions::default() };
    let pushes = seeker.unknowns().iter().any(|own| matches!(own.input, Input::TubeInsertion { .. }));
    if !pushes {
        let mut work = from.system.workspace();
        let way = (&from.inputs, &inputs);
        let found = path::advance(&from.system, &from.state, way, &options, &mut work, &mut |_| true);
        let there = found.outcome.converged() && found.outcome.events.is_empty();
        return there.then(|| Posture { system: from.system.clone(), state: found.state, inputs });
    }
    let system = seeker.equations(None, &inputs)?;
    let start = system.carried_state(&from.system, &from.state, &inputs);
    let found = statics::solve(&system, &start, &inputs, &options, &mut system.workspace(), &mut |_| true);
    let there = found.outcome.converged() && found.outcome.events.is_empty();
    there.then(|| Posture { system: Arc::new(system), state: found.state, inputs })
}

/// The pose that targets are of.
pub fn pose_of(posture: &Posture) -> Pose {
    carrier(&posture.system).pose(&posture.system, &posture.state)
}

/// Targets for a whole pose.
pub fn goals(seeker: &Seeker, target: &Pose) -> [Goal; 2] {
    let place = place_at(carrier(&seeker.posture().system));
    let length = seeker.posture().system.scales().length;
    let position = Quantity::Position { place, target: target.position, axes: [true; 3] };
    let rotation = Quantity::Rotation { place, target: target.rotation };
    [Goal { quantity: position, weight: 1.0 / length }, Goal { quantity: rotation, weight: 1.0 }]
}

/// What came of a battery.
pub struct Tally {
    pub found: Vec<(Vec<f64>, Found)>,
}

impl Tally {
    pub fn met(&self) -> usize {
        self.found.iter().filter(|(_, found)| found.distance < 1e-8).count()
    }
}

/// Drives at random, the poses that they give, and the drives that are found for these.
pub fn battery(seeker: &mut Seeker, count: usize, ranges: &[(f64, f64)]) -> Tally {
    let mut random = Random(7);
    let mut tally = Tally { found: Vec::new() };
    while tally.found.len() < count {
        let drives: Vec<f64> = ranges.iter().map(|(low, high)| random.uniform(*low, *high)).collect();
        let Some(there) = under(seeker, &drives) else { continue };
        let goals = goals(seeker, &pose_of(&there));
        let found = seeker.reach(&goals, &mut |_| true);
        tally.found.push((drives, found));
    }
    tally
}

/// Ranges of the drives of the three robots, in the order of their unknowns.
pub const SIX_RODS: [(f64, f64); 3] = [(-0.6, 0.3); 3];
pub const TENDONS: [(f64, f64); 6] = [(0.0, 8.0); 6];
pub const TUBES: [(f64, f64); 6] = [(-1.5, 1.5), (-1.5, 1.5), (-1.5, 1.5), (0.13, 0.2), (0.1, 0.125), (0.06, 0.095)];
