//! Which of two rods has the bore that the other one runs in, and how wide that is.

use super::skin::Skin;

/// Which of two rods has the bore.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hollow {
    /// The one that is touched, of this radius, m.
    Around(f64),
    /// The one that touches: its end is the mouth of the bore.
    Mouth(f64),
}

impl Hollow {
    /// Distance of the touching surface from the axis of what touches, m: a bore is touched from inside.
    pub fn radius(self, own: &Skin, s: f64) -> f64 {
        match self {
            Self::Around(_) => own.radius(s),
            Self::Mouth(radius) => -radius,
        }
    }

    /// What it leaves to the inner rod, m.
    pub fn clearance(self, [own, other]: [&Skin; 2], places: [f64; 2]) -> f64 {
        match self {
            Self::Around(radius) => radius - own.radius(places[0]),
            Self::Mouth(radius) => radius - other.radius(places[1]),
        }
    }
}
