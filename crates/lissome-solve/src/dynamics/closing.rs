//! Which one-sided rows close in a step.

use lissome_mech::motion::impact::{Contact, TOUCHING};

/// True if a row touches without a force and would go in, by more than counts as touching, in a step of length h.
pub(super) fn runs_in(contact: &Contact, h: f64) -> bool {
    !contact.closed && contact.touches() && -contact.speed * h > TOUCHING * contact.unit
}

/// True if a row that was open at the start of a step of length h is closed at its end, or touched at the start and ran in.
fn closes((start, end): (&Contact, &Contact), h: f64) -> bool {
    end.closed && !start.closed && (!start.touches() || start.speed > 0.0 || runs_in(start, h))
}

/// True if something that was open at the start is closed at the end.
pub(super) fn any_closes([start, end]: &[Vec<Contact>; 2], h: f64) -> bool {
    start.iter().zip(end).any(|pair| closes(pair, h))
}

/// When a row will close, if it goes on as it does.
pub(super) fn time_left(contact: &Contact) -> Option<f64> {
    (contact.speed < 0.0).then(|| contact.gap.max(0.0) / -contact.speed)
}
