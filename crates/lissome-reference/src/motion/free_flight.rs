//! Simo and Vu-Quoc's flexible beams in flight and the right-angle cantilever: their data, and what holds exactly.
//!
//! A rod under dead loads alone has the linear momentum of their impulse, whatever its stiffness and however it bends, so that
//! its centre of mass moves as a point; after the loads have ended, linear and angular momentum and energy are constant.
//!
//! | | flight in a plane \[simo1986\] | flight in space \[simo1988\] | right-angle cantilever \[simo1988\] |
//! |---|---|---|---|
//! | constant | [`FLIGHT_IN_PLANE`] | [`FLIGHT_IN_SPACE`] | [`ELBOW`] |
//! | length | 10, from (6, 0) to (0, 8) | the same | two legs of 10 at a right angle, the first clamped |
//! | load at | the end at (6, 0) | the same | the elbow |
//! | course | constant for 2.5 | up for 2.5, down for 2.5 | up for 1, down for 1 |
//!
//! Axes: x and y in the plane of the drawing, z towards the reader. The units are any consistent ones. Sources differ in the
//! inertia of the section about its normal in flight (10 or 20; here that of a disc, 20); neither momenta nor the centre of mass
//! depend on it, nor does anything in the plane.

/// A force and a moment that rise and fall in time with one course, at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// Force at the peak.
    pub force: [f64; 3],
    /// Moment at the peak.
    pub moment: [f64; 3],
    /// Time from zero to the peak; zero if the peak is there at once.
    pub rise: f64,
    /// Time at the peak.
    pub hold: f64,
    /// Time from the peak to zero.
    pub fall: f64,
}

impl Pulse {
    /// Part of the peak at time t ≥ 0.
    pub fn course(&self, t: f64) -> f64 {
        let after = t - self.rise - self.hold;
        if t < self.rise {
            t / self.rise
        } else if after <= 0.0 {
            1.0
        } else if after < self.fall {
            1.0 - after / self.fall
        } else {
            0.0
        }
    }

    /// The time at which it has ended.
    pub fn end(&self) -> f64 {
        self.rise + self.hold + self.fall
    }

    /// ∫₀ᵗ course.
    pub fn impulse(&self, t: f64) -> f64 {
        let up = t.min(self.rise);
        let flat = (t - self.rise).clamp(0.0, self.hold);
        let down = (t - self.rise - self.hold).clamp(0.0, self.fall);
        let rising = if self.rise > 0.0 { 0.5 * up * up / self.rise } else { 0.0 };
        let falling = if self.fall > 0.0 { down - 0.5 * down * down / self.fall } else { 0.0 };
        rising + flat + falling
    }

    /// ∫₀ᵗ ∫₀ᵘ course: how far a unit mass has gone per unit force.
    pub fn double_impulse(&self, t: f64) -> f64 {
        let up = t.min(self.rise);
        let mut gone = if self.rise > 0.0 { up.powi(3) / (6.0 * self.rise) } else { 0.0 };
        let flat = (t - self.rise).clamp(0.0, self.hold);
        gone += 0.5 * self.rise * flat + 0.5 * flat * flat;
        let down = (t - self.rise - self.hold).clamp(0.0, self.fall);
        gone += (0.5 * self.rise + self.hold) * down;
        if self.fall > 0.0 {
            gone += 0.5 * down * down - down.powi(3) / (6.0 * self.fall);
        }
        gone + self.impulse(self.end()) * (t - self.end()).max(0.0)
    }
}

/// A beam of these papers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlexibleBeam {
    /// EA and both kGA.
    pub axial_and_shear: f64,
    /// Both EI.
    pub bending: f64,
    /// GJ.
    pub torsion: f64,
    /// ρA.
    pub mass: f64,
    /// Inertia of the section per length about its normal, and about either axis across it.
    pub rotary: [f64; 2],
    /// Length, of one leg for the elbow.
    pub length: f64,
    /// What acts on it.
    pub pulse: Pulse,
}

/// Where the loaded end of the beams in flight lies at first.
pub const PLACED_AT: [f64; 3] = [6.0, 0.0, 0.0];

/// Direction from there to the other end, at (0, 8).
pub const POINTS_ALONG: [f64; 3] = [-0.6, 0.8, 0.0];

