//! Tendons that run through the sections of a rod, as its quadrature points see them.
//!
//! A tendon at D(s) in the section has, per length of the rod,
//!
//! ```text
//! Γ = ε + κ×D + D′        ℓ′ = |Γ|        t = Γ/|Γ|        a = ∂ℓ′/∂ξ = (D×t; t)
//! Λ = Σ T a               B = ∂Λ/∂ξ = Σ (T/|Γ|) Jᵀ(1 − ttᵀ)J        J = [−D~, 1]
//! ```
//!
//! Λ is what tendons add to the stress of the section, B its stiffness: symmetric and, for T ≥ 0, positive semidefinite.
//! They belong to the law of the point, so that the independent stress of a rod is that of section and tendons together:
//! it is smooth whatever the routing is, and what a tendon exerts at its ends and kinks needs no term of its own.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | D, D′ | place of the hole in the section, and its change along the rod | [`Hole`] | m, – |
//! | T | tension at the end that is driven | [`Tendons::set_tension`], six tendons to a block of the state | N |
//! | f | part of it that is left at a point, where there is friction | [`Tendons::set_share`] | – |
//! | ℓ′ | length of the tendon per length of the rod | [`Stretch::length`] | – |
//! | a | ∂ℓ′/∂ξ | [`Stretch::gradient`] | m, – |
//!
//! - `line`: a whole tendon, and what is driven at its end; `length`: one that is driven by its length.
//! - `friction`: how far a tendon turns, and what is left of its tension.
//! - `rates`: lengths, and what a change of tension asks of a rod.

mod friction;
pub mod length;
pub mod line;
pub mod rates;

use super::curve::layout::Layout;
use friction::SpanRules;
use lissome_model::{Hole, Routing};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Lengths are √(Γ² + this²), so that a tendon that closes up is still a number.
const SMOOTHING: f64 = 1e-6;

/// Below this length per length of the rod a tendon has closed up: what follows is no smooth shape.
pub const CLOSED: f64 = 1e-3;

/// Tensions that fit into a block of a state.
const PER_BLOCK: usize = 6;

/// Where a tendon runs along one rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Number of the tendon in the scene.
    pub tendon: usize,
    /// Where it begins, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
    /// Its place in the sections between.
    pub routing: Routing,
    /// True if its tension changes along the way.
    pub rubs: bool,
}

impl Route {
    /// The hole at s, if the tendon runs there.
    fn hole(&self, s: f64) -> Option<Hole> {
        (s > self.from && s < self.to).then(|| self.routing.at(s))
    }
}

/// The tendons of one rod at its quadrature points.
#[derive(Clone, Debug, Default)]
pub struct Tendons {
    routes: Vec<Route>,
    /// Hole of route i at point q: entry `q * routes + i`.
    holes: Vec<Option<Hole>>,
    /// True if the tension of any changes along the way.
    rubs: bool,
    points_per_span: usize,
    /// Places of the points of one span, as parts of it.
    abscissae: Vec<f64>,
    /// Differentiation and integration over a span.
    rules: SpanRules,
}

/// One tendon at a point: its hole and its tension.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// Number of its route on the rod.
    pub route: usize,
    /// Where it passes.
    pub hole: Hole,
    /// What it carries, N.
    pub tension: f64,
}

/// A tendon at a strain.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// ℓ′.
    pub length: f64,
    /// a = ∂ℓ′/∂ξ.
    pub gradient: Vector6<f64>,
    /// t.
    pub direction: Vector3<f64>,
}

/// What all tendons of a point exert at a strain.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    /// Λ.
    pub stress: Vector6<f64>,
    /// B.
    pub stiffness: Matrix6<f64>,
    /// Σ T ℓ′, J/m.
    pub energy: f64,
    /// Smallest ℓ′; one where there is no tendon.
    pub narrowest: f64,
}

