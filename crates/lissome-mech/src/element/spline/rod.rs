//! A spline rod compiled from the model: everything about it that never changes during a solve.

use super::kernel::PointBasis;
use crate::element::linear_strain::{GAUSS_POINTS, LinearStrainElement};
use lissome_lie::dual::DualVector;
use lissome_lie::knots::{Break, KnotVector, open_uniform_knots};
use lissome_lie::quadrature::gauss_legendre;
use lissome_lie::{Pose, Strain};
use lissome_model::{Discretization, Invalid, NaturalShape, Problem, Rod, StrainForm};
use lissome_sparse::{SymmetricBand, SymmetricFactor};
use nalgebra::Matrix6;
use std::ops::Range;

/// Which end a rod stands on: its chain of poses is integrated from there. A rod held at both ends stands on its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Pose 0.
    Base,
    /// The last pose.
    Tip,
}

/// Which way round a rod held at both ends turns from one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winding {
    /// By the rotation of at most half a turn.
    Short,
    /// By its complement to a full turn.
    Long,
}

/// A quadrature point with its material data.
#[derive(Clone, Debug)]
pub struct Point {
    /// Kinematic data.
    pub basis: PointBasis,
    /// Arc length, m.
    pub s: f64,
    /// Natural strain ξ₀.
    pub natural: DualVector,
    /// Section stiffness K.
    pub stiffness: Matrix6<f64>,
    /// Mass per length, kg/m.
    pub line_density: f64,
}

/// A knot span.
#[derive(Clone, Debug)]
pub struct Span {
    /// Local index of its first control pose; its increments are the p after it.
    pub first: usize,
    /// Its quadrature points.
    pub points: Range<usize>,
}

/// A compiled spline rod. Increment i (from pose i to pose i + 1) has index i, 0 … n − 1.
#[derive(Clone, Debug)]
pub struct SplineRod {
    /// Degree p.
    pub degree: usize,
    /// Open knot vector in arc length.
    pub knots: Vec<f64>,
    /// Its non-empty spans.
    pub spans: Vec<Span>,
    /// Its quadrature points.
    pub points: Vec<Point>,
    /// How many of them a span has: p + 1, three for linear-strain elements.
    pub points_per_span: usize,
    /// Number of control poses, n + 1.
    pub pose_count: usize,
    /// Where the stress lives.
    pub form: StrainForm,
    /// Which end it stands on.
    pub held: Held,
    /// Natural length, m.
    pub length: f64,
    /// The model it came from.
    pub model: Rod,
    /// Smallest bending stiffness along the rod, N·m².
    pub soft_bending: f64,
    /// Its elasticity.
    pub compliance: Compliance,
}

/// The rod's elasticity: flexibility at the points and, for the mixed form, the Gram matrix
/// M = Σ w φ φᵀ ⊗ K⁻¹ with its factor. Linear-strain elements answer to a stress by themselves.
#[derive(Clone, Debug)]
pub struct Compliance {
    /// K⁻¹ at each point.
    pub flexibility: Vec<Matrix6<f64>>,
    /// M, block band of half-width p − 1 (mixed splines; empty otherwise).
    pub gram: SymmetricBand,
    /// Its factor.
    pub gram_factor: SymmetricFactor,
    /// Linear-strain elements, one for each increment; empty for splines.
    pub elements: Vec<LinearStrainElement>,
}

impl SplineRod {
    /// Compiles a rod. `breaks` are the arc lengths of point loads: the stress may jump there.
    pub fn compile(rod: &Rod, path: &str, breaks: &[f64]) -> Result<Self, Invalid> {
        // Elements of linear strain are a mixed chain of degree one with a compliance of their own.
        let (degree, form, points_per_span) = match rod.discretization {
            Discretization::Spline { degree, form, .. } => (degree, form, degree + 1),
            Discretization::LinearStrain { .. } => (1, StrainForm::Mixed, GAUSS_POINTS),
        };
        let spans = match (&rod.natural, rod.discretization.resolution()) {
            (NaturalShape::ControlPoses(poses), _) => poses.len() - degree,
            (_, resolution) => resolution.spans(),
        };
        let knots = compile_knots(rod, degree, spans, breaks, path)?;
        let held = if rod.base.is_none() && rod.tip.is_some() { Held::Tip } else { Held::Base };
        let mut compiled = Self {
            degree,
            pose_count: knots.len() - degree - 1,
            knots,
            spans: Vec::new(),
            points: Vec::new(),
            points_per_span,
            form,
            held,
            length: rod.length,
            model: rod.clone(),
            soft_bending: f64::INFINITY,
            compliance: Compliance {
                flexibility: Vec::new(),
                gram: SymmetricBand::new(0, 0),
                gram_factor: SymmetricFactor::new(0, 0),
                elements: Vec::new(),
            },
        };
        compiled.place_points();
        compiled.compliance = compiled.compliance();
        Ok(compiled)
    }

