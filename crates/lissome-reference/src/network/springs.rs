//! Springs between two mounts: along the line between them, or as a bushing.
//!
//! | symbol | meaning | code | axes |
//! |---|---|---|---|
//! | d | from the origin of a to that of b | `apart` | world |
//! | θ, ρ | constant twist that leads from a to b: R = exp θ, p = V(θ) ρ | `twist` | of a |
//! | K | stiffness: energy ½ (θ, ρ)ᵀ K (θ, ρ) | `stiffness` | of a |
//! | m, f | what the spring exerts on b, about the origin of b | | of a |
//!
//! A bushing does the work −(θ̇, ρ̇)ᵀ K (θ, ρ) on what it holds. With the angular velocity V(θ)ᵀ θ̇ in the axes of b and
//! ṗ = D θ̇ + V ρ̇ (see `exponential`), and e = K (θ, ρ), this is Vᵀ f = −e_ρ and V Rᵀ m = −e_θ − Dᵀ f.

use super::description::{Spring, SpringLaw};
use super::exponential::{mean_turn, shift_by_turn, twist_to};
use super::forces::Balance;
use super::place::Place;
use super::unknowns::Unknowns;
use lissome_lie::Wrench;
use nalgebra::{Vector3, Vector6};

impl Spring {
    /// What it exerts on b: world axes, moment about the origin of b.
    pub(crate) fn wrench(&self, state: &Unknowns) -> Wrench {
        let (a, b) = (state.mount(&self.a), state.mount(&self.b));
        match self.law {
            SpringLaw::Line { stiffness, rest_length } => {
                let apart = b.p - a.p;
                // Written so that a spring without rest length needs no direction.
                let slack = if rest_length > 0.0 { apart.normalize() * rest_length } else { Vector3::zeros() };
                Wrench::new(Vector3::zeros(), (slack - apart) * stiffness)
            }
            SpringLaw::Bushing(stiffness) => {
                let seen = a.sees(&b);
                let (theta, rho) = twist_to(&seen.q.rotation_vector(), &seen.p);
                let effort = stiffness * stacked(&theta, &rho);
                let back = mean_turn(&theta).try_inverse().expect("V(θ) is regular for turns of less than 2π");
                let force = -(back.transpose() * effort.fixed_rows::<3>(3));
                let on_turn = -effort.fixed_rows::<3>(0) - shift_by_turn(&theta, &rho).transpose() * force;
                let moment = seen.q.matrix() * back * on_turn;
                Wrench::new(a.direction(&moment), a.direction(&force))
            }
            SpringLaw::Axes(stiffness) => Wrench::new(Vector3::zeros(), stiffness.component_mul(&(a.p - b.p))),
        }
    }

    /// Pulls at both sides.
    pub(crate) fn push(&self, state: &Unknowns, balance: &mut Balance<'_>) {
        let (at, wrench) = (state.mount(&self.b).p, self.wrench(state));
        balance.push(self.b.on, &at, &wrench);
        // A force along given axes of the world does not point from one origin to the other: each side feels it in its own.
        let back = if matches!(self.law, SpringLaw::Axes(_)) { state.mount(&self.a).p } else { at };
        balance.push(self.a.on, &back, &-wrench);
    }

    /// Energy stored.
    pub(crate) fn energy(&self, state: &Unknowns) -> f64 {
        let (a, b): (Place, Place) = (state.mount(&self.a), state.mount(&self.b));
        match self.law {
            SpringLaw::Line { stiffness, rest_length } => 0.5 * stiffness * ((b.p - a.p).norm() - rest_length).powi(2),
            SpringLaw::Bushing(stiffness) => {
                let seen = a.sees(&b);
                let (theta, rho) = twist_to(&seen.q.rotation_vector(), &seen.p);
                let twist = stacked(&theta, &rho);
                0.5 * twist.dot(&(stiffness * twist))
            }
            SpringLaw::Axes(stiffness) => 0.5 * stiffness.component_mul(&(b.p - a.p)).dot(&(b.p - a.p)),
        }
    }
}

fn stacked(theta: &Vector3<f64>, rho: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(theta.x, theta.y, theta.z, rho.x, rho.y, rho.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::description::Mount;
    use crate::quaternion::Quaternion;
    use lissome_lie::Pose;
    use nalgebra::{DVector, Matrix6};

    #[test]
    fn a_spring_does_the_work_of_its_energy() {
        let place = |turn: [f64; 3], at: [f64; 3]| Place {
            q: Quaternion::from_rotation_vector(&Vector3::from(turn)),
            p: Vector3::from(at),
        };
        let state = Unknowns {
            bodies: vec![place([0.4, -0.2, 0.7], [0.1, 0.3, -0.2]), place([-0.5, 0.9, 0.3], [0.6, -0.4, 0.5])],
            rods: Vec::new(),
            reactions: Vec::new(),
            tensions: Vec::new(),
        };
        let frame = |turn: [f64; 3], at: [f64; 3]| place(turn, at).to_pose();
        let (a, b): (Pose, Pose) = (frame([0.1, 0.2, -0.4], [0.2, 0.0, 0.1]), frame([0.0, -0.3, 0.2], [0.0, 0.3, 0.1]));
        let (a, b) = (Mount::body(0, a), Mount::body(1, b));
        let root = Matrix6::from_fn(|i, j| ((3 * i + 7 * j + i * j) as f64).sin());
        for law in [
            SpringLaw::Line { stiffness: 3.0, rest_length: 0.4 },
            SpringLaw::Line { stiffness: 3.0, rest_length: 0.0 },
            SpringLaw::Bushing(root * root.transpose()),
            SpringLaw::Axes(Vector3::new(2.0, 0.0, 5.0)),
        ] {
            let spring = Spring { a, b, law };
            let mut balance = Balance::new(&state);
            spring.push(&state, &mut balance);
            let power: Vec<f64> = balance
                .sums
                .iter()
                .flat_map(|x| x.moment.iter().chain(x.force.iter()).copied().collect::<Vec<_>>())
                .collect();
            // Central differences: truncation h² and rounding 1e-16/h, both under 1e-8 with the energies here.
            let h = 1e-5;
            for i in 0..state.count() {
                let at = |step: f64| {
                    let mut x = DVector::zeros(state.count());
                    x[i] = step;
                    spring.energy(&state.moved(&x))
                };
                let slope = (at(h) - at(-h)) / (2.0 * h);
                assert!((power[i] + slope).abs() < 1e-8, "{law:?} {i}: {} {slope}", power[i]);
            }
        }
    }
}
