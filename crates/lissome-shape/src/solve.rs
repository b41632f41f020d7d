//! From two end poses to a shape. Start reading here.

use crate::elastic::ElasticRod;
use crate::ends::Ends;
use crate::energy::chain::{Chain, MAX_SEGMENTS};
use crate::energy::ladder::{Missed, Start};
use crate::energy::{Minimum, element, ladder, wrench_fit};
use crate::error::ShapeError;
use crate::exact::{self, Equilibrium, Guess};
use crate::options::{Mechanics, Method, Options, Quadrature, Winding};
use crate::polynomial::PolynomialCurve;
use crate::printed;
use crate::shape::{Curve, Shape};
use crate::winding::{Windings, windings};
use lissome_lie::{Pose, Rotation, Wrench};
use nalgebra::Vector3;

/// Ends this close to the rod's length (relative) leave it no freedom but to be straight.
pub(crate) const TAUT: f64 = 1e-12;
/// Largest angle of a tangent with the chord for the straight rod to count as a fit, rad.
const STRAIGHT_ANGLE: f64 = 1e-7;
/// Ends farther apart than this part of the length pull a rod that stretches nearly straight.
const SLACK: f64 = 0.98;
/// The problem without units: the tip seen from the base, position over length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduced {
    pub tip: Pose,
}

impl Reduced {
    pub fn new(rod: &ElasticRod, ends: &Ends) -> Self {
        let relative = ends.base_from_tip();
        Self { tip: Pose::new(relative.rotation, relative.position / rod.length()) }
    }

    fn is_taut(&self) -> bool {
        self.tip.position.norm() >= 1.0 - TAUT
    }
}

/// The shape of the rod between its two ends.
pub fn solve(rod: &ElasticRod, ends: &Ends, options: &Options) -> Result<Shape, ShapeError> {
    let mechanics = if options.method == Method::Exact { options.mechanics } else { Mechanics::Kirchhoff };
    refuse(rod, ends, mechanics)?;
    let reduced = Reduced::new(rod, ends);
    if mechanics == Mechanics::Kirchhoff && reduced.is_taut() {
        return straight(rod, ends, &reduced, options);
    }
    match options.method {
        Method::Printed { quadrature } => {
            let windings = windings(rod, &reduced.tip, options.winding)?;
            printed_shape(rod, ends, &reduced, &windings, quadrature)
        }
        Method::Energy { degree, segments } => {
            let windings = windings(rod, &reduced.tip, options.winding)?;
            energy_shape(rod, ends, &reduced, &windings, degree, segments)
        }
        Method::Exact => {
            let (found, winding) = equilibrium(rod, ends, options)?;
            Ok(shape_of(rod, ends, found, winding))
        }
    }
}

/// Refuses ends that are not finite, and those that a rod which does not stretch cannot reach.
pub(crate) fn refuse(rod: &ElasticRod, ends: &Ends, mechanics: Mechanics) -> Result<(), ShapeError> {
    Ends::new(ends.base, ends.tip)?;
    let distance = Reduced::new(rod, ends).tip.position.norm();
    if mechanics == Mechanics::Kirchhoff && distance > 1.0 + TAUT {
        return Err(ShapeError::TooFarApart { distance: distance * rod.length(), length: rod.length() });
    }
    Ok(())
}

/// The straight rod, where it is the only shape; its tension is not determined and taken as none.
fn straight(rod: &ElasticRod, ends: &Ends, reduced: &Reduced, options: &Options) -> Result<Shape, ShapeError> {
    let position = reduced.tip.position;
    let distance = position.norm();
    let chord = position / distance;
    let off = |tangent: Vector3<f64>| tangent.cross(&chord).norm().atan2(tangent.dot(&chord));
    let misalignment = off(Vector3::x()).max(off(reduced.tip.rotation.rotate(&Vector3::x())));
    if misalignment > STRAIGHT_ANGLE || !rod.is_naturally_straight() {
        return Err(ShapeError::Taut { length: rod.length(), misalignment });
    }
    let twist = match options.winding {
        Winding::Given(x) => x.x,
        _ => reduced.tip.rotation.log().x,
    };
    let mut blocks = [Vector3::zeros(); crate::polynomial::MAX_POWER];
    blocks[0] = Vector3::new(twist, 0.0, 0.0);
    let chain = Chain::single(3, blocks);
    let basis = chain.basis();
    let (energy, _) = chain.value(&basis, &chain.sections(rod, &basis));
    let curve = chain.curve();
    let wrench = wrench_fit::wrench_of(rod, &curve);
    let miss = (curve.pose(1.0).1 - position).norm();
    Ok(Shape {
        rod: rod.clone(),
        base: ends.base,
        curve: Curve::Polynomial { curve, chain },
        wrench,
        method: options.method,
        winding: blocks[0],
        energy: rod.energy_in_si(energy),
        history: vec![miss],
        residual: STRAIGHT_ANGLE,
    })
}