impl Tendons {
    /// The holes of these routes at the points of a layout.
    pub(super) fn at(routes: Vec<Route>, layout: &Layout) -> Self {
        let holes = layout.points.iter().flat_map(|point| routes.iter().map(|route| route.hole(point.s))).collect();
        let abscissae = layout.spans.first().map_or(Vec::new(), |span| {
            let (start, length) =
                (layout.knots[layout.degree], layout.knots[layout.degree + 1] - layout.knots[layout.degree]);
            layout.points[span.points.clone()].iter().map(|point| (point.s - start) / length).collect()
        });
        let rubs = routes.iter().any(|route| route.rubs);
        let rules = if routes.is_empty() { SpanRules::default() } else { SpanRules::at(&abscissae) };
        Self { routes, holes, rubs, points_per_span: layout.points_per_span, abscissae, rules }
    }

    /// True if there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Where they run.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// Blocks of a state that hold their tensions and, if friction changes these along the way, their shares at the points and
    /// what they carried there before.
    pub fn blocks(&self, points: usize) -> usize {
        self.row() * if self.rubs { 1 + 2 * points } else { 1 }
    }

    /// Blocks that hold one number for each route.
    #[inline(always)]
    fn row(&self) -> usize {
        self.routes.len().div_ceil(PER_BLOCK)
    }

    /// True if the tension of any changes along the way.
    pub fn rub(&self) -> bool {
        self.rubs
    }

    /// Hole of a route at point q.
    pub fn hole(&self, q: usize, route: usize) -> Option<Hole> {
        self.holes[q * self.routes.len() + route]
    }

    /// T of a route.
    #[inline(always)]
    pub fn tension(route: usize, tension: &[Vector6<f64>]) -> f64 {
        tension[route / PER_BLOCK][route % PER_BLOCK]
    }

    /// Sets T of a route.
    pub fn set_tension(&self, route: usize, value: f64, tension: &mut [Vector6<f64>]) {
        tension[route / PER_BLOCK][route % PER_BLOCK] = value;
    }

    /// f of a route at point q; one where it does not rub, whatever others on the rod do.
    #[inline(always)]
    pub fn share(&self, q: usize, route: usize, tension: &[Vector6<f64>]) -> f64 {
        match self.rubs && self.routes[route].rubs {
            true => tension[(1 + q) * self.row() + route / PER_BLOCK][route % PER_BLOCK],
            false => 1.0,
        }
    }

    /// Sets f of a route at point q.
    pub fn set_share(&self, q: usize, route: usize, value: f64, tension: &mut [Vector6<f64>]) {
        tension[(1 + q) * self.row() + route / PER_BLOCK][route % PER_BLOCK] = value;
    }

    /// What a route carried at point q in the state before: where it sticks it carries that still, N.
    pub fn carried_before(&self, q: usize, route: usize, tension: &[Vector6<f64>]) -> f64 {
        let points = self.holes.len() / self.routes.len();
        tension[(1 + points + q) * self.row() + route / PER_BLOCK][route % PER_BLOCK]
    }

    /// Sets it.
    pub fn set_carried_before(&self, q: usize, route: usize, value: f64, tension: &mut [Vector6<f64>]) {
        let points = self.holes.len() / self.routes.len();
        tension[(1 + points + q) * self.row() + route / PER_BLOCK][route % PER_BLOCK] = value;
    }

    /// Share of a route and what it carried before, part of the way along the span whose first point is `first`.
    pub fn friction_at(&self, route: usize, first: usize, part: f64, tension: &[Vector6<f64>]) -> (f64, f64) {
        let points = first..first + self.points_per_span;
        let shares = points.clone().map(|q| self.share(q, route, tension));
        let kept = points.map(|q| self.carried_before(q, route, tension));
        (interpolate(&self.abscissae, shares, part), interpolate(&self.abscissae, kept, part))
    }

