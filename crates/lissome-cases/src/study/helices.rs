//! Rods wound into helices, and helical springs under dead loads at their tips: each in one call with default settings.
//!
//! A straight rod carries a helix if force and moment on its tip are those of the closed form \[love1927\]; a helix of several
//! turns is mostly unstable, its load leads over folds, and there are further equilibria. Where the answer is stable it must be
//! the closed form, or another equilibrium that the oracle confirms.

use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use lissome::Unobserved;
use lissome::lie::{Pose, Wrench};
use lissome::model::{
    Discretization, Load, LoadFrame, LoadKind, Material, NaturalShape, Profile, Rod, Scene, Section, Shape,
};
use lissome::solve::{Answer, Equilibrium, Status};
use lissome_reference::analytic::helix::{RoundRod, Winding};
use lissome_reference::{Guess, solve_cantilever};
use nalgebra::Vector3;
use serde::Deserialize;
use std::f64::consts::{PI, TAU};

/// Random helices.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Helices {
    seed: u64,
    /// Straight rods that are wound up.
    wound: usize,
    /// Fewest and most turns of them.
    wound_turns: [f64; 2],
    /// Springs.
    springs: usize,
    spring_turns: [f64; 2],
    /// Smallest and largest L/r.
    slenderness: [f64; 2],
    /// Largest force on a spring, in EI/(D L) with D the diameter of its coil.
    largest_force: f64,
    /// Beyond its own told error an answer may be so far from an exact equilibrium, in lengths: round-off of both.
    round_off: f64,
}

const YOUNG: f64 = 1e9;
const POISSON: f64 = 0.3;

/// What became of one.
enum Fate {
    /// Where it should be: at the closed form, or at an equilibrium that the oracle confirms.
    True {
        stable: bool,
    },
    /// A named event that ends the load.
    Fold,
    Failed(String),
    /// No exact equilibrium near it.
    Stray(f64),
}

impl Helices {
    pub(super) fn rows(&self) -> Result<Vec<Row>, CaseError> {
        let mut random = Random::new(self.seed);
        let mut rows = Vec::new();
        let wound: Vec<Fate> =
            (0..self.wound).map(|_| self.wound_rod(&mut random)).collect::<Result<_, CaseError>>()?;
        summarise("rods wound into helices", &wound, &mut rows);
        let springs: Vec<Fate> =
            (0..self.springs).map(|_| self.spring(&mut random)).collect::<Result<_, CaseError>>()?;
        summarise("springs", &springs, &mut rows);
        Ok(rows)
    }

    /// A straight rod of unit length under the wrench of a helix.
    fn wound_rod(&self, random: &mut Random) -> Result<Fate, CaseError> {
        let turns = random.uniform(self.wound_turns[0], self.wound_turns[1]);
        let lean = random.uniform(0.2, 1.3);
        let torsion = random.uniform(0.0, 1.5);
        let radius = 1.0 / random.log_uniform(self.slenderness[0], self.slenderness[1]);
        let (area, inertia, shear) = (PI * radius * radius, PI * radius.powi(4) / 4.0, YOUNG / (2.0 * (1.0 + POISSON)));
        let rod = RoundRod {
            torsion: 2.0 * shear * inertia,
            bending: YOUNG * inertia,
            axial: YOUNG * area,
            shear: shear * area,
        };
        let rate = turns * TAU;
        let winding = Winding { radius: lean.sin() / rate, pitch: TAU * lean.cos() / rate, torsion: torsion * rate };
        let helix = rod.wound(winding)?;
        let scene = scene(NaturalShape::Straight, radius, helix.wrench(1.0));
        let equilibrium = solve(&scene)?;
        let off = (equilibrium.rods[0].tip.position - helix.pose(1.0).position).norm();
        Ok(if equilibrium.outcome.converged() && off <= self.allowed(&equilibrium) {
            Fate::True { stable: equilibrium.outcome.stability.is_some_and(|stability| stability.stable) }
        } else {
            self.judge(&scene, &equilibrium)
        })
    }

    /// A helical spring of unit length under a dead force and moment at its tip.
    fn spring(&self, random: &mut Random) -> Result<Fate, CaseError> {
        let turns = random.uniform(self.spring_turns[0], self.spring_turns[1]);
        let lean = random.uniform(0.6, 1.5);
        let radius = 1.0 / random.log_uniform(self.slenderness[0], self.slenderness[1]);
        let bending = YOUNG * PI * radius.powi(4) / 4.0;
        let rate = turns * TAU;
        let size = random.uniform(0.0, self.largest_force) * bending * rate / lean.sin() / 2.0;
        let force = random.direction() * size;
        let moment = random.direction() * (random.uniform(0.0, 1.0) * size * lean.sin() / rate);
        let natural = NaturalShape::curved(Vector3::new(lean.cos(), 0.0, lean.sin()) * rate);
        let scene = scene(natural, radius, Wrench::new(moment, force));
        let equilibrium = solve(&scene)?;
        Ok(self.judge(&scene, &equilibrium))
    }