fn printed_shape(
    rod: &ElasticRod,
    ends: &Ends,
    reduced: &Reduced,
    windings: &Windings,
    quadrature: Quadrature,
) -> Result<Shape, ShapeError> {
    let position = &reduced.tip.position;
    let attempt = |total: &Vector3<f64>| {
        let found = printed::solve(rod, total, position, quadrature);
        let chain = Chain::single(3, element::from_cubic(&found.curve.segments()[0].powers));
        let basis = chain.basis();
        let (energy, _) = chain.value(&basis, &chain.sections(rod, &basis));
        (found, chain, energy)
    };
    let mut winding = windings.first;
    let (mut found, mut chain, mut energy) = attempt(&winding);
    if let Some(other) = windings.second(rod, found.converged.then_some(energy)) {
        let second = attempt(&other);
        if second.0.converged && (!found.converged || second.2 < energy) {
            (found, chain, energy) = second;
            winding = other;
        }
    }
    let history = found.history.as_slice();
    if !found.converged {
        let residual = *history.last().expect("the start is recorded");
        return Err(ShapeError::NotConverged { iterations: history.len() - 1, residual });
    }
    let wrench = wrench_fit::wrench_of(rod, &found.curve);
    Ok(Shape {
        rod: rod.clone(),
        base: ends.base,
        wrench,
        method: Method::Printed { quadrature },
        winding,
        energy: rod.energy_in_si(energy),
        history: history.to_vec(),
        residual: 0.0,
        curve: Curve::Polynomial { curve: found.curve, chain },
    })
}

/// The least-energy polynomial shape over both windings, with the winding it took.
fn least(
    rod: &ElasticRod,
    windings: &Windings,
    attempt: impl Fn(&Vector3<f64>) -> Result<Minimum, Missed>,
) -> Result<(Minimum, Vector3<f64>), Missed> {
    let first = attempt(&windings.first);
    let Some(other) = windings.second(rod, first.as_ref().ok().map(|found| found.energy)) else {
        return first.map(|found| (found, windings.first));
    };
    match (first, attempt(&other)) {
        (Ok(a), Ok(b)) if b.energy < a.energy * (1.0 - 1e-9) => Ok((b, other)),
        (Ok(a), _) => Ok((a, windings.first)),
        (Err(_), b) => b.map(|found| (found, other)),
    }
}

fn energy_shape(
    rod: &ElasticRod,
    ends: &Ends,
    reduced: &Reduced,
    windings: &Windings,
    degree: usize,
    segments: usize,
) -> Result<Shape, ShapeError> {
    if !(3..=5).contains(&degree) {
        return Err(ShapeError::Degree { found: degree });
    }
    let least_segments = rod.breaks().count() + 1;
    if segments > MAX_SEGMENTS || least_segments > MAX_SEGMENTS || (segments > 0 && segments < least_segments) {
        return Err(ShapeError::Segments { found: segments, least: least_segments, most: MAX_SEGMENTS });
    }
    let position = &reduced.tip.position;
    let cuts = ladder::cuts(rod, segments);
    let attempt = |total: &Vector3<f64>| {
        ladder::from_printed(rod, total, position, degree, &cuts).or_else(|missed| {
            let start = Start::helix(rod, total, position);
            let known = ladder::from_start(rod, &start, position).map_err(|_| missed)?;
            ladder::from_curve(rod, &known, position, degree, &cuts)
        })
    };
    let (found, winding) = least(rod, windings, attempt).map_err(|Missed { iterations, residual }| {
        ShapeError::NoPolynomial { degree, segments: cuts.len() - 1, iterations, residual }
    })?;
    Ok(Shape {
        rod: rod.clone(),
        base: ends.base,
        wrench: Wrench::new(found.moment, found.force),
        method: Method::Energy { degree, segments },
        winding,
        energy: rod.energy_in_si(found.energy),
        residual: 0.0,
        curve: Curve::Polynomial { curve: found.chain.curve(), chain: found.chain },
        history: found.history,
    })
}

/// A way to a minimum of the energy for a total rotation.
type StartOf<'a> = dyn Fn(&Vector3<f64>) -> Result<Minimum, Missed> + 'a;

/// The equilibrium between two ends, and the winding that led to it.
pub(crate) fn equilibrium(
    rod: &ElasticRod,
    ends: &Ends,
    options: &Options,
) -> Result<(Equilibrium, Vector3<f64>), ShapeError> {
    refuse(rod, ends, options.mechanics)?;
    let reduced = Reduced::new(rod, ends);
    let windings = windings(rod, &reduced.tip, options.winding)?;
    let distance = reduced.tip.position.norm();
    if options.mechanics == Mechanics::Cosserat && distance > SLACK {
        return stretched(rod, &reduced, &windings);
    }
    let mut missed = ShapeError::NotConverged { iterations: 0, residual: distance };
    let position = &reduced.tip.position;
    let cuts = ladder::cuts(rod, 0);
    let starts: [&StartOf<'_>; 2] = [&|total| ladder::from_printed(rod, total, position, 5, &cuts), &|total| {
        ladder::from_start(rod, &Start::helix(rod, total, position), position)
    }];
    for start in starts {
        let (minimum, winding) = match least(rod, &windings, start) {
            Ok(least) => least,
            Err(Missed { iterations, residual }) => {
                missed = ShapeError::NotConverged { iterations, residual };
                continue;
            }
        };
        let minimum = finer(rod, position, minimum);
        let found = from_minimum(rod, options.mechanics, &reduced, &minimum);
        if found.converged {
            return Ok((found, winding));
        }
        missed = found.missed();
    }
    Err(missed)
}

