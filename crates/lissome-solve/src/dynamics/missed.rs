//! What the first guesses of the last steps missed, and what the next one will miss if that goes on.
//!
//! A guess misses what is not smooth over some steps: above all the stiff modes that a scheme damps, which change their sign from step to
//! step. Of each such mode a miss is the same part of the miss before. So the last three tell two of them, α and β of
//!
//! ```text
//! m₀ ≈ α m₁ + β m₂,        the next one: α m₀ + β m₁
//! ```
//!
//! Only rods have such modes: what a guess misses of a body is what stopped it, and that may be something else in the next step. And what
//! was foretold counts only if it would have come true in the last step: where a knot runs tight it does not.

use lissome_mech::index::Block;
use lissome_mech::{State, System};
use nalgebra::Vector6;

/// Two steps are of one length within this part of it.
const SAME: f64 = 1e-9;
/// The two misses before count as one where they differ by less than this part of their squares.
const APART: f64 = 1e-6;
/// What was foretold came true if the last miss differs from it by less than this part of itself.
const TRUE: f64 = 0.3;
/// No miss is expected to grow to more than so many times the last ones.
const GROWTH: f64 = 2.0;

/// What guesses of the ends of steps of one length missed.
#[derive(Clone, Debug)]
pub(super) struct Missed {
    /// The guess of the step under way, with the motions and without the forces that it was expected to miss, and its length; zero if
    /// there is nothing to learn from.
    guess: State,
    step: f64,
    slots: Series,
    /// True for the slots of rods and those that carry one.
    of_rods: Vec<bool>,
    /// Stresses and multipliers, and how many numbers of their blocks these are.
    forces: Series,
    blocks: Vec<(Block, usize)>,
    /// Length of the steps of both.
    of_step: f64,
}

impl Missed {
    pub(super) fn new(system: &System) -> Self {
        let (guess, blocks) = (system.natural_state(), system.force_blocks());
        let slots = Series::new(guess.poses.len(), system.scales().length);
        let of_rods = system.slots_of_rods();
        let forces = Series::new(blocks.len(), 1.0);
        Self { guess, step: 0.0, slots, of_rods, forces, blocks, of_step: 0.0 }
    }

    /// Stresses and multipliers, and how many numbers of their blocks these are.
    pub(super) fn blocks(&self) -> &[(Block, usize)] {
        &self.blocks
    }

    /// Forgets all.
    pub(super) fn forget(&mut self) {
        self.step = 0.0;
        for series in [&mut self.slots, &mut self.forces] {
            (series.known, series.came_true) = (0, false);
        }
    }

    /// Motions of all slots (rad, m) that a guess for a step of length h will miss.
    pub(super) fn expected(&mut self, h: f64) -> &[Vector6<f64>] {
        if (h - self.of_step).abs() > SAME * h {
            self.forget();
        }
        self.slots.expect();
        self.forces.expect();
        &self.slots.expected
    }

    /// The guess of a step of length h that begins, with those motions; the forces that it misses are added.
    pub(super) fn complete(&mut self, guess: &mut State, h: f64) {
        self.guess.poses.copy_from_slice(&guess.poses);
        self.guess.linear.copy_from_slice(&guess.linear);
        self.step = h;
        for ((block, rows), expected) in self.blocks.iter().zip(&self.forces.expected) {
            let own = &mut guess.linear[*block];
            // Who presses is not for a guess to say.
            if *rows > 3 || (own[0] + expected[0]) * own[0] > 0.0 {
                (0..*rows).for_each(|row| own[row] += expected[row]);
            }
        }
    }

    /// The end of a step of length h.
    pub(super) fn came_to(&mut self, end: &State, h: f64) {
        if self.step != h {
            return self.forget();
        }
        let poses = self.guess.poses.iter().zip(&end.poses).zip(&self.of_rods);
        self.slots.learn(
            poses.map(|((guess, end), of_rod)| match of_rod {
                true => end.boxminus(guess).to_vector(),
                false => Vector6::zeros(),
            }),
            true,
        );
        let own = self.blocks.iter().map(|(block, rows)| {
            let change = end.linear[*block] - self.guess.linear[*block];
            Vector6::from_fn(|row, _| if row < *rows { change[row] } else { 0.0 })
        });
        self.forces.learn(own, false);
        (self.of_step, self.step) = (h, 0.0);
    }
}

/// Misses of one kind.
#[derive(Clone, Debug)]
struct Series {
    /// The last first, and how many are known.
    last: [Vec<Vector6<f64>>; 3],
    known: usize,
    foretold: Vec<Vector6<f64>>,
    /// The same, or nothing if what was foretold last did not come true.
    expected: Vec<Vector6<f64>>,
    came_true: bool,
    /// Square of the length that a turn is measured by.
    turn: f64,
}