    /// The tendons that pass point q.
    #[inline(always)]
    pub fn threads<'a>(&'a self, q: usize, tension: &'a [Vector6<f64>]) -> impl Iterator<Item = Thread> + Clone + 'a {
        let holes = self.holes[q * self.routes.len()..][..self.routes.len()].iter().enumerate();
        holes.filter_map(move |(route, hole)| {
            hole.map(|hole| Thread {
                route,
                hole,
                tension: Self::tension(route, tension) * self.share(q, route, tension),
            })
        })
    }

    /// The tendons at s, which lies in the span whose first point is `first`, `part` of the way along it. Tensions between
    /// the points are interpolated.
    pub fn threads_at<'a>(
        &'a self,
        s: f64,
        first: usize,
        part: f64,
        tension: &'a [Vector6<f64>],
    ) -> impl Iterator<Item = Thread> + Clone + 'a {
        self.routes.iter().enumerate().filter_map(move |(route, own)| {
            let hole = own.hole(s)?;
            let shares = (0..self.points_per_span).map(|k| self.share(first + k, route, tension));
            let share = if self.rubs { interpolate(&self.abscissae, shares, part) } else { 1.0 };
            Some(Thread { route, hole, tension: Self::tension(route, tension) * share })
        })
    }

    /// What the tendons exert at point q for a strain.
    pub fn pull(&self, q: usize, tension: &[Vector6<f64>], strain: &Vector6<f64>) -> Pull {
        Pull::of(self.threads(q, tension), strain)
    }
}

/// The tendons of one span of a rod, with what they carry.
#[derive(Clone, Copy, Debug)]
pub struct SpanTendons<'a> {
    tendons: &'a Tendons,
    first: usize,
    tension: &'a [Vector6<f64>],
}

impl<'a> SpanTendons<'a> {
    /// Of the span whose first point is `first`; nothing where the rod has no tendons.
    pub fn of(tendons: &'a Tendons, first: usize, tension: &'a [Vector6<f64>]) -> Option<Self> {
        (!tendons.is_empty()).then_some(Self { tendons, first, tension })
    }

    /// What they exert at point k of the span for a strain.
    pub fn pull(&self, k: usize, strain: &Vector6<f64>) -> Pull {
        self.tendons.pull(self.first + k, self.tension, strain)
    }
}

impl SpanTendons<'_> {
    /// f ∂ℓ′/∂ξ of a route at point k of the span; zero where it does not run.
    pub fn length_gradient(&self, k: usize, route: usize, strain: &Vector6<f64>) -> Vector6<f64> {
        let q = self.first + k;
        let share = self.tendons.share(q, route, self.tension);
        self.tendons.hole(q, route).map_or(Vector6::zeros(), |hole| stretch(&hole, strain).gradient * share)
    }
}

/// The polynomial through values at the abscissae of a span, `part` of the way along it.
fn interpolate(abscissae: &[f64], values: impl Iterator<Item = f64> + Clone, part: f64) -> f64 {
    let first = values.clone().next().unwrap_or(0.0);
    let weight = |k: usize| {
        let others = abscissae.iter().enumerate().filter(|(l, _)| *l != k);
        others.map(|(_, x)| (part - x) / (abscissae[k] - x)).product::<f64>()
    };
    // Counted from the first: a constant tension stays what it is to the last digit.
    first + values.enumerate().map(|(k, value)| (value - first) * weight(k)).sum::<f64>()
}

/// ℓ′ and its gradient at a hole.
#[inline(always)]
pub fn stretch(hole: &Hole, strain: &Vector6<f64>) -> Stretch {
    let kappa: Vector3<f64> = strain.fixed_rows::<3>(0).into();
    let epsilon: Vector3<f64> = strain.fixed_rows::<3>(3).into();
    let gamma = epsilon + kappa.cross(&hole.position) + hole.slope;
    let length = (gamma.norm_squared() + SMOOTHING * SMOOTHING).sqrt();
    let direction = gamma / length;
    let arm = hole.position.cross(&direction);
    let gradient = Vector6::new(arm.x, arm.y, arm.z, direction.x, direction.y, direction.z);
    Stretch { length, gradient, direction }
}

