//! Physical dimensions: what kind of quantity a number with a unit is.

use lissome_model::Quantity;
use std::fmt;

/// Exponents of metre, kilogram, second and radian.
///
/// The radian is kept apart so that `"30 deg"` is refused as a length; a curvature may carry it or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimension {
    /// Exponent of the metre.
    pub metre: i32,
    /// Exponent of the kilogram.
    pub kilogram: i32,
    /// Exponent of the second.
    pub second: i32,
    /// Exponent of the radian.
    pub radian: i32,
}

/// The kinds of quantity a scene asks for, with a word for people and a value to copy.
const NAMED: [(Dimension, &str, &str); 25] = [
    (Dimension::NONE, "number without unit", "0.3"),
    (Dimension::LENGTH, "length", "\"240 mm\""),
    (Dimension::new(2, 0, 0), "area", "\"1 mm^2\""),
    (Dimension::MASS, "mass", "\"5 g\""),
    (Dimension::TIME, "time", "\"0.5 ms\""),
    (Dimension::FREQUENCY, "frequency", "\"2 Hz\""),
    (Dimension::VELOCITY, "velocity", "\"0.1 m/s\""),
    (Dimension::ACCELERATION, "acceleration", "\"9.81 m/s^2\""),
    (Dimension::FORCE, "force", "\"0.25 N\""),
    (Dimension::MOMENT, "moment", "\"0.2 N*m\""),
    (Dimension::PRESSURE, "pressure or modulus", "\"60 GPa\""),
    (Dimension::DENSITY, "density", "\"6450 kg/m^3\""),
    (Dimension::FORCE_PER_LENGTH, "force per length", "\"0.1 N/m\""),
    (Dimension::MASS_PER_LENGTH, "mass per length", "\"5 g/m\""),
    (Dimension::ROTARY_MASS, "rotary inertia per length", "\"2e-9 kg*m\""),
    (Dimension::BENDING_STIFFNESS, "bending stiffness", "\"0.01 N*m^2\""),
    (Dimension::CURVATURE, "curvature", "\"10 1/m\""),
    (Dimension::ANGLE, "angle", "\"30 deg\""),
    (Dimension::INERTIA, "moment of inertia", "\"2e-5 kg*m^2\""),
    (Dimension::ROTARY_STIFFNESS, "stiffness of a hinge", "\"0.2 N*m/rad\""),
    (Dimension::ROTARY_DAMPING, "damping of a hinge", "\"1e-3 N*m*s/rad\""),
    (Dimension::LINEAR_DAMPING, "damping of a slide", "\"0.5 N*s/m\""),
    (Dimension { radian: 1, ..Dimension::CURVATURE }, "curvature", "\"10 rad/m\""),
    (Dimension::SPIN, "angular velocity", "\"1 rad/s\""),
    (Dimension::BUSHING_DAMPING, "damping between turns and shifts", "\"0.1 N*s\""),
];

/// How large they may be.
const MAGNITUDES: [(Dimension, Quantity); 23] = [
    (Dimension::LENGTH, Quantity::Coordinate),
    (Dimension::MASS, Quantity::Mass),
    (Dimension::TIME, Quantity::Time),
    (Dimension::FREQUENCY, Quantity::Frequency),
    (Dimension::VELOCITY, Quantity::Velocity),
    (Dimension::ACCELERATION, Quantity::Acceleration),
    (Dimension::FORCE, Quantity::Force),
    (Dimension::MOMENT, Quantity::Moment),
    (Dimension::PRESSURE, Quantity::Modulus),
    (Dimension::DENSITY, Quantity::Density),
    (Dimension::FORCE_PER_LENGTH, Quantity::ForcePerLength),
    (Dimension::MASS_PER_LENGTH, Quantity::MassPerLength),
    (Dimension::ROTARY_MASS, Quantity::RotaryMass),
    (Dimension::BENDING_STIFFNESS, Quantity::BendingStiffness),
    (Dimension::CURVATURE, Quantity::Curvature),
    (Dimension::ANGLE, Quantity::Angle),
    (Dimension::INERTIA, Quantity::Inertia),
    (Dimension::ROTARY_STIFFNESS, Quantity::Moment),
    (Dimension::ROTARY_DAMPING, Quantity::RotaryDamping),
    (Dimension::LINEAR_DAMPING, Quantity::LinearDamping),
    (Dimension::SPIN, Quantity::Spin),
    (Dimension::BUSHING_DAMPING, Quantity::BushingDamping),
    (Dimension { radian: 1, ..Dimension::CURVATURE }, Quantity::Curvature),
];

