//! What the first guesses of the last steps missed, and what the next one will miss if that goes on.
//!
//! A guess misses what is not smooth over some steps: above all the stiff modes that a scheme damps, which change their sign from step to
//! step. Of each such mode a miss is the same part of the miss before. So the last three tell two of them, α and β of
//!
//! ```text
//! m₀ ≈ α m₁ + β m₂,        the next one: α m₀ + β m₁
//! ```
//!
//! Only rods have such modes. What a guess misses of a body is what stopped it, and that may be something else in the next step.

use lissome_mech::index::Block;
use lissome_mech::{State, System};
use nalgebra::Vector6;

/// Two steps are of one length within this part of it.
const SAME: f64 = 1e-9;
/// The two misses before count as one where they differ by less than this part of their squares.
const APART: f64 = 1e-6;
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
        (self.slots.known, self.forces.known) = (0, 0);
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
        self.slots.learn(poses.map(|((guess, end), of_rod)| match of_rod {
            true => end.boxminus(guess).to_vector(),
            false => Vector6::zeros(),
        }));
        self.slots.add_expected();
        let own = self.blocks.iter().map(|(block, rows)| {
            let change = end.linear[*block] - self.guess.linear[*block];
            Vector6::from_fn(|row, _| if row < *rows { change[row] } else { 0.0 })
        });
        self.forces.learn(own);
        (self.of_step, self.step) = (h, 0.0);
    }
}

/// Misses of one kind.
#[derive(Clone, Debug)]
struct Series {
    /// The last first, and how many are known.
    last: [Vec<Vector6<f64>>; 3],
    known: usize,
    expected: Vec<Vector6<f64>>,
    /// Square of the length that a turn is measured by.
    turn: f64,
}

impl Series {
    fn new(count: usize, length: f64) -> Self {
        let none = vec![Vector6::zeros(); count];
        let last = [none.clone(), none.clone(), none.clone()];
        Self { last, known: 0, expected: none, turn: length * length }
    }

    fn expect(&mut self) {
        let [alpha, beta] = self.parts();
        let [last, before, _] = &self.last;
        for ((expected, last), before) in self.expected.iter_mut().zip(last).zip(before) {
            *expected = last * alpha + before * beta;
        }
    }

    /// Takes what the guess of a step missed.
    fn learn(&mut self, missed: impl Iterator<Item = Vector6<f64>>) {
        self.last.rotate_right(1);
        self.last[0].iter_mut().zip(missed).for_each(|(last, missed)| *last = missed);
        self.known = (self.known + 1).min(3);
    }

    /// The last guess had what was expected.
    fn add_expected(&mut self) {
        self.last[0].iter_mut().zip(&self.expected).for_each(|(last, expected)| *last += expected);
    }

    /// α and β by least squares, from as many misses as are known.
    fn parts(&self) -> [f64; 2] {
        let [a, b, c] = &self.last;
        let product = |x: &[Vector6<f64>], y: &[Vector6<f64>]| -> f64 {
            let part = |x: &Vector6<f64>, y: &Vector6<f64>, first: usize| -> f64 {
                (first..first + 3).map(|i| x[i] * y[i]).sum()
            };
            x.iter().zip(y).map(|(x, y)| self.turn * part(x, y, 0) + part(x, y, 3)).sum()
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
