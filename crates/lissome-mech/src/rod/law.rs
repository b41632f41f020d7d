//! The law of a point: which strain and compliance answer to a stress.
//!
//! The independent stress of a mixed rod asks at every quadrature point for the strain ξ*(n) that belongs to it. The
//! functional of the rod is Σ w (n·ξ − c(n)) with the complementary energy c(n) = n·ξ* − U(ξ*), so whatever the law is,
//!
//! ```text
//! stress rows   Σ w φ_a (ξ − ξ*(n))          (n, n) block   −Σ w φ_aφ_b C,   C = ∂ξ*/∂n
//! ```
//!
//! with C symmetric and positive definite. A new law is a variant of [`Law`]; nothing else of a rod changes.
//!
//! Tendons that pass the point belong to its law: the stress n is that of section and tendons together,
//! ∂U/∂e + Λ(ξ₀ + e) = n. The function U + Σ T ℓ′ − n·e is strictly convex, so Newton's method finds its least value.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | n | stress (moment, force) | `stress` | N·m, N |
//! | e | ξ* − ξ₀, strain beyond the natural one | `Response::strain` | 1/m, – |
//! | C | ∂e/∂n | `Response::compliance` | |
//! | U | energy stored per length | `Response::energy` | J/m |
//! | q | eᵀKe | `q` | J/m |
//! | Λ, ℓ′ | what tendons add, see `tendons` | [`Pull`] | |
//! | α | 1/α is the q at which the stress is twice that of the linear law | `stiffening` | m/J |

use super::definite::Definite;
use super::section::{Elastic, uncoupled};
use super::tendons::{Pull, Thread};
use nalgebra::{Matrix6, Vector6};

/// Newton steps at most for a point with tendons; three are the rule.
const MOST_ITERATIONS: usize = 60;
/// Decrease that a last step promises, relative to the energies at hand: the error is its square.
const LAST_DECREASE: f64 = 1e-18;
/// Part of the decrease promised by the slope that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Shortest fraction of a step that is tried.
const SHORTEST_FRACTION: f64 = 1e-6;
/// Rounding of a sum of energies.
const ROUNDING: f64 = 1e-15;

/// How a point answers to a stress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// e = K⁻¹ n.
    Linear {
        /// K⁻¹.
        flexibility: Matrix6<f64>,
    },
    /// The same of a section that couples no strains with each other.
    Uncoupled {
        /// Diagonal of K⁻¹.
        flexibility: Vector6<f64>,
    },
    /// A sheath that stiffens with strain: U = ½q + ¼αq², n = (1 + αq) K e.
    Stiffening {
        /// K⁻¹ of the section without strain.
        flexibility: Matrix6<f64>,
        /// α, positive.
        stiffening: f64,
    },
}

/// What a point answers to a stress.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    /// e = ξ* − ξ₀. Kept as a difference: the strain of a stiff rod is lost in the digits of ξ₀.
    pub strain: Vector6<f64>,
    /// C = ∂e/∂n, symmetric and positive definite.
    pub compliance: Matrix6<f64>,
    /// U, energy stored per length, J/m.
    pub energy: f64,
    /// Σ T ℓ′ of the tendons, J/m.
    pub pull: f64,
}

/// A [`Response`] without its compliance.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// e = ξ* − ξ₀.
    pub strain: Vector6<f64>,
    /// U, energy stored per length, J/m.
    pub energy: f64,
    /// Σ T ℓ′ of the tendons, J/m.
    pub pull: f64,
}

impl From<Response> for Answer {
    fn from(Response { strain, energy, pull, .. }: Response) -> Self {
        Self { strain, energy, pull }
    }
}

impl Law {
    /// The law of a section; `stiffening` is α, zero for a linear one.
    pub fn of(section: &Elastic, stiffening: f64) -> Self {
        let flexibility = section.flexibility;
        if stiffening > 0.0 {
            return Self::Stiffening { flexibility, stiffening };
        }
        match uncoupled(&flexibility) {
            Some(flexibility) => Self::Uncoupled { flexibility },
            None => Self::Linear { flexibility },
        }
    }

    /// True if the compliance does not depend on the stress.
    pub fn is_linear(&self) -> bool {
        matches!(self, Self::Linear { .. } | Self::Uncoupled { .. })
    }

    /// e alone.
    #[inline(always)]
    pub fn strain(&self, stress: &Vector6<f64>) -> Vector6<f64> {
        match self {
            Self::Linear { flexibility } => flexibility * stress,
            Self::Uncoupled { flexibility } => flexibility.component_mul(stress),
            Self::Stiffening { flexibility, stiffening } => {
                let soft = flexibility * stress;
                soft / stiffened(*stiffening, stress.dot(&soft)).0
            }
        }
    }

