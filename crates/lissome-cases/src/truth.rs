//! What a computed rod is held against: tabulated poses, or the exact rod of the oracle.

use crate::error::CaseError;
use crate::solved::{Solved, evenly};
use crate::table::Table;
use lissome::lie::{Pose, Rotation, Wrench};
use lissome::model::Scene;
use lissome_reference::{CosseratSolution, Guess, solve_cantilever, solve_clamped};
use nalgebra::Vector3;

/// Places along the rod at which an oracle is asked.
const ORACLE_SAMPLES: usize = 101;

/// True poses at increasing arc lengths.
#[derive(Clone, Debug)]
pub struct TruePoses {
    /// Arc lengths, m.
    pub arc: Vec<f64>,
    /// The true poses there.
    pub poses: Vec<Pose>,
}

impl TruePoses {
    /// A table with the columns s, x, y, z and the rotation vector rx, ry, rz.
    pub fn from_table(path: &str) -> Result<Self, CaseError> {
        let mut truth = Self { arc: Vec::new(), poses: Vec::new() };
        for line in Table::read(path)?.lines() {
            truth.arc.push(line.need("s")?);
            let position = Vector3::new(line.need("x")?, line.need("y")?, line.need("z")?);
            let turn = Vector3::new(line.need("rx")?, line.need("ry")?, line.need("rz")?);
            truth.poses.push(Pose::new(Rotation::exp(&turn), position));
        }
        Ok(truth)
    }

    /// The oracle's poses, evenly along the rod.
    pub fn from_oracle(exact: &CosseratSolution, length: f64) -> Self {
        Self::from_oracle_at(exact, evenly(length, ORACLE_SAMPLES))
    }

    /// The oracle's poses at the given places.
    pub fn from_oracle_at(exact: &CosseratSolution, arc: Vec<f64>) -> Self {
        let poses = arc.iter().map(|s| exact.pose(*s)).collect();
        Self { arc, poses }
    }

    /// ‖g(s) ⊟ g_t(s)‖ at each place [xun2025, section 7.1].
    pub fn deviations(&self, solved: &Solved) -> Vec<f64> {
        let samples = solved.samples(&self.arc);
        samples.iter().zip(&self.poses).map(|(sample, truth)| sample.pose.boxminus(truth).to_vector().norm()).collect()
    }
}

/// The exact rod on the branch that the unloaded rod belongs to.
pub fn follow_from_natural(scene: &Scene) -> Result<CosseratSolution, CaseError> {
    Ok(solve_cantilever(scene, 0, None)?)
}

/// The exact equilibrium nearest to a computed one.
pub fn nearest_to(solved: &Solved) -> Result<CosseratSolution, CaseError> {
    let at = |s: f64| solved.samples(&[s])[0];
    let pose = |s: f64| at(s).pose;
    let stress = |s: f64| {
        let sample = at(s);
        let turn = sample.pose.rotation;
        Wrench::new(turn.rotate(&sample.stress.moment), turn.rotate(&sample.stress.force))
    };
    let guess = Some(Guess::Shape(&pose, &stress));
    let rod = &solved.scene.rods[0];
    let exact = match (&rod.base, &rod.tip) {
        (Some(_), Some(_)) => solve_clamped(&solved.scene, 0, guess)?,
        _ => solve_cantilever(&solved.scene, 0, guess)?,
    };
    Ok(exact)
}
