//! Rigid bodies.

use crate::Frame;
use crate::invalid::{Invalid, Problem, check};
use lissome_lie::{Pose, skew};
use nalgebra::{Matrix3, Matrix6, Vector3};

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// What it weighs.
    pub inertia: Inertia,
    /// What carries it.
    pub mount: Mount,
    /// Named places on it, for people and reports; whatever is attached there carries the pose itself.
    pub frames: Vec<(String, Pose)>,
    /// What it looks like, and later what it touches with.
    pub solids: Vec<Solid>,
}

/// What carries a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mount {
    /// It is part of this frame.
    On(Frame),
    /// Nothing: it moves as the rods and closures attached to it say. Here it is in the beginning.
    Free(Pose),
}

/// Mass, centre and inertia of a body; all zero for a body whose mass does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, body frame, m.
    pub centre: Vector3<f64>,
    /// Inertia about the centre of mass, body axes, kg·m².
    pub about_centre: Matrix3<f64>,
}

/// A simple solid on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Where its centre is on the body.
    pub pose: Pose,
    /// What it is.
    pub outline: Outline,
}

/// Outline of a solid; round ones have their axis along x.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Outline {
    /// A box with these edges, m.
    Box { size: Vector3<f64> },
    /// A cylinder about x.
    Cylinder { radius: f64, length: f64 },
    /// A ball.
    Sphere { radius: f64 },
}

impl Inertia {
    /// The 6×6 mass in the body frame, angular part first: kinetic energy ½ ηᵀ M η.
    pub fn matrix(&self) -> Matrix6<f64> {
        let c = skew(&self.centre);
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&(self.about_centre - c * c * self.mass));
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&(c * self.mass));
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&(c.transpose() * self.mass));
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * self.mass));
        m
    }

    fn validate(&self, path: &str) -> Result<(), Invalid> {
        check::finite(&format!("{path}.mass"), self.mass)?;
        if self.mass < 0.0 {
            return Err(Invalid::new(format!("{path}.mass"), Problem::Negative { value: self.mass }));
        }
        if self.centre.iter().any(|x| !x.is_finite()) {
            return Err(Invalid::new(format!("{path}.centre"), Problem::NotFinite));
        }
        let inertia = &self.about_centre;
        if inertia.iter().any(|x| !x.is_finite()) {
            return Err(Invalid::new(format!("{path}.inertia"), Problem::NotFinite));
        }
        let largest = inertia.amax();
        let [a, b, c]: [f64; 3] = inertia.symmetric_eigenvalues().into();
        let slack = 1e-9 * largest;
        let symmetric = (inertia - inertia.transpose()).amax() <= slack;
        // No distribution of mass has one principal moment above the sum of the others.
        let real = [a, b, c].iter().all(|x| *x >= -slack && 2.0 * x <= a + b + c + slack);
        if !symmetric || !real {
            let reason = "is no inertia: it must be symmetric, and no principal moment above the sum of the others";
            return Err(Invalid::new(format!("{path}.inertia"), Problem::Contradiction { reason: reason.into() }));
        }
        Ok(())
    }
}

impl Outline {
    fn validate(&self, path: &str) -> Result<(), Invalid> {
        match *self {
            Self::Box { size } => size.iter().try_for_each(|edge| check::positive(&format!("{path}.size"), *edge)),
            Self::Cylinder { radius, length } => {
                check::positive(&format!("{path}.radius"), radius)?;
                check::positive(&format!("{path}.length"), length)
            }
            Self::Sphere { radius } => check::positive(&format!("{path}.radius"), radius),
        }
    }
}

impl Body {
    /// Refuses what no body can be. Where it is mounted is checked with the scene.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        self.inertia.validate(path)?;
        for (name, pose) in &self.frames {
            if !pose.is_finite() {
                return Err(Invalid::new(format!("{path}.frames.{name}"), Problem::NotFinite));
            }
        }
        for solid in &self.solids {
            if !solid.pose.is_finite() {
                return Err(Invalid::new(format!("{path}.shape"), Problem::NotFinite));
            }
            solid.outline.validate(&format!("{path}.shape"))?;
        }
        match self.mount {
            Mount::Free(pose) if !pose.is_finite() => Err(Invalid::new(format!("{path}.start"), Problem::NotFinite)),
            _ => Ok(()),
        }
    }
}