    /// Strain, compliance and energy.
    pub fn respond(&self, stress: &Vector6<f64>) -> Response {
        match self {
            Self::Linear { flexibility } => {
                let strain = flexibility * stress;
                let energy = 0.5 * stress.dot(&strain);
                Response { strain, compliance: *flexibility, energy, pull: 0.0 }
            }
            Self::Uncoupled { flexibility } => {
                let strain = flexibility.component_mul(stress);
                let energy = 0.5 * stress.dot(&strain);
                Response { strain, compliance: Matrix6::from_diagonal(flexibility), energy, pull: 0.0 }
            }
            Self::Stiffening { flexibility, stiffening: alpha } => {
                let soft = flexibility * stress;
                let (factor, q) = stiffened(*alpha, stress.dot(&soft));
                let e = soft / factor;
                // ∂n/∂e = (1 + αq) K + 2α (Ke)(Ke)ᵀ, inverted by Sherman and Morrison.
                let along = e * e.transpose() * (2.0 * alpha / (factor + 2.0 * alpha * q));
                Response {
                    strain: e,
                    compliance: (flexibility - along) / factor,
                    energy: 0.5 * q + 0.25 * alpha * q * q,
                    pull: 0.0,
                }
            }
        }
    }

    /// Stress, stiffness and energy of the section alone at a strain; K is that without strain.
    pub fn resist(&self, stiffness: &Matrix6<f64>, e: &Vector6<f64>) -> (Vector6<f64>, Matrix6<f64>, f64) {
        let stiff = stiffness * e;
        let q = e.dot(&stiff);
        match self {
            Self::Linear { .. } | Self::Uncoupled { .. } => (stiff, *stiffness, 0.5 * q),
            Self::Stiffening { stiffening: alpha, .. } => {
                let factor = 1.0 + alpha * q;
                let along = stiff * stiff.transpose() * (2.0 * alpha);
                (stiff * factor, stiffness * factor + along, 0.5 * q + 0.25 * alpha * q * q)
            }
        }
    }

    /// Strain, compliance and energies of a point that tendons pass; `stiffness` is K, `natural` ξ₀.
    pub fn respond_with(
        &self,
        stress: &Vector6<f64>,
        stiffness: &Matrix6<f64>,
        natural: &Vector6<f64>,
        threads: impl Iterator<Item = Thread> + Clone,
    ) -> Response {
        let (Answer { strain, energy, pull }, factor) = self.search(stress, stiffness, natural, threads);
        // Without a factor no number is finite; the rod's own factorisation says so.
        let compliance = factor.map_or(Matrix6::zeros(), |factor| factor.inverse());
        Response { strain, compliance, energy, pull }
    }

    /// The same without the compliance, which costs as much again.
    pub fn answer_with(
        &self,
        stress: &Vector6<f64>,
        stiffness: &Matrix6<f64>,
        natural: &Vector6<f64>,
        threads: impl Iterator<Item = Thread> + Clone,
    ) -> Answer {
        self.search(stress, stiffness, natural, threads).0
    }

    /// Newton's method for e, with the factor of the last tangent.
    #[inline(always)]
    fn search(
        &self,
        stress: &Vector6<f64>,
        stiffness: &Matrix6<f64>,
        natural: &Vector6<f64>,
        threads: impl Iterator<Item = Thread> + Clone,
    ) -> (Answer, Option<Definite<6>>) {
        // What the tendons pull with in the natural shape is most of what they pull with.
        let mut e = self.strain(&(stress - Pull::stress_of(threads.clone(), natural)));
        let at = |e: &Vector6<f64>| (self.resist(stiffness, e), Pull::of(threads.clone(), &(natural + e)));
        let ((mut resisted, mut tangent, mut energy), mut pull) = at(&e);
        let mut factor = None;
        'search: for _ in 0..MOST_ITERATIONS {
            let gradient = resisted + pull.stress - stress;
            let Some(own) = Definite::new(&(tangent + pull.stiffness)) else { break };
            let step = own.solve(&gradient);
            factor = Some(own);
            let decrease = gradient.dot(&step);
            let sizes = energy.abs() + stress.dot(&e).abs() + pull.stress.dot(&e).abs();
            if decrease <= LAST_DECREASE * sizes {
                // Energies go with the last step to first order: what that leaves out is half the decrease.
                energy -= resisted.dot(&step);
                pull.energy -= pull.stress.dot(&step);
                e -= step;
                break;
            }
            let value = energy + pull.energy - stress.dot(&e);
            // Near the end the decrease drowns in rounding.
            let rounding = ROUNDING * (sizes + pull.energy.abs());
            let mut fraction = 1.0;
            loop {
                let there = e - step * fraction;
                let found = at(&there);
                let reached = found.0.2 + found.1.energy - stress.dot(&there);
                if reached <= value - SUFFICIENT * fraction * decrease + rounding {
                    e = there;
                    ((resisted, tangent, energy), pull) = found;
                    break;
                }
                fraction *= 0.5;
                if fraction < SHORTEST_FRACTION {
                    // No way down is left that numbers can tell.
                    break 'search;
                }
            }
        }
        (Answer { strain: e, energy, pull: pull.energy }, factor)
    }
}

