//! The law of a tension, apart from the path it acts along: given tension, given length, or how much is pulled in.
//!
//! A line driven by its tension pulls with it. Driven by its length ℓ₀, its tension T is an unknown with the condition
//! ℓ − ℓ₀ − T ℓ₀/EA = 0 while it is taut, and T = 0 while it is slack.

use crate::contribution::{Condition, Scales};
use crate::inputs::{Input, Inputs};
use nalgebra::Vector6;

/// No line is shorter than this part of its natural path.
const SHORTEST: f64 = 1e-6;

/// What the input of a line means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivenBy {
    /// Its tension.
    Tension,
    /// Its length.
    Length,
    /// How much shorter than its natural path it is.
    Pull,
}

/// How the tension of a line follows from its input and its length.
#[derive(Clone, Copy, Debug)]
pub struct TensionLaw {
    /// What the input means.
    pub driven_by: DrivenBy,
    /// Which number of the inputs it is.
    pub input: Input,
    /// What multiplies the input: 1, or the size of a force of constant size.
    pub size: f64,
    /// Stretch of the line per tension and length, 1/EA.
    pub compliance: f64,
    /// Length of its path in the natural state, m.
    pub natural_length: f64,
}

impl TensionLaw {
    fn input(&self, inputs: &Inputs) -> f64 {
        inputs.get(self.input) * self.size
    }

    /// Tension of a line that is driven by it.
    pub fn given_tension(&self, inputs: &Inputs) -> f64 {
        self.input(inputs) * inputs.factor
    }

    /// Its derivative by a number of the inputs.
    pub fn tension_rate(&self, inputs: &Inputs, by: Input) -> f64 {
        match by {
            Input::Factor => self.input(inputs),
            own if own == self.input => self.size * inputs.factor,
            _ => 0.0,
        }
    }

    /// Length that it is to have without tension; a part of the way from its natural path while loads are stepped.
    pub fn target(&self, inputs: &Inputs) -> f64 {
        let target = self.natural_length + (self.full_target(inputs) - self.natural_length) * inputs.factor;
        // A line that is pulled in by more than it is long stays a line: the points that it draws together meet.
        target.max(SHORTEST * self.natural_length)
    }

    /// Length that it is to have without tension under the whole load; not positive where more is pulled in than there is.
    pub fn full_target(&self, inputs: &Inputs) -> f64 {
        match self.driven_by {
            DrivenBy::Length => self.input(inputs),
            _ => self.natural_length - self.input(inputs),
        }
    }

    /// Derivative of the condition by a number of the inputs, length and tension held.
    pub fn condition_rate(&self, inputs: &Inputs, by: Input, tension: f64) -> f64 {
        let sign = if self.driven_by == DrivenBy::Length { 1.0 } else { -1.0 };
        let target = match by {
            Input::Factor => self.full_target(inputs) - self.natural_length,
            own if own == self.input => sign * self.size * inputs.factor,
            _ => 0.0,
        };
        -target * (1.0 + tension * self.compliance)
    }

    /// ℓ − ℓ₀ − T ℓ₀/EA at a length and a tension. A line is taut if it carries tension, or would if its stretch were
    /// resisted.
    pub fn condition(&self, length: f64, tension: f64, inputs: &Inputs, scales: &Scales) -> Condition {
        let target = self.target(inputs);
        let stretch = (length - target) / self.natural_length;
        let taut = tension + stretch * scales.force > 0.0;
        let compliance = self.compliance * target;
        let mut open = Vector6::zeros();
        open[0] = length - target - compliance * tension;
        let mut active = [false; 6];
        active[0] = taut;
        let mut sides = [None; 6];
        sides[0] = Some(1.0);
        Condition { open, active, compliance, sides, slide: None, sharing: 0.0 }
    }

    /// Tension of a line that stretches, from its length; zero where it is slack, or does not stretch.
    pub fn stretched(&self, length: f64, inputs: &Inputs) -> f64 {
        let target = self.target(inputs);
        if self.compliance > 0.0 { ((length - target) / (self.compliance * target)).max(0.0) } else { 0.0 }
    }

    /// Energy that a stretched line stores at a tension, J.
    pub fn stretch_energy(&self, tension: f64, inputs: &Inputs) -> f64 {
        0.5 * self.compliance * self.target(inputs) * tension * tension
    }

    /// Stiffness that weighs the condition when a step is judged.
    pub fn firmness(&self, scales: &Scales, tension: f64) -> f64 {
        (scales.force + tension.abs()) / self.natural_length
    }
}
