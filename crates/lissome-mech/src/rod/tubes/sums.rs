//! Derivatives of the energy between tubes and curve over one span, in its increments and angles.

use super::{Further, Tubes};
use crate::contribution::At;
use crate::rod::curve::by_degree;
use crate::rod::curve::kernel::{self, PointBasis, PointJacobians, PointStrain, SpanTangent};
use crate::rod::vectors::{covector, wrench_vector};
use crate::state::State;
use lissome_lie::MAX_DEGREE;
use lissome_lie::dual::DualVector;
use lissome_model::Relative;
use lissome_model::tubes::MAX_TUBES;
use nalgebra::{Matrix6, Vector2, Vector3, Vector6};

/// Coefficients of an angle that one span sees.
pub(super) const MOST_COEFFICIENTS: usize = MAX_DEGREE + 1;

/// First and second derivatives over one span. Increments are counted within the span.
pub(super) struct SpanSums {
    /// ∂V/∂Ψ_i.
    pub gradient: [Vector6<f64>; MAX_DEGREE],
    /// ∂²V/∂Ψ_i∂Ψ_k for k ≤ i.
    pub stiffness: [[Matrix6<f64>; MAX_DEGREE]; MAX_DEGREE],
    /// One for each angle of a further tube.
    pub angles: [AngleSums; MAX_TUBES - 1],
    /// ∂²V/∂t_l∂t_m between two angles of one tube that tilts: a and θ, b and θ, b and a, tube by tube.
    pub cross: [[[f64; MOST_COEFFICIENTS]; MOST_COEFFICIENTS]; MAX_TUBES - 1],
}

/// The same for the angle of one tube.
#[derive(Clone, Copy)]
pub(super) struct AngleSums {
    /// ∂V/∂t_l.
    pub gradient: [f64; MOST_COEFFICIENTS],
    /// ∂²V/∂t_l∂t_m.
    pub stiffness: [[f64; MOST_COEFFICIENTS]; MOST_COEFFICIENTS],
    /// ∂²V/∂t_l∂Ψ_i.
    pub coupling: [[Vector6<f64>; MAX_DEGREE]; MOST_COEFFICIENTS],
}

impl SpanSums {
    /// Clears what a span of this degree with so many angles writes: it is far less than there is room for.
    fn clear(&mut self, degree: usize, angles: usize, tangent: bool) {
        self.gradient[..degree].fill(Vector6::zeros());
        self.angles[..angles].iter_mut().for_each(|own| own.gradient[..=degree].fill(0.0));
        if !tangent {
            return;
        }
        for (i, row) in self.stiffness[..degree].iter_mut().enumerate() {
            row[..=i].fill(Matrix6::zeros());
        }
        for own in &mut self.angles[..angles] {
            own.stiffness[..=degree].iter_mut().for_each(|row| row[..=degree].fill(0.0));
            own.coupling[..=degree].iter_mut().for_each(|row| row[..degree].fill(Vector6::zeros()));
        }
    }

    pub(super) fn zero() -> Self {
        let angle = AngleSums {
            gradient: [0.0; MOST_COEFFICIENTS],
            stiffness: [[0.0; MOST_COEFFICIENTS]; MOST_COEFFICIENTS],
            coupling: [[Vector6::zeros(); MAX_DEGREE]; MOST_COEFFICIENTS],
        };
        Self {
            gradient: [Vector6::zeros(); MAX_DEGREE],
            stiffness: [[Matrix6::zeros(); MAX_DEGREE]; MAX_DEGREE],
            angles: [angle; MAX_TUBES - 1],
            cross: [[[0.0; MOST_COEFFICIENTS]; MOST_COEFFICIENTS]; MAX_TUBES - 1],
        }
    }
}

