//! Rods: how a curve in space and its stresses become unknowns.
//!
//! A rod knows nothing of the system it is in. Every method takes the control poses and stresses of this rod alone, and
//! writes its blocks to the nodes it is given.
//!
//! | model | unknowns beside the control poses | files |
//! |---|---|---|
//! | [`MixedRod`] | a stress for each increment | `mixed` |
//! | [`LinearStrainRod`] | a stress for each element | `linear_strain` |
//! | [`DisplacementRod`] | none | `displacement` |
//!
//! [`StrainBasisRod`] (`strain_basis`) has strain coordinates in place of poses, which follow.
//!
//! - `curve`: the cumulative spline that all of them lie on.
//! - `statics`, `motion`, `sampling`: what every model can do, by a match over the models.
//! - `refinement`: the same spline on more knots.
//! - `law`: which strain answers to a stress at a point.
//! - `section`: the one place where sections are read.
//! - `scratch`: working memory.
//! - `tendons`: tendons that pass the points.
//! - `tubes`: what the further tubes of a rod of tubes exert on its curve.
//! - `vectors`: strains and stresses as plain vectors.
//!
//! What depends on the discretisation (`curve::layout`) stands apart from what depends on material and shape
//! (`curve::values`, the laws, Gram matrices and elements): [`Rod::set_values`] renews the latter alone.

pub mod curve;
mod definite;
pub mod displacement;
pub mod law;
pub mod linear_strain;
pub mod mixed;
pub mod motion;
mod refinement;
mod sampling;
mod scratch;
pub mod section;
mod statics;
pub mod strain_basis;
pub mod tendons;
pub mod tubes;
pub mod vectors;

pub use curve::inertia::{PointShape, RodInertia};
pub use curve::line_load::LineLoads;
pub use curve::natural::Winding;
pub use curve::point_at::{PointAt, PointMotion, SecondOrder};
pub use curve::pose_map::PoseMap;
pub use curve::{Curve, Held};
pub use displacement::DisplacementRod;
pub use linear_strain::LinearStrainRod;
pub use mixed::MixedRod;
pub use motion::{EndLoads, MovingRod, RodShape, RodStep, StepPoint};
pub use scratch::{RodCompliance, RodNodes, RodScratch};
pub use statics::StressWork;
pub use strain_basis::StrainBasisRod;

use lissome_lie::Pose;
use lissome_model::{Discretization, Invalid, Problem, StrainForm};
use nalgebra::Vector6;
use tendons::{Route, Tendons};

/// What the sections of a rod carry in a state.
#[derive(Clone, Copy, Debug)]
pub struct Carried<'a> {
    /// Its stresses.
    pub stress: &'a [Vector6<f64>],
    /// Tensions of its tendons; empty if it has none.
    pub tension: &'a [Vector6<f64>],
}

impl<'a> Carried<'a> {
    /// Stresses of a rod without tendons.
    pub fn of(stress: &'a [Vector6<f64>]) -> Self {
        Self { stress, tension: &[] }
    }
}

/// A compiled rod: everything about it that does not change during a solve.
#[derive(Clone, Debug)]
// Rods are few and live in one list: a box would cost a look-up at every use.
#[allow(clippy::large_enum_variant)]
pub enum Rod {
    /// A spline with independent stresses.
    Mixed(MixedRod),
    /// A chain of linear-strain elements.
    LinearStrain(LinearStrainRod),
    /// A spline whose stress follows from its curve.
    Displacement(DisplacementRod),
    /// Strains that are sums of functions; its control poses follow.
    StrainBasis(StrainBasisRod),
}

/// Which model a discretisation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mixed,
    LinearStrain,
    Displacement,
    StrainBasis,
}

impl Kind {
    fn of(discretization: &Discretization) -> Self {
        match discretization {
            Discretization::Spline { form: StrainForm::Mixed, .. } => Self::Mixed,
            Discretization::Spline { form: StrainForm::Printed, .. } => Self::Displacement,
            Discretization::LinearStrain { .. } => Self::LinearStrain,
            Discretization::StrainBasis { .. } => Self::StrainBasis,
        }
    }
}

impl Rod {
    /// Compiles a validated rod. `path` is its place in the scene, for messages; `breaks` are the arc lengths of point
    /// loads, ends of distributed loads and attachments, where the stress may jump, and kinks and ends of tendons, where the
    /// strain does.
    pub fn compile(
        model: &lissome_model::Rod,
        path: &str,
        breaks: &[f64],
        routes: Vec<Route>,
    ) -> Result<Self, Invalid> {
        let mut rod = Self::compile_beside(model, path, breaks, routes, None)?;
        rod.complete()?;
        Ok(rod)
    }

    /// Makes what a rod is solved with and a state does not ask for. Refuses a compliance that is not positive definite.
    pub(crate) fn complete(&mut self) -> Result<(), Invalid> {
        match self {
            Self::Mixed(rod) => rod.complete(),
            Self::LinearStrain(_) | Self::Displacement(_) | Self::StrainBasis(_) => Ok(()),
        }
    }

