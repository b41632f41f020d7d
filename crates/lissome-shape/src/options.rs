//! What may be asked of a shape.

use nalgebra::Vector3;

/// How the shape is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The printed method: a cubic with least change of the boundary curvatures. Microseconds; millimetres off in
    /// three dimensions.
    Printed {
        /// How positions are integrated.
        quadrature: Quadrature,
    },
    /// Least energy over polynomials.
    Energy {
        /// 3, 4 or 5.
        degree: usize,
        /// Polynomial pieces; 0 takes as few as the steps of the section allow.
        segments: usize,
    },
    /// The equilibrium itself.
    #[default]
    Exact,
}

impl Method {
    /// The printed method with its quadrature corrected.
    pub const PRINTED: Self = Self::Printed { quadrature: Quadrature::FromRotation };
    /// Least energy over quintics.
    pub const QUINTIC: Self = Self::Energy { degree: 5, segments: 0 };

    /// One word for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Printed { .. } => "printed",
            Self::Energy { degree: 3, .. } => "cubic",
            Self::Energy { degree: 4, .. } => "quartic",
            Self::Energy { .. } => "quintic",
            Self::Exact => "exact",
        }
    }
}

/// Everything that may be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// How the shape is found.
    pub method: Method,
    /// What the rod may do besides bend and twist; the polynomial methods know only Kirchhoff's rod.
    pub mechanics: Mechanics,
    /// Which way round.
    pub winding: Winding,
}

impl Options {
    /// A method, with the rest as usual.
    pub fn with(method: Method) -> Self {
        Self { method, ..Self::default() }
    }
}

/// What the rod may do besides bend and twist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mechanics {
    /// Nothing: inextensible and unshearable.
    #[default]
    Kirchhoff,
    /// Stretch and shear.
    Cosserat,
}

/// Which of the rotations that lead from the base to the tip the rod makes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Winding {
    /// The one of least energy among the shortest and its unwrapping the other way round.
    #[default]
    Least,
    /// Along the shortest rotation, at most 180°, as printed.
    Shortest,
    /// The other way round: x̄ (1 − 2π/|x̄|), 180° to 360°.
    Unwrapped,
    /// Along this rotation vector (rad); exp of it must be the relative rotation of the ends.
    Given(Vector3<f64>),
}

/// How positions are integrated in the printed method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quadrature {
    /// As many Gauss points as the rotation asks for.
    #[default]
    FromRotation,
    /// The three of equation (5), for comparison with the print.
    Printed,
}