impl Pull {
    /// Σ T ℓ′ alone.
    pub fn energy_of(threads: impl Iterator<Item = Thread>, strain: &Vector6<f64>) -> f64 {
        threads.map(|thread| thread.tension * stretch(&thread.hole, strain).length).sum()
    }

    /// Λ alone.
    #[inline(always)]
    pub fn stress_of(threads: impl Iterator<Item = Thread>, strain: &Vector6<f64>) -> Vector6<f64> {
        threads.map(|thread| stretch(&thread.hole, strain).gradient * thread.tension).sum()
    }

    /// Sum over the tendons of a point.
    #[inline(always)]
    pub fn of(threads: impl Iterator<Item = Thread>, strain: &Vector6<f64>) -> Self {
        let mut sum = Self { stress: Vector6::zeros(), stiffness: Matrix6::zeros(), energy: 0.0, narrowest: 1.0 };
        for Thread { hole, tension, .. } in threads {
            let Stretch { length, gradient, direction } = stretch(&hole, strain);
            sum.stress += gradient * tension;
            sum.energy += tension * length;
            sum.narrowest = sum.narrowest.min(length);
            // Jᵀ(1 − ttᵀ)J with J = [−D~, 1].
            let across = (Matrix3::identity() - direction * direction.transpose()) * (tension / length);
            let arm = hole.position.cross_matrix();
            let turned = arm * across;
            let corner = -turned * arm;
            for i in 0..3 {
                for j in 0..3 {
                    sum.stiffness[(i, j)] += corner[(i, j)];
                    sum.stiffness[(i, 3 + j)] += turned[(i, j)];
                    sum.stiffness[(3 + j, i)] += turned[(i, j)];
                    sum.stiffness[(3 + i, 3 + j)] += across[(i, j)];
                }
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hole() -> Hole {
        let slope = Vector3::new(0.0, 0.05, 0.1);
        Hole { position: Vector3::new(0.0, 0.01, -0.004), slope, curvature: Vector3::zeros() }
    }

    /// Λ is the derivative of Σ T ℓ′ and B that of Λ; central differences, h² and 1e-16/h.
    #[test]
    fn stress_and_stiffness_of_tendons_are_derivatives() {
        let other = Hole { position: Vector3::new(0.0, -0.008, 0.003), ..hole() };
        let threads = || {
            [(hole(), 3.0), (other, 7.0)].into_iter().enumerate().map(|(route, (hole, tension))| Thread {
                route,
                hole,
                tension,
            })
        };
        let strain = Vector6::new(3.0, -11.0, 7.0, 1.02, 0.03, -0.02);
        let at = Pull::of(threads(), &strain);
        let scale = Vector6::new(100.0, 100.0, 100.0, 1.0, 1.0, 1.0);
        for c in 0..6 {
            let mut d = Vector6::zeros();
            d[c] = 1e-5 * scale[c];
            let (plus, minus) = (Pull::of(threads(), &(strain + d)), Pull::of(threads(), &(strain - d)));
            let slope = (plus.energy - minus.energy) / (2.0 * d[c]);
            assert!((slope - at.stress[c]).abs() < 1e-9 * at.energy, "{c}: {slope} {}", at.stress[c]);
            let column = (plus.stress - minus.stress) / (2.0 * d[c]);
            assert!((column - at.stiffness.column(c)).amax() < 1e-8 * at.stiffness.amax());
        }
        assert!((at.stiffness - at.stiffness.transpose()).amax() < 1e-15 * at.stiffness.amax());
    }

    #[test]
    fn a_constant_tension_is_kept_between_points() {
        let abscissae = [0.1, 0.5, 0.9];
        assert_eq!(interpolate(&abscissae, [0.3; 3].into_iter(), 0.77), 0.3);
        let line = |x: f64| 2.0 - 3.0 * x + x * x;
        let found = interpolate(&abscissae, abscissae.into_iter().map(line), 0.77);
        assert!((found - line(0.77)).abs() < 1e-14);
    }
}