    /// The same beside a rod that differs in its numbers: what they have in common is taken from there. It can be
    /// evaluated; to be solved with it should be completed.
    pub fn compile_beside(
        model: &lissome_model::Rod,
        path: &str,
        breaks: &[f64],
        routes: Vec<Route>,
        known: Option<&Self>,
    ) -> Result<Self, Invalid> {
        let kind = Kind::of(&model.discretization);
        let points_per_span = match kind {
            Kind::Mixed | Kind::Displacement => model.discretization.degree() + 1,
            Kind::LinearStrain => linear_strain::element::GAUSS_POINTS,
            // Each step leads to one.
            Kind::StrainBasis => 1,
        };
        let known_curve = known.map(Self::curve);
        let curve =
            Curve::compile(model, path, breaks, points_per_span, known_curve)?.with_tendons(routes, known_curve);
        let known_mixed = known.and_then(|known| match known {
            Self::Mixed(rod) => Some(rod),
            _ => None,
        });
        Ok(match kind {
            Kind::Mixed => Self::Mixed(MixedRod::new(curve, known_mixed)),
            Kind::LinearStrain => Self::LinearStrain(LinearStrainRod::new(curve)),
            Kind::Displacement => Self::Displacement(DisplacementRod::new(curve)),
            Kind::StrainBasis => Self::StrainBasis(StrainBasisRod::new(curve, model)?),
        })
    }

    /// Renews everything that depends on material and shape, and keeps the knots. Refuses a model that needs others, and
    /// leaves the rod as it was then.
    pub fn set_values(&mut self, model: &lissome_model::Rod) -> Result<(), Invalid> {
        let kind = match self {
            Self::Mixed(_) => Kind::Mixed,
            Self::LinearStrain(_) => Kind::LinearStrain,
            Self::Displacement(_) => Kind::Displacement,
            Self::StrainBasis(_) => Kind::StrainBasis,
        };
        if Kind::of(&model.discretization) != kind {
            let path = format!("{}.model", self.curve().layout.path);
            let reason = "is another model than the rod was compiled with: compile it again".into();
            return Err(Invalid::new(path, Problem::Contradiction { reason }));
        }
        match self {
            Self::Mixed(rod) => rod.set_values(model),
            Self::LinearStrain(rod) => rod.set_values(model),
            Self::Displacement(rod) => rod.set_values(model),
            Self::StrainBasis(rod) => rod.set_values(model),
        }
    }

    /// The curve it lies on.
    #[inline(always)]
    pub fn curve(&self) -> &Curve {
        match self {
            Self::Mixed(rod) => rod.curve(),
            Self::LinearStrain(rod) => rod.curve(),
            Self::Displacement(rod) => rod.curve(),
            Self::StrainBasis(rod) => rod.curve(),
        }
    }

    /// True if its stresses are unknowns, one for each increment.
    pub fn has_independent_stress(&self) -> bool {
        match self {
            Self::Mixed(_) | Self::LinearStrain(_) => true,
            Self::Displacement(_) | Self::StrainBasis(_) => false,
        }
    }

    /// True if its elastic stiffness stands apart from the curve: in independent stresses or in strain coordinates.
    /// Eigenvalues relative to that stiffness need it.
    pub fn has_separate_elasticity(&self) -> bool {
        !matches!(self, Self::Displacement(_))
    }

    /// The rod as one on a strain basis, if it is.
    #[inline(always)]
    pub fn strain_basis(&self) -> Option<&StrainBasisRod> {
        match self {
            Self::StrainBasis(rod) => Some(rod),
            _ => None,
        }
    }

    /// Pieces that touch as one, from where to where, m: no more than its unknowns can hold apart.
    pub fn pieces(&self) -> Vec<[f64; 2]> {
        match self {
            Self::StrainBasis(rod) => rod.pieces(),
            _ => self.curve().knot_vector().spans().map(|span| [span.start, span.end]).collect(),
        }
    }

    /// Pieces that stick to a surface as one, where these are others than [`Rod::pieces`]: with the ends of the rod no more than stretch can
    /// hold apart. An element or a function more than points of it makes forces along the rod that no unknown feels.
    pub fn sticking_pieces(&self) -> Option<Vec<[f64; 2]>> {
        match self {
            Self::StrainBasis(rod) => Some(from_middle_to_middle(&rod.own_pieces())),
            _ if self.curve().degree() == 1 => Some(from_middle_to_middle(&self.pieces())),
            _ => None,
        }
    }

    /// Ends of the pieces that its discretisation divides it into, both ends of the rod included: spans, elements, segments.
    pub fn lines(&self) -> Vec<f64> {
        match self {
            Self::StrainBasis(rod) => rod.basis().lines.clone(),
            _ => {
                let spans = self.curve().knot_vector().spans();
                std::iter::once(0.0).chain(spans.map(|span| span.end)).collect()
            }
        }
    }

    /// Number of stresses in a state: one for each increment where they are independent, else one for each point. On a strain
    /// basis these blocks hold the coordinates.
    pub fn stress_count(&self) -> usize {
        match self {
            Self::Mixed(_) | Self::LinearStrain(_) => self.curve().increments(),
            Self::Displacement(_) => self.curve().point_count(),
            Self::StrainBasis(rod) => rod.block_count(),
        }
    }

    /// The tendons that run along it.
    pub fn tendons(&self) -> &Tendons {
        &self.curve().tendons
    }

    /// Blocks of a state that hold the tensions of its tendons.
    pub fn tension_count(&self) -> usize {
        self.tendons().blocks(self.curve().point_count())
    }

    /// The point at arc length s of the curve through these control poses, with its derivatives.
    pub fn point_at(&self, s: f64, poses: &[Pose]) -> PointAt {
        self.curve().point_at(s, poses)
    }
}

/// The stretches from the middle of each of some pieces to that of the next, the first and the last as far as the pieces reach: one fewer.
fn from_middle_to_middle(pieces: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if pieces.len() < 2 {
        return pieces.to_vec();
    }
    let last = pieces.len() - 1;
    let line = |k: usize| match k {
        0 => pieces[0][0],
        k if k == last => pieces[last][1],
        k => 0.5 * (pieces[k][0] + pieces[k][1]),
    };
    (0..last).map(|k| [line(k), line(k + 1)]).collect()
}
