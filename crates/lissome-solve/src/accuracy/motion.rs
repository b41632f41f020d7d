//! A state of a motion on twice as many spans, under the forces that hold it.
//!
//! At each moment of a motion what the rods, loads and constraints exert is g = M a, the force of inertia. A state of a coarse
//! system is so an equilibrium under g_c and the load −M_c a, and the same load on the finer system, −M_f a with the same
//! accelerations, asks for another state nearby. How far the two lie apart is the error of the shape at that moment, whatever the
//! model of the rods:
//!
//! ```text
//! a = σ (K_c + σM_c)⁻¹ (g_c − C_c v)   (σ large),        x = (K_f + M_f/τ²)⁻¹ (g_f − M_f a − C_f v)
//! ```
//!
//! What holds goes on to hold, C a = 0: what rounding has left of a gap is none, or σ would make accelerations of it. The forces of contacts
//! are those that belong to a, not the means of the last step; in the first step on more spans friction keeps its size, and what slides
//! freely would be pushed by the difference.
//!
//! What moves freely is not pushed for longer than τ, the time of the robot's slowest swing. Damping is held like inertia, from the
//! same velocities on both; where drives move joints it counts among the forces of inertia. By how much the phase of a swing
//! falls behind over many periods is not seen.

use super::difference::Difference;
use super::finer::Finer;
use lissome_lie::Twist;
use lissome_mech::index::RodIndex;
use lissome_mech::{CurvatureOf, Inputs, MotionWorkspace, State, System, Workspace};
use lissome_model::{DriveTarget, Invalid, Scene};

/// σ of the accelerations, in 1/τ²: what they miss is a ten-thousandth of the smallest part of the length that a tolerance asks
/// for, √σ lies far above the rates that carry a motion.
const FAST: f64 = 1e10;
/// Newton steps at most.
const MOST_STEPS: usize = 4;
/// A step of less than this part of the steps before changes no estimate.
const SETTLED: f64 = 0.1;
/// Nor does one of less than this part of the least error that matters.
const MATTERS: f64 = 0.3;
/// Damping that moves things by less than this part of it does not count.
const UNRESISTED: f64 = 0.1;
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
    /// Forces of inertia and of damping over the unknowns of the finer system.
    held: Vec<f64>,
    /// True if no drive moves a joint: the rates of all unknowns follow from velocities along the rods then.
    by_rates: bool,
}

impl MotionFiner {
    /// Of a scene as it was compiled to a system.
    pub fn new(scene: &Scene, system: &System) -> Result<Self, Invalid> {
        let finer = Finer::new(scene)?;
        let by_rates = !scene.drives.iter().any(|drive| matches!(drive.target, DriveTarget::JointValue { .. }));
        let both = [system, &finer.system];
        let (tangents, masses) = (both.map(System::general_workspace), both.map(System::motion_workspace));
        Ok(Self { finer, tangents, masses, held: Vec::new(), by_rates })
    }

    /// How far a state of the motion with these velocities of its slots lies from that on halved spans, for each rod; `time` is
    /// that of the slowest swing, s, `finest` the least error that matters. `None` if there is no such state near it.
    pub fn differences(
        &mut self,
        system: &System,
        (state, velocity): (&State, &[Twist]),
        inputs: &Inputs,
        time: f64,
        finest: f64,
    ) -> Option<Vec<Difference>> {
        let sigma = FAST / (time * time);
        let mut now = self.hold(system, (state, velocity), inputs, (sigma, time), finest)?;
        let shift = self.definite_shift(&now, inputs, 1.0 / (time * time));
        let mut next = now.clone();
        let mut way = 0.0;
        for _ in 0..MOST_STEPS {
            let step = self.step(&mut now, inputs, shift, &mut next)?;
            std::mem::swap(&mut now, &mut next);
            if step < SMALLEST_STEP || step < (SETTLED * way).max(MATTERS * finest) {
                break;
            }
            way += step;
        }
        Some(self.finer.apart(system, state, &now))
    }

