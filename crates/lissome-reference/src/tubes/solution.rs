//! What solved tubes answer: pose, curvature, angles and torques at any place, integrated anew from the nearest cut below.

use super::equations::{Local, State, carry};
use super::scaled::{ScaledTubes, Segment};
use super::stability;
use crate::OracleError;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Wrench};
use nalgebra::Vector3;

/// An equilibrium of nested tubes, in SI units.
#[derive(Clone, Debug)]
pub struct TubeSolution {
    tubes: ScaledTubes,
    cuts: Vec<State>,
    /// Elastic energy of all tubes, those parts behind the entry included that only twist, J. It is zero for tubes in their own
    /// natural shapes; what the guide behind the entry spends on holding curved parts straight is not in it.
    pub elastic_energy: f64,
    /// Largest gap between segments, in units of L, rad, B/L and B/L² (B the least bending stiffness).
    pub residual: f64,
}

impl TubeSolution {
    pub(super) fn new(tubes: ScaledTubes, cuts: Vec<State>, residual: f64) -> Self {
        let mut solution = Self { tubes, cuts, elastic_energy: 0.0, residual };
        let beyond: f64 =
            (0..solution.tubes.segments.len()).map(|i| solution.carried(i, solution.tubes.segments[i].to).energy).sum();
        let twist = |j: usize| 0.5 * solution.tubes.transmission(j) * solution.cuts[0].torque[j].powi(2);
        let behind: f64 = (0..solution.tubes.robot.tubes.len()).map(twist).sum();
        solution.elastic_energy = (beyond + behind) * solution.tubes.bending / solution.tubes.length;
        solution
    }

    /// Pose of tube `tube` at `s` from the entry (m; values beyond the ends are the ends).
    pub fn pose(&self, tube: usize, s: f64) -> Pose {
        let state = self.state_at(s);
        let turn = Quaternion::from_rotation_vector(&Vector3::new(state.angle[tube], 0.0, 0.0));
        let position = state.p * self.tubes.length + self.tubes.robot.entry.position;
        Pose::new(state.q.times(turn).to_rotation(), position)
    }

    /// Pose of the innermost tube at the end of the robot.
    pub fn tip(&self) -> Pose {
        self.pose(0, self.tubes.length)
    }

    /// Angle of a tube at `s` about the tangent, from a frame that leaves the entry and does not twist, rad.
    pub fn angle(&self, tube: usize, s: f64) -> f64 {
        self.state_at(s).angle[tube]
    }

    /// Torque in a tube at `s`, of the part beyond s on the part before it, N·m. At the entry: minus what its plate exerts.
    pub fn torque(&self, tube: usize, s: f64) -> f64 {
        self.state_at(s).torque[tube] * self.tubes.bending / self.tubes.length
    }

    /// Moment and force in all tubes together at `s`, in the axes of tube `tube`.
    pub fn stress(&self, tube: usize, s: f64) -> Wrench {
        let state = self.state_at(s);
        let turn = Quaternion::from_rotation_vector(&Vector3::new(state.angle[tube], 0.0, 0.0));
        let rt = state.q.times(turn).matrix().transpose();
        let (l, b) = (self.tubes.length, self.tubes.bending);
        Wrench::new(rt * state.m * (b / l), rt * state.n * (b / (l * l)))
    }

    /// Largest torque that the twist-free frame itself would carry, as a share of the largest torque or moment: zero but for rounding.
    pub fn frame_torque(&self) -> f64 {
        let each = self.tubes.segments.iter().zip(&self.cuts);
        let of = |(segment, state): (&Segment, &State)| {
            Local::new(state, &self.tubes.sheaf(segment, segment.from)).frame_torque.abs()
        };
        let largest = self.cuts.iter().map(|x| x.m.amax().max(x.torque.amax())).fold(f64::MIN_POSITIVE, f64::max);
        each.map(of).fold(0.0, f64::max) / largest
    }

    /// Number of independent directions in which the energy falls; zero for a stable equilibrium. Loads that follow
    /// their tube, and dead moments, have no energy: then it is the index of the symmetric part, and says nothing of motion.
    pub fn negative_directions(&self) -> Result<usize, OracleError> {
        stability::index(&self.tubes, &self.cuts)
    }

    pub(super) fn scaled(&self) -> (&ScaledTubes, &[State]) {
        (&self.tubes, &self.cuts)
    }

    /// The state at `s` (m), scaled; on the side towards the tip of a point load, at the tip before it.
    pub(super) fn state_at(&self, s: f64) -> State {
        let s = (s / self.tubes.length).clamp(0.0, 1.0);
        let i = self.tubes.segments.partition_point(|x| x.from <= s).saturating_sub(1);
        self.carried(i, s)
    }

    fn carried(&self, i: usize, s: f64) -> State {
        let start = State { energy: 0.0, ..self.cuts[i].clone() };
        carry(&self.tubes, &self.tubes.segments[i], 1.0, &start, s)
            .expect("a segment that closed the equilibrium can be integrated again")
    }
}
