//! Wrenches on sections: dead (fixed in the world) and follower (turning with the section), with their tangents.

use lissome_lie::{Rotation, Wrench, skew};
use lissome_model::LoadFrame;
use nalgebra::{Matrix6, Vector3};

/// The wrench that acts on one section; its dead and its follower part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectionLoad {
    /// World axes, at the section's centre.
    pub dead: Wrench,
    /// Body axes.
    pub follower: Wrench,
}

/// A body wrench and how it changes when the section turns: ∂F/∂ζ in left-trivialised coordinates.
#[derive(Clone, Copy, Debug)]
pub struct LoadTangent {
    /// F, body axes.
    pub wrench: Wrench,
    /// L.
    pub tangent: Matrix6<f64>,
}

impl SectionLoad {
    /// A wrench in the axes of the world or of the section.
    pub fn on(axes: LoadFrame, wrench: Wrench) -> Self {
        match axes {
            LoadFrame::World => Self { dead: wrench, follower: Wrench::zero() },
            LoadFrame::Body => Self { dead: Wrench::zero(), follower: wrench },
        }
    }

    /// F at an orientation; `factor` scales the load.
    #[inline]
    pub fn wrench(&self, rotation: &Rotation, factor: f64) -> Wrench {
        let [m, f] = self.turned(rotation, factor);
        Wrench::new(m + self.follower.moment * factor, f + self.follower.force * factor)
    }

    /// Moment and force of the dead part in axes of the section.
    #[inline]
    fn turned(&self, rotation: &Rotation, factor: f64) -> [Vector3<f64>; 2] {
        [self.dead.moment, self.dead.force].map(|part| rotation.inverse_rotate(&part) * factor)
    }

    /// F and L at an orientation; `factor` scales the load.
    pub fn evaluate(&self, rotation: &Rotation, factor: f64) -> LoadTangent {
        let [m, f] = self.turned(rotation, factor);
        let mut tangent = Matrix6::zeros();
        tangent.fixed_view_mut::<3, 3>(0, 0).copy_from(&skew(&m));
        tangent.fixed_view_mut::<3, 3>(3, 0).copy_from(&skew(&f));
        LoadTangent {
            wrench: Wrench::new(m + self.follower.moment * factor, f + self.follower.force * factor),
            tangent,
        }
    }

    /// True if it derives from a potential: forces fixed in the world and nothing else.
    pub fn is_conservative(&self) -> bool {
        self.follower == Wrench::zero() && self.dead.moment == Vector3::zeros()
    }

    /// Adds another load on the same section.
    pub fn add(&mut self, other: &Self) {
        self.dead += other.dead;
        self.follower += other.follower;
    }

    /// The same per length times a length.
    pub fn scaled(&self, k: f64) -> Self {
        Self { dead: self.dead * k, follower: self.follower * k }
    }
}
