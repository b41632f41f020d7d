//! The cumulative spline curve on SE(3) that every rod model lies on: g(s) = g_{j−p} Π exp(B̄_i(s) Ψ_i) [xun2025, eq. (16)].
//!
//! The curve holds what all models share: where the knots and quadrature points are (the layout), and the natural strain
//! and the section at those points (the values). It knows nothing of stresses: those are the models'.
//!
//! - `layout`: knots, spans, quadrature points.
//! - `values`: natural strain and sections.
//! - `natural`: control poses of the rod without stress.
//! - `kernel`: one point in closed form.
//! - `pose_map`: from increments to control poses.
//! - `point_tangent`: second derivatives of a point by the control poses of its span.
//! - `point_at`: any point of the curve with its derivatives.
//! - `course`: the same without Jacobians, for searches.
//! - `line_load`: gravity and distributed wrenches.
//! - `inertia`: Jacobians of the quadrature points, momenta, consistent mass.
//! - `step`, `step_tangent`: what the curve contributes to one time step.

pub mod course;
pub mod inertia;
pub mod kernel;
mod laid;
pub(super) mod layout;
pub mod line_load;
pub mod natural;
pub mod point_at;
mod point_tangent;
pub mod pose_map;
pub mod step;
pub mod step_tangent;
pub(super) mod values;

use super::section::SectionAt;
use super::tendons::{Route, Tendons, Thread};
use super::vectors::strain_vector;
use kernel::PointBasis;
use layout::{Layout, Span};
use lissome_lie::dual::DualVector;
use lissome_lie::knots::KnotVector;
use lissome_lie::{Pose, Strain};
use lissome_model::{Invalid, NaturalShape, Problem, Rod};
use nalgebra::Vector6;
use std::sync::Arc;
use values::Values;

/// Which end a rod stands on: its chain of poses is integrated from there. A rod held at both ends stands on its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Pose 0.
    Base,
    /// The last pose.
    Tip,
}

/// The curve of a rod. Increment i (from pose i to pose i + 1) has index i, 0 … n − 1.
#[derive(Clone, Debug)]
pub struct Curve {
    pub(super) layout: Layout,
    pub(super) values: Values,
    pub(super) tendons: Tendons,
}

impl Curve {
    /// Places knots and points, `points_per_span` of them on every span, and reads the sections there. A curve that is known may
    /// have the same points.
    pub(super) fn compile(
        rod: &Rod,
        path: &str,
        breaks: &[f64],
        points_per_span: usize,
        known: Option<&Self>,
    ) -> Result<Self, Invalid> {
        let layout = Layout::of(rod, path, breaks, points_per_span, known.map(|known| &known.layout))?;
        let values = Values::read(rod, &layout, known);
        Ok(Self { layout, values, tendons: Tendons::default() })
    }

    /// The same curve with tendons along it, whose ends and kinks are among its breaks. A curve that is known may have the same.
    pub(super) fn with_tendons(mut self, routes: Vec<Route>, known: Option<&Self>) -> Self {
        let alike = |known: &&Self| known.layout.points_are_those_of(&self.layout) && known.tendons.routes() == routes;
        self.tendons = match known.filter(alike) {
            Some(known) => known.tendons.clone(),
            None => Tendons::at(routes, &self.layout),
        };
        self
    }

    /// Reads sections and natural shape again; the layout stays. Refuses a model that needs another one.
    pub(super) fn set_values(&mut self, rod: &Rod) -> Result<(), Invalid> {
        let own = &self.layout;
        if Layout::of(rod, &own.path, &own.breaks, own.points_per_span, Some(own))? != *own {
            return Err(Invalid::new(
                own.path.clone(),
                Problem::Contradiction {
                    reason: "needs other knots or another held end than the rod was compiled with: compile it again"
                        .into(),
                },
            ));
        }
        self.values = Values::read(rod, own, None);
        Ok(())
    }

    /// Degree p.
    #[inline(always)]
    pub fn degree(&self) -> usize {
        self.layout.degree
    }

