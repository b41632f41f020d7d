//! The beams of [`super::free_flight`] in motion, as chains of rigid sections.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x_i, R_i | place and rotation of section i | m, – |
//! | d_i | unit vector along the beam at section i, fixed to it | – |
//! | ℓ | distance of neighbours without load | m |
//! | C, B | EA = kGA, and EI = GJ: the beams of the papers have one of each | N, N·m² |
//! | φ | rotation vector of R_iᵀR_{i+1} | rad |
//!
//! Between neighbours the energy is ½Cℓ |(x_{i+1} − x_i)/ℓ − ½(d_i + d_{i+1})|² + ½B|φ|²/ℓ. Its derivatives are the forces; for
//! equal stiffness in all directions they are short: n = C((x_{i+1} − x_i)/ℓ − ½(d_i + d_{i+1})) between the two places, the moment
//! B φ/ℓ between the two sections, and ½ℓ d × n on each of them. Both momenta are kept exactly, energy as far as time is resolved.
//! Mass and inertia of a piece are put on its two sections in equal parts. The error falls with ℓ², so that two chains give an
//! extrapolated answer, and a third its uncertainty ([`extrapolated`]). Time is integrated by the classical method of Runge and Kutta.

use super::free_flight::FlexibleBeam;
use crate::quaternion::Quaternion;
use nalgebra::{Matrix3, Vector3, Vector4};

/// Part of the time in which a wave of stretch passes one piece: the step in time. The method is stable up to 1.4.
const STEP: f64 = 0.3;

/// How the beam lies at first, and what holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout {
    /// Straight and free. The load acts where it begins.
    Flight {
        /// Place of its loaded end.
        from: [f64; 3],
        /// Direction, of unit length.
        along: [f64; 3],
    },
    /// Two legs at a right angle: from the clamp at the origin along x, then along y. The load acts at the elbow.
    Elbow,
}

/// The loaded section and the far end at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Places {
    /// Time, s.
    pub time: f64,
    /// Place of the section on which the load acts, m.
    pub loaded: Vector3<f64>,
    /// Place of the far end, m.
    pub end: Vector3<f64>,
    /// Kinetic and elastic energy, J.
    pub energy: f64,
}

/// A section, or the rate of one.
#[derive(Clone, Copy, Debug)]
struct Section {
    place: Vector3<f64>,
    turn: Vector4<f64>,
    velocity: Vector3<f64>,
    /// Body axes.
    spin: Vector3<f64>,
}

impl Section {
    fn plus(&self, rate: &Self, h: f64) -> Self {
        Self {
            place: self.place + rate.place * h,
            turn: self.turn + rate.turn * h,
            velocity: self.velocity + rate.velocity * h,
            spin: self.spin + rate.spin * h,
        }
    }
}

struct Piece {
    from: usize,
    length: f64,
    /// Direction of the beam in the axes of either section.
    along: Vector3<f64>,
}

struct Chain<'a> {
    beam: &'a FlexibleBeam,
    pieces: Vec<Piece>,
    mass: Vec<f64>,
    inertia: Vec<Matrix3<f64>>,
    inverse: Vec<Matrix3<f64>>,
    loaded: usize,
    clamped: bool,
}

impl<'a> Chain<'a> {
    fn new(beam: &'a FlexibleBeam, layout: Layout, count: usize) -> (Self, Vec<Section>) {
        let (start, legs) = match layout {
            Layout::Flight { from, along } => (Vector3::from(from), vec![Vector3::from(along)]),
            Layout::Elbow => (Vector3::zeros(), vec![Vector3::x(), Vector3::y()]),
        };
        let total = count * legs.len() + 1;
        let length = beam.length / count as f64;
        let (mut mass, mut inertia) = (vec![0.0; total], vec![Matrix3::zeros(); total]);
        let (mut pieces, mut places) = (Vec::with_capacity(total), vec![start]);
        for along in &legs {
            let normal = along * along.transpose();
            let of_piece = normal * beam.rotary[0] + (Matrix3::identity() - normal) * beam.rotary[1];
            for _ in 0..count {
                let from = pieces.len();
                for end in [from, from + 1] {
                    mass[end] += 0.5 * length * beam.mass;
                    inertia[end] += of_piece * (0.5 * length);
                }
                places.push(places[from] + along * length);
                pieces.push(Piece { from, length, along: *along });
            }
        }
        let inverse = inertia.iter().map(|j| j.try_inverse().expect("rotary inertia is positive")).collect();
        let (loaded, clamped) = match layout {
            Layout::Flight { .. } => (0, false),
            Layout::Elbow => (count, true),
        };
        let at_rest = |place: &Vector3<f64>| Section {
            place: *place,
            turn: Quaternion::identity().to_vector(),
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
        };
        let sections = places.iter().map(at_rest).collect();
        (Self { beam, pieces, mass, inertia, inverse, loaded, clamped }, sections)
    }

