//! Tubes that may tilt against the common section: the general relative rotation of [xun2025, section 4.6], with zero relative
//! translation.
//!
//! The section of tube j is turned from that of tube 1 by R_r = R_y(a) R_z(b) R_x(θ), with splines a, b beside that of θ; a chart
//! of SO(3) whose one hole, b = π/2, no tube comes near to. Its curvature follows by the chain rule R_rᵀκ + κ_r, before the
//! turn about the tangent
//!
//! ```text
//! k¹ = R_y(−a) κ + a′ e_y        k = R_z(−b) k¹ + b′ e_z
//! V_j = ½GJ (k_x + θ′)² + ½EI |k_⊥|² − k_⊥·e_j(θ) − ½EI |κ_⊥|² + ½GA (1 − cos²a cos²b)
//! ```
//!
//! where the rod itself has the bending energy ½EI|κ_⊥|² already. A tilt is a shear of the tube: its tangent leaves the centreline, which
//! all tubes share. Stretch and shear of the centreline itself are those of the common section. At the entry the guide
//! holds all sections parallel; at the end of a tube nothing does. Without tilts V_j is that of `sums`.

use super::Tubes;
use super::sums::{SpanSums, functions, turned};
use crate::contribution::At;
use crate::rod::curve::kernel::{self, SpanTangent};
use crate::rod::vectors::{covector, wrench_vector};
use crate::state::State;
use lissome_lie::MAX_DEGREE;
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix3, Vector2, Vector3, Vector6};

/// Splines of a tube that may tilt: θ, a, b.
pub(super) const FIELDS: usize = 3;
/// θ, θ′, a, a′, b, b′.
const VARIABLES: usize = 2 * FIELDS;

/// Stiffness of a tube.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stiffness {
    pub torsion: f64,
    pub bending: f64,
    pub shear: f64,
}

/// Energy per length of one tube at one point, with derivatives by the curvature of the curve and by θ, θ′, a, a′, b, b′.
pub(super) struct Tilted {
    pub energy: f64,
    pub torque: f64,
    pub by_kappa: Vector3<f64>,
    pub kappa_kappa: Matrix3<f64>,
    pub by: [f64; VARIABLES],
    pub kappa_by: [Vector3<f64>; VARIABLES],
    pub by_by: [[f64; VARIABLES]; VARIABLES],
}

