//! The spline with independent stresses: n̄(s) = Σ φ_a(s) β_a beside the curve, brought together by
//!
//! ```text
//! Π = Σ_q w [ n̄·ξ(Ψ) − c(n̄) ] − W        c the complementary energy of the law of the point
//! ```
//!
//! Nothing in it is a difference of large numbers, so it does not lock, however slender the rod is. Where the law of every
//! point is linear, the compliance of the stresses is the constant Gram matrix M = Σ w φφᵀ ⊗ K⁻¹; otherwise it is summed
//! from the responses of the points at each evaluation.
//!
//! - `passes`: sums over the rod in its increments.
//! - `tangent`: from there to poses and stresses.
//! - `compliance`: the Gram matrix, constant or of the last evaluation.
//! - `lengths`: spans that lengthen while control poses stay.
//! - `stress`: the stresses that belong to a strain, and energies.
//! - `motion`: one time step.
//! - `sampling`: the field between the poses.

mod compliance;
mod lengths;
mod motion;
mod passes;
mod sampling;
mod stress;
mod tangent;

use super::curve::Curve;
use super::law::{Answer, Law, Response};
use super::vectors::strain_vector;
use lissome_model::{Invalid, Problem, Rod};
use lissome_sparse::{FactorError, SymmetricBand, SymmetricFactor};
use nalgebra::Vector6;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A spline rod with independent stresses.
#[derive(Clone, Debug)]
pub struct MixedRod {
    curve: Curve,
    /// α of every section; zero for linear sections.
    stiffening: f64,
    /// The law of each quadrature point, which rods with the same sections there share.
    laws: Arc<[Law]>,
    /// M with its factor, if every law is linear.
    gram: Option<Gram>,
}

/// The constant Gram matrix, made when it is first asked for, and its factor where the rod is solved with: a residual needs neither.
#[derive(Clone, Debug, Default)]
struct Gram {
    matrix: OnceLock<SymmetricBand>,
    factor: Option<SymmetricFactor>,
}

fn factored(matrix: &SymmetricBand) -> Result<SymmetricFactor, FactorError> {
    let mut factor = SymmetricFactor::new(matrix.block_rows(), matrix.half_bandwidth());
    matrix.factor_into(&mut factor)?;
    Ok(factor)
}

/// The law of each point.
fn laws_of(curve: &Curve, stiffening: f64) -> Arc<[Law]> {
    curve.values.points.iter().map(|q| Law::of(&q.section.elastic, stiffening)).collect()
}

impl MixedRod {
    /// On a compiled curve, with the linear law of its sections. Whether its compliance is positive definite is not looked at.
    /// A rod that is known may have the same laws.
    pub(super) fn new(curve: Curve, known: Option<&Self>) -> Self {
        let known = known.filter(|known| known.stiffening == 0.0 && curve.has_sections_of(&known.curve));
        let laws = known.map_or_else(|| laws_of(&curve, 0.0), |known| known.laws.clone());
        let mut rod = Self { curve, stiffening: 0.0, laws, gram: None };
        rod.renew_gram();
        rod
    }

    /// The same rod of sections that stiffen with strain, [`Law::Stiffening`]; α in m/J, zero for linear ones.
    pub fn stiffened(mut self, stiffening: f64) -> Result<Self, Invalid> {
        if !(stiffening >= 0.0 && stiffening.is_finite()) {
            let path = format!("{}.section.stiffening", self.curve.layout.path);
            return Err(Invalid::new(path, Problem::Negative { value: stiffening }));
        }
        self.stiffening = stiffening;
        self.laws = laws_of(&self.curve, stiffening);
        self.renew_gram();
        self.complete()?;
        Ok(self)
    }

    pub(super) fn set_values(&mut self, model: &Rod) -> Result<(), Invalid> {
        self.curve.set_values(model)?;
        self.laws = laws_of(&self.curve, self.stiffening);
        self.renew_gram();
        self.complete()
    }

    /// Whether the compliance is constant, which is made when it is asked for.
    fn renew_gram(&mut self) {
        let constant = self.curve.tendons.is_empty() && self.laws.iter().all(Law::is_linear);
        self.gram = constant.then(Gram::default);
    }

    /// Factors a constant compliance, for those who solve with it. Refuses one that is not positive definite.
    pub(super) fn complete(&mut self) -> Result<(), Invalid> {
        let refusal = |_| {
            let path = format!("{}.section", self.curve.layout.path);
            Invalid::new(path, Problem::NotPositiveDefinite)
        };
        if let Some(Cow::Owned(factor)) = self.constant_factor().transpose().map_err(refusal)?
            && let Some(gram) = &mut self.gram
        {
            gram.factor = Some(factor);
        }
        Ok(())
    }

    /// M, if it is constant.
    fn constant_matrix(&self) -> Option<&SymmetricBand> {
        self.gram.as_ref().map(|gram| gram.matrix.get_or_init(|| self.constant_gram()))
    }

    /// The factor of M, if that is constant.
    fn constant_factor(&self) -> Option<Result<Cow<'_, SymmetricFactor>, FactorError>> {
        match &self.gram.as_ref()?.factor {
            Some(factor) => Some(Ok(Cow::Borrowed(factor))),
            None => self.constant_matrix().map(|matrix| factored(matrix).map(Cow::Owned)),
        }
    }

    /// What point q answers to a stress under the tensions there.
    fn respond(&self, q: usize, stress: &Vector6<f64>, tension: &[Vector6<f64>]) -> Response {
        if self.curve.tendons.is_empty() {
            return self.laws[q].respond(stress);
        }
        let values = &self.curve.values.points[q];
        let threads = self.curve.tendons.threads(q, tension);
        self.laws[q].respond_with(stress, &values.section.elastic.stiffness, &strain_vector(&values.natural), threads)
    }

    /// Strain and energies alone of what point q answers.
    fn answer(&self, q: usize, stress: &Vector6<f64>, tension: &[Vector6<f64>]) -> Answer {
        if self.curve.tendons.is_empty() {
            return self.laws[q].respond(stress).into();
        }
        let values = &self.curve.values.points[q];
        let threads = self.curve.tendons.threads(q, tension);
        self.laws[q].answer_with(stress, &values.section.elastic.stiffness, &strain_vector(&values.natural), threads)
    }

    /// Its curve.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// True if the compliance of its stresses is constant.
    pub fn is_linear(&self) -> bool {
        self.gram.is_some()
    }
}