    /// Rates of all sections under a part of the load, and the energy.
    fn rates(&self, course: f64, sections: &[Section], rates: &mut [Section]) -> f64 {
        let (stretch, bend) = (self.beam.axial_and_shear, self.beam.bending);
        // Until the end, velocity and spin of a rate hold force and moment, in world axes.
        for (section, rate) in sections.iter().zip(rates.iter_mut()) {
            let spin = Quaternion { w: 0.0, v: section.spin };
            *rate = Section {
                place: section.velocity,
                turn: Quaternion::from_vector(&section.turn).times(spin).to_vector() * 0.5,
                velocity: Vector3::zeros(),
                spin: Vector3::zeros(),
            };
        }
        let mut energy = 0.0;
        for Piece { from, length, along } in &self.pieces {
            let (a, b) = (&sections[*from], &sections[from + 1]);
            let (qa, qb) = (Quaternion::from_vector(&a.turn), Quaternion::from_vector(&b.turn));
            let (ra, rb) = (qa.matrix(), qb.matrix());
            let (da, db) = (ra * along, rb * along);
            let strain = (b.place - a.place) / *length - (da + db) * 0.5;
            let turn = qa.conjugate().times(qb).normalized().rotation_vector();
            let (force, moment) = (strain * stretch, ra * turn * (bend / length));
            energy += 0.5 * length * stretch * strain.norm_squared() + 0.5 * bend * turn.norm_squared() / length;
            rates[*from].velocity += force;
            rates[from + 1].velocity -= force;
            rates[*from].spin += moment + da.cross(&force) * (0.5 * length);
            rates[from + 1].spin += db.cross(&force) * (0.5 * length) - moment;
        }
        rates[self.loaded].velocity += Vector3::from(self.beam.pulse.force) * course;
        rates[self.loaded].spin += Vector3::from(self.beam.pulse.moment) * course;
        for (i, (section, rate)) in sections.iter().zip(rates.iter_mut()).enumerate() {
            if self.clamped && i == 0 {
                rate.velocity = Vector3::zeros();
                rate.spin = Vector3::zeros();
                continue;
            }
            let momentum = self.inertia[i] * section.spin;
            energy += 0.5 * (self.mass[i] * section.velocity.norm_squared() + section.spin.dot(&momentum));
            let moment = Quaternion::from_vector(&section.turn).matrix().transpose() * rate.spin;
            rate.velocity /= self.mass[i];
            rate.spin = self.inverse[i] * (moment - section.spin.cross(&momentum));
        }
        energy
    }

    /// One step of Runge and Kutta, under parts of the load at its beginning, middle and end.
    fn step(&self, h: f64, course: [f64; 3], sections: &mut [Section], work: &mut [Vec<Section>; 5]) {
        let [middle, k1, k2, k3, k4] = work;
        let set = |target: &mut [Section], from: &[Section], rate: &[Section], h: f64| {
            for ((target, from), rate) in target.iter_mut().zip(from).zip(rate) {
                *target = from.plus(rate, h);
            }
        };
        self.rates(course[0], sections, k1);
        set(middle, sections, k1, 0.5 * h);
        self.rates(course[1], middle, k2);
        set(middle, sections, k2, 0.5 * h);
        self.rates(course[1], middle, k3);
        set(middle, sections, k3, h);
        self.rates(course[2], middle, k4);
        for (i, section) in sections.iter_mut().enumerate() {
            for (k, part) in [(&k1[i], 1.0), (&k2[i], 2.0), (&k3[i], 2.0), (&k4[i], 1.0)] {
                *section = section.plus(k, part * h / 6.0);
            }
            section.turn = Quaternion::from_vector(&section.turn).normalized().to_vector();
        }
    }
}