impl Tilted {
    /// `moment` is EI z in the tube's own frame.
    pub(super) fn at(
        stiffness: &Stiffness,
        moment: &Vector2<f64>,
        kappa: &Vector3<f64>,
        [(theta, twist), (a, a_slope), (b, b_slope)]: [(f64, f64); FIELDS],
    ) -> Self {
        let Stiffness { torsion, bending, shear } = *stiffness;
        let ((sa, ca), (sb, cb)) = (a.sin_cos(), b.sin_cos());
        let back_y = Matrix3::new(ca, 0.0, -sa, 0.0, 1.0, 0.0, sa, 0.0, ca);
        let back_y_rate = Matrix3::new(-sa, 0.0, -ca, 0.0, 0.0, 0.0, ca, 0.0, -sa);
        let back_z = Matrix3::new(cb, sb, 0.0, -sb, cb, 0.0, 0.0, 0.0, 1.0);
        let back_z_rate = Matrix3::new(-sb, cb, 0.0, -cb, -sb, 0.0, 0.0, 0.0, 0.0);
        let first = back_y * kappa + Vector3::y() * a_slope;
        let k = back_z * first + Vector3::z() * b_slope;
        let e = turned(moment, theta);
        let (along, across) = (Vector3::new(0.0, e.x, e.y), Vector3::new(0.0, -e.y, e.x));
        let torque = torsion * (k.x + twist);
        let stress = Vector3::new(torque, bending * k.y, bending * k.z) - along;
        let law = Matrix3::from_diagonal(&Vector3::new(torsion, bending, bending));
        let map = back_z * back_y;
        // ∂k by each variable.
        let turned_a = back_y_rate * kappa;
        let rates = [
            Vector3::zeros(),
            Vector3::zeros(),
            back_z * turned_a,
            back_z * Vector3::y(),
            back_z_rate * first,
            Vector3::z(),
        ];
        let mut by_by = [[0.0; VARIABLES]; VARIABLES];
        for (v, row) in by_by.iter_mut().enumerate() {
            for (w, entry) in row.iter_mut().enumerate() {
                *entry = rates[v].dot(&(law * rates[w]));
            }
        }
        let by_rates = rates.map(|rate| stress.dot(&rate));
        // stress · ∂²k.
        let in_first = back_z.tr_mul(&stress);
        by_by[2][2] -= in_first.dot(&(first - Vector3::y() * first.y));
        by_by[4][4] -= stress.x * k.x + stress.y * k.y;
        for (v, second) in [(2, back_z_rate * turned_a), (3, back_z_rate * Vector3::y())] {
            by_by[v][4] += stress.dot(&second);
            by_by[4][v] += stress.dot(&second);
        }
        // θ turns the moment, θ′ twists.
        let mut kappa_by = rates.map(|rate| map.tr_mul(&(law * rate)));
        kappa_by[0] -= map.tr_mul(&across);
        kappa_by[1] += map.tr_mul(&Vector3::new(torsion, 0.0, 0.0));
        kappa_by[2] += back_y_rate.tr_mul(&in_first);
        kappa_by[4] += back_y.tr_mul(&back_z_rate.tr_mul(&stress));
        for (v, rate) in rates.iter().enumerate() {
            by_by[0][v] -= across.dot(rate);
            by_by[v][0] -= across.dot(rate);
            by_by[1][v] += torsion * rate.x;
            by_by[v][1] += torsion * rate.x;
        }
        by_by[0][0] += k.dot(&along);
        by_by[1][1] += torsion;
        let mut by = by_rates;
        by[0] -= k.dot(&across);
        by[1] += torque;
        by[2] += shear * ca * sa * cb * cb;
        by[4] += shear * ca * ca * sb * cb;
        by_by[2][2] += shear * (ca * ca - sa * sa) * cb * cb;
        by_by[4][4] += shear * ca * ca * (cb * cb - sb * sb);
        by_by[2][4] -= 2.0 * shear * ca * sa * cb * sb;
        by_by[4][2] -= 2.0 * shear * ca * sa * cb * sb;
        let across_curve = Vector3::new(0.0, kappa.y, kappa.z);
        let bend = Vector2::new(k.y, k.z);
        Self {
            energy: 0.5 * torsion * (k.x + twist).powi(2)
                + 0.5 * bending * (bend.norm_squared() - across_curve.norm_squared())
                - bend.dot(&e)
                + 0.5 * shear * (1.0 - (ca * cb).powi(2)),
            torque,
            by_kappa: map.tr_mul(&stress) - across_curve * bending,
            kappa_kappa: map.tr_mul(&(law * map)) - Matrix3::from_diagonal(&Vector3::new(0.0, bending, bending)),
            by,
            kappa_by,
            by_by,
        }
    }

    /// Change of the derivatives by the curvature and by each variable as the section lengthens by a part, with what turns
    /// and slopes there are: slopes and the curvature fall with it.
    pub(super) fn lengthened(
        &self,
        kappa: &Vector3<f64>,
        fields: &[(f64, f64); FIELDS],
    ) -> (Vector3<f64>, [f64; VARIABLES]) {
        let slopes = fields.map(|(_, slope)| slope);
        let sum = |by: &dyn Fn(usize) -> f64| (0..FIELDS).map(|f| by(2 * f + 1) * slopes[f]).sum::<f64>();
        let mut by_kappa = self.kappa_kappa * kappa;
        for (f, slope) in slopes.iter().enumerate() {
            by_kappa += self.kappa_by[2 * f + 1] * *slope;
        }
        let by = std::array::from_fn(|v| self.kappa_by[v].dot(kappa) + sum(&|w| self.by_by[v][w]));
        (-by_kappa, by.map(|x: f64| -x))
    }
}

