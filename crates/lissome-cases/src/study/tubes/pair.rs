//! Two tubes turned against each other: the S-curve and its folds against equation (56) of \[xun2025\].

use super::{angle_at_end, negative_directions, set_of, stationary};
use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::mech::System;
use lissome::model::{DriveTarget, OnEvent, Scene, Signal};
use lissome::solve::StaticOptions;
use lissome::solve::path::{self, Path};
use lissome_reference::analytic::tube_pair::{PairState, PairedTube, TubePair, coupling};
use serde::Deserialize;
use std::f64::consts::{PI, TAU};

/// The S-curve of two tubes whose outer base is driven over a whole turn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubePairStudy {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Words for the pair.
    name: String,
    /// λ that must follow from the tubes, 1/m².
    coupling: f64,
    /// Angle of the bases at the fold on the way from 0, rad; that on the way back is 2π minus it.
    fold: f64,
    /// Samples on the way there, and as many on the way back.
    samples: usize,
    /// Of the angle of the bases that belongs to an angle at the end, relative.
    within: f64,
    /// Of the angles at the folds, relative.
    fold_within: f64,
}

impl TubePairStudy {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let pair = pair_of(&scene)?;
        let title = |what: &str| format!("{}: {what}", self.name);
        let mut rows = vec![Row::within(
            title("λ from the tubes, 1/m²"),
            self.coupling,
            pair.coupling,
            (pair.coupling / self.coupling - 1.0).abs(),
            1e-9,
        )];
        let fold = pair.fold()?.ok_or(CaseError::TooFew { what: "folds of the closed form", found: 0, need: 1 })?;
        for (way, from, to, expected) in [("there", 0.0, TAU, self.fold), ("back", TAU, 0.0, TAU - self.fold)] {
            let found = self.along(&scene, &pair, from, to)?;
            rows.push(Row::deviation(
                title(&format!("way {way}, angle of the bases, relative")),
                found.error,
                self.within,
            ));
            let snap = found.snap.unwrap_or(f64::NAN);
            let off = (snap / expected - 1.0).abs();
            rows.push(Row::within(title(&format!("way {way}, snaps at / rad")), expected, snap, off, self.fold_within));
            let one_sided = found.branches_left as f64;
            rows.push(Row::deviation(title(&format!("way {way}, samples off their branch")), one_sided, 0.0));
        }
        rows.extend(self.unstable(&scene, &pair, &fold)?);
        // A path that ends just beyond the fold has landed on the far branch.
        let beyond = fold.plates * (1.0 + 10.0 * self.fold_within);
        let far = pair.tips(beyond)?.last().copied().unwrap_or(f64::NAN);
        let landed = self.along(&scene, &pair, 0.0, beyond)?.last;
        let off = (landed / far - 1.0).abs();
        rows.push(Row::within(title("angle at the end after the snap / rad"), far, landed, off, self.within));
        Ok(rows)
    }

    /// The stable branches, from sample to sample.
    fn along(&self, scene: &Scene, pair: &TubePair, from: f64, to: f64) -> Result<Followed, CaseError> {
        let mut scene = scene.clone();
        drive(&mut scene, from, to);
        scene.validate()?;
        let system = System::compile(&scene)?;
        let at = |t: f64| from + (to - from) * t;
        let mut found: Vec<(f64, Result<f64, CaseError>)> = Vec::new();
        let mut followed = Followed::default();
        let mut lost = false;
        let way = Path { samples: self.samples, end: 1.0, on_event: OnEvent::Jump };
        let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
        path::follow(&system, &way, &options, &mut system.workspace(), &mut |_| true, &mut |step| {
            let event = step.solution.outcome.events.first().filter(|_| step.index > 0);
            followed.snap = followed.snap.or(event.map(|event| at(event.at)));
            found.push((at(step.at), angle_at_end(&system, &scene, &step.solution.state)));
            lost |= !step.solution.outcome.converged();
            true
        });
        if lost || found.len() < self.samples {
            return Err(CaseError::NotConverged { what: self.name.clone() });
        }
        let fold = pair.fold()?.map_or(PI, |fold| fold.plates);
        for (plates, tip) in found {
            let tip = tip?;
            followed.see(pair, plates, tip);
            // Before the snap on the near side, beyond it on the far one.
            let far = if to > from { plates > fold } else { plates > TAU - fold };
            followed.branches_left += usize::from(far != (tip > PI));
            followed.last = tip;
        }
        Ok(followed)
    }

    /// The unstable branch, from opposite tubes to either fold.
    fn unstable(&self, scene: &Scene, pair: &TubePair, fold: &PairState) -> Result<Vec<Row>, CaseError> {
        let mut followed = Followed::default();
        let mut not_saddles = 0;
        for side in [1.0, -1.0] {
            // As near as a thousandth to the fold, in steps that shrink towards it.
            let mut scene = scene.clone();
            let end = PI + side * 0.999 * (fold.plates - PI);
            drive(&mut scene, PI, end);
            let system = System::compile(&scene)?;
            let mut state = system.natural_state();
            let steps = self.samples / 2;
            for i in 0..=steps {
                let part = 1.0 - (1.0 - i as f64 / steps as f64).powi(2);
                let inputs = system.inputs_at(part);
                let solution = stationary(&system, &state, &inputs, &self.name)?;
                let tip = angle_at_end(&system, &scene, &solution.state)?;
                followed.see(pair, PI + (end - PI) * part, tip);
                not_saddles += usize::from(negative_directions(&solution) != 1);
                state = solution.state;
            }
        }
        let title = |what: &str| format!("{}: unstable branch, {what}", self.name);
        Ok(vec![
            Row::deviation(title("angle of the bases, relative"), followed.error, self.within),
            Row::deviation(title("samples without one falling direction"), not_saddles as f64, 0.0),
        ])
    }
}

