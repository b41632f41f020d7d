//! Planar linkages with a crank: the rigid-body answer for four-bars and slider-cranks.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | φ | crank angle against the x axis, counter-clockwise | rad |
//! | m, J | mass; inertia about the centre of mass | kg, kg·m² |
//! | x_i(φ), ψ_i(φ) | centre of mass and angle of body i | m, rad |
//! | M(φ) | reduced inertia Σ m_i \|x_i′\|² + J_i ψ_i′² | kg·m² |
//! | V(φ) | potential −Σ m_i g·x_i | J |
//!
//! A prime is d/dφ. With one coordinate Lagrange's equation is M φ̈ + ½ M′ φ̇² + V′ = τ, where τ is what drives the crank. M′
//! takes second derivatives of the geometry, which are written out.

use crate::OracleError;
use crate::extrapolation::integrate;
use nalgebra::Vector2;

/// Relative tolerance of an integration step.
const TOLERANCE: f64 = 1e-13;

/// A rigid link between two pins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Distance of its pins, m.
    pub length: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about its centre of mass, kg·m².
    pub inertia: f64,
    /// Centre of mass from the first pin: along the line to the second, and to the left of it, m.
    pub centre: [f64; 2],
}

impl Link {
    /// A uniform thin bar, with m L²/12 about its middle.
    pub fn bar(length: f64, mass: f64) -> Self {
        Self { length, mass, inertia: mass * length * length / 12.0, centre: [0.5 * length, 0.0] }
    }
}

/// What is joined to the far end of the crank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Linkage {
    /// Crank, coupler and rocker; the crank's pivot is the origin, the rocker's lies at `ground`. The coupler goes from
    /// crank to rocker, the rocker's first pin is on the ground.
    FourBar {
        /// From the origin.
        crank: Link,
        /// From the crank's far pin to the rocker's.
        coupler: Link,
        /// From the ground pivot.
        rocker: Link,
        /// Pivot of the rocker, m.
        ground: [f64; 2],
        /// The loop closes in two ways: with the coupler's end left (true) or right of the line from the crank's pin to
        /// the rocker's pivot.
        left: bool,
    },
    /// Crank, connecting rod, and a slider on a line parallel to the x axis at the height `offset`, to the right of the
    /// crank.
    SliderCrank {
        /// From the origin.
        crank: Link,
        /// From the crank's far pin to the slider's.
        rod: Link,
        /// Mass of the slider, kg.
        slider: f64,
        /// Height of its line, m.
        offset: f64,
    },
}

/// A point or angle with its first and second derivatives by the crank angle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Jet<T>([T; 3]);

/// A body of a linkage at some crank angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPlace {
    /// First pin, m.
    pub pin: Vector2<f64>,
    /// Centre of mass, m.
    pub centre: Vector2<f64>,
    /// Direction from the first pin to the second against the x axis, rad; zero for a slider.
    pub angle: f64,
    /// dcentre/dφ, m/rad.
    pub centre_rate: Vector2<f64>,
    /// dangle/dφ.
    pub angle_rate: f64,
}

struct Body {
    mass: f64,
    inertia: f64,
    pin: Jet<Vector2<f64>>,
    centre: Jet<Vector2<f64>>,
    angle: Jet<f64>,
}

/// The linkage at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant {
    /// Time, s.
    pub time: f64,
    /// Crank angle φ, rad, not reduced to one turn.
    pub angle: f64,
    /// φ̇, rad/s.
    pub speed: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy of gravity, J.
    pub potential: f64,
}

/// a (cos ψ, sin ψ) turned further by the left offset b, as ψ depends on φ.
fn arm(along: f64, left: f64, angle: &Jet<f64>) -> Jet<Vector2<f64>> {
    let [psi, rate, second] = angle.0;
    let (sin, cos) = psi.sin_cos();
    let out = Vector2::new(along * cos - left * sin, along * sin + left * cos);
    let turned = Vector2::new(-out.y, out.x);
    Jet([out, turned * rate, turned * second - out * (rate * rate)])
}

fn sum(a: &Jet<Vector2<f64>>, b: &Jet<Vector2<f64>>) -> Jet<Vector2<f64>> {
    Jet(std::array::from_fn(|i| a.0[i] + b.0[i]))
}

fn link(link: &Link, pin: Jet<Vector2<f64>>, angle: Jet<f64>) -> Body {
    let centre = sum(&pin, &arm(link.centre[0], link.centre[1], &angle));
    Body { mass: link.mass, inertia: link.inertia, pin, centre, angle }
}

