//! What tubes exert on the control poses of their rod and on their angles.

use super::sums::{SpanSums, functions, turned};
use super::tilt::{FIELDS, Tilted};
use super::{Further, Tubes};
use crate::contribution::{Account, At, Force, push};
use crate::index::Node;
use crate::inputs::{Input, Inputs};
use crate::rod::curve::by_degree;
use crate::rod::curve::kernel;
use crate::rod::vectors::{covector, wrench_vector};
use crate::sink::BlockSink;
use lissome_lie::MAX_DEGREE;
use lissome_lie::dual::{DualMatrix, DualVector, InverseMap};
use lissome_model::Relative;
use nalgebra::{Matrix6, Vector2, Vector3, Vector6};

/// A number as the first entry of a block.
pub(super) fn scalar(value: f64) -> Vector6<f64> {
    Vector6::new(value, 0.0, 0.0, 0.0, 0.0, 0.0)
}

/// A row as the first of a block.
fn row(values: &Vector6<f64>) -> Matrix6<f64> {
    let mut block = Matrix6::zeros();
    block.set_row(0, &values.transpose());
    block
}

/// From the increments of a span to its poses: T₊ and T₋ of each.
pub(super) struct SpanMap {
    psi: [DualVector; MAX_DEGREE],
    plus: [DualMatrix; MAX_DEGREE],
    minus: [DualMatrix; MAX_DEGREE],
}

impl SpanMap {
    /// At increments of which a span of this degree has the first.
    pub(super) fn at(psi: &[DualVector; MAX_DEGREE], degree: usize) -> Self {
        let mut map =
            Self { psi: *psi, plus: [DualMatrix::zero(); MAX_DEGREE], minus: [DualMatrix::zero(); MAX_DEGREE] };
        for (i, psi) in psi[..degree].iter().enumerate() {
            let inverse = InverseMap::at(*psi);
            (map.plus[i], map.minus[i]) = (inverse.plus(), inverse.minus());
        }
        map
    }

    /// What a covector on increment i exerts on the two poses beside it: near and far.
    pub(super) fn pull_back(&self, i: usize, on: &Vector6<f64>) -> [Vector6<f64>; 2] {
        let own = covector(on);
        [-self.minus[i].apply_transpose(&own), self.plus[i].apply_transpose(&own)].map(|own| wrench_vector(&own))
    }
}

impl Tubes {
    pub(super) fn pose_node(&self, index: usize) -> Node {
        self.first_pose.after(index).node()
    }

    fn span_nodes(&self, span: usize, visit: &mut dyn FnMut(Node, Node)) {
        let (first, p) = (self.curve().layout.spans[span].first, self.curve().degree());
        for i in 0..=p {
            for k in 0..=i {
                visit(self.pose_node(first + i), self.pose_node(first + k));
            }
        }
        for tube in self.further.iter().filter(|tube| span < tube.spans) {
            for l in 0..=p {
                let (own, _) = self.home(tube, first + l);
                (0..=l).for_each(|m| visit(own, self.home(tube, first + m).0));
                (0..=p).for_each(|i| visit(own, self.pose_node(first + i)));
            }
        }
        for (a, b) in self.tilted_pairs(span) {
            for (l, m) in (0..=p).flat_map(|l| (0..=p).map(move |m| (l, m))) {
                visit(self.home(&self.further[a], first + l).0, self.home(&self.further[b], first + m).0);
            }
        }
    }

    /// Pairs of angles of one tube that tilts, in the order of [`SpanSums::cross`].
    fn tilted_pairs(&self, span: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let tilting = |tube: usize| {
            let first = tube * FIELDS;
            [(first + 1, first), (first + 2, first), (first + 2, first + 1)]
        };
        let tubes = if self.set.relative == Relative::General { self.further.len() / FIELDS } else { 0 };
        (0..tubes).filter(move |tube| span < self.further[tube * FIELDS].spans).flat_map(tilting)
    }

