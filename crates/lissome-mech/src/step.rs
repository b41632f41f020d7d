//! A small change of a state: what a linear solve gives, in the coordinates that retractions move along.

use crate::index::{Block, JointIndex, Slot};
use lissome_lie::Twist;
use nalgebra::Vector6;

/// A small change of every part of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// δ of every slot, g ← g exp(δ); zero where nothing moves.
    pub poses: Vec<Twist>,
    /// δ of every joint, J ← J exp(S δ).
    pub joints: Vec<Vector6<f64>>,
    /// Change of every block of the linear part: stresses, multipliers.
    pub linear: Vec<Vector6<f64>>,
}

impl Step {
    /// No change of a state with these numbers of parts.
    pub fn zero(poses: usize, joints: usize, blocks: usize) -> Self {
        Self {
            poses: vec![Twist::zero(); poses],
            joints: vec![Vector6::zeros(); joints],
            linear: vec![Vector6::zeros(); blocks],
        }
    }

    /// Becomes zero.
    pub fn clear(&mut self) {
        self.poses.fill(Twist::zero());
        self.joints.fill(Vector6::zeros());
        self.linear.fill(Vector6::zeros());
    }

    /// δ of a slot.
    pub fn pose(&self, slot: Slot) -> &Twist {
        &self.poses[slot]
    }

    /// δ of a joint.
    pub fn joint(&self, joint: JointIndex) -> &Vector6<f64> {
        &self.joints[joint]
    }

    /// Change of a block of the linear part.
    pub fn block(&self, block: Block) -> &Vector6<f64> {
        &self.linear[block]
    }

    /// Sum of the products of all numbers.
    pub fn dot(&self, other: &Self) -> f64 {
        let poses: f64 = self.poses.iter().zip(&other.poses).map(|(a, b)| a.to_vector().dot(&b.to_vector())).sum();
        let joints: f64 = self.joints.iter().zip(&other.joints).map(|(a, b)| a.dot(b)).sum();
        let linear: f64 = self.linear.iter().zip(&other.linear).map(|(a, b)| a.dot(b)).sum();
        poses + joints + linear
    }

    /// Adds a multiple of another step.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        for (a, b) in self.poses.iter_mut().zip(&other.poses) {
            *a += *b * factor;
        }
        let vectors = self.joints.iter_mut().chain(&mut self.linear);
        for (a, b) in vectors.zip(other.joints.iter().chain(&other.linear)) {
            *a += b * factor;
        }
    }

    /// Multiplies every number.
    pub fn scale(&mut self, factor: f64) {
        self.poses.iter_mut().for_each(|x| *x = *x * factor);
        self.joints.iter_mut().chain(&mut self.linear).for_each(|x| *x *= factor);
    }

    /// Root of [`Step::dot`] with itself.
    pub fn norm(&self) -> f64 {
        self.dot(self).sqrt()
    }

    /// True if no number in it is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.poses.iter().all(Twist::is_finite)
            && self.joints.iter().chain(&self.linear).all(|v| v.iter().all(|x| x.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn a_step_is_a_vector() {
        let mut a = Step::zero(1, 1, 2);
        a.poses[Slot::new(0)] = Twist::new(Vector3::x(), Vector3::y() * 2.0);
        a.joints[JointIndex::new(0)][1] = 3.0;
        a.linear[Block::new(1)][5] = -1.0;
        assert_eq!(a.dot(&a), 1.0 + 4.0 + 9.0 + 1.0);
        let mut b = a.clone();
        b.add_scaled(-1.0, &a);
        assert_eq!(b.norm(), 0.0);
        b.add_scaled(2.0, &a);
        a.scale(2.0);
        assert_eq!(a, b);
    }
}
