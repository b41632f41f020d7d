//! Coulomb's law as rows of a condition: who sticks, who slides, and what a slide's force follows.
//!
//! With λ = −ρ the force on what touches, σ = λ_n − kδ, b = μ max(σ, 0) and q = λ_t − k_s s:
//!
//! ```text
//! |q| ≤ b, or q against the way it slid in the last iteration:    s = 0                   (sticks)
//! else, e = q/|q|:                                                λ_t − b e = 0           (slides)
//! ```
//!
//! The second part of the first line ends the cycles between sliding to and fro that the plain method falls into.
//!
//! The numbers 3 to 5 of the multiplier's block are memory: the phase, and the way it slid.

use crate::contribution::{Condition, Slide};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3, Vector6};

/// Coulomb's friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// μ.
    pub coefficient: f64,
}

/// How the forces along the surface go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// They stay as they are for the first iteration in which it presses: a rod that is about to slide would buckle if it
    /// stuck at once, and what just begins to press has no such force yet.
    Frozen,
    /// It has just begun to press, and sticks: what friction has to hold is known only then. How far it slipped without friction, times
    /// a stiffness, is far more as a rule, and would have it slide off to where it only comes back from.
    Begins,
    /// By the law.
    Free,
    /// As someone decided who looks at all contacts together.
    Held(Held),
}

/// What a contact is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// No force.
    Open,
    /// Closed; with friction, and stuck.
    Stuck,
    /// Closed, and sliding.
    Sliding,
}

impl Held {
    /// What a contact does by its condition.
    pub fn of(condition: &Condition) -> Self {
        match (condition.active[0], condition.slides(1)) {
            (false, _) => Self::Open,
            (true, false) => Self::Stuck,
            (true, true) => Self::Sliding,
        }
    }
}

impl Phase {
    /// Reads the memory of a contact.
    pub fn read(block: &Vector6<f64>) -> Self {
        match block[3] as i32 {
            1 => Self::Frozen,
            2 => Self::Held(Held::Open),
            3 => Self::Held(Held::Stuck),
            4 => Self::Held(Held::Sliding),
            5 => Self::Begins,
            _ => Self::Free,
        }
    }

    /// Writes the memory of a contact.
    pub fn write(phase: Self, slid: &Vector2<f64>, block: &mut Vector6<f64>) {
        block[3] = match phase {
            Self::Free => 0.0,
            Self::Frozen => 1.0,
            Self::Held(Held::Open) => 2.0,
            Self::Held(Held::Stuck) => 3.0,
            Self::Held(Held::Sliding) => 4.0,
            Self::Begins => 5.0,
        };
        (block[4], block[5]) = (slid.x, slid.y);
    }
}

impl Friction {
    /// Decides for the two rows along the surface of a contact that is pressed by σ. The two stiffnesses weigh a gap and a
    /// slip against a force.
    pub fn decide(
        &self,
        multiplier: &Vector6<f64>,
        pressed: f64,
        [stiffness, grip]: [f64; 2],
        slip: &Vector2<f64>,
        condition: &mut Condition,
    ) {
        let force = -Vector2::new(multiplier[1], multiplier[2]);
        let phase = Phase::read(multiplier);
        if phase == Phase::Frozen {
            let rows = [false, true, true];
            let own = Matrix3::from_diagonal(&Vector3::new(0.0, -1.0, -1.0));
            condition.slide = Some(Slide { rows, own, motion: Matrix3::zeros(), value: Vector3::zeros() });
            return;
        }
        let (bound, pull) = (self.coefficient * pressed, force - slip * grip);
        let (size, last) = (pull.norm(), Vector2::new(multiplier[4], multiplier[5]));
        let sticks = match phase {
            Phase::Held(held) => held == Held::Stuck,
            Phase::Begins => true,
            _ => size <= bound || pull.dot(&last) < 0.0,
        };
        if sticks || size == 0.0 {
            for k in 0..2 {
                condition.active[k + 1] = true;
                condition.open[k + 1] = slip[k];
            }
            return;
        }
        let e = pull / size;
        let across = (Matrix2::identity() - e * e.transpose()) * (bound / size);
        let mut slide = Slide {
            rows: [false, true, true],
            own: Matrix3::zeros(),
            motion: Matrix3::zeros(),
            value: Vector3::zeros(),
        };
        // ΔF = Δλ_t − μ e (Δλ_n − k Δδ) − across (Δλ_t − k_s Δs), with Δλ = −Δρ.
        let missing = force - e * bound;
        let own = across - Matrix2::identity();
        for k in 0..2 {
            slide.value[k + 1] = missing[k];
            slide.own[(k + 1, 0)] = self.coefficient * e[k];
            slide.motion[(k + 1, 0)] = self.coefficient * e[k] * stiffness;
            for j in 0..2 {
                slide.own[(k + 1, j + 1)] = own[(k, j)];
                slide.motion[(k + 1, j + 1)] = across[(k, j)] * grip;
            }
        }
        condition.slide = Some(slide);
    }
}

/// The way that a contact slides in an iteration: that of its force; zero if it does not.
pub fn sense_of(condition: &Condition) -> Vector2<f64> {
    match &condition.slide {
        // ∂F/∂ρ_n = μ e; nothing of a frozen one.
        Some(slide) => Vector2::new(slide.own[(1, 0)], slide.own[(2, 0)]).try_normalize(0.0).unwrap_or_default(),
        None => Vector2::zeros(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a contact does that presses with 1 N and has slipped by so much, μ = 0.5 and its grip 10 N/m.
    fn does(phase: Phase, slip: f64) -> Held {
        let mut multiplier = Vector6::new(-1.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        Phase::write(phase, &Vector2::zeros(), &mut multiplier);
        assert_eq!(Phase::read(&multiplier), phase);
        let mut condition = Condition::equality(Vector6::zeros(), 1);
        Friction { coefficient: 0.5 }.decide(&multiplier, 1.0, [1.0, 10.0], &Vector2::new(slip, 0.0), &mut condition);
        Held::of(&condition)
    }

    #[test]
    fn what_has_just_begun_to_press_sticks_however_far_it_slipped() {
        assert_eq!(does(Phase::Free, 0.04), Held::Stuck);
        assert_eq!(does(Phase::Free, 0.06), Held::Sliding);
        assert_eq!(does(Phase::Begins, 0.06), Held::Stuck);
    }
}