impl Linkage {
    /// Where every body is at a crank angle: crank, coupler, rocker, or crank, rod, slider.
    pub fn places(&self, angle: f64) -> Result<[BodyPlace; 3], OracleError> {
        Ok(self.bodies(angle)?.map(|body| BodyPlace {
            pin: body.pin.0[0],
            centre: body.centre.0[0],
            angle: body.angle.0[0],
            centre_rate: body.centre.0[1],
            angle_rate: body.angle.0[1],
        }))
    }

    fn bodies(&self, angle: f64) -> Result<[Body; 3], OracleError> {
        let crank_angle = Jet([angle, 1.0, 0.0]);
        let origin = Jet([Vector2::zeros(); 3]);
        match self {
            Self::FourBar { crank, coupler, rocker, ground, left } => {
                let joint = arm(crank.length, 0.0, &crank_angle);
                let ground = Vector2::from(*ground);
                let [coupler_angle, rocker_angle] =
                    close(&joint, &ground, coupler.length, rocker.length, *left).ok_or(cannot_close(angle))?;
                let fixed = Jet([ground, Vector2::zeros(), Vector2::zeros()]);
                Ok([
                    link(crank, origin, crank_angle),
                    link(coupler, joint, coupler_angle),
                    link(rocker, fixed, rocker_angle),
                ])
            }
            Self::SliderCrank { crank, rod, slider, offset } => {
                let joint = arm(crank.length, 0.0, &crank_angle);
                let sine = (offset - joint.0[0].y) / rod.length;
                if sine.abs() >= 1.0 {
                    return Err(cannot_close(angle));
                }
                // ℓ sin ψ = offset − y, differentiated twice.
                let psi = sine.asin();
                let (sin, cos) = psi.sin_cos();
                let rate = -joint.0[1].y / (rod.length * cos);
                let second = (-joint.0[2].y / rod.length + sin * rate * rate) / cos;
                let rod_angle = Jet([psi, rate, second]);
                let pin = sum(&joint, &arm(rod.length, 0.0, &rod_angle));
                let still = Jet([0.0; 3]);
                Ok([
                    link(crank, origin, crank_angle),
                    link(rod, joint, rod_angle),
                    Body { mass: *slider, inertia: 0.0, pin, centre: pin, angle: still },
                ])
            }
        }
    }

    /// M, M′, V and V′ at a crank angle.
    fn reduced(&self, angle: f64, gravity: &Vector2<f64>) -> Result<[f64; 4], OracleError> {
        let mut total = [0.0; 4];
        for body in self.bodies(angle)? {
            let [x, x1, x2] = body.centre.0;
            let [_, psi1, psi2] = body.angle.0;
            total[0] += body.mass * x1.norm_squared() + body.inertia * psi1 * psi1;
            total[1] += 2.0 * (body.mass * x1.dot(&x2) + body.inertia * psi1 * psi2);
            total[2] -= body.mass * gravity.dot(&x);
            total[3] -= body.mass * gravity.dot(&x1);
        }
        Ok(total)
    }

    /// The state at an angle and a speed.
    pub fn instant(&self, gravity: [f64; 2], time: f64, angle: f64, speed: f64) -> Result<Instant, OracleError> {
        let [inertia, _, potential, _] = self.reduced(angle, &Vector2::from(gravity))?;
        Ok(Instant { time, angle, speed, kinetic: 0.5 * inertia * speed * speed, potential })
    }

    /// The moment that the crank needs to move with the given angle, speed and acceleration, N·m: the reaction of a drive.
    pub fn driving_moment(
        &self,
        gravity: [f64; 2],
        angle: f64,
        speed: f64,
        acceleration: f64,
    ) -> Result<f64, OracleError> {
        let [m, m1, _, v1] = self.reduced(angle, &Vector2::from(gravity))?;
        Ok(m * acceleration + 0.5 * m1 * speed * speed + v1)
    }

    /// The free motion from an angle and a speed, at the given times (increasing, the first is the start), under gravity
    /// (m/s²) and the moment `torque(t)` on the crank (N·m).
    pub fn motion(
        &self,
        gravity: [f64; 2],
        start: [f64; 2],
        times: &[f64],
        torque: impl Fn(f64) -> f64,
    ) -> Result<Vec<Instant>, OracleError> {
        let pull = Vector2::from(gravity);
        // A linkage that cannot close has no acceleration; the integrator then finds no step, which it reports.
        let rate = |t: f64, y: &Vector2<f64>| match self.reduced(y[0], &pull) {
            Ok([m, m1, _, v1]) => Vector2::new(y[1], (torque(t) - v1 - 0.5 * m1 * y[1] * y[1]) / m),
            Err(_) => Vector2::repeat(f64::NAN),
        };
        let mut y = Vector2::from(start);
        let mut instants = Vec::with_capacity(times.len());
        for (i, time) in times.iter().enumerate() {
            if i > 0 {
                y = integrate(rate, times[i - 1], *time, y, TOLERANCE)?;
            }
            instants.push(self.instant(gravity, *time, y[0], y[1])?);
        }
        Ok(instants)
    }
}