    fn place_points(&mut self) {
        let knots = KnotVector::new(self.degree, &self.knots).expect("compile_knots gives an open knot vector");
        let natural_increments = match &self.model.natural {
            NaturalShape::ControlPoses(poses) => {
                Some(poses.windows(2).map(|w| w[1].boxminus(&w[0]).into()).collect::<Vec<DualVector>>())
            }
            _ => None,
        };
        for span in knots.spans() {
            let first = span.index - self.degree;
            let start = self.points.len();
            for gauss in gauss_legendre(self.points_per_span) {
                let s = span.start + gauss.abscissa * (span.end - span.start);
                let cumulative = knots.cumulative(span.index, s);
                let basis = PointBasis {
                    value: cumulative.value,
                    slope: cumulative.slope,
                    stress_basis: knots.stress_basis(span.index, s),
                    weight: gauss.weight * (span.end - span.start),
                };
                let natural = match &natural_increments {
                    Some(psi) => spline_strain(self.degree, &psi[first..first + self.degree], &basis),
                    None => natural_strain(&self.model.natural, s).into(),
                };
                let section = self.model.profile.at(s);
                let stiffness = section.stiffness();
                let line_density = section.mass()[(3, 3)];
                self.soft_bending = self.soft_bending.min(stiffness[(1, 1)]).min(stiffness[(2, 2)]);
                self.points.push(Point { basis, s, natural, stiffness, line_density });
            }
            self.spans.push(Span { first, points: start..self.points.len() });
        }
    }

    /// The knot vector as lissome-lie sees it.
    pub fn knot_vector(&self) -> KnotVector<'_> {
        KnotVector::accepted(self.degree, &self.knots)
    }

    /// Number of increments, n.
    pub fn increments(&self) -> usize {
        self.pose_count - 1
    }

    /// Number of independent stresses: one per increment (mixed), one per point (printed).
    pub fn stress_count(&self) -> usize {
        match self.form {
            StrainForm::Mixed => self.increments(),
            StrainForm::Printed => self.points.len(),
        }
    }

    /// True if its stresses are unknowns of their own.
    pub fn has_independent_stress(&self) -> bool {
        self.form == StrainForm::Mixed
    }

    /// Local index of the pose that the chain is integrated from.
    pub fn anchor(&self) -> usize {
        match self.held {
            Held::Base => 0,
            Held::Tip => self.increments(),
        }
    }

    /// Local index of the pose at the other end.
    pub fn far_end(&self) -> usize {
        self.increments() - self.anchor()
    }

    /// World pose of quadrature point q on the spline.
    pub(crate) fn point_pose(&self, q: usize, poses: &[Pose], psi: &[DualVector]) -> Pose {
        let span = &self.spans[q / self.points_per_span];
        let mut g = poses[span.first];
        for (i, psi) in psi[span.first..][..self.degree].iter().enumerate() {
            g = g * Pose::exp(&(*psi * self.points[q].basis.value[i]).twist());
        }
        g
    }

    /// Control poses of the unstressed rod, relative to the one it stands on.
    pub fn natural_poses(&self) -> Vec<Pose> {
        let relative: Vec<Pose> = match &self.model.natural {
            NaturalShape::ControlPoses(poses) => poses.clone(),
            shape => {
                // Control poses at the Greville abscissae of the integrated natural strain: exact for a straight
                // rod, close for a curved one; the elastic energy takes care of the rest.
                let knots = self.knot_vector();
                let mut g = Pose::identity();
                let mut at = 0.0;
                (0..self.pose_count)
                    .map(|i| {
                        let to = knots.greville(i);
                        g = integrate_natural(shape, g, at, to);
                        at = to;
                        g
                    })
                    .collect()
            }
        };
        let onto_anchor = relative[self.anchor()].inverse();
        relative.iter().map(|g| onto_anchor * *g).collect()
    }

    /// Adds the turn that is missing at the tip to every increment, in proportion to its length.
    pub fn turn_evenly(&self, poses: &mut [Pose], tip: &Pose, winding: Winding) {
        let n = self.increments();
        let mut turn = (poses[n].rotation.inverse() * tip.rotation).log();
        let angle = turn.norm();
        if winding == Winding::Long {
            // Parallel ends have no axis of their own: a full turn about the tangent is a twist.
            turn = if angle > 1e-9 {
                turn * (1.0 - std::f64::consts::TAU / angle)
            } else {
                nalgebra::Vector3::x() * std::f64::consts::TAU
            };
        }
        let knots = self.knot_vector();
        let increments: Vec<_> = poses.windows(2).map(|w| w[1].boxminus(&w[0])).collect();
        for (i, mut increment) in increments.into_iter().enumerate() {
            increment.angular += turn * ((knots.greville(i + 1) - knots.greville(i)) / self.length);
            poses[i + 1] = poses[i].boxplus(&increment);
        }
    }

    fn compliance(&self) -> Compliance {
        let flexibility: Vec<_> = self
            .points
            .iter()
            .map(|q| q.stiffness.try_inverse().expect("a validated stiffness is positive definite"))
            .collect();
        let elements = match self.model.discretization {
            Discretization::LinearStrain { .. } => self.linear_strain_elements(),
            Discretization::Spline { .. } => Vec::new(),
        };
        let has_gram = self.form == StrainForm::Mixed && elements.is_empty();
        let blocks = if has_gram { self.increments() } else { 0 };
        let mut gram = SymmetricBand::new(blocks, self.degree - 1);
        let mut gram_factor = SymmetricFactor::new(blocks, self.degree - 1);
        if blocks > 0 {
            for span in &self.spans {
                for q in span.points.clone() {
                    let basis = &self.points[q].basis;
                    for a in 0..self.degree {
                        for b in 0..=a {
                            let k = basis.weight * basis.stress_basis[a] * basis.stress_basis[b];
                            gram.add(span.first + a, span.first + b, &(flexibility[q] * k));
                        }
                    }
                }
            }
            gram.factor_into(&mut gram_factor).expect("the Gram matrix of the stress functions is positive definite");
        }
        Compliance { flexibility, gram, gram_factor, elements }
    }
}

