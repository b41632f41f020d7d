//! Springs: a spring and a damper between two frames, along the line between their origins or in all six directions.

use crate::Frame;
use crate::invalid::{Invalid, Problem, check};
use nalgebra::{Matrix6, Vector3};

/// A spring with a damper between two frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Unique name.
    pub name: String,
    /// One side. A bushing acts in its axes.
    pub a: Frame,
    /// The other side.
    pub b: Frame,
    /// How it pulls.
    pub law: SpringLaw,
}

/// How a spring pulls.
// A scene has a handful of springs: plain data is worth more than a few hundred bytes.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringLaw {
    /// Along the line between the two origins: with d the distance, stiffness (d − rest length) + damping ḋ pulls them
    /// together.
    Line {
        /// N/m.
        stiffness: f64,
        /// Distance without force, m; `None` for the distance in the beginning, when rods are without stress and joints at
        /// their start.
        rest_length: Option<f64>,
        /// N·s/m.
        damping: f64,
    },
    /// In all directions: with c = log(g_a⁻¹ g_b), rotation vector first, its energy is ½ cᵀ K c and it takes the power
    /// ċᵀ D ċ. Without force where the two frames coincide.
    Bushing {
        /// K, symmetric positive semidefinite: N·m/rad, N (between turns and shifts) and N/m.
        stiffness: Matrix6<f64>,
        /// D, symmetric positive semidefinite: N·m·s/rad, N·s and N·s/m.
        damping: Matrix6<f64>,
    },
    /// Toward the point of a, along each axis of the world by itself: with d from the origin of a to that of b, its energy is
    /// ½ Σ k d². What a camera that sees two axes knows of a point is such a spring.
    Axes {
        /// k, N/m.
        stiffness: Vector3<f64>,
    },
}

impl Spring {
    /// True if it has a stiffness in some direction, so that it can carry what nothing else holds.
    pub fn is_elastic(&self) -> bool {
        match self.law {
            SpringLaw::Line { stiffness, .. } => stiffness > 0.0,
            SpringLaw::Bushing { stiffness, .. } => stiffness.amax() > 0.0,
            SpringLaw::Axes { stiffness } => stiffness.amax() > 0.0,
        }
    }

    /// True if it has a damping in some direction.
    pub fn is_damped(&self) -> bool {
        match self.law {
            SpringLaw::Line { damping, .. } => damping > 0.0,
            SpringLaw::Bushing { damping, .. } => damping.amax() > 0.0,
            SpringLaw::Axes { .. } => false,
        }
    }

    /// Refuses springs that cannot exist. Its frames are checked with the scene.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        match &self.law {
            SpringLaw::Line { stiffness, rest_length, damping } => {
                check::not_negative(format_args!("{path}.stiffness"), *stiffness)?;
                check::not_negative(format_args!("{path}.damping"), *damping)?;
                rest_length.map_or(Ok(()), |length| check::not_negative(format_args!("{path}.rest_length"), length))
            }
            SpringLaw::Bushing { stiffness, damping } => {
                for (key, matrix) in [("stiffness_matrix", stiffness), ("damping_matrix", damping)] {
                    let path = format!("{path}.bushing.{key}");
                    if matrix.iter().any(|x| !x.is_finite()) {
                        return Err(Invalid::new(path, Problem::NotFinite));
                    }
                    if !is_positive_semidefinite(matrix) {
                        return Err(Invalid::new(path, Problem::NotPositiveSemidefinite));
                    }
                }
                Ok(())
            }
            SpringLaw::Axes { stiffness } => {
                stiffness.iter().try_for_each(|own| check::not_negative(format_args!("{path}.stiffness"), *own))
            }
        }
    }
}

