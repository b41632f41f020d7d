//! Tendons that run inside rods: what is driven at their end.
//!
//! The tension of a tendon is a number of the state, its first block entry; at every quadrature point that it passes, the
//! law of the point has its share in the strain (`rod/tendons`). Of a tendon driven by its tension that number is
//! prescribed; of one driven by its length ℓ₀ it is the multiplier of
//!
//! ```text
//! c = ℓ − ℓ₀ − T ℓ₀/EA = 0 while T > 0        ∂c/∂β_a = Σ w φ_a aᵀC        ∂c/∂T_k = −Σ w aᵀC a_k
//! ```
//!
//! The rows of the stresses have the tension through the law already, so the multiplier exerts nothing on its own.

use super::Route;
use crate::attach::Attach;
use crate::contribution::Multiplier;
use crate::index::{Block, RodIndex};
use crate::inputs::{Input, Inputs};
use crate::state::State;
use crate::tension::{DrivenBy, TensionLaw};
use lissome_model::{CableDrive, Scene, Sliding, Tendon, TendonRun};

/// A tendon, however it is driven.
#[derive(Clone, Debug)]
pub struct TendonLine {
    /// Number of the scene's tendon.
    pub tendon: usize,
    /// Its tension, or its length and stretch.
    pub law: TensionLaw,
    /// The block of the state whose first number is its tension.
    pub block: Block,
    /// The same as a multiplier, of a tendon driven by its length.
    pub multiplier: Option<Multiplier>,
    /// Where it runs, in order from the end that is driven.
    pub runs: Vec<Run>,
    /// Coulomb friction along it, μ.
    pub friction: f64,
    /// True if it begins as one that is let go: it carries more the farther from the driven end.
    pub released: bool,
}

/// The part of a tendon along one rod.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The rod.
    pub rod: RodIndex,
    /// Number among the routes of that rod.
    pub route: usize,
}

impl TendonLine {
    /// Every tendon of a scene.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let line = |(index, tendon): (usize, &Tendon)| {
            let by_length = !matches!(tendon.drive, CableDrive::Tension(_));
            let multiplier = by_length.then(|| places.multiplier(1));
            Self {
                tendon: index,
                law: law_of(tendon, index),
                block: multiplier.map_or_else(|| places.reaction(), |own| own.block),
                multiplier,
                runs: runs_of(scene, index),
                friction: tendon.friction,
                released: tendon.sliding == Sliding::Released,
            }
        };
        scene.tendons.iter().enumerate().map(line).collect()
    }

    /// True if its tension is given.
    pub fn is_given(&self) -> bool {
        self.multiplier.is_none()
    }

    /// Its tension at the driven end.
    pub fn tension(&self, state: &State) -> f64 {
        state.block(self.block)[0]
    }

    /// The tension that the inputs prescribe.
    pub fn prescribed(&self, inputs: &Inputs) -> Option<f64> {
        self.is_given().then(|| self.law.given_tension(inputs))
    }
}

/// The routes of all tendons along a rod, in the order of the scene.
pub(crate) fn routes_of(scene: &Scene, rod: usize) -> Vec<Route> {
    let runs = scene.tendons.iter().enumerate().flat_map(|(tendon, own)| own.runs.iter().map(move |run| (tendon, run)));
    let here = runs.filter(|(_, run)| run.rod == rod);
    let route = |(tendon, run): (usize, &TendonRun)| Route {
        tendon,
        from: run.from,
        to: run.to,
        routing: run.routing.clone(),
        rubs: scene.tendons[tendon].friction > 0.0,
    };
    here.map(route).collect()
}

fn runs_of(scene: &Scene, tendon: usize) -> Vec<Run> {
    let before = |rod: usize, run: usize| {
        let earlier = scene.tendons[..tendon].iter().flat_map(|other| &other.runs);
        earlier.chain(&scene.tendons[tendon].runs[..run]).filter(|other| other.rod == rod).count()
    };
    let runs = scene.tendons[tendon].runs.iter().enumerate();
    runs.map(|(index, run)| Run { rod: RodIndex::new(run.rod), route: before(run.rod, index) }).collect()
}

fn law_of(tendon: &Tendon, index: usize) -> TensionLaw {
    TensionLaw {
        driven_by: match tendon.drive {
            CableDrive::Tension(_) => DrivenBy::Tension,
            CableDrive::Length(_) => DrivenBy::Length,
            CableDrive::Pull(_) => DrivenBy::Pull,
        },
        input: Input::Tendon(index),
        size: 1.0,
        compliance: tendon.stiffness.map_or(0.0, |stiffness| 1.0 / stiffness),
        natural_length: 0.0,
    }
}
