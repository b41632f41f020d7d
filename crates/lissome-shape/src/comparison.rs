//! A rod's job: the shape asked for, the exact one and the approximations beside it, as a report shows them.

use crate::elastic::ElasticRod;
use crate::ends::Ends;
use crate::equilibria::{Found, Search, equilibria};
use crate::error::ShapeError;
use crate::options::{Mechanics, Method, Options, Winding};
use crate::shape::Shape;
use crate::solve::solve;
use crate::stability::Stability;
use lissome_model::{Rod, ShapeJob, ShapeMethod, ShapeWinding};

/// Everything there is to say of one rod between its ends.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The shape that was asked for.
    pub asked: Shape,
    /// The equilibrium it is held against, on the same winding; the same as `asked` if that is exact.
    pub exact: Shape,
    /// Stability of the exact shape.
    pub stability: Stability,
    /// The printed method, then least energy over cubics, quartics and quintics, as far as they have a shape.
    pub approximations: Vec<Shape>,
    /// Those that have none, and why.
    pub failed: Vec<(Method, ShapeError)>,
    /// Every equilibrium found, least energy first; empty unless asked for.
    pub all: Vec<Found>,
}

/// A rod of a scene, and what there is to say of it.
#[derive(Clone, Debug)]
pub struct RodShapes {
    /// The rod's name in the scene.
    pub rod: String,
    /// Its shapes.
    pub comparison: Comparison,
}

/// Largest distance between two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Of the centre lines, m.
    pub position: f64,
    /// Of the sections' rotations, rad.
    pub rotation: f64,
}

/// Places at which two shapes are compared.
pub const PLACES: usize = 201;

/// The rod and the ends of a scene's rod that is held at both.
pub fn problem_of(rod: &Rod) -> Result<(ElasticRod, Ends), ShapeError> {
    let elastic = ElasticRod::from_rod(rod)?;
    let hold = |end: &str, frame: &Option<lissome_model::Frame>| {
        let need = "a shape from end poses needs both ends held in the world".into();
        let path = format!("rod.{}.{end}", rod.name);
        let pose = frame.and_then(|frame| frame.world_pose());
        pose.ok_or_else(|| ShapeError::Rod(lissome_model::Invalid::new(path, lissome_model::Problem::Missing { need })))
    };
    let ends = Ends::new(hold("base", &rod.base)?, hold("tip", &rod.tip)?)?;
    Ok((elastic, ends))
}

/// What a scene's job means here.
pub fn options_of(job: &ShapeJob) -> Options {
    Options {
        method: match job.method {
            ShapeMethod::Printed => Method::PRINTED,
            ShapeMethod::Cubic => Method::Energy { degree: 3, segments: job.segments },
            ShapeMethod::Quartic => Method::Energy { degree: 4, segments: job.segments },
            ShapeMethod::Quintic => Method::Energy { degree: 5, segments: job.segments },
            ShapeMethod::Exact => Method::Exact,
        },
        mechanics: if job.stretching { Mechanics::Cosserat } else { Mechanics::Kirchhoff },
        winding: match job.winding {
            ShapeWinding::Least => Winding::Least,
            ShapeWinding::Shortest => Winding::Shortest,
            ShapeWinding::Unwrapped => Winding::Unwrapped,
        },
    }
}

/// Solves a rod's job and everything that is shown beside it.
pub fn compare(rod: &Rod, job: &ShapeJob) -> Result<Comparison, ShapeError> {
    let (elastic, ends) = problem_of(rod)?;
    let options = options_of(job);
    let asked = solve(&elastic, &ends, &options)?;
    let same_winding = |method: Method, mechanics: Mechanics| {
        let winding = Winding::Given(asked.winding);
        solve(&elastic, &ends, &Options { method, mechanics, winding })
    };
    let exact = match options.method {
        Method::Exact => asked.clone(),
        _ => same_winding(Method::Exact, options.mechanics)?,
    };
    let energy = |degree: usize| Method::Energy { degree, segments: job.segments };
    let (mut approximations, mut failed) = (Vec::new(), Vec::new());
    for method in [Method::PRINTED, energy(3), energy(4), energy(5)] {
        match same_winding(method, Mechanics::Kirchhoff) {
            Ok(shape) => approximations.push(shape),
            Err(error) => failed.push((method, error)),
        }
    }
    let all = if job.all {
        equilibria(&elastic, &ends, &Search { mechanics: options.mechanics, ..Search::default() })?
    } else {
        Vec::new()
    };
    Ok(Comparison { stability: exact.stability(), asked, exact, approximations, failed, all })
}

impl Comparison {
    /// True if an approximation is so far from the exact shape that it approximates another equilibrium: by more than a
    /// tenth of the length or half a radian, and by several times the error that it estimates for itself; or by so much that
    /// whatever it estimates does not matter.
    pub fn is_elsewhere(&self, approximation: &Shape) -> bool {
        const SEVERAL: f64 = 5.0;
        /// Part of the length, and rad: a rod seen from the other side.
        const ANYWHERE: (f64, f64) = (1.0 / 3.0, 2.0);
        let (distance, error) = (largest_distance(approximation, &self.exact), approximation.error());
        let length = approximation.rod.length();
        let far = |distance: f64, error: f64, allowed: f64| distance > allowed && distance > SEVERAL * error;
        far(distance.position, error.position, 0.1 * length)
            || far(distance.rotation, error.rotation, 0.5)
            || distance.position > ANYWHERE.0 * length
            || distance.rotation > ANYWHERE.1
    }
}

/// Distance of a shape from another at every one of [`PLACES`] equally spaced sections.
pub fn distances(shape: &Shape, exact: &Shape) -> Vec<Distance> {
    let between = |(a, b): (lissome_lie::Pose, lissome_lie::Pose)| Distance {
        position: (a.position - b.position).norm(),
        rotation: (a.rotation.inverse() * b.rotation).angle(),
    };
    shape.samples(PLACES).into_iter().zip(exact.samples(PLACES)).map(between).collect()
}

/// The largest of them, each by itself.
pub fn largest_distance(shape: &Shape, exact: &Shape) -> Distance {
    distances(shape, exact).into_iter().fold(Distance { position: 0.0, rotation: 0.0 }, |worst, here| Distance {
        position: worst.position.max(here.position),
        rotation: worst.rotation.max(here.rotation),
    })
}
