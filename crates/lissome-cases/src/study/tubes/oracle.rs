//! A robot of tubes at random insertions and rotations, every second time loaded, against the shooting oracle.

use super::set_of;
use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use crate::template;
use lissome::lie::Wrench;
use lissome::model::{Load, LoadFrame, LoadKind, Scene, Tube};
use lissome::{Answer, Unobserved};
use lissome_reference::tubes::{TubeRobot, solve};
use nalgebra::Vector3;
use serde::Deserialize;

/// Random insertions, rotations and loads of one robot.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeOracle {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Words for the robot.
    name: String,
    seed: u64,
    count: usize,
    /// Least part of a tube that is beyond the entry.
    insertion: f64,
    /// Largest rotation of a base, rad, either way.
    rotation: f64,
    /// Largest force on the tip, N, where there is one; gravity acts with it.
    force: f64,
    /// Tubes that neither slide nor turn.
    #[serde(default)]
    fixed: Vec<String>,
    /// Distance of the tips, parts of the length.
    within: f64,
}

/// How one draw came out.
#[derive(Default)]
struct Worst {
    position: f64,
    angle: f64,
    iterations: usize,
}

impl TubeOracle {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let mut random = Random::new(self.seed);
        let (mut lost, mut unstable) = (0, 0);
        let mut worst = [Worst::default(), Worst::default()];
        for index in 0..self.count {
            let loaded = index % 2 == 1;
            let drawn = self.draw(&scene, loaded, &mut random)?;
            let Answer::Statics(found) = lissome::run(&drawn, &mut Unobserved)? else {
                return Err(CaseError::WrongJob { what: self.scene.clone(), need: "statics" });
            };
            let exact = solve(&TubeRobot::from_scene(&drawn, 0, 0.0)?)?;
            let tip = found.rods[0].samples.last().filter(|_| found.outcome.converged());
            let Some(tip) = tip else {
                lost += 1;
                continue;
            };
            let stable = found.outcome.stability.is_some_and(|stability| stability.stable);
            unstable += usize::from(!stable || exact.negative_directions()? > 0);
            let truth = exact.tip();
            let worst = &mut worst[usize::from(loaded)];
            let apart = (tip.pose.position - truth.position).norm() / drawn.rods[0].length;
            worst.position = worst.position.max(apart);
            worst.angle = worst.angle.max((truth.rotation.inverse() * tip.pose.rotation).angle());
            worst.iterations = worst.iterations.max(found.outcome.iterations());
        }
        let title = |what: &str| format!("{}, {} draws: {what}", self.name, self.count);
        let mut rows = vec![
            Row::deviation(title("without an equilibrium"), f64::from(lost), 0.0),
            Row::deviation(title("unstable, by the program or by the oracle"), unstable as f64, 0.0),
        ];
        for (what, worst) in ["free", "loaded"].into_iter().zip(worst) {
            rows.push(Row::deviation(title(&format!("{what}, tip off / L")), worst.position, self.within));
            // A rod that is within its tolerance along its length is turned by no more than a few times that.
            rows.push(Row::deviation(title(&format!("{what}, tip turned / rad")), worst.angle, 10.0 * self.within));
        }
        Ok(rows)
    }

    /// Insertions within what the nesting allows, rotations, and a load.
    fn draw(&self, scene: &Scene, loaded: bool, random: &mut Random) -> Result<Scene, CaseError> {
        let mut drawn = scene.clone();
        let tubes: Vec<Tube> = set_of(scene)?.tubes.clone();
        let innermost = random.uniform(self.insertion, 1.0) * tubes[0].length;
        for (j, tube) in tubes.iter().enumerate() {
            let fixed = self.fixed.contains(&tube.name);
            // No tube reaches farther than the innermost, in front or behind.
            let least = (self.insertion * tube.length).max(tube.length - tubes[0].length + innermost);
            let most = tube.length.min(innermost);
            let (part, turn) = (random.uniform(0.0, 1.0), random.uniform(-self.rotation, self.rotation));
            let insertion = match (j, fixed) {
                (_, true) => tube.insertion,
                (0, false) => innermost,
                _ => least.min(most) + (most - least.min(most)) * part,
            };
            drawn.insert_tube(0, j, insertion);
            if let Some(own) = drawn.rods[0].tubes.as_mut().filter(|_| !fixed) {
                own.tubes[j].rotation = turn;
            }
        }
        let force = random.direction() * random.uniform(0.2, 1.0) * self.force;
        if loaded {
            drawn.gravity = Vector3::new(0.0, 0.0, -9.81);
            let wrench = Wrench::new(Vector3::zeros(), force);
            let kind = LoadKind::Point { at: drawn.rods[0].length, wrench };
            drawn.loads.push(Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind });
        }
        Ok(drawn)
    }
}
