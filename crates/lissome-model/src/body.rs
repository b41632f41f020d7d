//! Rigid bodies.

use crate::invalid::{Invalid, Problem, check};
use crate::{Frame, InitialVelocity};
use lissome_lie::{Pose, skew};
use nalgebra::{Matrix3, Matrix6, Vector3};
use std::f64::consts::PI;
use std::fmt::Display;

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
    /// How a motion begins; only a body that nothing carries has a velocity of its own.
    pub initial_velocity: InitialVelocity,
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
        check::finite(format_args!("{path}.mass"), self.mass)?;
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

impl Inertia {
    /// Of solids of one density, kg/m³, that do not overlap.
    pub fn of_solids(solids: &[Solid], density: f64) -> Self {
        let masses: Vec<f64> = solids.iter().map(|solid| density * solid.outline.volume()).collect();
        let mass: f64 = masses.iter().sum();
        if mass <= 0.0 {
            return Self::default();
        }
        let moment: Vector3<f64> = solids.iter().zip(&masses).map(|(solid, m)| solid.pose.position * *m).sum();
        let centre = moment / mass;
        let about_centre = solids.iter().zip(&masses).map(|(solid, m)| {
            let r = solid.pose.rotation.matrix();
            let offset = skew(&(solid.pose.position - centre));
            // Parallel axes: −[d]² m moves the inertia of a part to the common centre.
            (r * Matrix3::from_diagonal(&solid.outline.gyration()) * r.transpose() - offset * offset) * *m
        });
        Self { mass, centre, about_centre: about_centre.sum() }
    }
}

impl Outline {
    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Box { size } => size.product(),
            Self::Cylinder { radius, length } => PI * radius * radius * length,
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
        }
    }

    /// Principal moments of inertia about its centre over its mass, m².
    fn gyration(&self) -> Vector3<f64> {
        match *self {
            Self::Box { size } => {
                let [x, y, z]: [f64; 3] = size.component_mul(&size).into();
                Vector3::new(y + z, x + z, x + y) / 12.0
            }
            Self::Cylinder { radius, length } => {
                let (r, l) = (radius * radius, length * length);
                Vector3::new(r / 2.0, (3.0 * r + l) / 12.0, (3.0 * r + l) / 12.0)
            }
            Self::Sphere { radius } => Vector3::repeat(0.4 * radius * radius),
        }
    }

    fn validate(&self, path: impl Display) -> Result<(), Invalid> {
        match *self {
            Self::Box { size } => size.iter().try_for_each(|edge| check::positive(format_args!("{path}.size"), *edge)),
            Self::Cylinder { radius, length } => {
                check::positive(format_args!("{path}.radius"), radius)?;
                check::positive(format_args!("{path}.length"), length)
            }
            Self::Sphere { radius } => check::positive(format_args!("{path}.radius"), radius),
        }
    }
}

impl Default for Body {
    /// Without mass and look, free at the origin.
    fn default() -> Self {
        Self {
            name: String::new(),
            inertia: Inertia::default(),
            mount: Mount::Free(Pose::identity()),
            frames: Vec::new(),
            solids: Vec::new(),
            initial_velocity: InitialVelocity::default(),
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
            solid.outline.validate(format_args!("{path}.shape"))?;
        }
        self.initial_velocity.validate(path)?;
        if matches!(self.mount, Mount::On(_)) && !self.initial_velocity.is_zero() {
            let reason = "is given, but a body that is mounted begins as what carries it".into();
            return Err(Invalid::new(format!("{path}.velocity"), Problem::Contradiction { reason }));
        }
        match self.mount {
            Mount::Free(pose) if !pose.is_finite() => Err(Invalid::new(format!("{path}.start"), Problem::NotFinite)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_lie::Rotation;

    fn close(a: &Inertia, b: &Inertia) {
        let scale = b.about_centre.amax();
        assert!((a.mass - b.mass).abs() < 1e-12 * b.mass, "{a:?} {b:?}");
        assert!((a.centre - b.centre).norm() < 1e-12, "{a:?} {b:?}");
        assert!((a.about_centre - b.about_centre).amax() < 1e-12 * scale, "{a:?} {b:?}");
    }

    #[test]
    fn a_box_in_two_halves_weighs_as_the_whole() {
        let whole = Solid { pose: Pose::identity(), outline: Outline::Box { size: Vector3::new(0.2, 0.3, 0.5) } };
        let half = |x: f64| {
            // Turned a quarter about x, so that its y and z edges change places.
            let turn = Rotation::exp(&(Vector3::x() * std::f64::consts::FRAC_PI_2));
            let pose = Pose::new(turn, Vector3::new(x, 0.0, 0.0));
            Solid { pose, outline: Outline::Box { size: Vector3::new(0.1, 0.5, 0.3) } }
        };
        close(&Inertia::of_solids(&[half(-0.05), half(0.05)], 700.0), &Inertia::of_solids(&[whole], 700.0));
    }

    #[test]
    fn round_solids_agree_with_a_sum_over_discs() {
        // Discs about x: a cylinder, and a ball with r(x)² = R² − x².
        let (radius, length, density) = (0.3, 0.8, 2.0);
        let discs = |half: f64, r2: &dyn Fn(f64) -> f64| {
            let n = 20_000;
            let dx = 2.0 * half / n as f64;
            (0..n).fold((0.0, 0.0, 0.0), |(mass, axial, across), i| {
                let x = -half + (i as f64 + 0.5) * dx;
                let m = density * PI * r2(x) * dx;
                (mass + m, axial + m * r2(x) / 2.0, across + m * (r2(x) / 4.0 + x * x))
            })
        };
        let check = |outline: Outline, sums: (f64, f64, f64)| {
            let inertia = Inertia::of_solids(&[Solid { pose: Pose::identity(), outline }], density);
            for (found, sum) in
                [(inertia.mass, sums.0), (inertia.about_centre[(0, 0)], sums.1), (inertia.about_centre[(1, 1)], sums.2)]
            {
                // The midpoint rule errs by (1/n)² relative, n = 2·10⁴.
                assert!((found - sum).abs() < 1e-8 * sum, "{outline:?}: {found} {sum}");
            }
        };
        check(Outline::Cylinder { radius, length }, discs(length / 2.0, &|_| radius * radius));
        check(Outline::Sphere { radius }, discs(radius, &|x| radius * radius - x * x));
    }
}
