//! A state of a motion on twice as many spans, under the forces that hold it.
//!
//! At each moment of a motion what the rods, loads and constraints exert is g = M a, the force of inertia. A state of a coarse
//! system is so an equilibrium under g_c and the load −M_c a, and the same load on the finer system, −M_f a with the same
//! accelerations, asks for another state nearby. How far the two lie apart is the error of the shape at that moment, whatever the
//! model of the rods:
//!
//! ```text
//! a = σ (K_c + σM_c)⁻¹ g_c   (σ large),        x = (K_f + M_f/τ²)⁻¹ (g_f − M_f a)
//! ```
//!
//! What moves freely is not pushed for longer than τ, the time of the robot's slowest swing. Damping, which acts by rates, counts
//! among the forces of inertia. By how much the phase of a swing falls behind over many periods is not seen.

use super::difference::Difference;
use super::finer::Finer;
use lissome_lie::Twist;
use lissome_mech::index::RodIndex;
use lissome_mech::{CurvatureOf, Inputs, MotionWorkspace, State, System, Workspace};
use lissome_model::{Invalid, Scene};

/// σ of the accelerations, in 1/τ²: what they miss is a ten-thousandth of the smallest part of the length that a tolerance asks
/// for, √σ lies far above the rates that carry a motion.
const FAST: f64 = 1e10;
/// Newton steps at most.
const MOST_STEPS: usize = 4;
/// A step of less than this part of the steps before changes no estimate.
const SETTLED: f64 = 0.1;
/// A step below this is round-off.
const SMALLEST_STEP: f64 = 1e-9;
/// A step beyond this, rad or lengths, leads away: what is near on more spans is not known then.
const LARGEST_STEP: f64 = 1.0;

/// How often the shift grows by this factor where the tangent is not definite.
const MOST_SHIFTS: usize = 8;
const SHIFT_GROWTH: f64 = 10.0;

/// A moving robot on twice as many spans, with memory for many states.
pub struct MotionFiner {
    finer: Finer,
    tangents: [Workspace; 2],
    masses: [MotionWorkspace; 2],
    /// Forces of inertia over the unknowns of the finer system.
    inertia: Vec<f64>,
}

impl MotionFiner {
    /// Of a scene as it was compiled to a system.
    pub fn new(scene: &Scene, system: &System) -> Result<Self, Invalid> {
        let finer = Finer::new(scene)?;
        let both = [system, &finer.system];
        let (tangents, masses) = (both.map(System::general_workspace), both.map(System::motion_workspace));
        Ok(Self { finer, tangents, masses, inertia: Vec::new() })
    }

    /// How far a state of the motion lies from that on halved spans, for each rod; `time` is that of the slowest swing, s. `None` if
    /// there is no such state near it.
    pub fn differences(
        &mut self,
        system: &System,
        state: &State,
        inputs: &Inputs,
        time: f64,
    ) -> Option<Vec<Difference>> {
        let acceleration = self.acceleration(system, state, inputs, time)?;
        let mut now = self.finer.system.resampled_state(system, state);
        self.hold_inertia(system, state, inputs, &acceleration, &now);
        let shift = self.definite_shift(&mut now, inputs, 1.0 / (time * time))?;
        let mut next = now.clone();
        let mut way = 0.0;
        for _ in 0..MOST_STEPS {
            let step = self.step(&mut now, inputs, shift, &mut next)?;
            std::mem::swap(&mut now, &mut next);
            if step < SMALLEST_STEP || step < SETTLED * way {
                break;
            }
            way += step;
        }
        Some(self.finer.apart(system, state, &now))
    }

    /// What moves the unknowns of the coarser system: σ times their way under g in a time of 1/√σ.
    fn acceleration(&mut self, system: &System, state: &State, inputs: &Inputs, time: f64) -> Option<Vec<f64>> {
        let sigma = FAST / (time * time);
        let (tangent, mass) = (&mut self.tangents[0], &mut self.masses[0]);
        system.assemble(state, inputs, CurvatureOf::Poses, tangent);
        system.start_motion(state, &vec![Twist::zero(); state.poses.len()], inputs, mass);
        system.factor_vibration(sigma, 0.0, tangent, mass).ok()?;
        let mut way = tangent.right_hand_side().to_vec();
        system.solve_tangent(&mut way, tangent);
        way.iter_mut().for_each(|x| *x *= sigma);
        way.iter().all(|x| x.is_finite()).then_some(way)
    }

    /// Forces of inertia on the finer system, at its state near the coarser one.
    fn hold_inertia(&mut self, system: &System, state: &State, inputs: &Inputs, way: &[f64], near: &State) {
        let fine = &self.finer.system;
        fine.start_motion(near, &vec![Twist::zero(); near.poses.len()], inputs, &mut self.masses[1]);
        let slots = system.slot_motions(way, &self.masses[0]);
        let along = |rod: RodIndex, s: f64| system.rod_velocity(rod, s, state, &slots);
        let bodies = system.bodies().iter().map(|body| slots[body.slot]);
        self.inertia = fine.inertia_rows(along, bodies, &self.masses[1]);
    }

    /// 1/τ², or more where what is about to buckle has no state near this one: until the finer tangent with so much mass is definite.
    /// Contacts take and leave rows, so that nothing is told by their count.
    fn definite_shift(&mut self, now: &mut State, inputs: &Inputs, mut shift: f64) -> Option<f64> {
        let (system, tangent, mass) = (&self.finer.system, &mut self.tangents[1], &mut self.masses[1]);
        if system.has_obstacles() {
            return Some(shift);
        }
        system.refresh_dependent_stress(now, tangent);
        system.assemble(now, inputs, CurvatureOf::Increments, tangent);
        for _ in 0..MOST_SHIFTS {
            let inertia = system.factor_shifted(shift, tangent, mass);
            if inertia.is_ok_and(|inertia| inertia.negative <= system.negative_pivots()) {
                return Some(shift);
            }
            shift *= SHIFT_GROWTH;
        }
        None
    }

    /// One Newton step towards the state under these forces, and its length. `None` if it leads away.
    fn step(&mut self, now: &mut State, inputs: &Inputs, shift: f64, next: &mut State) -> Option<f64> {
        let (system, tangent, mass) = (&self.finer.system, &mut self.tangents[1], &mut self.masses[1]);
        system.refresh_dependent_stress(now, tangent);
        system.assemble(now, inputs, CurvatureOf::Increments, tangent);
        tangent.hold(&self.inertia);
        system.start_motion(now, &vec![Twist::zero(); now.poses.len()], inputs, mass);
        system.factor_vibration(shift, 0.0, tangent, mass).ok()?;
        system.solve(now, tangent);
        let step = system.step_size(tangent);
        // Also where a number is not finite.
        let nearby = step <= LARGEST_STEP;
        if !nearby {
            return None;
        }
        system.retract_increments(now, 1.0, tangent, next);
        Some(step)
    }
}
