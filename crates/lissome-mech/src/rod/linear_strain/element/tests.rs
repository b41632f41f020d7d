//! The element against finite differences, against its other form and against the equation it integrates.
#![allow(clippy::unwrap_used)]

use super::displacement::Deformed;
use super::*;
use crate::field::magnus_step;
use lissome_lie::quadrature::gauss_legendre;
use lissome_lie::{Pose, Strain, Twist, Wrench};
use nalgebra::{Cholesky, Vector3};

/// Small deterministic generator: tests must not depend on a library's stream.
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
    fn six(&mut self) -> Vector6<f64> {
        Vector6::from_fn(|_, _| self.next())
    }
}

/// A tapering section of full, coupled stiffness, with a natural strain that bends along the element. `slender` multiplies
/// the stiffness of stretch and shear.
fn element(length: f64, slender: f64, random: &mut Random) -> LinearStrainElement {
    let coupling = Matrix6::from_fn(|_, _| 0.3 * random.next());
    let diagonal = Vector6::new(1.3, 2.0, 3.0, 50.0, 30.0, 20.0);
    let scale = Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, slender, slender, slender).map(f64::sqrt));
    let full = scale * (Matrix6::from_diagonal(&diagonal) + coupling * coupling.transpose()) * scale;
    let (k0, k1, k2) = (random.vector(), random.vector(), random.vector());
    let points: Vec<SectionPoint> = gauss_legendre(GAUSS_POINTS)
        .iter()
        .map(|gauss| {
            let offset = (gauss.abscissa - 0.5) * length;
            let curvature = k0 + k1 * offset + k2 * (offset * offset);
            SectionPoint {
                offset,
                weight: gauss.weight * length,
                stiffness: full * (1.0 - 0.5 * offset / length).powi(4),
                natural: Twist::new(curvature, Vector3::x()).into(),
            }
        })
        .collect();
    LinearStrainElement::new(length, &points)
}

/// Largest difference of a derivative and central differences of a function, relative to the derivative.
fn worst<const R: usize>(
    exact: &nalgebra::SMatrix<f64, R, 6>,
    at: &Vector6<f64>,
    scale: &Vector6<f64>,
    f: impl Fn(&Vector6<f64>) -> nalgebra::SVector<f64, R>,
) -> f64 {
    let mut worst: f64 = 0.0;
    for c in 0..6 {
        let mut step = Vector6::zeros();
        step[c] = 1e-5 * scale[c];
        let finite = (f(&(at + step)) - f(&(at - step))) / (2.0 * step[c]);
        worst = worst.max((finite - exact.column(c)).amax() / exact.column(c).amax());
    }
    worst
}

/// A stress that bends the element by some tenths of a radian.
fn stress(length: f64, random: &mut Random) -> Vector6<f64> {
    let w = Wrench::new(random.vector() * 0.8, random.vector() * 2.0 / length);
    w.to_vector()
}

#[test]
fn increment_and_compliance_are_derivatives_of_the_complementary_energy() {
    let mut random = Random(3);
    for slender in [1.0, 1e4] {
        for length in [0.1, 0.7] {
            let element = element(length, slender, &mut random);
            let mu = stress(length, &mut random);
            let response = element.respond(&mu);
            assert!(response.resolved);
            // A stiff strain changes little with the force on it: longer steps there keep clear of round-off.
            let f = slender.sqrt();
            let steps = Vector6::new(1.0, 1.0, 1.0, f, f, f);
            let gradient = strain_vector(&response.increment).transpose();
            let energy = |mu: &Vector6<f64>| {
                nalgebra::SVector::<f64, 1>::new(element.complementary_energy(mu, &element.respond(mu)))
            };
            // C is a sum of terms of the size of μᵀΩ, so its differences carry more round-off than those of Ω.
            let first = worst(&gradient, &mu, &steps, energy);
            let second = worst(&response.compliance, &mu, &steps, |mu| strain_vector(&element.respond(mu).increment));
            assert!(first < 1e-6 && second < 1e-7, "slender {slender} length {length}: {first:e} {second:e}");
            let asymmetry = (response.compliance - response.compliance.transpose()).amax();
            assert!(asymmetry < 1e-14 * response.compliance.amax());
        }
    }
}