    /// Adds the tangent of a span.
    fn add_span(&self, span: usize, sums: &SpanSums, map: &SpanMap, sink: &mut dyn BlockSink) {
        let (first, p) = (self.curve().layout.spans[span].first, self.curve().degree());
        let stiffness = |i: usize, k: usize| match k <= i {
            true => sums.stiffness[i][k],
            false => sums.stiffness[k][i].transpose(),
        };
        let [plus, minus] = [&map.plus, &map.minus].map(|maps| maps.each_ref().map(DualMatrix::twist_map));
        // Columns of K T first, one for each pose; then rows of Tᵀ.
        for m in 0..=p {
            let mut column = [Matrix6::zeros(); MAX_DEGREE];
            for (i, column) in column[..p].iter_mut().enumerate() {
                if m > 0 {
                    *column += stiffness(i, m - 1) * plus[m - 1];
                }
                if m < p {
                    *column -= stiffness(i, m) * minus[m];
                }
            }
            for l in m..=p {
                let mut block = Matrix6::zeros();
                if l > 0 {
                    block += plus[l - 1].tr_mul(&column[l - 1]);
                }
                if l < p {
                    block -= minus[l].tr_mul(&column[l]);
                }
                sink.add_symmetric(self.pose_node(first + l), self.pose_node(first + m), &block);
            }
        }
        for i in 0..p {
            let (near, far) = (self.pose_node(first + i), self.pose_node(first + i + 1));
            let (n_plus, n_minus) = InverseMap::at(map.psi[i]).derivatives(&covector(&sums.gradient[i]));
            let (plus, minus) = (map.plus[i], map.minus[i]);
            sink.add_symmetric(far, far, &(n_plus * plus).symmetric_part().covector_map());
            sink.add_symmetric(far, near, &((n_plus * minus) * -1.0).covector_map());
            sink.add_symmetric(near, near, &(n_minus * minus).symmetric_part().covector_map());
        }
        for (a, b) in self.tilted_pairs(span) {
            let cross = &sums.cross[a / FIELDS * FIELDS + a % FIELDS + b % FIELDS - 1];
            for (l, m) in (0..=p).flat_map(|l| (0..=p).map(move |m| (l, m))) {
                let (row, row_sign) = self.home(&self.further[a], first + l);
                let (column, column_sign) = self.home(&self.further[b], first + m);
                let value = cross[l][m] * row_sign * column_sign;
                sink.add_symmetric(row, column, &Matrix6::from_diagonal(&scalar(value)));
            }
        }
        for (tube, own) in self.further.iter().zip(&sums.angles).filter(|(tube, _)| span < tube.spans) {
            for l in 0..=p {
                let (node, sign) = self.home(tube, first + l);
                for m in 0..=l {
                    let (other, other_sign) = self.home(tube, first + m);
                    let value = own.stiffness[l][m] * sign * other_sign;
                    sink.add_symmetric(node, other, &Matrix6::from_diagonal(&scalar(value)));
                }
                let mut on_pose = [Vector6::zeros(); MAX_DEGREE + 1];
                for i in 0..p {
                    let [near, far] = map.pull_back(i, &own.coupling[l][i]);
                    on_pose[i] += near;
                    on_pose[i + 1] += far;
                }
                for (i, on_pose) in on_pose[..=p].iter().enumerate() {
                    sink.add_symmetric(node, self.pose_node(first + i), &row(&(on_pose * sign)));
                }
            }
        }
    }

    /// The angles about the tangent.
    pub(super) fn twists(&self) -> impl Iterator<Item = &Further> {
        self.further.iter().filter(|tube| tube.axis == 0)
    }

    /// What the spring of a base pulls back, per turn; `None` if the base is at the entry.
    pub(super) fn spring_of(&self, tube: usize, inputs: &Inputs) -> Option<f64> {
        Some(self.spring(tube, inputs)).filter(|stiffness| stiffness.is_finite())
    }

    /// φ + θ_j(0) − α_j of a further tube.
    pub(super) fn wound(&self, tube: &Further, at: &At<'_>) -> f64 {
        self.entry_angle(at.state) + self.coefficient(tube, 0, at.state) - self.rotation(tube.number, at.inputs)
    }

