//! Energies at a state.

use crate::contribution::{Account, Force};
use crate::inputs::{Input, Inputs};
use crate::kind::each_force;
use crate::layout::RodPlace;
use crate::rod::{Carried, Rod};
use crate::{State, System, Workspace};

/// Energies at a state, J. What has no potential (moments, follower loads) counts zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Potentials {
    /// Stored in rods and springs.
    pub elastic: f64,
    /// Of gravity.
    pub gravity: f64,
    /// Of everything else that acts: −Σ f·p of dead forces, T ℓ of cables under given tension, −τ q of efforts.
    pub applied: f64,
}

impl System {
    /// Sets the stresses of displacement rods to what their strain implies; other rods carry their own.
    pub fn refresh_dependent_stress(&self, state: &mut State, work: &mut Workspace) {
        for i in 0..self.values.rods.len() {
            if !self.values.rods[i].has_independent_stress() {
                self.make_rod_consistent(i, state, work);
            }
        }
    }

    /// Sets every stress to what the strain of the poses implies, and returns the elastic energy of the rods.
    pub fn make_stress_consistent(&self, state: &mut State, work: &mut Workspace) -> f64 {
        (0..self.values.rods.len()).map(|i| self.make_rod_consistent(i, state, work)).sum()
    }

    fn make_rod_consistent(&self, i: usize, state: &mut State, work: &mut Workspace) -> f64 {
        let (rod, place): (&Rod, &RodPlace) = (&self.values.rods[i], &self.layout.rods[i]);
        let scratch = &mut work.scratch[i];
        rod.fill_increments(&state.poses[place.poses()], scratch);
        rod.fill_strain(scratch);
        let (stress, tension) = place.carried_mut(&mut state.linear);
        match rod.consistent_stress(scratch, tension, stress) {
            Ok(()) => rod.elastic_energy(scratch, Carried { stress, tension }),
            // No stress answers to this strain: a state that is no equilibrium, and whoever asks must see it.
            Err(_) => f64::NAN,
        }
    }

    /// Energies at a state; those of the rods from the strain of the poses.
    pub fn potentials(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> Potentials {
        let mut consistent = state.clone();
        let mut sum =
            Potentials { elastic: self.make_stress_consistent(&mut consistent, work), ..Potentials::default() };
        sum.applied += self.tension_potential(state);
        let at = self.at(state, inputs);
        each_force!(self.values.kinds, |force| {
            let potential = force.potential(&at);
            match force.account() {
                Account::Gravity => sum.gravity += potential,
                Account::Stored => sum.elastic += potential,
                Account::Applied => sum.applied += potential,
            }
        });
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            let own = &state.poses[place.poses()];
            rod.fill_increments(own, &mut work.scratch[i]);
            for line in &self.values.line_loads[i] {
                let factor = inputs.acting(line.scaled_by);
                let sum = if line.scaled_by == Input::Gravity { &mut sum.gravity } else { &mut sum.applied };
                for (q, load) in line.at_points.iter().enumerate() {
                    let position = rod.curve().point_pose(q, own, &work.scratch[i].psi).position;
                    *sum -= factor * load.dead.force.dot(&position);
                }
            }
        }
        sum
    }

    /// Potential of the forces that are booked on an account, rods left out.
    pub(crate) fn potential_of(&self, account: Account, state: &State, inputs: &Inputs) -> f64 {
        let at = self.at(state, inputs);
        let mut energy = 0.0;
        each_force!(self.values.kinds, |force| {
            if force.account() == account {
                energy += force.potential(&at);
            }
        });
        energy
    }
}
