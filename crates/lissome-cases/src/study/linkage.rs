//! A linkage with an elastic link beside the same of rigid bodies: it stays closed, keeps its energy, and the stiffer it is, the
//! nearer it comes to the rigid one.

use super::Variant;
use super::motion::{frames, quantity};
use crate::error::CaseError;
use crate::report::Row;
use lissome::model::{DriveTarget, Scene};
use lissome::solve::MotionFrame;
use lissome_reference::rigid::linkage::{Link, Linkage};
use serde::Deserialize;

/// How near halving the step of a scheme of second order comes to a quarter of the error: 3 to 5 times less.
const ORDER_TWO: f64 = 1.0;

/// A linkage and what is asked of it. The first joint of the scene is the crank, which turns about z.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkageStudy {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// The same of rigid bodies.
    rigid: Rigid,
    /// Least turns of the crank.
    turns: f64,
    /// Largest gap of the loop, rad or m.
    closure: f64,
    /// Largest distance of the energy balance from its beginning, of the energy that was exchanged.
    balance: f64,
    /// Variants whose cranks must do the same.
    #[serde(default)]
    same: Vec<Same>,
    /// Two variants, of which the stiffer must be nearer to the rigid linkage.
    softer: Option<Softer>,
}

/// Two variants that must do the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Same {
    first: String,
    second: String,
    /// Of the angle of the crank, rad.
    within: f64,
}

/// Two variants and how much nearer to the rigid linkage the stiffer must be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Softer {
    soft: String,
    /// The stiffer one with two steps, the second half as long: the limit of short steps is compared, of a scheme of second order.
    stiff: [String; 2],
    /// Least factor between their distances.
    factor: f64,
}

/// Lengths and masses of uniform bars.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rigid {
    FourBar { crank: Bar, coupler: Bar, rocker: Bar, ground: [f64; 2], left: bool },
    SliderCrank { crank: Bar, rod: Bar, slider: f64, offset: f64 },
}

/// A uniform thin bar.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bar {
    length: f64,
    mass: f64,
    /// Radius of its round section, whose rotary inertia counts, m.
    #[serde(default)]
    radius: f64,
}

impl Bar {
    fn link(self) -> Link {
        let thin = Link::bar(self.length, self.mass);
        Link { inertia: thin.inertia + 0.25 * self.mass * self.radius.powi(2), ..thin }
    }
}

impl Rigid {
    fn linkage(&self) -> Linkage {
        match *self {
            Self::FourBar { crank, coupler, rocker, ground, left } => {
                Linkage::FourBar { crank: crank.link(), coupler: coupler.link(), rocker: rocker.link(), ground, left }
            }
            Self::SliderCrank { crank, rod, slider, offset } => {
                Linkage::SliderCrank { crank: crank.link(), rod: rod.link(), slider, offset }
            }
        }
    }
}

/// The crank of a variant at each frame, and that of the rigid linkage.
struct Compared {
    name: String,
    angles: Vec<f64>,
    rigid: Vec<f64>,
}

impl Compared {
    fn departure(&self) -> f64 {
        apart(&self.angles, &self.rigid)
    }
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

impl LinkageStudy {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let (mut rows, mut all) = (Vec::new(), Vec::new());
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let frames = frames(&scene, &variant.title("motion"))?;
            let compared = self.compare(&scene, &frames, variant)?;
            let mut at_most = |what: &str, measured: f64, bar: f64| {
                rows.push(Row::at_most(variant.title(&format!("{what}, at most")), measured, bar));
            };
            at_most("gap of the loop, rad or m", quantity("loop_gap", &frames)?, self.closure);
            at_most("energy balance, of what was exchanged", quantity("balance_error", &frames)?, self.balance);
            let turned = compared.angles.iter().map(|angle| (angle - compared.angles[0]).abs()).fold(0.0, f64::max);
            let turns = turned / std::f64::consts::TAU;
            rows.push(Row::at_least(variant.title("turns of the crank, at least"), turns, self.turns));
            all.push(compared);
        }
        let find = |name: &str| {
            let found = all.iter().find(|compared| compared.name == name);
            found.ok_or_else(|| CaseError::NoSuchPart { name: name.to_owned() })
        };
        for Same { first, second, within } in &self.same {
            let distance = apart(&find(first)?.angles, &find(second)?.angles);
            rows.push(Row::deviation(format!("{second} beside {first}: crank / rad"), distance, *within));
        }
        if let Some(Softer { soft, stiff, factor }) = &self.softer {
            let [coarse, fine] = [find(&stiff[0])?, find(&stiff[1])?];
            let gain = coarse.departure() / fine.departure();
            let title = format!("{}: nearer to the rigid linkage than {}, times: order 2 says 4", stiff[1], stiff[0]);
            rows.push(Row::within(title, 4.0, gain, (gain - 4.0).abs(), ORDER_TWO));
            let limit: Vec<f64> = fine.angles.iter().zip(&coarse.angles).map(|(f, c)| f + (f - c) / 3.0).collect();
            let times = find(soft)?.departure() / apart(&limit, &fine.rigid);
            let title =
                format!("{soft}: farther from the rigid linkage than the limit of {}, times, at least", stiff[1]);
            rows.push(Row::at_least(title, times, *factor));
        }
        Ok(rows)
    }

    fn compare(&self, scene: &Scene, frames: &[MotionFrame], variant: &Variant) -> Result<Compared, CaseError> {
        let crank = |frame: &MotionFrame| frame.joints.first().and_then(|values| values.first()).copied();
        let angles: Vec<f64> = frames.iter().filter_map(crank).collect();
        if angles.len() < frames.len() {
            return Err(CaseError::TooFew { what: "joints", found: 0, need: 1 });
        }
        let effort = DriveTarget::JointEffort { joint: 0, coordinate: 0 };
        let drive = scene.drives.iter().find(|drive| drive.target == effort);
        let torque = |time: f64| drive.map_or(0.0, |drive| drive.signal.at(time));
        let times: Vec<f64> = frames.iter().map(|frame| frame.time).collect();
        let gravity = [scene.gravity.x, scene.gravity.y];
        let exact = self.rigid.linkage().motion(gravity, [angles[0], 0.0], &times, torque)?;
        let rigid = exact.iter().map(|instant| instant.angle).collect();
        Ok(Compared { name: variant.name.clone(), angles, rigid })
    }
}