    fn exert_springs(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink) {
        let entry = self.entry.1;
        let stiffness = |value: f64| Matrix6::from_diagonal(&scalar(value));
        if let Some(k) = self.spring_of(0, at.inputs) {
            let wound = self.entry_angle(at.state) - self.rotation(0, at.inputs);
            push(forces, entry, &scalar(-k * wound));
            sink.add_symmetric(entry, entry, &stiffness(k));
        }
        for tube in self.twists() {
            let node = tube.coefficients[0].node;
            let Some(k) = self.spring_of(tube.number, at.inputs).filter(|_| !tube.coefficients[0].held) else {
                continue;
            };
            let pull = scalar(-k * self.wound(tube, at));
            for node in [entry, node] {
                push(forces, node, &pull);
                sink.add_symmetric(node, node, &stiffness(k));
            }
            sink.add_symmetric(node, entry, &stiffness(k));
        }
    }

    /// Curvature at a point that answers to the stress of the rod, beside that of the curve: the two agree at rest.
    fn assumed_bend(&self, first: usize, q: usize, at: &At<'_>) -> Vector2<f64> {
        let basis = &self.curve().layout.points[q].basis;
        let mut moment = Vector2::zeros();
        for (a, value) in basis.stress_basis[..self.curve().degree()].iter().enumerate() {
            let stress = at.state.block(self.first_stress.after(first + a));
            moment += Vector2::new(stress[1], stress[2]) * *value;
        }
        moment * self.curve().values.points[q].section.elastic.flexibility[(1, 1)]
    }

    /// The energy without the springs; bending by the stress of the rod or by its curve.
    fn curve_energy<const P: usize>(&self, at: &At<'_>, assumed: bool) -> f64 {
        let mut energy = self.unbent;
        for (number, span) in self.curve().layout.spans.iter().enumerate() {
            let psi: [DualVector; P] = *self.increments(span.first, at).first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let basis = &self.curve().layout.points[q].basis;
                let functions = functions(P, basis);
                let kappa = kernel::strain(&psi, basis).re;
                let bend = match assumed {
                    true => self.assumed_bend(span.first, q, at),
                    false => Vector2::new(kappa.y, kappa.z),
                };
                let mut moment = self.innermost[q];
                if self.set.relative == Relative::General {
                    let kappa = Vector3::new(kappa.x, bend.x, bend.y);
                    let tubes = self.further.chunks_exact(FIELDS).enumerate().filter(|(_, own)| number < own[0].spans);
                    for (tube, own) in tubes {
                        let fields = self.tilt(tube, span.first, &functions, at.state);
                        let (stiffness, own) = (self.stiffness(own[0].number), &own[0].moments[q]);
                        energy += basis.weight * Tilted::at(&stiffness, own, &kappa, fields).energy;
                    }
                    energy -= basis.weight * bend.dot(&moment);
                    continue;
                }
                for (r, tube) in self.further.iter().enumerate().filter(|(_, tube)| number < tube.spans) {
                    let (angle, slope) = self.angle(r, span.first, &functions, at.state);
                    moment += turned(&tube.moments[q], angle);
                    energy += 0.5 * basis.weight * tube.torsion * (kappa.x + slope).powi(2);
                }
                energy -= basis.weight * bend.dot(&moment);
            }
        }
        energy
    }

    /// Energy of the transmissions.
    fn spring_energy(&self, at: &At<'_>) -> f64 {
        let mut energy = 0.0;
        if let Some(k) = self.spring_of(0, at.inputs) {
            energy += 0.5 * k * (self.entry_angle(at.state) - self.rotation(0, at.inputs)).powi(2);
        }
        for tube in self.twists().filter(|tube| !tube.coefficients[0].held) {
            if let Some(k) = self.spring_of(tube.number, at.inputs) {
                energy += 0.5 * k * self.wound(tube, at).powi(2);
            }
        }
        energy
    }

    /// Rate of what is exerted with the turn of a base that is held at the entry: its first coefficient is that turn.
    fn held_rate(&self, number: usize, at: &At<'_>, forces: &mut [DualVector]) {
        let Some(r) = self.further.iter().position(|tube| tube.number == number && tube.coefficients[0].held) else {
            return;
        };
        let p = self.curve().degree();
        let mut sums = SpanSums::zero();
        let psi = self.increments(0, at);
        self.span_sums(0, &psi, at, true, &mut sums);
        let map = SpanMap::at(&psi, p);
        let (tube, own) = (&self.further[r], &sums.angles[r]);
        for l in 0..=p {
            let (node, sign) = self.home(tube, l);
            push(forces, node, &scalar(-sign * own.stiffness[l][0]));
        }
        for (a, b) in self.tilted_pairs(0).filter(|(_, b)| *b == r) {
            let cross = &sums.cross[a / FIELDS * FIELDS + a % FIELDS + b % FIELDS - 1];
            for (l, cross) in cross[..=p].iter().enumerate() {
                let (node, sign) = self.home(&self.further[a], l);
                push(forces, node, &scalar(-sign * cross[0]));
            }
        }
        for i in 0..p {
            let [near, far] = map.pull_back(i, &own.coupling[0][i]);
            push(forces, self.pose_node(i), &-near);
            push(forces, self.pose_node(i + 1), &-far);
        }
    }
}

