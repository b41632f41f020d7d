//! A mass on a spring with a damper: m ẍ + c ẋ + k x = F, in closed form for every damping.
//!
//! With γ = c/2m and Δ = k/m − γ², x − F/k = e^{−γt} (x₀ C + (v₀ + γx₀) S), where C = cos √Δ t and S = sin √Δ t/√Δ, which for
//! Δ < 0 are the hyperbolic functions and for Δ = 0 are 1 and t; x₀ is counted from F/k.

/// A mass on a spring with a damper under a constant force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillator {
    /// m, kg.
    pub mass: f64,
    /// k, N/m.
    pub stiffness: f64,
    /// c, N·s/m.
    pub damping: f64,
    /// F, N.
    pub force: f64,
}

impl Oscillator {
    /// The damping 2√(km) at which the mass no longer swings, N·s/m.
    pub fn critical_damping(&self) -> f64 {
        2.0 * (self.stiffness * self.mass).sqrt()
    }

    /// √(k/m), rad/s.
    pub fn natural_frequency(&self) -> f64 {
        (self.stiffness / self.mass).sqrt()
    }

    /// The frequency of the damped swing, rad/s; zero from the critical damping on.
    pub fn damped_frequency(&self) -> f64 {
        self.discriminant().max(0.0).sqrt()
    }

    /// √(k/m)² − γ² as a product, which keeps its digits near the critical damping.
    fn discriminant(&self) -> f64 {
        let (natural, decay) = (self.natural_frequency(), 0.5 * self.damping / self.mass);
        (natural - decay) * (natural + decay)
    }

    /// Place (m) and velocity (m/s) at time t (s), from those at the start.
    pub fn state(&self, start: [f64; 2], t: f64) -> [f64; 2] {
        let rest = self.force / self.stiffness;
        let decay = 0.5 * self.damping / self.mass;
        let delta = self.discriminant();
        let (x, v) = (start[0] - rest, start[1]);
        let slope = v + decay * x;
        // e^{−γt} C and e^{−γt} S; the hyperbolic ones by their exponentials, which do not overflow.
        let (c, s) = if delta > 0.0 {
            let (root, fade) = (delta.sqrt(), (-decay * t).exp());
            (fade * (root * t).cos(), fade * t * sinc(root * t))
        } else {
            let root = (-delta).sqrt();
            // The slow rate γ − √(−Δ) = (k/m)/(γ + √(−Δ)) without cancellation.
            let slow = (-self.stiffness / self.mass / (decay + root) * t).exp();
            let ratio = (-2.0 * root * t).exp();
            (0.5 * slow * (1.0 + ratio), slow * t * faded_sinh(root * t))
        };
        // d/dt of e^{−γt} C is −γ(e^{−γt} C) − Δ (e^{−γt} S), of e^{−γt} S it is e^{−γt} C − γ (e^{−γt} S).
        let position = x * c + slope * s;
        [rest + position, -decay * position - delta * x * s + slope * c]
    }
}

/// sin a/a.
fn sinc(a: f64) -> f64 {
    if a.abs() < 1e-4 { 1.0 - a * a / 6.0 } else { a.sin() / a }
}

/// e^{−a} sinh a/a = (1 − e^{−2a})/(2a).
fn faded_sinh(a: f64) -> f64 {
    if a < 1e-300 { 1.0 } else { -(-2.0 * a).exp_m1() / (2.0 * a) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::extrapolation::integrate;
    use nalgebra::Vector2;

    #[test]
    fn every_damping_meets_the_equation_of_motion() {
        for ratio in [0.0, 0.01, 0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 3.0, 50.0] {
            let mut spring = Oscillator { mass: 0.7, stiffness: 12.0, damping: 0.0, force: -6.9 };
            spring.damping = ratio * spring.critical_damping();
            let Oscillator { mass, stiffness, damping, force } = spring;
            let rate =
                |_: f64, y: &Vector2<f64>| Vector2::new(y[1], (force - damping * y[1] - stiffness * y[0]) / mass);
            let end = integrate(rate, 0.0, 2.0, Vector2::new(0.3, -1.0), 1e-13).unwrap();
            let exact = spring.state([0.3, -1.0], 2.0);
            assert!((end[0] - exact[0]).abs() < 1e-11 && (end[1] - exact[1]).abs() < 1e-11, "{ratio}: {exact:?} {end}");
        }
    }

    #[test]
    fn frequencies() {
        let spring = Oscillator { mass: 2.0, stiffness: 50.0, damping: 12.0, force: 0.0 };
        assert!((spring.natural_frequency() - 5.0).abs() < 1e-15 && (spring.damped_frequency() - 4.0).abs() < 1e-15);
        assert!((spring.critical_damping() - 20.0).abs() < 1e-14);
        // After one period of 2π/4 the swing has shrunk by exp(−3·2π/4).
        let period = std::f64::consts::TAU / 4.0;
        let [x, v] = spring.state([1.0, 0.0], period);
        assert!((x - (-3.0 * period).exp()).abs() < 1e-14 && v.abs() < 1e-13);
    }
}