impl Tubes {
    /// The splines of further tube number `tube` (from 0) at a point: value and slope of θ, a, b.
    pub(super) fn tilt(
        &self,
        tube: usize,
        first: usize,
        functions: &[(f64, f64); super::sums::MOST_COEFFICIENTS],
        state: &State,
    ) -> [(f64, f64); FIELDS] {
        std::array::from_fn(|f| self.angle(FIELDS * tube + f, first, functions, state))
    }

    pub(super) fn stiffness(&self, tube: usize) -> Stiffness {
        let own = &self.set.tubes[tube];
        Stiffness { torsion: own.torsion(), bending: own.bending(), shear: own.shearing() }
    }

    pub(super) fn sum_tilted_span<const P: usize>(
        &self,
        number: usize,
        psi: &[DualVector; MAX_DEGREE],
        at: &At<'_>,
        tangent: bool,
        sums: &mut SpanSums,
    ) {
        let span = &self.curve().layout.spans[number];
        let psi: [DualVector; P] = *psi.first_chunk().expect("a span has p increments");
        let mut geometric = SpanTangent::<P>::zero();
        for q in span.points.clone() {
            let basis = &self.curve().layout.points[q].basis;
            let (w, functions) = (basis.weight, functions(P, basis));
            let j = kernel::jacobians(&psi, basis, false);
            let kappa = j.strain(&psi, basis).re;
            let innermost = self.innermost[q];
            let mut moment = Vector3::new(0.0, -innermost.x, -innermost.y);
            let mut law = Matrix3::zeros();
            for (tube, own) in self.further.chunks_exact(FIELDS).enumerate().filter(|(_, own)| number < own[0].spans) {
                let fields = self.tilt(tube, span.first, &functions, at.state);
                let found = Tilted::at(&self.stiffness(own[0].number), &own[0].moments[q], &kappa, fields);
                moment += found.by_kappa;
                law += found.kappa_kappa;
                for f in 0..FIELDS {
                    let sum = &mut sums.angles[FIELDS * tube + f];
                    for (l, (b, slope)) in functions[..=P].iter().enumerate() {
                        sum.gradient[l] += w * (found.by[2 * f] * b + found.by[2 * f + 1] * slope);
                        if !tangent {
                            continue;
                        }
                        let mixed = (found.kappa_by[2 * f] * *b + found.kappa_by[2 * f + 1] * *slope) * w;
                        for (i, coupling) in sum.coupling[l][..P].iter_mut().enumerate() {
                            let mut angular = coupling.fixed_rows_mut::<3>(0);
                            angular += j.strain_jacobian[i].re.tr_mul(&mixed);
                        }
                    }
                }
                if !tangent {
                    continue;
                }
                for f in 0..FIELDS {
                    for g in 0..=f {
                        for (l, (b, slope)) in functions[..=P].iter().enumerate() {
                            for (m, (c, other)) in functions[..=P].iter().enumerate() {
                                let h = |v: usize, x: usize| found.by_by[2 * f + v][2 * g + x];
                                let value = w
                                    * (h(0, 0) * b * c
                                        + h(0, 1) * b * other
                                        + h(1, 0) * slope * c
                                        + h(1, 1) * slope * other);
                                match f == g {
                                    true => sums.angles[FIELDS * tube + f].stiffness[l][m] += value,
                                    false => sums.cross[FIELDS * tube + f + g - 1][l][m] += value,
                                }
                            }
                        }
                    }
                }
            }
            let stress = covector(&Vector6::new(moment.x, moment.y, moment.z, 0.0, 0.0, 0.0)) * w;
            for i in 0..P {
                sums.gradient[i] += wrench_vector(&j.strain_jacobian[i].apply_transpose(&stress));
                if tangent {
                    for k in 0..=i {
                        let mut angular = sums.stiffness[i][k].fixed_view_mut::<3, 3>(0, 0);
                        angular += j.strain_jacobian[i].re.tr_mul(&(law * j.strain_jacobian[k].re)) * w;
                    }
                }
            }
            if tangent {
                geometric.add_geometric(basis, &j, &stress);
            }
        }
        if tangent {
            geometric.finish(&psi);
            for i in 0..P {
                for k in 0..=i {
                    sums.stiffness[i][k] += geometric.geometric[i][k].covector_map();
                }
            }
        }
    }
}
