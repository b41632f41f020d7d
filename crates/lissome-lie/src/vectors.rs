//! Twists, strains and wrenches: three kinds of 6-vector that must not be confused.
//!
//! | type | angular | linear | unit | frame |
//! |---|---|---|---|---|
//! | [`Twist`] | rotation | displacement | rad, m (or per second) | body unless said |
//! | [`Strain`] | curvature and torsion κ | stretch and shear ε | 1/m, 1 | body |
//! | [`Wrench`] | moment | force | N·m, N | body unless said |

use nalgebra::{Matrix6, Vector3, Vector6};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

macro_rules! six_vector {
    ($(#[$doc:meta])* $name:ident, $a:ident : $a_doc:literal, $l:ident : $l_doc:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            #[doc = $a_doc]
            pub $a: Vector3<f64>,
            #[doc = $l_doc]
            pub $l: Vector3<f64>,
        }

        impl $name {
            /// Angular part, then linear part.
            #[inline]
            pub fn new($a: Vector3<f64>, $l: Vector3<f64>) -> Self {
                Self { $a, $l }
            }

            /// All six components zero.
            #[inline]
            pub fn zero() -> Self {
                Self::default()
            }

            /// As a plain 6-vector, angular part first.
            #[inline]
            pub fn to_vector(self) -> Vector6<f64> {
                let (a, l) = (self.$a, self.$l);
                Vector6::new(a.x, a.y, a.z, l.x, l.y, l.z)
            }

            /// From a plain 6-vector, angular part first.
            #[inline]
            pub fn from_vector(v: &Vector6<f64>) -> Self {
                Self::new(Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]))
            }

            /// True if no component is NaN or infinite.
            pub fn is_finite(&self) -> bool {
                self.$a.iter().chain(self.$l.iter()).all(|x| x.is_finite())
            }
        }

        impl Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, o: Self) -> Self {
                Self::new(self.$a + o.$a, self.$l + o.$l)
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline]
            fn sub(self, o: Self) -> Self {
                Self::new(self.$a - o.$a, self.$l - o.$l)
            }
        }
        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
        impl SubAssign for $name {
            #[inline]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self::new(-self.$a, -self.$l)
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            #[inline]
            fn mul(self, k: f64) -> Self {
                Self::new(self.$a * k, self.$l * k)
            }
        }
        impl From<Vector6<f64>> for $name {
            #[inline]
            fn from(v: Vector6<f64>) -> Self {
                Self::from_vector(&v)
            }
        }
        impl From<$name> for Vector6<f64> {
            #[inline]
            fn from(v: $name) -> Self {
                v.to_vector()
            }
        }
    };
}

six_vector!(
    /// An element of se(3): a small motion, a velocity, or the logarithm of a pose.
    Twist, angular: "Rotation vector or angular velocity.", linear: "Translation or velocity."
);
six_vector!(
    /// The body-frame rate of a rod's pose along its arc length, ξ = (g⁻¹ g′)ᵛ.
    Strain, curvature: "Torsion and the two bending curvatures, κ.", stretch: "Axial stretch and the two shears, ε; (1, 0, 0) when unstrained."
);
six_vector!(
    /// Moment and force, dual to a [`Twist`].
    Wrench, moment: "Moment.", force: "Force."
);

impl From<Twist> for Strain {
    /// A twist per unit of arc length.
    #[inline]
    fn from(x: Twist) -> Self {
        Self::new(x.angular, x.linear)
    }
}

impl From<Strain> for Twist {
    /// The motion over a unit of arc length.
    #[inline]
    fn from(x: Strain) -> Self {
        Self::new(x.curvature, x.stretch)
    }
}

impl Strain {
    /// The strain of a straight, unstretched rod: ε = e₁.
    #[inline]
    pub fn straight() -> Self {
        Self::new(Vector3::zeros(), Vector3::x())
    }

    /// The motion over an arc length `ds` at constant strain.
    #[inline]
    pub fn times(self, ds: f64) -> Twist {
        Twist::new(self.curvature * ds, self.stretch * ds)
    }
}

impl Twist {
    /// The matrix ad_x of the Lie bracket, `ad_x y = [x, y]`.
    pub fn ad(&self) -> Matrix6<f64> {
        let (k, e) = (crate::skew(&self.angular), crate::skew(&self.linear));
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&k);
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&e);
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&k);
        m
    }

    /// Power of a wrench along this twist (both in the same frame).
    pub fn dot(&self, w: &Wrench) -> f64 {
        self.angular.dot(&w.moment) + self.linear.dot(&w.force)
    }
}