/// The mixed functional in all its unknowns, straight from its definition: the response must make it stationary.
#[test]
fn response_is_stationary_in_mean_strain_and_slope() {
    let mut random = Random(11);
    let element = element(0.6, 1.0, &mut random);
    let mu = stress(0.6, &mut random);
    let at = element.respond(&mu).strain;
    let functional = |mean: &DualVector, slope: &DualVector| {
        let (k, h) = (commutator_weight(0.6), 0.6);
        let bracket = Twist::ad(&slope.twist()) * strain_vector(mean);
        let increment = strain_vector(mean) * h - bracket * k;
        element.energy(&Line { mean: *mean, slope: *slope }) - mu.dot(&increment)
    };
    let value = functional(&at.mean, &at.slope).abs();
    for c in 0..6 {
        let mut d = Vector6::zeros();
        d[c] = 1e-5;
        let d = twist(&d);
        let by_mean = functional(&(at.mean + d), &at.slope) - functional(&(at.mean - d), &at.slope);
        let by_slope = functional(&at.mean, &(at.slope + d)) - functional(&at.mean, &(at.slope - d));
        // Differences over 2e-5 of a function whose slopes off the stationary point are of its own size.
        assert!(by_mean.abs() / 2e-5 < 1e-8 * value.max(1.0), "{c}: {by_mean:e}");
        assert!(by_slope.abs() / 2e-5 < 1e-8 * value.max(1.0), "{c}: {by_slope:e}");
    }
}

#[test]
fn both_forms_are_one_element() {
    let mut random = Random(7);
    for slender in [1.0, 1e4, 1e8] {
        for length in [0.05, 0.4, 0.9] {
            let element = element(length, slender, &mut random);
            let mu = stress(length, &mut random);
            let response = element.respond(&mu);
            assert!(response.resolved);
            let Deformed { strain, stress } = element.deform(&response.increment, None);
            let scale = strain_vector(&response.strain.mean).amax();
            let difference = strain_vector(&(strain.mean - response.strain.mean)).amax() / scale
                + strain_vector(&(strain.slope - response.strain.slope)).amax() * length / scale;
            assert!(difference < 1e-9, "slender {slender} length {length}: {difference:e}");
            // The stress is K₀e of an e that the increment holds to 1e-16 only: EA/EI times that.
            let lost = 1e-12 + 1e-13 * slender;
            assert!((stress - mu).amax() < lost * mu.amax().max(1.0), "{:e}", (stress - mu).amax());
        }
    }
}

/// ∂W/∂Ω = μ for the displacement form by itself.
#[test]
fn stress_is_the_derivative_of_the_least_energy() {
    let mut random = Random(5);
    let element = element(0.5, 1.0, &mut random);
    let increment = strain_vector(&element.respond(&stress(0.5, &mut random)).increment) + random.six() * 0.05;
    let at = element.deform(&twist(&increment), None);
    let energy = |omega: &Vector6<f64>| {
        nalgebra::SVector::<f64, 1>::new(element.energy(&element.deform(&twist(omega), None).strain))
    };
    let first = worst(&at.stress.transpose(), &increment, &Vector6::repeat(1.0), energy);
    assert!(first < 1e-7, "{first:e}");
}