/// Value and slope at a point of a spline function of each coefficient of the span, from the cumulative functions.
pub(super) fn functions(degree: usize, basis: &PointBasis) -> [(f64, f64); MOST_COEFFICIENTS] {
    std::array::from_fn(|l| {
        let cumulative = |i: usize| (basis.value[i], basis.slope[i]);
        let (from, to) = (
            if l == 0 {
                (1.0, 0.0)
            } else if l <= degree {
                cumulative(l - 1)
            } else {
                (0.0, 0.0)
            },
            if l < degree { cumulative(l) } else { (0.0, 0.0) },
        );
        (from.0 - to.0, from.1 - to.1)
    })
}

/// A complex number times e^{iθ}.
pub(super) fn turned(moment: &Vector2<f64>, angle: f64) -> Vector2<f64> {
    let (sin, cos) = angle.sin_cos();
    Vector2::new(cos * moment.x - sin * moment.y, sin * moment.x + cos * moment.y)
}

/// Value and slope of a spline function with these coefficients.
fn combined(coefficients: &[f64; MOST_COEFFICIENTS], functions: &[(f64, f64); MOST_COEFFICIENTS]) -> (f64, f64) {
    let pairs = coefficients.iter().zip(functions);
    pairs.fold((0.0, 0.0), |sum, (t, (b, slope))| (sum.0 + t * b, sum.1 + t * slope))
}

/// What is asked of the curve at a point, for first derivatives or for second ones as well.
// One lives at a time, on the stack of a hot loop.
#[allow(clippy::large_enum_variant)]
enum PointMaps<const P: usize> {
    First(PointStrain<P>),
    Second(PointJacobians<P>),
}

impl<const P: usize> PointMaps<P> {
    #[inline(always)]
    fn at(psi: &[DualVector; P], basis: &PointBasis, tangent: bool) -> Self {
        match tangent {
            true => Self::Second(kernel::jacobians(psi, basis, false)),
            false => Self::First(PointStrain::at(psi, basis)),
        }
    }

    #[inline(always)]
    fn strain(&self, psi: &[DualVector; P], basis: &PointBasis) -> DualVector {
        match self {
            Self::First(point) => point.strain,
            Self::Second(jacobians) => jacobians.strain(psi, basis),
        }
    }

    fn jacobians(&self) -> Option<&PointJacobians<P>> {
        match self {
            Self::First(_) => None,
            Self::Second(jacobians) => Some(jacobians),
        }
    }
}

impl Tubes {
    /// Angle and slope of a further tube at a point, from the functions there.
    pub(super) fn angle(
        &self,
        tube: usize,
        first: usize,
        functions: &[(f64, f64); MOST_COEFFICIENTS],
        state: &State,
    ) -> (f64, f64) {
        combined(&self.coefficients(&self.further[tube], first, state), functions)
    }

    /// Coefficients of the angle of a further tube that a span sees.
    fn coefficients(&self, tube: &Further, first: usize, state: &State) -> [f64; MOST_COEFFICIENTS] {
        std::array::from_fn(|l| if l <= self.curve().degree() { self.coefficient(tube, first + l, state) } else { 0.0 })
    }

    /// Ψ of the increments of a span.
    pub(super) fn increments(&self, first: usize, at: &At<'_>) -> [DualVector; MAX_DEGREE] {
        let pose = |i: usize| at.state.pose(self.first_pose.after(first + i));
        std::array::from_fn(|i| match i < self.curve().degree() {
            true => pose(i + 1).boxminus(pose(i)).into(),
            false => DualVector::zero(),
        })
    }

    /// Fills sums over the points of a span with these increments; the second derivatives only if `tangent`.
    pub(super) fn span_sums(
        &self,
        span: usize,
        psi: &[DualVector; MAX_DEGREE],
        at: &At<'_>,
        tangent: bool,
        sums: &mut SpanSums,
    ) {
        sums.clear(self.curve().degree(), self.further.len(), tangent);
        match self.set.relative {
            Relative::Torsion => by_degree!(self.curve().degree(), sum_span(span, psi, at, tangent, sums) on self),
            Relative::General => {
                sums.cross = [[[0.0; MOST_COEFFICIENTS]; MOST_COEFFICIENTS]; MAX_TUBES - 1];
                by_degree!(self.curve().degree(), sum_tilted_span(span, psi, at, tangent, sums) on self);
            }
        }
    }