/// What a way along the S-curve showed.
#[derive(Default)]
struct Followed {
    /// Largest misfit of the angle of the bases, relative.
    error: f64,
    snap: Option<f64>,
    branches_left: usize,
    last: f64,
}

impl Followed {
    /// The closed form has one angle of the bases for every angle at the end, on all branches.
    fn see(&mut self, pair: &TubePair, plates: f64, tip: f64) {
        let off = (pair.state(tip.clamp(0.0, TAU)).plates - plates).abs();
        if plates > 0.0 {
            self.error = self.error.max(off / plates);
        }
    }
}

/// Turns the base of the outer tube from one angle to another over a path from 0 to 1.
fn drive(scene: &mut Scene, from: f64, to: f64) {
    scene.drives = vec![lissome::model::Drive {
        path: "outer.rotation".to_owned(),
        target: DriveTarget::TubeRotation { rod: 0, tube: 1 },
        signal: Signal::Ramp { from, to, start: 0.0, over: 1.0 },
    }];
    if let Some(tubes) = &mut scene.rods[0].tubes {
        tubes.tubes[1].rotation = from;
    }
}

/// The closed form of two tubes that are curved in the plane of z over the same length beyond the entry.
pub(super) fn pair_of(scene: &Scene) -> Result<TubePair, CaseError> {
    let tubes = &set_of(scene)?.tubes;
    let [inner, outer] = tubes.as_slice() else {
        return Err(CaseError::TooFew { what: "tubes of a pair", found: tubes.len(), need: 2 });
    };
    let paired = |tube: &lissome::model::Tube| PairedTube {
        bending: tube.bending(),
        torsion: tube.torsion(),
        curvature: tube.curvature.first().map_or(0.0, |(_, curvature)| curvature.norm()),
    };
    Ok(TubePair {
        coupling: coupling(&[paired(inner), paired(outer)]),
        overlap: outer.insertion,
        transmission: outer.transmission(),
    })
}
