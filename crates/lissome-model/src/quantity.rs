//! Kinds of quantity, and the one table of how large and how small each may be.
//!
//! A robot lies between a nanometre and a thousand kilometres. Within the table every product of a few quantities that
//! the equations form (forces times lengths over stiffnesses, their squares) stays far inside the range of floating-point
//! numbers, which is what lets everything behind the door do without checks of its own.

/// Kinds of quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Quantity {
    Length,
    Size,
    Coordinate,
    Angle,
    Curvature,
    Number,
    Tolerance,
    Time,
    Frequency,
    Velocity,
    Spin,
    Acceleration,
    Mass,
    Inertia,
    MassPerLength,
    RotaryMass,
    Density,
    Modulus,
    Force,
    Moment,
    ForcePerLength,
    BendingStiffness,
    LinearDamping,
    RotaryDamping,
    BushingDamping,
    Slenderness,
    StiffnessRatio,
}

/// What a quantity may be, in SI: zero where that means something, or of a size between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// What it is called.
    pub name: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// Least size; 0 if there is none.
    pub least: f64,
    /// Greatest size.
    pub most: f64,
}

const fn row(name: &'static str, unit: &'static str, least: f64, most: f64) -> Bounds {
    Bounds { name, unit, least, most }
}

/// The table. Documents repeat it (`docs/reference/scene.md`), and a test holds the two together.
const TABLE: [(Quantity, Bounds); 27] = [
    (Quantity::Length, row("length of a rod or tube", "m", 1e-9, 1e6)),
    (Quantity::Size, row("size, distance", "m", 1e-12, 1e6)),
    (Quantity::Coordinate, row("coordinate of a place", "m", 0.0, 1e7)),
    (Quantity::Angle, row("angle", "rad", 0.0, 1e9)),
    (Quantity::Curvature, row("curvature", "1/m", 0.0, 1e12)),
    (Quantity::Number, row("number without unit", "", 0.0, 1e12)),
    (Quantity::Tolerance, row("tolerance of a motion", "", 1e-13, 1.0)),
    (Quantity::Time, row("time", "s", 1e-15, 1e12)),
    (Quantity::Frequency, row("frequency", "1/s", 1e-12, 1e15)),
    (Quantity::Velocity, row("velocity", "m/s", 0.0, 299_792_458.0)),
    (Quantity::Spin, row("angular velocity", "rad/s", 0.0, 1e15)),
    (Quantity::Acceleration, row("acceleration", "m/s^2", 1e-20, 1e12)),
    (Quantity::Mass, row("mass", "kg", 1e-30, 1e25)),
    (Quantity::Inertia, row("moment of inertia", "kg*m^2", 1e-50, 1e40)),
    (Quantity::MassPerLength, row("mass per length", "kg/m", 1e-30, 1e25)),
    (Quantity::RotaryMass, row("rotary inertia per length", "kg*m", 1e-55, 1e35)),
    (Quantity::Density, row("density", "kg/m^3", 1e-9, 1e12)),
    (Quantity::Modulus, row("pressure or modulus", "Pa", 1e-6, 1e18)),
    (Quantity::Force, row("force, axial stiffness", "N", 1e-35, 1e30)),
    (Quantity::Moment, row("moment, stiffness of a hinge", "N*m", 1e-45, 1e36)),
    (Quantity::ForcePerLength, row("force per length, stiffness of a spring", "N/m", 1e-35, 1e35)),
    (Quantity::BendingStiffness, row("bending or torsion stiffness", "N*m^2", 1e-48, 1e42)),
    (Quantity::LinearDamping, row("damping of a slide", "N*s/m", 1e-40, 1e35)),
    (Quantity::RotaryDamping, row("damping of a hinge", "N*m*s/rad", 1e-50, 1e40)),
    (Quantity::BushingDamping, row("damping between turns and shifts", "N*s", 1e-45, 1e38)),
    (Quantity::Slenderness, row("length of a rod over its radius of gyration", "", 1e-6, 1e10)),
    (
        Quantity::StiffnessRatio,
        row("stiffest rod over the softest, by bending stiffness over length squared", "", 1.0, 1e24),
    ),
];

impl Quantity {
    /// All kinds, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(quantity, _)| *quantity)
    }

    /// Its row of the table.
    pub fn bounds(self) -> Bounds {
        let found = TABLE.iter().find(|(quantity, _)| *quantity == self);
        found.map(|(_, bounds)| *bounds).expect("every quantity has a row in the table")
    }

    /// True if a number, whose sign does not matter, is zero or of a permitted size. What is not finite is not.
    pub fn permits(self, value: f64) -> bool {
        let Bounds { least, most, .. } = self.bounds();
        value == 0.0 || (least..=most).contains(&value.abs())
    }

    /// True unless a number is too large: components may be as small as rounding leaves them.
    pub fn permits_component(self, value: f64) -> bool {
        value.abs() <= self.bounds().most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_row_and_room_in_it() {
        for quantity in Quantity::all() {
            assert_eq!(TABLE.iter().filter(|(other, _)| *other == quantity).count(), 1, "{quantity:?}");
            let Bounds { least, most, name, .. } = quantity.bounds();
            assert!(least >= 0.0 && most > least && most.is_finite() && !name.is_empty(), "{quantity:?}");
            assert!(quantity.permits(0.0) && quantity.permits(-most) && !quantity.permits(1.01 * most));
            assert!(!quantity.permits(f64::NAN) && !quantity.permits(f64::INFINITY));
        }
    }

    #[test]
    fn products_that_equations_form_stay_in_range() {
        let [force, length, bending, modulus, size] =
            [Quantity::Force, Quantity::Length, Quantity::BendingStiffness, Quantity::Modulus, Quantity::Size]
                .map(Quantity::bounds);
        // Load parameter P L²/EI and its square; stiffness of a section from its modulus and the fourth power of its size.
        let load = force.most * length.most.powi(2) / bending.least;
        assert!((load * load).is_finite() && (force.least * length.least.powi(2) / bending.most).powi(2) > 0.0);
        assert!(
            (modulus.most * size.most.powi(4)).is_finite() && modulus.least * size.least.powi(4) > f64::MIN_POSITIVE
        );
    }
}
