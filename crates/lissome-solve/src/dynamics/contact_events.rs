//! What happens between things that may touch in the course of a motion: they touch, let go, begin to slide, stick again.
//!
//! A pair touches while any of its points presses, and slides while one of them does; so a rod that is laid down touches
//! once, not once for each of its points.

use super::motion::Event;
use crate::motion_record::MotionEventKind;
use lissome_mech::kind::contact::law::Held;
use lissome_mech::{Inputs, MotionWorkspace, PairState, State, System};
use lissome_model::Toucher;
use std::collections::HashMap;

/// Looks at the pairs at the end of each step that is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactWatch {
    /// Those that pressed and those that press, each by its place among all pairs, in that order.
    before: Vec<(usize, PairState)>,
    now: Vec<(usize, PairState)>,
    pressing: Vec<PairState>,
    /// Found when first asked for.
    order: Option<HashMap<[Toucher; 2], usize>>,
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
        let Self { before, now, pressing, order, begun } = self;
        let order = order.get_or_insert_with(|| system.pair_order());
        system.pair_states_at_end(end, inputs, work, pressing);
        now.clear();
        now.extend(pressing.iter().filter_map(|pair| Some((*order.get(&pair.of)?, *pair))));
        now.sort_by_key(|(place, _)| *place);
        if *begun || first {
            // Looked up once for all that changes: most steps change nothing.
            let mut states = None;
            each_change(before, now, |pair, kind| {
                let states = states.get_or_insert_with(|| system.contact_states(end, inputs));
                let own = states.iter().filter(|own| [own.toucher, own.touched] == pair.of);
                let force = own.map(|own| own.force).sum::<nalgebra::Vector3<f64>>().norm();
                events.push(Event { time, kind, part: system.pair_path(pair), coordinate: 0, value: force, loss: 0.0 });
            });
        }
        *begun = true;
        std::mem::swap(before, now);
    }
}

/// Notes what came through each other in the step that was last attempted, at a time.
pub(super) fn note_run_through(system: &System, ends: [&State; 2], time: f64, events: &mut Vec<Event>) {
    let found = system.newly_run_through(ends[0], ends[1]).into_iter();
    events.extend(found.map(|(part, sunk)| Event {
        time,
        kind: MotionEventKind::Through,
        part,
        coordinate: 0,
        value: sunk.depth,
        loss: 0.0,
    }));
}

/// Shows the pairs that do another thing now than before, in their order.
fn each_change(
    before: &[(usize, PairState)],
    now: &[(usize, PairState)],
    mut see: impl FnMut(&PairState, MotionEventKind),
) {
    let (mut before, mut now) = (before.iter().peekable(), now.iter().peekable());
    loop {
        let next = match (before.peek(), now.peek()) {
            (Some((was, _)), Some((is, _))) => *was.min(is),
            (Some((place, _)), None) | (None, Some((place, _))) => *place,
            (None, None) => return,
        };
        let [was, is] = [&mut before, &mut now].map(|list| list.next_if(|(place, _)| *place == next));
        let does = |pair: Option<&(usize, PairState)>| pair.map_or(Held::Open, |(_, pair)| pair.does);
        if let (Some((_, pair)), Some(kind)) = (is.or(was), change(does(was), does(is))) {
            see(pair, kind);
        }
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

    #[test]
    fn pairs_are_compared_with_what_they_did_before() {
        use Held::{Sliding, Stuck};
        let pair = |place: usize, does| (place, PairState { of: [Toucher::Rod(place), Toucher::Rod(9)], does });
        let mut seen = Vec::new();
        let (before, now) =
            ([pair(0, Stuck), pair(2, Stuck), pair(5, Sliding)], [pair(1, Stuck), pair(2, Sliding), pair(5, Sliding)]);
        each_change(&before, &now, |pair, kind| seen.push((pair.of[0], kind)));
        let expected = [(0, MotionEventKind::Release), (1, MotionEventKind::Touch), (2, MotionEventKind::Slip)];
        assert_eq!(seen, expected.map(|(rod, kind)| (Toucher::Rod(rod), kind)));
    }
}