    /// How far an answer may be from an exact equilibrium, in lengths.
    fn allowed(&self, equilibrium: &Equilibrium) -> f64 {
        equilibrium.rods[0].discretisation_error + self.round_off
    }

    /// Holds an answer against the exact equilibrium nearest to it.
    fn judge(&self, scene: &Scene, equilibrium: &Equilibrium) -> Fate {
        let outcome = &equilibrium.outcome;
        match outcome.status {
            Status::Fold { .. } => return Fate::Fold,
            Status::NotConverged { load_factor } | Status::Stopped { load_factor } => {
                return Fate::Failed(format!("not converged beyond load factor {load_factor:.3}"));
            }
            Status::Converged => {}
        }
        let rod = &equilibrium.rods[0];
        // Between two samples along the screw from one to the other.
        let between = |s: f64| {
            let last = rod.samples.len() - 1;
            let place = (s * last as f64).clamp(0.0, last as f64);
            let k = (place as usize).min(last - 1);
            (&rod.samples[k], &rod.samples[k + 1], place - k as f64)
        };
        let pose = |s: f64| {
            let (a, b, u) = between(s);
            a.pose.boxplus(&(b.pose.boxminus(&a.pose) * u))
        };
        let stress = |s: f64| {
            let (a, b, u) = between(s);
            let mixed = a.stress.to_vector() * (1.0 - u) + b.stress.to_vector() * u;
            let (turn, own) = (pose(s).rotation, Wrench::from_vector(&mixed));
            Wrench::new(turn.rotate(&own.moment), turn.rotate(&own.force))
        };
        match solve_cantilever(scene, 0, Some(Guess::Shape(&pose, &stress))) {
            Ok(exact) => {
                let off = (exact.tip().position - rod.tip.position).norm();
                let stable = outcome.stability.is_some_and(|stability| stability.stable);
                if off <= self.allowed(equilibrium) { Fate::True { stable } } else { Fate::Stray(off) }
            }
            Err(_) => Fate::Stray(f64::NAN),
        }
    }
}

fn scene(natural: NaturalShape, radius: f64, wrench: Wrench) -> Scene {
    let section = Section::plain(Shape::Circle { radius }, Material::from_poisson(YOUNG, POISSON));
    Scene {
        rods: vec![Rod {
            name: "rod".into(),
            length: 1.0,
            profile: Profile::uniform(section),
            natural,
            base: Some(Pose::identity().into()),
            tip: None,
            discretization: Discretization::default(),
            initial_velocity: None,
            tubes: None,
            turns: Vector3::zeros(),
            laid: Vec::new(),
        }],
        loads: vec![Load {
            name: "tip".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Point { at: 1.0, wrench },
        }],
        ..Scene::default()
    }
}

fn solve(scene: &Scene) -> Result<Equilibrium, CaseError> {
    match lissome::run(scene, &mut Unobserved)? {
        Answer::Statics(equilibrium) => Ok(equilibrium),
        _ => Err(CaseError::WrongJob { what: "helix".into(), need: "statics" }),
    }
}

fn summarise(what: &str, fates: &[Fate], rows: &mut Vec<Row>) {
    let n = fates.len();
    let count = |of: &dyn Fn(&Fate) -> bool| fates.iter().filter(|fate| of(fate)).count() as f64;
    let found = count(&|fate| matches!(fate, Fate::True { .. }));
    let stable = count(&|fate| matches!(fate, Fate::True { stable: true }));
    let folds = count(&|fate| matches!(fate, Fate::Fold));
    let title = format!(
        "{n} {what}: within their told error of an exact equilibrium ({stable} stable), or at a fold ({folds})"
    );
    rows.push(Row::at_least(title, found + folds, n as f64));
    for (k, fate) in fates.iter().enumerate() {
        match fate {
            Fate::Failed(why) => rows.push(Row::at_most(format!("{what}, number {k}: {why}"), 1.0, 0.0)),
            Fate::Stray(off) => {
                rows.push(Row::at_most(format!("{what}, number {k}: off the exact rod by {off:.1e} L"), 1.0, 0.0));
            }
            Fate::True { .. } | Fate::Fold => {}
        }
    }
}