impl Force for Tubes {
    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        for span in 0..self.curve().layout.spans.len() {
            self.span_nodes(span, visit);
        }
        let entry = self.entry.1;
        visit(entry, entry);
        for tube in self.twists() {
            visit(self.home(tube, 0).0, entry);
        }
    }

    fn exert(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink) {
        self.exert_springs(at, forces, sink);
        let tangent = sink.is_wanted();
        let mut sums = SpanSums::zero();
        for (number, span) in self.curve().layout.spans.iter().enumerate() {
            let psi = self.increments(span.first, at);
            self.span_sums(number, &psi, at, tangent, &mut sums);
            let map = SpanMap::at(&psi, self.curve().degree());
            for i in 0..self.curve().degree() {
                let [near, far] = map.pull_back(i, &sums.gradient[i]);
                push(forces, self.pose_node(span.first + i), &-near);
                push(forces, self.pose_node(span.first + i + 1), &-far);
            }
            for (tube, own) in self.further.iter().zip(&sums.angles).filter(|(tube, _)| number < tube.spans) {
                for l in 0..=self.curve().degree() {
                    let (node, sign) = self.home(tube, span.first + l);
                    push(forces, node, &scalar(-sign * own.gradient[l]));
                }
            }
            if tangent {
                self.add_span(number, &sums, &map, sink);
            }
        }
    }

    fn potential(&self, at: &At<'_>) -> f64 {
        let energy = by_degree!(self.curve().degree(), curve_energy(at, false) on self);
        energy + self.spring_energy(at)
    }

    /// Along a step the energy of the rod is that of its stress, and so the bending counts here too: with the curvature of
    /// the curve a small difference of large numbers would be judged.
    fn potential_from(&self, _from: &At<'_>, at: &At<'_>) -> f64 {
        let energy = by_degree!(self.curve().degree(), curve_energy(at, true) on self);
        energy + self.spring_energy(at)
    }

    fn account(&self) -> Account {
        Account::Stored
    }

    fn input_rate(&self, at: &At<'_>, input: Input, forces: &mut [DualVector]) {
        match input {
            Input::TubeRotation { rod, tube } if rod == self.rod.index() => {
                let Some(k) = self.spring_of(tube, at.inputs) else { return self.held_rate(tube, at, forces) };
                push(forces, self.entry.1, &scalar(k));
                if let Some(further) = self.further.iter().find(|further| further.number == tube) {
                    push(forces, self.home(further, 0).0, &scalar(k));
                }
            }
            Input::TubeInsertion { rod, tube } if rod == self.rod.index() => self.insertion_rate(tube, at, forces),
            _ => {}
        }
    }
}