fn cannot_close(angle: f64) -> OracleError {
    OracleError::OutOfDomain { quantity: "crank angle at which the linkage closes", value: angle }
}

/// Angles of coupler and rocker, which meet at the distances `coupler` from the moving pin and `rocker` from the ground.
fn close(
    joint: &Jet<Vector2<f64>>,
    ground: &Vector2<f64>,
    coupler: f64,
    rocker: f64,
    left: bool,
) -> Option<[Jet<f64>; 2]> {
    let reach = ground - joint.0[0];
    let distance2 = reach.norm_squared();
    // The meeting point lies at a part of the reach, and aside of it.
    let part = 0.5 * (1.0 + (coupler * coupler - rocker * rocker) / distance2);
    let aside2 = coupler * coupler / distance2 - part * part;
    if aside2 <= 0.0 {
        return None;
    }
    let aside = if left { aside2.sqrt() } else { -aside2.sqrt() };
    let to_meeting = reach * part + Vector2::new(-reach.y, reach.x) * aside;
    let from_ground = to_meeting - reach;
    let (u, v) = (to_meeting, from_ground);
    let (tu, tv) = (Vector2::new(-u.y, u.x), Vector2::new(-v.y, v.x));
    // joint + u(ψ) = ground + v(χ), differentiated: joint′ + ψ′ tu = χ′ tv, and once more. Crossed with the other arm.
    let determinant = tu.perp(&tv);
    let solve = |right: Vector2<f64>| [right.perp(&tv) / determinant, right.perp(&tu) / determinant];
    let [psi1, chi1] = solve(-joint.0[1]);
    let [psi2, chi2] = solve(-joint.0[2] + u * (psi1 * psi1) - v * (chi1 * chi1));
    Some([Jet([u.y.atan2(u.x), psi1, psi2]), Jet([v.y.atan2(v.x), chi1, chi2])])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::f64::consts::{PI, TAU};

    const DOWN: [f64; 2] = [0.0, -9.81];

    fn four_bar(left: bool) -> Linkage {
        Linkage::FourBar {
            crank: Link { centre: [0.08, 0.01], ..Link::bar(0.2, 0.5) },
            coupler: Link { centre: [0.2, -0.05], ..Link::bar(0.5, 1.0) },
            rocker: Link::bar(0.4, 0.8),
            ground: [0.45, 0.1],
            left,
        }
    }

    fn slider_crank() -> Linkage {
        Linkage::SliderCrank { crank: Link::bar(0.15, 0.6), rod: Link::bar(0.5, 0.9), slider: 1.5, offset: 0.05 }
    }

    #[test]
    fn loops_close_and_rates_are_derivatives() {
        let h = 1e-4;
        for linkage in [four_bar(true), four_bar(false), slider_crank()] {
            for k in 0..12 {
                let angle = f64::from(k) * TAU / 12.0 + 0.1;
                let places = linkage.places(angle).unwrap();
                // The second link ends on the third's far pin, or on the slider.
                let lengths = match linkage {
                    Linkage::FourBar { .. } => [0.5, 0.4],
                    Linkage::SliderCrank { .. } => [0.5, 0.0],
                };
                let end = |i: usize, length: f64| {
                    places[i].pin + Vector2::new(places[i].angle.cos(), places[i].angle.sin()) * length
                };
                assert!((end(1, lengths[0]) - end(2, lengths[1])).amax() < 1e-15, "{angle}");
                let (above, below) = (linkage.places(angle + h).unwrap(), linkage.places(angle - h).unwrap());
                for i in 0..3 {
                    let rate = (above[i].centre - below[i].centre) / (2.0 * h);
                    assert!((rate - places[i].centre_rate).amax() < 1e-7, "{angle} {i}");
                }
                let gravity = Vector2::from(DOWN);
                let [_, m1, _, v1] = linkage.reduced(angle, &gravity).unwrap();
                let (a, b) =
                    (linkage.reduced(angle + h, &gravity).unwrap(), linkage.reduced(angle - h, &gravity).unwrap());
                assert!((m1 - (a[0] - b[0]) / (2.0 * h)).abs() < 1e-7, "{angle}");
                assert!((v1 - (a[2] - b[2]) / (2.0 * h)).abs() < 1e-6, "{angle}");
            }
        }
    }

    #[test]
    fn ten_free_turns_keep_their_energy() {
        for linkage in [four_bar(true), four_bar(false), slider_crank()] {
            let times: Vec<f64> = (0..=400).map(|i| 0.02 * f64::from(i)).collect();
            let motion = linkage.motion(DOWN, [0.3, 14.0], &times, |_| 0.0).unwrap();
            let energy = motion[0].kinetic + motion[0].potential;
            for at in &motion {
                assert!((at.kinetic + at.potential - energy).abs() < 1e-10 * energy.abs(), "{at:?}");
            }
            assert!(motion[400].angle > 10.0 * TAU, "{:?}", motion[400]);
        }
    }

    #[test]
    fn a_crank_alone_is_a_pendulum() {
        // Coupler and rocker without mass: a bar on a pivot, of small period 2π √(2L/3g).
        let nothing = Link { length: 0.5, mass: 0.0, inertia: 0.0, centre: [0.0, 0.0] };
        let crank = Link::bar(0.2, 0.5);
        let linkage = Linkage::FourBar { crank, coupler: nothing, rocker: nothing, ground: [0.45, 0.1], left: true };
        let period = TAU * (2.0 * 0.2 / (3.0 * 9.81f64)).sqrt();
        // At an amplitude of 1e-4 the period grows by 1e-8/16 of itself.
        let motion = linkage.motion(DOWN, [-0.5 * PI + 1e-4, 0.0], &[0.0, period], |_| 0.0).unwrap();
        assert!((motion[1].angle + 0.5 * PI - 1e-4).abs() < 1e-12 && motion[1].speed.abs() < 1e-11, "{motion:?}");
    }

    #[test]
    fn a_parallelogram_carries_its_coupler_without_turning() {
        let (bar, coupler) = (Link::bar(0.2, 0.5), Link::bar(0.6, 1.2));
        let linkage = Linkage::FourBar { crank: bar, coupler, rocker: bar, ground: [0.6, 0.0], left: true };
        let [m, m1, _, v1] = linkage.reduced(0.7, &Vector2::from(DOWN)).unwrap();
        // Two bars about their ends, and the coupler's mass on a circle.
        assert!((m - (2.0 * 0.5 * 0.04 / 3.0 + 1.2 * 0.04)).abs() < 1e-15 && m1.abs() < 1e-15);
        assert!((v1 - 9.81 * (0.5 * 0.2 + 1.2 * 0.2) * 0.7f64.cos()).abs() < 1e-14);
    }

    #[test]
    fn the_drive_does_the_work() {
        // φ = φ₀ + 3t + sin t: the integral of moment times speed is what the energy has gained.
        let linkage = slider_crank();
        let drive = |t: f64| (0.2 + 3.0 * t + t.sin(), 3.0 + t.cos(), -t.sin());
        let power = |t: f64, _: &nalgebra::Vector1<f64>| {
            let (angle, speed, acceleration) = drive(t);
            nalgebra::Vector1::new(linkage.driving_moment(DOWN, angle, speed, acceleration).unwrap() * speed)
        };
        let work = integrate(power, 0.0, 5.0, nalgebra::Vector1::zeros(), 1e-13).unwrap()[0];
        let energy = |t: f64| {
            let (angle, speed, _) = drive(t);
            let at = linkage.instant(DOWN, t, angle, speed).unwrap();
            at.kinetic + at.potential
        };
        assert!((energy(5.0) - energy(0.0) - work).abs() < 1e-10, "{work}");
        // The same moment, applied to the free crank, gives the same motion.
        let torque = |t: f64| {
            let (angle, speed, acceleration) = drive(t);
            linkage.driving_moment(DOWN, angle, speed, acceleration).unwrap()
        };
        let (angle, speed, _) = drive(0.0);
        let motion = linkage.motion(DOWN, [angle, speed], &[0.0, 2.0], torque).unwrap();
        assert!((motion[1].angle - drive(2.0).0).abs() < 1e-9, "{motion:?}");
    }

    #[test]
    fn a_linkage_that_cannot_close_says_so() {
        let short = Link::bar(0.1, 1.0);
        let linkage = Linkage::FourBar { crank: short, coupler: short, rocker: short, ground: [1.0, 0.0], left: true };
        assert!(linkage.places(0.0).is_err());
        assert!(linkage.motion(DOWN, [0.0, 0.0], &[0.0, 1.0], |_| 0.0).is_err());
    }
}