/// Free flight in a plane: force 8 along x and moment −80 about z at the lower end for 2.5 s.
pub const FLIGHT_IN_PLANE: FlexibleBeam = FlexibleBeam {
    axial_and_shear: 1e4,
    bending: 100.0,
    torsion: 100.0,
    mass: 1.0,
    rotary: [20.0, 10.0],
    length: 10.0,
    pulse: Pulse { force: [8.0, 0.0, 0.0], moment: [0.0, 0.0, -80.0], rise: 0.0, hold: 2.5, fall: 0.0 },
};

/// Free flight in space, the "flying spaghetti": force 20 along x, moments 100 about y and −200 about z at the peak.
pub const FLIGHT_IN_SPACE: FlexibleBeam = FlexibleBeam {
    axial_and_shear: 1e4,
    bending: 500.0,
    torsion: 500.0,
    mass: 1.0,
    rotary: [20.0, 10.0],
    length: 10.0,
    pulse: Pulse { force: [20.0, 0.0, 0.0], moment: [0.0, 100.0, -200.0], rise: 2.5, hold: 0.0, fall: 2.5 },
};

/// The right-angle cantilever: force 50 across its plane at the elbow at the peak.
pub const ELBOW: FlexibleBeam = FlexibleBeam {
    axial_and_shear: 1e6,
    bending: 1e3,
    torsion: 1e3,
    mass: 1.0,
    rotary: [20.0, 10.0],
    length: 10.0,
    pulse: Pulse { force: [0.0, 0.0, 50.0], moment: [0.0, 0.0, 0.0], rise: 1.0, hold: 0.0, fall: 1.0 },
};

impl FlexibleBeam {
    /// Linear momentum of the free beam at time t.
    pub fn momentum(&self, t: f64) -> [f64; 3] {
        self.pulse.force.map(|force| force * self.pulse.impulse(t))
    }

    /// Where the centre of mass of the free beam has moved by time t.
    pub fn centre_displacement(&self, t: f64) -> [f64; 3] {
        self.pulse.force.map(|force| force * self.pulse.double_impulse(t) / (self.mass * self.length))
    }

    /// Angular momentum about the world's origin at time t, given the integral of (place of the loaded end − origin) ×
    /// course over time: what a recording of the motion must reproduce.
    pub fn angular_momentum(&self, t: f64, arm_impulse: [f64; 3]) -> [f64; 3] {
        let (r, f, m) = (arm_impulse, self.pulse.force, self.pulse.moment);
        let turned = [r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]];
        std::array::from_fn(|i| turned[i] + m[i] * self.pulse.impulse(t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impulses_are_integrals() {
        for pulse in [FLIGHT_IN_PLANE.pulse, FLIGHT_IN_SPACE.pulse, ELBOW.pulse] {
            let (n, t) = (40_000, 7.0);
            let h = t / f64::from(n);
            let (mut once, mut twice) = (0.0, 0.0);
            for i in 0..n {
                let course = pulse.course((f64::from(i) + 0.5) * h);
                twice += once * h + 0.5 * course * h * h;
                once += course * h;
            }
            // Midpoints of a course that jumps at most once err by one step.
            assert!((once - pulse.impulse(t)).abs() < 2.0 * h, "{once} {}", pulse.impulse(t));
            assert!((twice - pulse.double_impulse(t)).abs() < 8.0 * h, "{twice} {}", pulse.double_impulse(t));
            assert!(pulse.course(pulse.end() + 1e-9) == 0.0);
        }
    }

    #[test]
    fn momenta_of_the_flights() {
        // 8 · 2.5 and ½ · 20 · 5: the beams of mass 10 end up with 2 and 5 along x.
        assert_eq!(FLIGHT_IN_PLANE.momentum(15.0), [20.0, 0.0, 0.0]);
        assert_eq!(FLIGHT_IN_SPACE.momentum(15.0), [50.0, 0.0, 0.0]);
        assert!(
            (FLIGHT_IN_SPACE.centre_displacement(6.0)[0] - FLIGHT_IN_SPACE.centre_displacement(5.0)[0] - 5.0).abs()
                < 1e-14
        );
        // A load that stays at one place r turns by r × impulse.
        let impulse = FLIGHT_IN_PLANE.pulse.impulse(3.0);
        let momentum = FLIGHT_IN_PLANE.angular_momentum(3.0, [6.0 * impulse, -2.0 * impulse, 0.0]);
        assert!((momentum[2] - (2.0 * 8.0 - 80.0) * 2.5).abs() < 1e-12);
    }
}
