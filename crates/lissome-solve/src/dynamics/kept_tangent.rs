//! The factored tangent of a step, which serves the steps after it too.
//!
//! Unknowns are counted in frames that move along with what they belong to. So the tangents of two steps of one length are much
//! the same while the same things touch, and to factor one costs as much as several iterations with another.

use lissome_mech::impulse::StepRule;

/// Steps that factor their own once a tangent did not even serve the step after its own.
const REST: u32 = 8;

/// A tangent that stands factored in the workspace, and how well it served.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeptTangent {
    /// The rule of the step that it was factored in; `None` if there is none to go on with.
    of: Option<StepRule>,
    /// Steps that began with it.
    age: u32,
    /// Steps to come that are not to begin with it.
    rest: u32,
}

impl KeptTangent {
    /// True if a step by this rule begins with it. Who touches must be who touched in the last step.
    pub(super) fn serves(&mut self, rule: &StepRule) -> bool {
        let serves = self.of.take().is_some_and(|of| rule.has_tangent_of(&of)) && self.rest == 0;
        self.age = if serves { self.age + 1 } else { 0 };
        self.rest = self.rest.saturating_sub(1);
        serves
    }

    /// It led a step that began with it on too slowly.
    pub(super) fn fail(&mut self) {
        if self.age == 1 {
            self.rest = REST;
        }
        self.age = 0;
    }

    /// It may serve steps like this one again.
    pub(super) fn keep(&mut self, rule: &StepRule) {
        self.of = Some(*rule);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::Scheme;

    #[test]
    fn what_does_not_serve_the_next_step_is_left_alone_for_some() {
        let rule = Scheme::default().rule(0.01);
        let mut tangent = KeptTangent::default();
        assert!(!tangent.serves(&rule), "there is none");
        tangent.keep(&rule);
        assert!(!tangent.serves(&Scheme::default().rule(0.02)), "of another step");
        tangent.keep(&rule);
        assert!(tangent.serves(&Scheme::default().rule(0.01 * (1.0 + 1e-12))));
        tangent.fail();
        for _ in 0..REST {
            tangent.keep(&rule);
            assert!(!tangent.serves(&rule));
        }
        tangent.keep(&rule);
        assert!(tangent.serves(&rule));
        tangent.keep(&rule);
        assert!(tangent.serves(&rule));
        tangent.fail();
        tangent.keep(&rule);
        assert!(tangent.serves(&rule), "what has served before may serve again");
    }
}