impl Dimension {
    /// A pure number.
    pub const NONE: Self = Self::new(0, 0, 0);
    /// m.
    pub const LENGTH: Self = Self::new(1, 0, 0);
    /// s.
    pub const TIME: Self = Self::new(0, 0, 1);
    /// kg.
    pub const MASS: Self = Self::new(0, 1, 0);
    /// 1/s.
    pub const FREQUENCY: Self = Self::new(0, 0, -1);
    /// kg·m².
    pub const INERTIA: Self = Self::new(2, 1, 0);
    /// N·m/rad, or N·m.
    pub const ROTARY_STIFFNESS: Self = Self { radian: -1, ..Self::MOMENT };
    /// N·m·s/rad, or N·m·s.
    pub const ROTARY_DAMPING: Self = Self { radian: -1, ..Self::new(2, 1, -1) };
    /// N·s/m.
    pub const LINEAR_DAMPING: Self = Self::new(0, 1, -1);
    /// rad.
    pub const ANGLE: Self = Self { radian: 1, ..Self::NONE };
    /// m/s.
    pub const VELOCITY: Self = Self::new(1, 0, -1);
    /// rad/s.
    pub const SPIN: Self = Self { radian: 1, ..Self::FREQUENCY };
    /// N·s: of a bushing, between turns and shifts.
    pub const BUSHING_DAMPING: Self = Self::new(1, 1, -1);
    /// m/s².
    pub const ACCELERATION: Self = Self::new(1, 0, -2);
    /// N.
    pub const FORCE: Self = Self::new(1, 1, -2);
    /// N·m.
    pub const MOMENT: Self = Self::new(2, 1, -2);
    /// Pa.
    pub const PRESSURE: Self = Self::new(-1, 1, -2);
    /// kg/m³.
    pub const DENSITY: Self = Self::new(-3, 1, 0);
    /// N/m.
    pub const FORCE_PER_LENGTH: Self = Self::new(0, 1, -2);
    /// N·m/m: a moment per length has the dimension of a force.
    pub const MOMENT_PER_LENGTH: Self = Self::FORCE;
    /// kg/m.
    pub const MASS_PER_LENGTH: Self = Self::new(-1, 1, 0);
    /// kg·m: a moment of inertia per length.
    pub const ROTARY_MASS: Self = Self::new(1, 1, 0);
    /// N·m².
    pub const BENDING_STIFFNESS: Self = Self::new(3, 1, -2);
    /// 1/m, or rad/m.
    pub const CURVATURE: Self = Self::new(-1, 0, 0);

    /// Exponents of metre, kilogram and second.
    pub const fn new(metre: i32, kilogram: i32, second: i32) -> Self {
        Self { metre, kilogram, second, radian: 0 }
    }

    /// The dimension of a product with `other` to the power `exponent`.
    pub fn times(self, other: Self, exponent: i32) -> Self {
        Self {
            metre: self.metre + other.metre * exponent,
            kilogram: self.kilogram + other.kilogram * exponent,
            second: self.second + other.second * exponent,
            radian: self.radian + other.radian * exponent,
        }
    }

    /// True if a value of dimension `found` may stand where this one is asked for.
    pub fn accepts(self, found: Self) -> bool {
        // Per radian may be left unwritten, and a curvature may carry its radian.
        self == found
            || (self.radian == -1 && found == Self { radian: 0, ..self })
            || (self == Self::CURVATURE && found == Self { radian: 1, ..self })
    }

    /// What such a quantity is called, such as `a length`.
    pub fn name(self) -> String {
        let word = NAMED.iter().find(|(d, _, _)| *d == self).map(|(_, name, _)| *name);
        match word {
            Some(name) if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
            Some(name) => format!("a {name}"),
            None => format!("in {self}"),
        }
    }

    /// The row of the table of magnitudes that holds for it whatever it is of; what it is of may have a narrower one.
    pub fn quantity(self) -> Option<Quantity> {
        MAGNITUDES.iter().find(|(dimension, _)| *dimension == self).map(|(_, quantity)| *quantity)
    }

    /// A value of this dimension as it is written in a scene.
    pub fn example(self) -> &'static str {
        NAMED.iter().find(|(d, _, _)| *d == self).map_or("1.0", |(_, _, example)| example)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("kg", self.kilogram), ("m", self.metre), ("s", self.second), ("rad", self.radian)];
        let mut first = true;
        for (unit, exponent) in parts.into_iter().filter(|(_, e)| *e != 0) {
            if !first {
                write!(f, "*")?;
            }
            first = false;
            if exponent == 1 { write!(f, "{unit}")? } else { write!(f, "{unit}^{exponent}")? }
        }
        if first { write!(f, "1") } else { Ok(()) }
    }
}