    /// Holds forces of damping and of inertia on the finer system, and gives its state near the coarser one.
    fn hold(
        &mut self,
        system: &System,
        (state, velocity): (&State, &[Twist]),
        inputs: &Inputs,
        (sigma, time): (f64, f64),
        finest: f64,
    ) -> Option<State> {
        let [tangent, fine_tangent] = &mut self.tangents;
        let [mass, fine_mass] = &mut self.masses;
        let fine = &self.finer.system;
        let mut near = fine.resampled_state(system, state);
        system.start_motion(state, &vec![Twist::zero(); state.poses.len()], inputs, mass);
        fine.start_motion(&near, &vec![Twist::zero(); near.poses.len()], inputs, fine_mass);
        system.assemble(state, inputs, CurvatureOf::Poses, tangent);
        system.factor_vibration(sigma, 0.0, tangent, mass).ok()?;
        let mut forces = tangent.right_hand_side().to_vec();
        system.forget_gaps(state, inputs, &mut forces);
        self.held = vec![0.0; fine.unknowns()];
        if self.by_rates && system.is_damped(mass) {
            // The torque of a damper at a single place is no field of accelerations.
            let field = Field { system, state, slots: velocity };
            let (resisted, power) = field.resisted(system, sigma, tangent, mass);
            // What is held back by C v moves by τC v in a time that C v = τK v defines: with the power vᵀC v that is an energy.
            let scales = system.scales();
            if (power * time / (scales.force * scales.length)).sqrt() > UNRESISTED * finest {
                forces.iter_mut().zip(&resisted).for_each(|(force, resisted)| *force -= resisted);
                fine.refresh_dependent_stress(&mut near, fine_tangent);
                fine.assemble(&near, inputs, CurvatureOf::Poses, fine_tangent);
                fine.factor_vibration(sigma, 0.0, fine_tangent, fine_mass).ok()?;
                self.held = field.resisted(fine, sigma, fine_tangent, fine_mass).0;
            }
        }
        // What moves the unknowns: σ times their way in a time of 1/√σ.
        system.solve_tangent(&mut forces, tangent);
        if system.has_contact_friction() {
            let mut acting = state.clone();
            system.add_to_reactions(&forces, &mut acting);
            near = fine.resampled_state(system, &acting);
        }
        forces.iter_mut().for_each(|x| *x *= sigma);
        let slots = system.slot_motions(&forces, mass);
        let inertia = Field { system, state, slots: &slots }.inertia(fine, fine_mass);
        self.held.iter_mut().zip(&inertia).for_each(|(held, inertia)| *held += inertia);
        self.held.iter().all(|force| force.is_finite()).then_some(near)
    }

    /// 1/τ², or more where what is about to buckle has no state near this one: until the finer tangent with so much mass is definite.
    /// Contacts take and leave rows, so that nothing is told by their count.
    fn definite_shift(&mut self, now: &State, inputs: &Inputs, shift: f64) -> f64 {
        let (system, tangent, mass) = (&self.finer.system, &mut self.tangents[1], &mut self.masses[1]);
        if system.has_obstacles() {
            return shift;
        }
        system.assemble(now, inputs, CurvatureOf::Poses, tangent);
        let mut definite = |shift: &f64| {
            let inertia = system.factor_shifted(*shift, tangent, mass);
            inertia.is_ok_and(|inertia| inertia.negative <= system.negative_pivots())
        };
        let shifts = std::iter::successors(Some(shift), |shift| Some(SHIFT_GROWTH * shift));
        shifts.take(MOST_SHIFTS).find(&mut definite).unwrap_or(shift)
    }

    /// One Newton step towards the state under these forces, and its length. `None` if it leads away.
    fn step(&mut self, now: &mut State, inputs: &Inputs, shift: f64, next: &mut State) -> Option<f64> {
        let (system, tangent, mass) = (&self.finer.system, &mut self.tangents[1], &mut self.masses[1]);
        system.refresh_dependent_stress(now, tangent);
        system.assemble(now, inputs, CurvatureOf::Increments, tangent);
        tangent.hold(&self.held);
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
        // From then on friction follows what presses: what a point loses that lets go, others take over.
        system.remember_slip(now, inputs, next);
        Some(step)
    }
}

/// Motions of the sections of all rods and of the bodies, by those of the slots of a system.
struct Field<'a> {
    system: &'a System,
    state: &'a State,
    slots: &'a [Twist],
}

impl Field<'_> {
    /// M times the field, over the unknowns of the same robot on some spans.
    fn inertia(&self, on: &System, mass: &MotionWorkspace) -> Vec<f64> {
        let along = |rod: RodIndex, s: f64| self.system.rod_velocity(rod, s, self.state, self.slots);
        let bodies = self.system.bodies().iter().map(|body| self.slots[body.slot]);
        let mut rows = on.inertia_rows(along, bodies, mass);
        rows.truncate(on.unknowns());
        rows
    }

    /// C times the field, with K + σM factored in the tangent, and the power that it takes, W.
    fn resisted(&self, on: &System, sigma: f64, tangent: &mut Workspace, mass: &MotionWorkspace) -> (Vec<f64>, f64) {
        let mut rates = self.inertia(on, mass);
        on.solve_tangent(&mut rates, tangent);
        rates.iter_mut().for_each(|x| *x *= sigma);
        let mut resisted = vec![0.0; rates.len()];
        on.damping_times(&rates, &mut resisted, tangent, mass);
        let power = rates.iter().zip(&resisted).map(|(rate, force)| rate * force).sum::<f64>();
        (resisted, power.abs())
    }
}
