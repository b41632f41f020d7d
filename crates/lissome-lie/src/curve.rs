//! Cumulative curves on a Lie group: poses, strains, velocities and accelerations at any s.
//!
//! The curve of control poses g₀ … g_n is the ordered product g(s) = g_{j−p} ∏ τ(B̄_i(s) Ψ_i) over the p
//! increments of the span of s, [xun2025, eqs. (12), (16)] with their sums read as products. B-splines take any
//! open knots, Bernstein curves those of [`KnotVector::bernstein`], Hermite curves are in [`crate::hermite`].
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | Ψ_i | g_i ⊟ g_{i−1} | `increments` | rad, m | g_i |
//! | b, b′, b″ | B̄_i and its derivatives | [`CumulativeBasis`] | 1, 1/s, 1/s² | |
//! | A_i | Ad_{τ(−bΨ_i)} | `transport` | | |
//! | w_i | b′ dτ_{bΨ_i} Ψ_i, what increment i adds to the strain | `own` | 1/m, 1 | |
//! | ξ | g⁻¹g′ | [`Segment::strain`] | 1/m, 1 | body |
//! | η, η̇ | g⁻¹ġ and its rate | [`Segment::velocity`], [`Segment::acceleration`] | rad/s, m/s | body |
//!
//! The rods of a system have kernels of their own, which share increments between quadrature points; the program draws
//! undeformed rods with these curves. The rest stays as the library's curves on SO(3) and SE(3) and as the plain form of
//! what the kernels compute.
//!
//! ξ is a derivative by the parameter of the knots: give the knots in metres of arc length.

use crate::{CumulativeBasis, Exponential, KnotVector, LieGroup, MAX_DEGREE, Retraction};
use std::fmt;
use std::marker::PhantomData;

/// Why poses do not make a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurveError {
    /// The number of control poses does not fit the knots.
    PoseCount {
        /// How many were given.
        given: usize,
        /// How many the knots need.
        needed: usize,
    },
    /// The retraction has no increment that leads from a control pose to the next (a half turn for Cayley).
    Unreachable {
        /// Index of the pose that is not reached from the one before it.
        pose: usize,
    },
    /// The length of a Hermite curve is not positive and finite.
    Length {
        /// The length asked for.
        length: f64,
    },
    /// The strain at the end is more than the retraction can give a cubic of this length.
    EndStrain {
        /// The length of the curve.
        length: f64,
    },
}

impl fmt::Display for CurveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::PoseCount { given, needed } => write!(f, "{given} control poses, the knots need {needed}"),
            Self::Unreachable { pose } => write!(f, "no increment leads to control pose {pose} from the one before"),
            Self::Length { length } => write!(f, "a curve cannot have the length {length}"),
            Self::EndStrain { length } => write!(f, "the end strain is too large for a cubic of length {length}"),
        }
    }
}

impl std::error::Error for CurveError {}

/// A cumulative curve over borrowed knots and control poses.
#[derive(Clone, Copy, Debug)]
pub struct CumulativeCurve<'a, G, R = Exponential> {
    knots: KnotVector<'a>,
    poses: &'a [G],
    retraction: PhantomData<R>,
}

impl<'a, G: LieGroup, R: Retraction<G>> CumulativeCurve<'a, G, R> {
    /// From knots and as many control poses as they need, each within reach of the one before.
    pub fn new(knots: KnotVector<'a>, poses: &'a [G]) -> Result<Self, CurveError> {
        let (given, needed) = (poses.len(), knots.control_count());
        if given != needed {
            return Err(CurveError::PoseCount { given, needed });
        }
        match (1..given).find(|&i| R::minus(&poses[i], &poses[i - 1]).is_none()) {
            Some(pose) => Err(CurveError::Unreachable { pose }),
            None => Ok(Self { knots, poses, retraction: PhantomData }),
        }
    }

