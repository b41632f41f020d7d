//! Strains and stresses as plain 6-vectors and as dual vectors.

use lissome_lie::dual::DualVector;
use nalgebra::{Vector3, Vector6};

/// A strain (dual: κ + εe) as a plain 6-vector (curvature, stretch).
#[inline(always)]
pub fn strain_vector(x: &DualVector) -> Vector6<f64> {
    Vector6::new(x.re.x, x.re.y, x.re.z, x.du.x, x.du.y, x.du.z)
}

/// A plain 6-vector (curvature, stretch) as a strain.
#[inline(always)]
pub fn twist(v: &Vector6<f64>) -> DualVector {
    DualVector { re: Vector3::new(v[0], v[1], v[2]), du: Vector3::new(v[3], v[4], v[5]) }
}

/// A plain 6-vector (moment, force) as a covector.
#[inline(always)]
pub fn covector(v: &Vector6<f64>) -> DualVector {
    DualVector { re: Vector3::new(v[3], v[4], v[5]), du: Vector3::new(v[0], v[1], v[2]) }
}

/// A covector as a plain 6-vector (moment, force).
#[inline(always)]
pub fn wrench_vector(x: &DualVector) -> Vector6<f64> {
    Vector6::new(x.du.x, x.du.y, x.du.z, x.re.x, x.re.y, x.re.z)
}