/// True if a symmetric matrix has no negative direction. Rows and columns may have units of their own: they are scaled by
/// the diagonal first, where a row without diagonal must be empty.
pub fn is_positive_semidefinite(matrix: &Matrix6<f64>) -> bool {
    /// Rounding of entries that were typed or multiplied a few times.
    const ROUNDING: f64 = 1e-9;
    let diagonal = matrix.diagonal();
    if diagonal.iter().any(|x| *x < 0.0) {
        return false;
    }
    let scale = diagonal.map(f64::sqrt);
    let mut scaled = Matrix6::zeros();
    for i in 0..6 {
        for j in 0..6 {
            let unit = scale[i] * scale[j];
            if (matrix[(i, j)] - matrix[(j, i)]).abs() > ROUNDING * unit || (unit == 0.0 && matrix[(i, j)] != 0.0) {
                return false;
            }
            scaled[(i, j)] = if unit > 0.0 { 0.5 * (matrix[(i, j)] + matrix[(j, i)]) / unit } else { 0.0 };
        }
    }
    scaled.symmetric_eigenvalues().iter().all(|x| *x >= -ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_lie::Pose;
    use nalgebra::Vector6;

    fn spring(law: SpringLaw) -> Spring {
        let world = Frame::world(Pose::identity());
        Spring { name: "s".into(), a: world, b: world, law }
    }

    fn line(stiffness: f64, rest_length: Option<f64>, damping: f64) -> Spring {
        spring(SpringLaw::Line { stiffness, rest_length, damping })
    }

    fn refused(spring: &Spring) -> Option<(String, Problem)> {
        spring.validate("spring.s").err().map(|invalid| (invalid.path, invalid.problem))
    }

    #[test]
    fn numbers_that_no_spring_has_are_refused() {
        assert_eq!(refused(&line(2.0, None, 0.0)), None);
        assert_eq!(refused(&line(0.0, Some(0.0), 3.0)), None);
        let negative = |key: &str, value: f64| Some((format!("spring.s.{key}"), Problem::Negative { value }));
        assert_eq!(refused(&line(-1.0, None, 0.0)), negative("stiffness", -1.0));
        assert_eq!(refused(&line(1.0, Some(-0.1), 0.0)), negative("rest_length", -0.1));
        assert_eq!(refused(&line(1.0, None, -2.0)), negative("damping", -2.0));
        assert_eq!(refused(&line(f64::NAN, None, 0.0)), Some(("spring.s.stiffness".into(), Problem::NotFinite)));
        let damping = Matrix6::zeros();
        let bushing = |stiffness| spring(SpringLaw::Bushing { stiffness, damping });
        assert_eq!(refused(&bushing(Matrix6::identity())), None);
        let told = Some(("spring.s.bushing.stiffness_matrix".into(), Problem::NotPositiveSemidefinite));
        assert_eq!(refused(&bushing(-Matrix6::identity())), told);
    }

    #[test]
    fn semidefinite_in_any_units() {
        // Rank one: some directions are free, none is negative.
        let v = Vector6::new(1.0, 2.0, 0.0, -3.0, 0.5, 0.0);
        let rank_one = v * v.transpose();
        assert!(is_positive_semidefinite(&rank_one) && is_positive_semidefinite(&Matrix6::zeros()));
        // Shifts in nanometres instead of metres.
        let units = Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 1e9, 1e9, 1e9));
        assert!(is_positive_semidefinite(&(units * rank_one * units)));
        let mut coupled = Matrix6::identity();
        coupled[(0, 5)] = 1.001;
        coupled[(5, 0)] = 1.001;
        assert!(!is_positive_semidefinite(&coupled), "eigenvalue −0.001");
        assert!(!is_positive_semidefinite(&(units * coupled * units)));
        let mut lopsided = Matrix6::identity();
        lopsided[(1, 2)] = 1e-3;
        assert!(!is_positive_semidefinite(&lopsided), "not symmetric");
        let mut without_diagonal = Matrix6::zeros();
        without_diagonal[(0, 1)] = 1.0;
        without_diagonal[(1, 0)] = 1.0;
        assert!(!is_positive_semidefinite(&without_diagonal));
    }
}
