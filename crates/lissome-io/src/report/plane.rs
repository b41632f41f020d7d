//! Which way one looks at a scene, and what is seen of a vector.

use nalgebra::Vector3;

/// Where the reader of the oblique view stands: degrees from the x axis about z, and above the horizon.
const AZIMUTH: f64 = -62.0;
const ELEVATION: f64 = 22.0;

/// Which way one looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Along world y: x to the right, z up.
    Side,
    /// From above: x to the right, y up.
    Top,
    /// Against world x: y to the right, z up.
    Front,
    /// From the front, the right and above, without perspective.
    Oblique,
}

impl Plane {
    /// World directions to the right, upwards on the page, and towards the reader.
    fn axes(self) -> [Vector3<f64>; 3] {
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        match self {
            Self::Side => [x, z, -y],
            Self::Top => [x, y, z],
            Self::Front => [y, z, x],
            Self::Oblique => {
                let (sin, cos) = AZIMUTH.to_radians().sin_cos();
                let (high, flat) = ELEVATION.to_radians().sin_cos();
                let towards = Vector3::new(flat * cos, flat * sin, high);
                let right = Vector3::new(-sin, cos, 0.0);
                [right, towards.cross(&right), towards]
            }
        }
    }

    /// The two coordinates seen.
    pub fn project(self, v: &Vector3<f64>) -> (f64, f64) {
        let [right, up, _] = self.axes();
        (right.dot(v), up.dot(v))
    }

    /// The coordinate towards the reader.
    pub fn towards(self, v: &Vector3<f64>) -> f64 {
        self.axes()[2].dot(v)
    }

    /// The world vector in the plane of the page that has these two coordinates.
    pub(super) fn lift(self, (a, b): (f64, f64)) -> Vector3<f64> {
        let [right, up, _] = self.axes();
        right * a + up * b
    }

    /// Title of the view and names of its two axes.
    pub(super) fn labels(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Side => ("Side view", "x", "z"),
            Self::Top => ("Top view", "x", "y"),
            Self::Front => ("Front view", "y", "z"),
            Self::Oblique => ("Oblique view", "", ""),
        }
    }

    /// Name of the file that shows it.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Side => "side",
            Self::Top => "top",
            Self::Front => "front",
            Self::Oblique => "oblique",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_a_right_handed_rotation() {
        for plane in [Plane::Side, Plane::Top, Plane::Front, Plane::Oblique] {
            let [right, up, towards] = plane.axes();
            assert!((right.cross(&up) - towards).norm() < 1e-12, "{plane:?}");
            assert!((right.norm() - 1.0).abs() < 1e-12 && (up.norm() - 1.0).abs() < 1e-12, "{plane:?}");
            assert!(plane.project(&plane.lift((0.3, -0.7))) == (0.3, -0.7) || plane == Plane::Oblique);
        }
        assert!(Plane::Oblique.project(&Vector3::z()).1 > 0.9, "up is up");
    }
}