    /// The knots.
    pub fn knots(&self) -> KnotVector<'a> {
        self.knots
    }

    /// The control poses.
    pub fn poses(&self) -> &'a [G] {
        self.poses
    }

    /// The part of the curve on a span, worth keeping when a span is evaluated at several points.
    pub fn segment(&self, span: usize) -> Segment<G, R> {
        let first = span - self.knots.degree();
        Segment::new(&self.poses[first..=span]).expect("neighbours were found within reach when the curve was made")
    }

    /// The segment and the cumulative functions at s.
    pub fn at(&self, s: f64) -> (Segment<G, R>, CumulativeBasis) {
        let span = self.knots.find_span(s);
        (self.segment(span), self.knots.cumulative(span, s))
    }

    /// g(s).
    pub fn pose(&self, s: f64) -> G {
        let (segment, basis) = self.at(s);
        segment.pose(&basis)
    }

    /// ξ(s) = g⁻¹g′.
    pub fn strain(&self, s: f64) -> G::Tangent {
        let (segment, basis) = self.at(s);
        segment.strain(&basis)
    }

    /// η(s) = g⁻¹ġ from the body velocities of all control poses.
    pub fn velocity(&self, s: f64, velocities: &[G::Tangent]) -> G::Tangent {
        let (segment, basis) = self.at(s);
        segment.velocity(&basis, &segment.rates(&velocities[basis.first..]))
    }

    /// η̇(s) from the body velocities of all control poses and their rates.
    pub fn acceleration(&self, s: f64, velocities: &[G::Tangent], accelerations: &[G::Tangent]) -> G::Tangent {
        let (segment, basis) = self.at(s);
        let rates = segment.rates(&velocities[basis.first..]);
        let second = segment.second_rates(&velocities[basis.first..], &rates, &accelerations[basis.first..]);
        segment.acceleration(&basis, &rates, &second)
    }
}

/// One span of a curve: the pose it starts from and its p increments.
#[derive(Clone, Copy, Debug)]
pub struct Segment<G: LieGroup, R = Exponential> {
    pub(crate) degree: usize,
    first: G,
    pub(crate) increments: [G::Tangent; MAX_DEGREE],
    retraction: PhantomData<R>,
}

/// A derivative by time of a segment's coordinates (g_{j−p}, Ψ_{j−p+1} … Ψ_j).
#[derive(Clone, Copy, Debug)]
pub struct Rates<G: LieGroup> {
    /// η of the first pose, or its rate.
    pub first: G::Tangent,
    /// Ψ̇ or Ψ̈ of the increments, in local order.
    pub increments: [G::Tangent; MAX_DEGREE],
}

impl<G: LieGroup, R: Retraction<G>> Segment<G, R> {
    /// Through the p+1 control poses of a span, 1 ≤ p ≤ [`MAX_DEGREE`].
    pub fn new(poses: &[G]) -> Result<Self, CurveError> {
        let degree = poses.len().saturating_sub(1);
        if !(1..=MAX_DEGREE).contains(&degree) {
            return Err(CurveError::PoseCount { given: poses.len(), needed: degree.clamp(1, MAX_DEGREE) + 1 });
        }
        let mut increments = [G::Tangent::default(); MAX_DEGREE];
        for i in 0..degree {
            increments[i] = R::minus(&poses[i + 1], &poses[i]).ok_or(CurveError::Unreachable { pose: i + 1 })?;
        }
        Ok(Self { degree, first: poses[0], increments, retraction: PhantomData })
    }

    /// The increments Ψ in local order.
    pub fn increments(&self) -> &[G::Tangent] {
        &self.increments[..self.degree]
    }

    /// g(s), [xun2025, eq. (16)].
    pub fn pose(&self, b: &CumulativeBasis) -> G {
        (0..self.degree).fold(self.first, |g, i| R::plus(&g, &(self.increments[i] * b.value[i])))
    }

    /// ξ(s), [xun2025, eqs. (27), (28)]; for Cayley the last term keeps its dτ.
    pub fn strain(&self, b: &CumulativeBasis) -> G::Tangent {
        (0..self.degree)
            .fold(G::Tangent::default(), |xi, i| G::apply(&self.transport(i, b), &xi) + self.own_strain(i, b))
    }

    /// ξ′(s), by differentiating the recurrence of the strain.
    pub fn strain_slope(&self, b: &CumulativeBasis) -> G::Tangent {
        let (mut xi, mut slope) = (G::Tangent::default(), G::Tangent::default());
        for i in 0..self.degree {
            let psi = &self.increments[i];
            let (transport, own) = (self.transport(i, b), self.own_strain(i, b));
            let carried = G::apply(&transport, &xi);
            let bend = G::apply(&R::tangent_rate(&(*psi * b.value[i]), psi), psi) * (b.slope[i] * b.slope[i]);
            let own_slope = R::velocity_along(b.value[i], psi) * b.curvature[i] + bend;
            slope = G::apply(&transport, &slope) - G::bracket(&own, &carried) + own_slope;
            xi = carried + own;
        }
        slope
    }

