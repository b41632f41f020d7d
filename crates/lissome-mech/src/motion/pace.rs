//! How fast all that has mass moves over a step, and how fast that changes: what the choice of the step looks at.
//!
//! Differences of positions are taken, not of velocities. A mode that the step resolves counts the same in both; one that
//! is far too fast for it, such as the stretching of a slender rod, counts with its displacement, which is small, and not
//! with its velocity, which need not be.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | v̄ | motion over length of a step, at the middle of it | `mean_velocity` | rad/s, m/s |
//! | h, h₋₁, h₋₂ | lengths of the step and of the two before | | s |

use super::MotionWorkspace;
use super::stage::{StepMemory, points};
use crate::System;
use lissome_lie::dual::DualVector;
use nalgebra::Matrix6;

/// Root mean squares over the mass, in body axes: a steady flight and a steady turn have a speed and nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Of the velocity over the step, m/s.
    pub speed: f64,
    /// Of that velocity less a steady one, m/s.
    pub unsteady: f64,
    /// Of its change, m/s².
    pub acceleration: f64,
    /// Of the change of that, m/s³; zero if there is no step before.
    pub jerk: f64,
}

impl System {
    /// The pace of the step under way, of length h.
    pub fn pace(&self, h: f64, steady: &[DualVector], memory: &StepMemory, work: &MotionWorkspace) -> Pace {
        let first = memory.last_step == 0.0;
        let (one, two) = (memory.last_step, memory.earlier_step);
        // Middles of steps lie this far apart; what is known before the first step belongs to its beginning.
        let (near, far) = (0.5 * (h + one), 0.5 * (one + two));
        let (mut speed, mut unsteady, mut acceleration, mut jerk) = (0.0, 0.0, 0.0, 0.0);
        let [latest, earlier] = &memory.mean_velocity;
        let past = latest.iter().zip(earlier).zip(steady);
        for ((mass, point), ((latest, earlier), steady)) in self.masses(work).zip(points(work)).zip(past) {
            let mean = point.whole_motion * (1.0 / h);
            let before = if first { point.start_velocity } else { *latest };
            let rate = (mean - before) * (1.0 / near);
            speed += square(mass, &mean);
            unsteady += square(mass, &(mean - *steady));
            acceleration += square(mass, &rate);
            if !first {
                let rate_before = (before - *earlier) * (1.0 / far);
                jerk += square(mass, &((rate - rate_before) * (2.0 / (near + far))));
            }
        }
        let total = self.total_mass(work);
        let root = |sum: f64| (sum / total).sqrt();
        Pace { speed: root(speed), unsteady: root(unsteady), acceleration: root(acceleration), jerk: root(jerk) }
    }

    /// Root mean square over the mass of one vector for each of its points.
    pub fn mean_square_root(&self, vectors: &[DualVector], work: &MotionWorkspace) -> f64 {
        let sum: f64 = self.masses(work).zip(vectors).map(|(mass, vector)| square(mass, vector)).sum();
        (sum / self.total_mass(work)).sqrt()
    }

    /// Takes the velocities at the start of the step for steady ones.
    pub fn set_steady(&self, work: &MotionWorkspace, steady: &mut [DualVector]) {
        steady.iter_mut().zip(points(work)).for_each(|(steady, point)| *steady = point.start_velocity);
    }
}

fn square(mass: &Matrix6<f64>, velocity: &DualVector) -> f64 {
    let twist = velocity.twist().to_vector();
    twist.dot(&(mass * twist))
}