impl Series {
    fn new(count: usize, length: f64) -> Self {
        let none = vec![Vector6::zeros(); count];
        let last = [none.clone(), none.clone(), none.clone()];
        Self { last, known: 0, foretold: none.clone(), expected: none, came_true: false, turn: length * length }
    }

    fn expect(&mut self) {
        let [alpha, beta] = self.parts();
        let [last, before, _] = &self.last;
        for ((foretold, last), before) in self.foretold.iter_mut().zip(last).zip(before) {
            *foretold = last * alpha + before * beta;
        }
        match self.came_true {
            true => self.expected.copy_from_slice(&self.foretold),
            false => self.expected.fill(Vector6::zeros()),
        }
    }

    /// Takes what the guess of a step missed, beside what was expected of it if it had that.
    fn learn(&mut self, missed: impl Iterator<Item = Vector6<f64>>, beside: bool) {
        self.last.rotate_right(1);
        let (mut size, mut error) = (0.0, 0.0);
        let told = self.foretold.iter().zip(&self.expected);
        for ((last, missed), (foretold, expected)) in self.last[0].iter_mut().zip(missed).zip(told) {
            *last = if beside { missed + expected } else { missed };
            let off = *last - foretold;
            (size, error) = (size + product(self.turn, last, last), error + product(self.turn, &off, &off));
        }
        self.came_true = self.known > 1 && error <= TRUE * TRUE * size;
        self.known = (self.known + 1).min(3);
    }

    /// α and β by least squares, from as many misses as are known.
    fn parts(&self) -> [f64; 2] {
        let [a, b, c] = &self.last;
        let product = |x: &[Vector6<f64>], y: &[Vector6<f64>]| -> f64 {
            x.iter().zip(y).map(|(x, y)| product(self.turn, x, y)).sum()
        };
        if self.known < 2 {
            return [0.0; 2];
        }
        let (ab, bb) = (product(a, b), product(b, b));
        let one = if bb > 0.0 { [(ab / bb).clamp(-1.0, 1.0), 0.0] } else { [0.0; 2] };
        if self.known < 3 {
            return one;
        }
        let (aa, ac, bc, cc) = (product(a, a), product(a, c), product(b, c), product(c, c));
        let apart = bb * cc - bc * bc;
        if apart <= APART * bb * cc {
            return one;
        }
        let [alpha, beta] = [(ab * cc - ac * bc) / apart, (ac * bb - ab * bc) / apart];
        let next = alpha * alpha * aa + 2.0 * alpha * beta * ab + beta * beta * bb;
        if next <= GROWTH * GROWTH * aa.max(bb) { [alpha, beta] } else { one }
    }
}

/// x·y with turns times a length.
fn product(turn: f64, x: &Vector6<f64>, y: &Vector6<f64>) -> f64 {
    let part = |first: usize| -> f64 { (first..first + 3).map(|i| x[i] * y[i]).sum() };
    turn * part(0) + part(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: [f64; 2], n: i32) -> [Vector6<f64>; 2] {
        let [a, b] = parts.map(|part| part.powi(n));
        [Vector6::new(a, 0.0, 2.0 * b, 0.0, -a, b), Vector6::new(b, -a, 0.0, 3.0 * a, 0.0, 0.0)]
    }

    #[test]
    fn two_modes_are_foretold_once_that_came_true() {
        for parts in [[-0.9, 0.5], [-0.91, -0.3], [1.0, -1.0]] {
            let mut series = Series::new(2, 0.7);
            for n in 0..7 {
                series.expect();
                let error: f64 = series.expected.iter().zip(of(parts, n)).map(|(a, b)| (a - b).norm()).sum();
                // Rounding, and how alike two misses may be at most.
                assert!(n < 4 || error < 10.0 * f64::EPSILON / APART, "{parts:?} {n}: {error:e}");
                series.learn(of(parts, n).into_iter(), false);
            }
        }
    }

    #[test]
    fn what_nothing_is_known_of_is_not_foretold() {
        let mut series = Series::new(2, 1.0);
        for n in 0..4 {
            series.expect();
            assert!(n > 1 || series.expected.iter().all(|x| *x == Vector6::zeros()));
            series.learn([Vector6::zeros(), Vector6::zeros()].into_iter(), false);
        }
        assert!(series.expected.iter().all(|x| *x == Vector6::zeros()), "0/0 is no part");
        // What grows beyond all bounds is not followed.
        let mut series = Series::new(1, 1.0);
        for n in 0..5 {
            series.expect();
            series.learn([Vector6::x() * 10f64.powi(n)].into_iter(), false);
        }
        series.expect();
        assert!(series.expected[0][0] <= 2.0 * 1e4, "{}", series.expected[0]);
    }
}