/// A rod that stretches, between ends nearly or more than its length apart: Newton from the straight chord, which is the
/// answer but for bending near the ends; failing that, led there from a slack shape.
fn stretched(
    rod: &ElasticRod,
    reduced: &Reduced,
    windings: &Windings,
) -> Result<(Equilibrium, Vector3<f64>), ShapeError> {
    let (tip, total) = (reduced.tip, windings.first);
    let (bending, natural) = rod.bending_at(0.0);
    let distance = tip.position.norm();
    let tension = (distance - 1.0).max(0.0) * rod.stretch_stiffness();
    let wrench = Wrench::new(bending.stiffness * (total - natural), tip.position * (tension / distance));
    let guess = Guess { wrench, turning: total.norm() };
    let chord = |tau: f64| Pose::new(Rotation::exp(&(total * tau)), tip.position * tau);
    let direct = exact::equilibrium(rod, Mechanics::Cosserat, &tip, &guess, chord);
    if direct.converged {
        return Ok((direct, total));
    }
    let slack = Reduced { tip: Pose::new(tip.rotation, tip.position * (SLACK / distance)) };
    let start = ladder::from_start(rod, &Start::helix(rod, &total, &slack.tip.position), &slack.tip.position)
        .map_err(|_| direct.missed())?;
    let mut here = from_minimum(rod, Mechanics::Cosserat, &slack, &start);
    let way = tip.boxminus(&slack.tip);
    let (mut reached, mut step) = (0.0, 0.25);
    while here.converged && reached < 1.0 {
        let next = f64::min(1.0, reached + step);
        let mut curve = here.coarse.clone();
        if let Some(last) = curve.nodes.last_mut() {
            *last = slack.tip.boxplus(&(way * next));
        }
        let there = exact::refine::polish(rod, curve);
        if there.converged {
            (here, reached, step) = (there, next, 2.0 * step);
        } else {
            step *= 0.5;
            if step < 1e-4 {
                return Err(there.missed());
            }
        }
    }
    if here.converged { Ok((here, total)) } else { Err(here.missed()) }
}

/// Where a rod turns fast a single polynomial is a poor seed: several take its place, if they have a minimum too.
fn finer(rod: &ElasticRod, position: &Vector3<f64>, minimum: Minimum) -> Minimum {
    /// Turning rate (rad per length) that one quintic follows well.
    const ONE_QUINTIC: f64 = 6.0;
    let turning = largest_curvature(&minimum.chain.curve());
    let segments = ((2.0 * turning / ONE_QUINTIC) as usize).min(MAX_SEGMENTS / 2);
    if turning <= ONE_QUINTIC || segments <= minimum.chain.spans.len() {
        return minimum;
    }
    ladder::from_curve(rod, &minimum, position, 5, &ladder::cuts(rod, segments)).unwrap_or(minimum)
}

/// The equilibrium next to a minimum of the energy among polynomials.
pub(crate) fn from_minimum(
    rod: &ElasticRod,
    mechanics: Mechanics,
    reduced: &Reduced,
    minimum: &Minimum,
) -> Equilibrium {
    let curve = minimum.chain.curve();
    let guess = Guess { wrench: Wrench::new(minimum.moment, minimum.force), turning: largest_curvature(&curve) };
    exact::equilibrium(rod, mechanics, &reduced.tip, &guess, |tau| {
        let (rotation, position) = curve.pose(tau);
        Pose::new(Rotation::from_matrix(&rotation, 1e-6).unwrap_or_default(), position)
    })
}

pub(crate) fn largest_curvature(curve: &PolynomialCurve) -> f64 {
    const SAMPLES: usize = 9;
    (0..SAMPLES).map(|i| curve.curvature(i as f64 / (SAMPLES - 1) as f64).norm()).fold(0.0, f64::max)
}

/// An equilibrium as a shape in the world.
pub(crate) fn shape_of(rod: &ElasticRod, ends: &Ends, found: Equilibrium, winding: Vector3<f64>) -> Shape {
    Shape {
        base: ends.base,
        wrench: found.curve.wrench,
        method: Method::Exact,
        winding,
        energy: rod.energy_in_si(found.curve.energy(rod)),
        residual: found.residual,
        history: found.history,
        curve: Curve::Exact(found.curve),
        rod: rod.clone(),
    }
}