/// (1 + αq, q) from m = nᵀK⁻¹n = q(1 + αq)². With r = √q it is the cubic αr³ + r = √m, which rises and so has one root.
fn stiffened(alpha: f64, m: f64) -> (f64, f64) {
    let scale = (3.0 * alpha).sqrt();
    let root = 2.0 / scale * ((1.5 * scale * m.sqrt()).asinh() / 3.0).sinh();
    let q = root * root;
    (1.0 + alpha * q, q)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> Elastic {
        // Full and coupled: no formula may rely on a diagonal stiffness.
        let x = Matrix6::from_fn(|i, j| 0.1 * ((3 * i + 5 * j) as f64).sin());
        let diagonal = Vector6::new(1.3, 2.0, 3.0, 50.0, 30.0, 20.0);
        let stiffness = Matrix6::from_diagonal(&diagonal) + x * x.transpose();
        Elastic { stiffness, flexibility: stiffness.try_inverse().expect("definite") }
    }

    fn stress() -> Vector6<f64> {
        Vector6::new(0.7, -1.1, 0.9, 4.0, -3.0, 2.0)
    }

    #[test]
    fn stress_of_the_response_is_the_stress() {
        let section = section();
        for alpha in [1e-6, 0.1, 3.0, 1e6] {
            let law = Law::of(&section, alpha);
            let e = law.respond(&stress()).strain;
            assert_eq!(law.strain(&stress()), e);
            let stiff = section.stiffness * e;
            let back = stiff * (1.0 + alpha * e.dot(&stiff));
            assert!((back - stress()).amax() < 1e-12 * stress().amax(), "α = {alpha}: {:e}", (back - stress()).amax());
        }
    }

    /// C = ∂e/∂n, ∂U/∂n = Cn, C symmetric and definite: what the mixed functional relies on.
    #[test]
    fn compliance_and_energy_are_derivatives() {
        for alpha in [0.0, 0.1, 3.0] {
            let law = Law::of(&section(), alpha);
            let at = law.respond(&stress());
            assert!((at.compliance - at.compliance.transpose()).amax() < 1e-15 * at.compliance.amax());
            assert!(nalgebra::Cholesky::new(at.compliance).is_some());
            let h = 1e-5;
            for c in 0..6 {
                let mut d = Vector6::zeros();
                d[c] = h;
                let (plus, minus) = (law.respond(&(stress() + d)), law.respond(&(stress() - d)));
                let strain = (plus.strain - minus.strain) / (2.0 * h);
                let energy = (plus.energy - minus.energy) / (2.0 * h);
                // Central differences: h² truncation and 1e-16/h round-off.
                assert!((strain - at.compliance.column(c)).amax() < 1e-8 * at.compliance.amax());
                assert!((energy - (at.compliance * stress())[c]).abs() < 1e-8 * at.energy.max(1.0));
            }
        }
    }

    #[test]
    fn a_diagonal_alone_answers_as_its_matrix_does() {
        let diagonal = Matrix6::from_diagonal(&section().flexibility.diagonal());
        let law = Law::of(&Elastic { stiffness: diagonal, flexibility: diagonal }, 0.0);
        assert!(law.is_linear() && law != Law::Linear { flexibility: diagonal });
        assert_eq!(law.respond(&stress()).strain, diagonal * stress());
        assert_eq!(law.respond(&stress()).strain, law.strain(&stress()));
        assert_eq!(law.respond(&stress()).compliance, diagonal);
    }

    #[test]
    fn without_stiffening_the_law_is_linear() {
        let (linear, weak) = (Law::of(&section(), 0.0), Law::of(&section(), 1e-12));
        assert!(linear.is_linear() && !weak.is_linear());
        let (a, b) = (linear.respond(&stress()), weak.respond(&stress()));
        assert!((a.strain - b.strain).amax() < 1e-11 * a.strain.amax());
        assert!((a.energy - b.energy).abs() < 1e-11 * a.energy);
        assert_eq!(weak.respond(&Vector6::zeros()).strain, Vector6::zeros());
    }
}