/// The slope of least energy is found for increments far from the natural shape.
#[test]
fn slope_of_least_energy_is_found_from_afar() {
    let mut random = Random(17);
    for slender in [1.0, 1e4, 1e8] {
        for _ in 0..200 {
            let element = element(0.5, slender, &mut random);
            // Turned by up to 3 rad, and an increment that some straight line of strain gives without much stretch.
            let mut line = element.natural;
            line.mean += Twist::new(random.vector() * 3.4, random.vector() * (0.5 / slender.sqrt())).into();
            line.slope += Twist::new(random.vector() * 3.0, Vector3::zeros()).into();
            let increment = line.motion(0.5, 0.5);
            let at = element.deform(&increment, None);
            assert!(at.stress.iter().all(|x| x.is_finite()));
            let energy = element.energy(&at.strain);
            for c in 0..6 {
                for sign in [-1.0, 1.0] {
                    let mut d = Vector6::zeros();
                    d[c] = sign * 1e-3;
                    let other = at.strain.slope + twist(&d);
                    let inverse = mean_map(0.5, &other).twist_map().try_inverse().unwrap();
                    let mean = twist(&(inverse * strain_vector(&increment)));
                    let there = element.energy(&Line { mean, slope: other });
                    assert!(there >= energy * (1.0 - 1e-12), "slender {slender}: {there:e} below {energy:e}");
                }
            }
        }
    }
}

/// Ω against a sixth-order integration of the same straight line of strain: fifth order in h per element.
#[test]
fn increment_is_of_fourth_order() {
    let line = Line {
        mean: Twist::new(Vector3::new(0.7, -1.1, 0.9), Vector3::new(1.05, 0.1, -0.2)).into(),
        slope: Twist::new(Vector3::new(-2.0, 1.5, 3.0), Vector3::new(0.3, -0.4, 0.2)).into(),
    };
    let error = |length: f64| {
        let steps = 8;
        let h = length / steps as f64;
        let strain = |s: f64| Strain::from(line.at(s - 0.5 * length).twist());
        let exact = (0..steps).fold(Pose::identity(), |g, k| magnus_step(g, strain, h * k as f64, h));
        let own = Pose::exp(&line.motion(length, length).twist());
        own.boxminus(&exact).to_vector().norm()
    };
    let order = (error(0.2) / error(0.1)).log2();
    assert!((order - 5.0).abs() < 0.2, "order {order}");
}

/// A natural strain that is a straight line is reproduced to the last digits, whatever the stiffness.
#[test]
fn natural_shape_has_no_stress() {
    let mut random = Random(23);
    let slope = Twist::new(random.vector(), Vector3::zeros());
    let mean = Twist::new(random.vector(), Vector3::x());
    let points: Vec<SectionPoint> = gauss_legendre(GAUSS_POINTS)
        .iter()
        .map(|gauss| {
            let offset = gauss.abscissa - 0.5;
            let stiff = Vector6::new(1.0, 2.0, 3.0, 1e8, 1e8, 1e8) * (1.0 + offset).powi(4);
            SectionPoint {
                offset,
                weight: gauss.weight,
                stiffness: Matrix6::from_diagonal(&stiff),
                natural: (mean + slope * offset).into(),
            }
        })
        .collect();
    let element = LinearStrainElement::new(1.0, &points);
    let response = element.respond(&Vector6::zeros());
    assert!(strain_vector(&(response.strain.mean - mean.into())).amax() < 1e-15);
    assert!(strain_vector(&(response.strain.slope - slope.into())).amax() < 1e-14);
    assert_eq!(element.energy(&response.strain), 0.0);
    let back = element.deform(&response.increment, None);
    assert!(element.energy(&back.strain) < 1e-20);
}

/// Beyond √12 rad of bending no straight line of strain follows the stress, and the element says so.
#[test]
fn response_tells_when_the_element_is_too_long() {
    let stiffness = Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 1e6, 1e6, 1e6));
    let points: Vec<SectionPoint> = gauss_legendre(GAUSS_POINTS)
        .iter()
        .map(|gauss| SectionPoint {
            offset: gauss.abscissa - 0.5,
            weight: gauss.weight,
            stiffness,
            natural: Twist::new(Vector3::zeros(), Vector3::x()).into(),
        })
        .collect();
    let element = LinearStrainElement::new(1.0, &points);
    let bent = |angle: f64| element.respond(&Vector6::new(0.0, angle, 0.0, 0.0, 0.0, 0.0));
    assert!(bent(12f64.sqrt() * 0.999).resolved);
    let over = bent(12f64.sqrt() * 1.001);
    assert!(!over.resolved && Cholesky::new(over.compliance).is_some());
}