    fn sum_span<const P: usize>(
        &self,
        number: usize,
        psi: &[DualVector; MAX_DEGREE],
        at: &At<'_>,
        tangent: bool,
        sums: &mut SpanSums,
    ) {
        let span = &self.curve().layout.spans[number];
        let psi: [DualVector; P] = *psi.first_chunk().expect("a span has p increments");
        let coefficients: [_; MAX_TUBES - 1] = std::array::from_fn(|r| match self.further.get(r) {
            Some(tube) if number < tube.spans => self.coefficients(tube, span.first, at.state),
            _ => [0.0; MOST_COEFFICIENTS],
        });
        let mut geometric = tangent.then(SpanTangent::<P>::zero);
        let mut gradient = [DualVector::zero(); P];
        for q in span.points.clone() {
            let basis = &self.curve().layout.points[q].basis;
            let (w, functions) = (basis.weight, functions(P, basis));
            let point = PointMaps::at(&psi, basis, tangent);
            let (kappa, j) = (point.strain(&psi, basis).re, point.jacobians());
            let bend = Vector2::new(kappa.y, kappa.z);
            let (mut torque, mut twisting, mut moment) = (0.0, 0.0, self.innermost[q]);
            for (r, tube) in self.further.iter().enumerate().filter(|(_, tube)| number < tube.spans) {
                let (angle, slope) = combined(&coefficients[r], &functions);
                let e = turned(&tube.moments[q], angle);
                let across = Vector2::new(-e.y, e.x);
                let tau = tube.torsion * (kappa.x + slope);
                torque += tau;
                twisting += tube.torsion;
                moment += e;
                let own = &mut sums.angles[r];
                for l in 0..=P {
                    let (b, slope) = functions[l];
                    own.gradient[l] += w * (tau * slope - bend.dot(&across) * b);
                    let Some(j) = j else { continue };
                    for (m, (c, other)) in functions[..=l].iter().enumerate() {
                        own.stiffness[l][m] += w * (tube.torsion * slope * other + bend.dot(&e) * b * c);
                    }
                    let by_kappa = Vector3::new(tube.torsion * slope, -across.x * b, -across.y * b) * w;
                    for (i, coupling) in own.coupling[l][..P].iter_mut().enumerate() {
                        let mut angular = coupling.fixed_rows_mut::<3>(0);
                        angular += j.strain_jacobian[i].re.tr_mul(&by_kappa);
                    }
                }
            }
            let stress = covector(&Vector6::new(torque, -moment.x, -moment.y, 0.0, 0.0, 0.0)) * w;
            let (j, geometric) = match (&point, geometric.as_mut()) {
                (PointMaps::Second(j), Some(geometric)) => (j, geometric),
                (PointMaps::First(point), _) => {
                    point.add_gradient(basis, &stress, &mut gradient);
                    continue;
                }
                (PointMaps::Second(_), None) => continue,
            };
            // The row of the twist: a motion moves it by its angular part alone.
            let row = |i: usize| -> Vector3<f64> { j.strain_jacobian[i].re.row(0).transpose() };
            for i in 0..P {
                gradient[i] += j.strain_jacobian[i].apply_transpose(&stress);
                if twisting > 0.0 {
                    for k in 0..=i {
                        let mut angular = sums.stiffness[i][k].fixed_view_mut::<3, 3>(0, 0);
                        angular += (row(i) * (w * twisting)) * row(k).transpose();
                    }
                }
            }
            geometric.add_geometric(basis, j, &stress);
        }
        sums.gradient[..P].iter_mut().zip(&gradient).for_each(|(sum, own)| *sum += wrench_vector(own));
        if let Some(mut geometric) = geometric {
            geometric.finish(&psi);
            for i in 0..P {
                for k in 0..=i {
                    sums.stiffness[i][k] += geometric.geometric[i][k].covector_map();
                }
            }
        }
    }
}
