//! Rigid bodies: mass on a slot. Their weight is a point load.

use crate::impulse::Way;
use crate::index::Slot;
use lissome_lie::Pose;
use nalgebra::{Matrix6, Vector3};

/// A rigid body as it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Slot of its frame.
    pub slot: Slot,
    /// Mass in that frame, angular part first.
    pub mass: Matrix6<f64>,
    /// Where it is in the beginning, if nothing carries it.
    pub start: Option<Pose>,
}

impl Body {
    /// How its motion over a step is read: its centre of mass goes its way apart from the turn.
    pub fn way(&self) -> Way {
        let mass = self.mass[(3, 3)];
        match mass > 0.0 {
            // The momentum of ω is m ω × c.
            true => Way::Apart(Vector3::new(self.mass[(4, 2)], self.mass[(5, 0)], self.mass[(3, 1)]) / mass),
            false => Way::Screw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_lie::skew;
    use nalgebra::Matrix3;

    #[test]
    fn the_centre_of_mass_is_read_from_the_mass() {
        let centre = Vector3::new(0.1, -0.2, 0.3);
        let mut mass = Matrix6::identity() * 2.0;
        mass.fixed_view_mut::<3, 3>(3, 0).copy_from(&(skew(&centre) * -2.0));
        mass.fixed_view_mut::<3, 3>(0, 3).copy_from(&(skew(&centre) * 2.0));
        let mut body = Body { slot: Slot::new(0), mass, start: None };
        assert!(matches!(body.way(), Way::Apart(found) if (found - centre).norm() < 1e-15));
        body.mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&Matrix3::zeros());
        assert_eq!(body.way(), Way::Screw);
    }
}