fn compile_knots(rod: &Rod, degree: usize, spans: usize, load_breaks: &[f64], path: &str) -> Result<Vec<f64>, Invalid> {
    // The stress or the strain jumps at a point load and at a step of the section or the natural shape.
    let mut at: Vec<f64> = load_breaks.iter().copied().chain(rod.profile.steps()).chain(rod.natural.steps()).collect();
    let tolerance = 1e-8 * rod.length;
    at.retain(|s| *s > tolerance && *s < rod.length - tolerance);
    at.sort_by(f64::total_cmp);
    at.dedup_by(|a, b| *a - *b < tolerance);
    if !at.is_empty() && matches!(rod.natural, NaturalShape::ControlPoses(_)) {
        return Err(Invalid::new(
            format!("{path}.shape"),
            Problem::Contradiction {
                reason: "control poses fix the knots, so loads must sit at the ends and sections must not step".into(),
            },
        ));
    }
    let breaks: Vec<Break> = at.into_iter().map(|at| Break { at, multiplicity: degree }).collect();
    let mut knots = Vec::new();
    open_uniform_knots(degree, rod.length, spans, &breaks, &mut knots).map_err(|error| {
        Invalid::new(format!("{path}.model.spline"), Problem::Contradiction { reason: error.to_string() })
    })?;
    Ok(knots)
}

pub(super) fn natural_strain(shape: &NaturalShape, s: f64) -> Strain {
    shape.strain_at(s).expect("control poses are handled by their own spline")
}

/// ξ of the spline with the given increments.
pub(super) fn spline_strain(degree: usize, psi: &[DualVector], basis: &PointBasis) -> DualVector {
    let mut xi = psi[0] * basis.slope[0];
    for i in 1..degree {
        xi = lissome_lie::dual::ExpMap::at(psi[i] * basis.value[i]).transport(&xi) + psi[i] * basis.slope[i];
    }
    xi
}

/// Follows the natural strain from `from` to `to` (fourth-order Magnus steps of at most a hundredth of a radian
/// or one per interval).
fn integrate_natural(shape: &NaturalShape, start: Pose, from: f64, to: f64) -> Pose {
    let bend = natural_strain(shape, 0.5 * (from + to)).curvature.norm() * (to - from).abs();
    let steps = (bend / 0.05).ceil().clamp(1.0, 1e4) as usize;
    let h = (to - from) / steps as f64;
    (0..steps).fold(start, |g, k| crate::field::magnus_step(g, |s| natural_strain(shape, s), from + h * k as f64, h))
}

impl SplineRod {
    /// Local index of the control pose that sits at arc length `s`, which must be an end or a knot of multiplicity p.
    pub fn pose_at_knot(&self, s: f64) -> usize {
        let knots = self.knot_vector();
        (0..self.pose_count)
            .min_by(|a, b| (knots.greville(*a) - s).abs().total_cmp(&(knots.greville(*b) - s).abs()))
            .expect("a rod has control poses")
    }
}
