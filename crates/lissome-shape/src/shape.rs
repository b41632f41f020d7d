//! A shape: a curve in the world with its curvature and its wrench at any point, and how far to trust it.

use crate::elastic::ElasticRod;
use crate::energy::Chain;
use crate::energy::estimate::{Deviation, estimate};
use crate::exact::ExactCurve;
use crate::exact::march::Columns;
use crate::options::Method;
use crate::polynomial::PolynomialCurve;
use lissome_lie::{Pose, Rotation, Strain, Wrench};
use nalgebra::Vector3;

/// How far a shape may be from the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorEstimate {
    /// Largest displacement of the centre line, m.
    pub position: f64,
    /// Largest rotation of a section, rad.
    pub rotation: f64,
}

/// The two ways a shape is kept.
#[derive(Clone, Debug)]
pub(crate) enum Curve {
    /// In closed form.
    Polynomial {
        /// The curve.
        curve: PolynomialCurve,
        /// The same by its unknowns, from which errors are estimated.
        chain: Chain,
    },
    /// As an equilibrium, integrated from node to node.
    Exact(ExactCurve),
}

/// The shape of a rod between its two ends.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(crate) rod: ElasticRod,
    pub(crate) base: Pose,
    pub(crate) curve: Curve,
    /// Wrench at the base, dimensionless, base frame.
    pub(crate) wrench: Wrench,
    /// How it was found.
    pub method: Method,
    /// Total rotation from base to tip that the search followed, rad.
    pub winding: Vector3<f64>,
    /// Elastic energy, J.
    pub energy: f64,
    /// Largest misfit of the tip (position over length; for the exact method also rad) before every iteration and at
    /// the end.
    pub history: Vec<f64>,
    /// Misfit that remains after an exact solution, dimensionless; zero where it is to be estimated.
    pub(crate) residual: f64,
}

impl Shape {
    /// The rod it belongs to.
    pub fn rod(&self) -> &ElasticRod {
        &self.rod
    }

    /// How far the shape may be from the rod. For a polynomial this takes one Newton step among polynomials two degrees
    /// higher (about the time of the printed method); for an equilibrium it is what its own integration left.
    pub fn error(&self) -> ErrorEstimate {
        let deviation = match &self.curve {
            Curve::Polynomial { chain, curve } if self.residual == 0.0 => {
                estimate(&self.rod, chain, &curve.pose(1.0).1, &self.wrench.force)
            }
            _ => Deviation { position: self.residual, rotation: self.residual },
        };
        ErrorEstimate { position: deviation.position * self.rod.length(), rotation: deviation.rotation }
    }

    /// Iterations of the method itself (not of those that started it).
    pub fn iterations(&self) -> usize {
        self.history.len().saturating_sub(1)
    }

    /// Pose in the base frame, position over length.
    pub(crate) fn scaled_pose(&self, tau: f64) -> Pose {
        match &self.curve {
            Curve::Polynomial { curve, .. } => {
                let (rotation, position) = curve.pose(tau);
                // Products of exponentials are rotations to a few roundings.
                Pose::new(Rotation::from_matrix(&rotation, 1e-6).unwrap_or_default(), position)
            }
            Curve::Exact(curve) => curve.pose(&self.rod, tau),
        }
    }

    /// World pose of the section at τ = s/L; τ outside [0, 1] gives the nearer end.
    pub fn pose(&self, tau: f64) -> Pose {
        let scaled = self.scaled_pose(tau.clamp(0.0, 1.0));
        self.base * Pose::new(scaled.rotation, scaled.position * self.rod.length())
    }

    /// Curvature (torsion, about y, about z; 1/m) and stretch at τ, section axes.
    pub fn strain(&self, tau: f64) -> Strain {
        let tau = tau.clamp(0.0, 1.0);
        let scaled = match &self.curve {
            Curve::Polynomial { curve, .. } => Strain::new(curve.curvature(tau), Vector3::x()),
            Curve::Exact(curve) => curve.strain(&self.rod, tau, &curve.pose(&self.rod, tau)),
        };
        Strain::new(scaled.curvature / self.rod.length(), scaled.stretch)
    }

    /// Internal moment (N·m) and force (N) at τ, section axes: what the part beyond τ exerts on the part before.
    pub fn wrench(&self, tau: f64) -> Wrench {
        let pose = self.scaled_pose(tau.clamp(0.0, 1.0));
        self.rod.wrench_in_si(&pose.coadjoint_wrench(&self.wrench))
    }

    /// What the rod exerts on whatever holds its base, base axes, N·m and N.
    pub fn wrench_on_base(&self) -> Wrench {
        self.rod.wrench_in_si(&self.wrench)
    }

    /// What the rod exerts on whatever holds its tip, tip axes, N·m and N.
    pub fn wrench_on_tip(&self) -> Wrench {
        -self.wrench(1.0)
    }

    /// How much a relative change of the base wrench moves the tip when the rod is integrated from the base alone:
    /// ‖∂(tip)/∂μ‖ ‖μ‖, dimensionless. Its product with 1e-16 is how well any integration from one end can end at the
    /// tip; a soft or taut rod loses all digits that way, while the shape itself does not. Zero for a polynomial. The
    /// tests take from it how closely an independent integration must agree.
    pub fn tip_sensitivity(&self) -> f64 {
        match &self.curve {
            Curve::Polynomial { .. } => 0.0,
            Curve::Exact(curve) => {
                let march = curve.march(&self.rod, Columns::<0>::zeros());
                march.by_wrench().norm() * self.wrench.to_vector().norm()
            }
        }
    }

    /// World poses at `count` equally spaced sections, both ends among them.
    pub fn samples(&self, count: usize) -> Vec<Pose> {
        let last = count.saturating_sub(1).max(1) as f64;
        (0..count).map(|i| self.pose(i as f64 / last)).collect()
    }
}