/// The motion of a chain with `count` pieces a leg, from rest at time zero, at increasing times.
pub fn chain(beam: &FlexibleBeam, layout: Layout, count: usize, times: &[f64]) -> Vec<Places> {
    let (chain, mut sections) = Chain::new(beam, layout, count);
    let longest = STEP * beam.length / count as f64 * (beam.mass / beam.axial_and_shear).sqrt();
    let mut work: [Vec<Section>; 5] = std::array::from_fn(|_| sections.clone());
    let mut motion = Vec::with_capacity(times.len());
    let mut now = 0.0;
    // No step goes across a kink of the load.
    let pulse = beam.pulse;
    let kinks = [pulse.rise, pulse.rise + pulse.hold, pulse.end()];
    for time in times {
        while now < *time {
            let next = kinks.iter().copied().filter(|kink| *kink > now).fold(*time, f64::min);
            let steps = ((next - now) / longest).ceil().max(1.0);
            let h = (next - now) / steps;
            // Where the load jumps, it is that of this side.
            let inside = |t: f64| pulse.course(t.clamp(now + 1e-9 * h, next - 1e-9 * h));
            for k in 0..steps as usize {
                let begin = now + k as f64 * h;
                let course = [inside(begin), inside(begin + 0.5 * h), inside(begin + h)];
                chain.step(h, course, &mut sections, &mut work);
            }
            now = next;
        }
        let energy = chain.rates(0.0, &sections, &mut work[1]);
        let end = sections[sections.len() - 1].place;
        motion.push(Places { time: *time, loaded: sections[chain.loaded].place, end, energy });
    }
    motion
}

/// The limit of ever more pieces, from chains of `count` and 2 `count` pieces a leg whose errors fall with the square of the
/// length of a piece; and its uncertainty, m: the largest distance from the limit that chains of half as many pieces tell.
pub fn extrapolated(beam: &FlexibleBeam, layout: Layout, count: usize, times: &[f64]) -> (Vec<Places>, f64) {
    let [coarse, middle, fine] = [count / 2, count, 2 * count].map(|pieces| chain(beam, layout, pieces, times));
    let (limit, earlier) = (limit(&middle, &fine), limit(&coarse, &middle));
    let apart = |a: &Places, b: &Places| (a.loaded - b.loaded).norm().max((a.end - b.end).norm());
    let uncertainty = limit.iter().zip(&earlier).map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
    (limit, uncertainty)
}

/// What two chains say of one with pieces of no length; the second has pieces half as long.
fn limit(coarse: &[Places], fine: &[Places]) -> Vec<Places> {
    let place = |fine: Vector3<f64>, coarse: Vector3<f64>| fine + (fine - coarse) / 3.0;
    let both = |(coarse, fine): (&Places, &Places)| Places {
        time: fine.time,
        loaded: place(fine.loaded, coarse.loaded),
        end: place(fine.end, coarse.end),
        energy: fine.energy + (fine.energy - coarse.energy) / 3.0,
    };
    coarse.iter().zip(fine).map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::super::free_flight::{ELBOW, FLIGHT_IN_PLANE, FLIGHT_IN_SPACE, PLACED_AT, POINTS_ALONG};
    use super::*;

    const FLIGHT: Layout = Layout::Flight { from: PLACED_AT, along: POINTS_ALONG };

    #[test]
    fn chains_converge_with_the_square_of_their_pieces() {
        for (beam, layout, time) in
            [(FLIGHT_IN_PLANE, FLIGHT, 4.0), (FLIGHT_IN_SPACE, FLIGHT, 4.0), (ELBOW, Layout::Elbow, 3.0)]
        {
            let end = |count: usize| chain(&beam, layout, count, &[time])[0].end;
            let [a, b, c] = [end(6), end(12), end(24)];
            let order = ((a - b).norm() / (b - c).norm()).log2();
            assert!((order - 2.0).abs() < 0.3, "order {order}: {a} {b} {c}");
        }
    }

    #[test]
    fn energy_is_kept_after_the_load() {
        for (beam, layout) in [(FLIGHT_IN_PLANE, FLIGHT), (FLIGHT_IN_SPACE, FLIGHT), (ELBOW, Layout::Elbow)] {
            let motion = chain(&beam, layout, 8, &[beam.pulse.end(), beam.pulse.end() + 2.0]);
            let [before, after] = [motion[0].energy, motion[1].energy];
            // The method in time loses (hω)⁶/144 of a mode a step; the fast ones carry little.
            assert!((after / before - 1.0).abs() < 1e-4, "{before} {after}");
        }
    }

    #[test]
    fn the_centre_of_a_free_chain_moves_as_a_point() {
        let (chain_of, sections) = Chain::new(&FLIGHT_IN_SPACE, FLIGHT, 6);
        let mass: f64 = chain_of.mass.iter().sum();
        assert!((mass - 10.0).abs() < 1e-12);
        let mut rates = sections.clone();
        chain_of.rates(0.4, &sections, &mut rates);
        let force: Vector3<f64> = rates.iter().zip(&chain_of.mass).map(|(rate, mass)| rate.velocity * *mass).sum();
        assert!((force - Vector3::x() * (20.0 * 0.4)).norm() < 1e-10, "{force}");
    }
}