    /// Ψ̇ from the body velocities of the segment's p+1 poses, [xun2025, eq. (43)].
    pub fn rates(&self, velocities: &[G::Tangent]) -> Rates<G> {
        let mut rates = Rates { first: velocities[0], increments: [G::Tangent::default(); MAX_DEGREE] };
        for i in 0..self.degree {
            let psi = &self.increments[i];
            let relative = velocities[i + 1] - G::apply(&R::retract(&-*psi).adjoint(), &velocities[i]);
            rates.increments[i] = G::apply(&R::tangent_inverse(psi), &relative);
        }
        rates
    }

    /// Ψ̈ from velocities and accelerations of the p+1 poses; [xun2025, eq. (45)] with its signs corrected:
    /// Ψ̈ = dτ⁻¹(η̇_i + ad_{dτ Ψ̇} Ad_{τ(−Ψ)} η_{i−1} − Ad_{τ(−Ψ)} η̇_{i−1} − d/dt(dτ) Ψ̇).
    pub fn second_rates(&self, velocities: &[G::Tangent], rates: &Rates<G>, accelerations: &[G::Tangent]) -> Rates<G> {
        let mut second = Rates { first: accelerations[0], increments: [G::Tangent::default(); MAX_DEGREE] };
        for i in 0..self.degree {
            let (psi, rate) = (&self.increments[i], &rates.increments[i]);
            let transport = R::retract(&-*psi).adjoint();
            let own = G::apply(&R::tangent(psi), rate);
            let relative = accelerations[i + 1] + G::bracket(&own, &G::apply(&transport, &velocities[i]))
                - G::apply(&transport, &accelerations[i])
                - G::apply(&R::tangent_rate(psi, rate), rate);
            second.increments[i] = G::apply(&R::tangent_inverse(psi), &relative);
        }
        second
    }

    /// η(s), [xun2025, eqs. (29), (30)].
    pub fn velocity(&self, b: &CumulativeBasis, rates: &Rates<G>) -> G::Tangent {
        (0..self.degree)
            .fold(rates.first, |eta, i| G::apply(&self.transport(i, b), &eta) + self.own_velocity(i, b, rates))
    }

    /// η̇(s), [xun2025, eqs. (31), (32)] with the sign of the first term corrected.
    pub fn acceleration(&self, b: &CumulativeBasis, rates: &Rates<G>, second: &Rates<G>) -> G::Tangent {
        let (mut eta, mut acceleration) = (rates.first, second.first);
        for i in 0..self.degree {
            let x = self.increments[i] * b.value[i];
            let (y, z) = (rates.increments[i] * b.value[i], second.increments[i] * b.value[i]);
            let (transport, own) = (self.transport(i, b), self.own_velocity(i, b, rates));
            let carried = G::apply(&transport, &eta);
            let own_rate = G::apply(&R::tangent_rate(&x, &y), &y) + G::apply(&R::tangent(&x), &z);
            acceleration = G::apply(&transport, &acceleration) - G::bracket(&own, &carried) + own_rate;
            eta = carried + own;
        }
        acceleration
    }

    /// A_i = Ad_{τ(−bΨ_i)}.
    pub(crate) fn transport(&self, i: usize, b: &CumulativeBasis) -> G::Operator {
        R::retract(&(self.increments[i] * -b.value[i])).adjoint()
    }

    /// w_i = b′ dτ_{bΨ_i} Ψ_i.
    pub(crate) fn own_strain(&self, i: usize, b: &CumulativeBasis) -> G::Tangent {
        R::velocity_along(b.value[i], &self.increments[i]) * b.slope[i]
    }

    /// Q_i Ψ̇_i = dτ_{bΨ_i} (b Ψ̇_i).
    fn own_velocity(&self, i: usize, b: &CumulativeBasis, rates: &Rates<G>) -> G::Tangent {
        let x = self.increments[i] * b.value[i];
        G::apply(&R::tangent(&x), &(rates.increments[i] * b.value[i]))
    }
}
