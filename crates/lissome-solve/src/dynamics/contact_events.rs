//! What happens between things that may touch in the course of a motion: they touch, let go, begin to slide, stick again.
//!
//! A pair touches while any of its points presses, and slides while one of them does; so a rod that is laid down touches
//! once, not once for each of its points.

use super::motion::Event;
use crate::motion_record::MotionEventKind;
use lissome_mech::kind::contact::law::Held;
use lissome_mech::{Inputs, MotionWorkspace, PairState, State, System};

/// Looks at the pairs at the end of each step that is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactWatch {
    before: Vec<PairState>,
    now: Vec<PairState>,
    /// False until a step was seen.
    begun: bool,
}

impl ContactWatch {
    /// Notes the end of the step that was last attempted, at a time. `first` is true for the first step of a motion, before which nothing touched.
    pub(super) fn note(
        &mut self,
        system: &System,
        (end, inputs, work): (&State, &Inputs, &MotionWorkspace),
        (time, first): (f64, bool),
        events: &mut Vec<Event>,
    ) {
        system.pair_states_at_end(end, inputs, work, &mut self.now);
        if self.begun || first {
            for (k, pair) in self.now.iter().enumerate() {
                let before = self.before.get(k).map_or(Held::Open, |pair| pair.does);
                let Some(kind) = change(before, pair.does) else { continue };
                let states = system.contact_states(end, inputs);
                let own = states.iter().filter(|own| [own.toucher, own.touched] == pair.of);
                let force = own.map(|own| own.force).sum::<nalgebra::Vector3<f64>>().norm();
                events.push(Event { time, kind, part: system.pair_path(pair), coordinate: 0, value: force, loss: 0.0 });
            }
        }
        self.begun = true;
        std::mem::swap(&mut self.before, &mut self.now);
    }
}

/// What a pair that did one thing and now does another has begun.
fn change(before: Held, now: Held) -> Option<MotionEventKind> {
    match (before, now) {
        (Held::Open, Held::Stuck | Held::Sliding) => Some(MotionEventKind::Touch),
        (Held::Stuck | Held::Sliding, Held::Open) => Some(MotionEventKind::Release),
        (Held::Stuck, Held::Sliding) => Some(MotionEventKind::Slip),
        (Held::Sliding, Held::Stuck) => Some(MotionEventKind::Stick),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_has_a_name_and_what_stays_has_none() {
        use Held::{Open, Sliding, Stuck};
        assert_eq!(change(Open, Sliding), Some(MotionEventKind::Touch));
        assert_eq!(change(Sliding, Open), Some(MotionEventKind::Release));
        assert_eq!(change(Stuck, Sliding), Some(MotionEventKind::Slip));
        assert_eq!(change(Sliding, Stuck), Some(MotionEventKind::Stick));
        assert!([Open, Stuck, Sliding].into_iter().all(|held| change(held, held).is_none()));
    }
}