    /// The knot vector as lissome-lie sees it.
    pub fn knot_vector(&self) -> KnotVector<'_> {
        KnotVector::accepted(self.layout.degree, &self.layout.knots)
    }

    /// Number of control poses, n + 1.
    #[inline(always)]
    pub fn pose_count(&self) -> usize {
        self.layout.knots.len() - self.layout.degree - 1
    }

    /// Number of increments, n.
    #[inline(always)]
    pub fn increments(&self) -> usize {
        self.pose_count() - 1
    }

    /// Natural length, m.
    pub fn length(&self) -> f64 {
        self.layout.length
    }

    /// Which end it stands on.
    pub fn held(&self) -> Held {
        self.layout.held
    }

    /// Index of the pose that the chain is integrated from.
    pub fn anchor(&self) -> usize {
        match self.layout.held {
            Held::Base => 0,
            Held::Tip => self.increments(),
        }
    }

    /// Index of the pose at the other end.
    pub fn far_end(&self) -> usize {
        self.increments() - self.anchor()
    }

    /// Index of the control pose that sits at arc length `s`, which must be an end or a knot of multiplicity p.
    pub fn pose_at_knot(&self, s: f64) -> usize {
        let knots = self.knot_vector();
        // The abscissae never fall: the nearest is the last one before `s` or the first one after it.
        let (mut before, mut after) = (0, self.pose_count() - 1);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if knots.greville(middle) < s { before = middle } else { after = middle }
        }
        let distance = |pose: usize| (knots.greville(pose) - s).abs();
        if distance(after) < distance(before) { after } else { before }
    }

    /// Smallest bending stiffness along the rod, N·m².
    pub fn soft_bending(&self) -> f64 {
        self.values.soft_bending
    }

    /// Smallest stiffness against stretch along the rod, N.
    pub fn soft_stretching(&self) -> f64 {
        self.values.soft_stretching
    }

    /// Force that bending resists with, N: the smallest bending stiffness over the square of the length.
    pub fn bending_force(&self) -> f64 {
        self.soft_bending() / self.length().powi(2)
    }

    /// Least resistance to a turn at any quadrature point, N·m²: the smallest eigenvalue of the moment part of K.
    pub fn softest_turn(&self) -> f64 {
        let moments =
            self.values.points.iter().map(|q| q.section.elastic.stiffness.fixed_view::<3, 3>(0, 0).into_owned());
        moments.map(|k| k.symmetric_eigenvalues().min()).fold(f64::INFINITY, f64::min)
    }

    /// Shape without stress.
    pub fn natural_shape(&self) -> &NaturalShape {
        &self.values.natural.shape
    }

    /// Number of quadrature points.
    pub fn point_count(&self) -> usize {
        self.layout.points.len()
    }

    /// Arc length of quadrature point q, m.
    pub fn point_place(&self, q: usize) -> f64 {
        self.layout.points[q].s
    }

    /// Weight of quadrature point q, m.
    pub fn point_weight(&self, q: usize) -> f64 {
        self.layout.points[q].basis.weight
    }

    /// True if no point of a span has weight: it is there for its pose alone.
    #[inline(always)]
    pub(super) fn is_weightless(&self, span: &Span) -> bool {
        self.layout.points[span.points.clone()].iter().all(|point| point.basis.weight == 0.0)
    }

    /// Mass per length at quadrature point q, kg/m.
    pub fn line_density(&self, q: usize) -> f64 {
        self.values.points[q].section.line_density()
    }

    /// Ψ_i = log(g_i⁻¹ g_{i+1}) of the rod's control poses.
    pub fn fill_increments(&self, poses: &[Pose], psi: &mut [DualVector]) {
        debug_assert_eq!(poses.len(), self.pose_count());
        for (psi, pair) in psi.iter_mut().zip(poses.windows(2)) {
            *psi = pair[1].boxminus(&pair[0]).into();
        }
    }

    /// The same in the course of a motion: increments that turn by more than half a turn go on smoothly from those before.
    pub fn fill_increments_near(&self, poses: &[Pose], near: &[DualVector], psi: &mut [DualVector]) {
        for ((psi, near), pair) in psi.iter_mut().zip(near).zip(poses.windows(2)) {
            *psi = (pair[0].inverse() * pair[1]).log_near(&near.re).into();
        }
    }

    /// ξ at quadrature point q of the curve with these increments.
    pub fn point_strain(&self, q: usize, psi: &[DualVector]) -> DualVector {
        let span = &self.layout.spans[q / self.layout.points_per_span];
        values::spline_strain(&psi[span.first..][..self.degree()], &self.layout.points[q].basis)
    }

    /// ξ at every quadrature point.
    pub fn point_strains(&self, psi: &[DualVector]) -> Vec<DualVector> {
        (0..self.point_count()).map(|q| self.point_strain(q, psi)).collect()
    }

    /// True if another curve has the same quadrature points, with the same basis functions.
    pub fn has_points_of(&self, other: &Self) -> bool {
        self.layout.points_are_those_of(&other.layout)
    }

    /// True if its points have the sections of those of another curve, which then share them.
    pub(super) fn has_sections_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values.profile, &other.values.profile)
            && Arc::ptr_eq(&self.layout.points, &other.layout.points)
    }

    /// World pose of quadrature point q; `psi` are the increments of `poses`.
    pub fn point_pose(&self, q: usize, poses: &[Pose], psi: &[DualVector]) -> Pose {
        let span = &self.layout.spans[q / self.layout.points_per_span];
        let mut g = poses[span.first];
        for (i, psi) in psi[span.first..][..self.degree()].iter().enumerate() {
            g = g * Pose::exp(&(*psi * self.layout.points[q].basis.value[i]).twist());
        }
        g
    }

    /// World pose at arc length s of the curve through these control poses.
    pub fn pose_of(&self, s: f64, poses: &[Pose]) -> Pose {
        let (span, basis) = self.basis_of(s);
        self.pose_with((span, &basis), poses)
    }

    /// The knot span of a place, and the basis functions there.
    pub(crate) fn basis_of(&self, s: f64) -> (usize, PointBasis) {
        let span = self.knot_vector().find_span(s);
        (span, self.basis_at(span, s))
    }

    /// The pose where these are known.
    pub(crate) fn pose_with(&self, (span, basis): (usize, &PointBasis), poses: &[Pose]) -> Pose {
        let own = &poses[span - self.degree()..=span];
        let increments = own.windows(2).zip(basis.value);
        increments.fold(own[0], |g, (pair, value)| g.boxplus(&(pair[1].boxminus(&pair[0]) * value)))
    }

    /// Control poses that stress a couples with.
    #[inline(always)]
    pub(super) fn coupled_poses(&self, a: usize) -> std::ops::RangeInclusive<usize> {
        (a + 1).saturating_sub(self.degree())..=(a + self.degree()).min(self.increments())
    }

    /// Basis functions at s, seen from within a knot span. The weight is zero.
    pub(super) fn basis_at(&self, span: usize, s: f64) -> PointBasis {
        let knots = self.knot_vector();
        let (cumulative, stress_basis) = knots.cumulative_and_stress(span, s);
        PointBasis { value: cumulative.value, slope: cumulative.slope, stress_basis, weight: 0.0 }
    }

    /// ξ₀ within a span, so that a step at its end counts as seen from inside.
    pub(super) fn natural_at(&self, span: usize, s: f64) -> Vector6<f64> {
        let shape = self.natural_shape();
        if matches!(shape, NaturalShape::Straight) {
            // The same everywhere: no place to look for.
            return Strain::straight().to_vector();
        }
        let natural = match shape.strain_at(self.inside(span, s)) {
            Some(strain) => strain.into(),
            None => self.values.natural.spline_strain(self.degree(), span, &self.basis_at(span, s)),
        };
        strain_vector(&natural)
    }

    /// The tendons within a span at s.
    pub(super) fn threads_at<'a>(
        &'a self,
        span: usize,
        s: f64,
        tension: &'a [Vector6<f64>],
    ) -> impl Iterator<Item = Thread> + Clone + 'a {
        let (first, part) = self.place_in_span(span, s);
        self.tendons.threads_at(self.inside(span, s), first, part, tension)
    }

    /// The first point of a span, and which part of the way along it an arc length is.
    fn place_in_span(&self, span: usize, s: f64) -> (usize, f64) {
        let (start, end) = (self.layout.knots[span], self.layout.knots[span + 1]);
        // Spans without length have no points.
        let own = self.layout.spans.partition_point(|own| own.first + self.degree() < span);
        (self.layout.spans[own].points.start, (s - start) / (end - start))
    }

    /// What is left of tensions along the rod, and what they were before, taken from another division of it.
    pub fn resample_friction(&self, coarse: &Self, from: &[Vector6<f64>], to: &mut [Vector6<f64>]) {
        if !self.tendons.rub() {
            return;
        }
        for q in 0..self.point_count() {
            let s = self.point_place(q);
            let (first, part) = coarse.place_in_span(coarse.knot_vector().find_span(s), s);
            for route in 0..self.tendons.routes().len() {
                let (share, kept) = coarse.tendons.friction_at(route, first, part, from);
                self.tendons.set_share(q, route, share, to);
                self.tendons.set_carried_before(q, route, kept, to);
            }
        }
    }

    /// True if every section is the same.
    pub(super) fn is_uniform(&self) -> bool {
        self.values.profile.stations.len() == 1
    }

    /// The diagonal of K within a span, where a taper is known to have no more.
    pub(super) fn layered_stiffness_at(&self, span: usize, s: f64) -> Option<Vector6<f64>> {
        self.values.profile.layered_stiffness(self.inside(span, s))
    }

    /// The section within a span.
    pub(super) fn section_at(&self, span: usize, s: f64) -> SectionAt {
        SectionAt::read(&self.values.profile, self.inside(span, s))
    }

    /// An arc length moved just inside the span that it counts to.
    pub(super) fn inside_of(&self, s: f64) -> f64 {
        self.inside(self.knot_vector().find_span(s), s)
    }

    fn inside(&self, span: usize, s: f64) -> f64 {
        let (a, b) = (self.layout.knots[span], self.layout.knots[span + 1]);
        let margin = 1e-9 * (b - a);
        s.clamp(a + margin, b - margin)
    }
}

/// Calls a function generic over the degree with the curve's degree as a constant.
macro_rules! by_degree {
    ($degree:expr, $f:ident ( $($arg:expr),* $(,)? ) on $self:ident) => {
        match $degree {
            1 => $self.$f::<1>($($arg),*),
            2 => $self.$f::<2>($($arg),*),
            3 => $self.$f::<3>($($arg),*),
            4 => $self.$f::<4>($($arg),*),
            5 => $self.$f::<5>($($arg),*),
            other => unreachable!("a validated rod has degree 1..=5, not {other}"),
        }
    };
}
pub(super) use by_degree;
