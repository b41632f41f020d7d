//! Scenes with knots in place of tolerances.

use super::difference::Difference;
use lissome_model::{Invalid, NaturalShape, Resolution, Rod, Scene};

/// Spans that a straight rod without jumps is first divided into.
pub const FIRST_SPANS: usize = 8;
/// Pieces that one span is divided into at once.
const MOST_PIECES: f64 = 8.0;
/// Power of the length of a span with which its contribution falls.
const ORDER: f64 = 4.0;
/// Pieces that one span is divided into at once where it lies in what it touches: few spans do.
const MOST_PIECES_SUNK: f64 = 4.0;

/// True if a tolerance decides how the rod is divided.
pub fn is_open(rod: &Rod) -> bool {
    rod.tolerance().is_some()
}

/// The scene with its tolerances replaced by the divisions that they start with, `least` spans or more.
pub fn starting(scene: &Scene, least: usize) -> Scene {
    let mut started = scene.clone();
    for (index, rod) in started.rods.iter_mut().enumerate() {
        if is_open(rod) {
            let knots = rod.starting_knots(&scene.rod_jumps(index), least);
            *rod.discretization.resolution_mut() = Resolution::Knots(knots);
        }
    }
    started
}

/// The scene with every span of every rod in two, and rods left as they are whose control poses are their natural shape.
pub fn halved(scene: &Scene) -> Result<Scene, Invalid> {
    let pieces: Vec<Vec<usize>> =
        (0..scene.rods.len()).map(|rod| Ok(vec![2; scene.rod_knots(rod)?.spans()])).collect::<Result<_, Invalid>>()?;
    divided(scene, &pieces)
}

/// The scene with every span of every rod in so many pieces.
pub fn divided(scene: &Scene, pieces: &[Vec<usize>]) -> Result<Scene, Invalid> {
    let mut finer = scene.clone();
    for (index, pieces) in pieces.iter().enumerate() {
        let rod = &mut finer.rods[index];
        if matches!(rod.natural, NaturalShape::ControlPoses(_)) {
            continue;
        }
        let lines = scene.rod_knots(index)?.lines();
        let mut knots = Vec::with_capacity(2 * lines.len());
        for (pair, count) in lines.windows(2).zip(pieces) {
            let part = (pair[1] - pair[0]) / *count as f64;
            knots.extend((1..*count).map(|k| pair[0] + part * k as f64));
            knots.push(pair[1]);
        }
        knots.pop();
        *rod.discretization.resolution_mut() = Resolution::Knots(knots);
    }
    Ok(finer)
}

/// The scene with every span in two of the rods that a tolerance of `asked` divides.
pub fn halved_open(scene: &Scene, asked: &Scene) -> Result<Scene, Invalid> {
    let pieces = asked.rods.iter().enumerate().map(|(index, rod)| {
        let pieces = if is_open(rod) { 2 } else { 1 };
        Ok(vec![pieces; scene.rod_knots(index)?.spans()])
    });
    divided(scene, &pieces.collect::<Result<Vec<_>, Invalid>>()?)
}

/// What is left of the error over what is allowed, on the rod where that is largest.
pub fn excess(asked: &Scene, found: &[Difference], left: f64) -> f64 {
    let rods = asked.rods.iter().zip(found);
    rods.filter_map(|(rod, found)| Some(left * found.size() / rod.tolerance()?)).fold(0.0, f64::max)
}

/// The largest contribution of a span that may be divided.
pub fn largest_contribution(asked: &Scene, found: &[Difference]) -> f64 {
    let rods = asked.rods.iter().zip(found).filter(|(rod, _)| is_open(rod));
    rods.flat_map(|(_, found)| found.contributions.iter().copied()).fold(0.0, f64::max)
}

/// The scene divided so that no span contributes more than `share` of the largest contribution. Where things touch, errors fall
/// with the distance of the points that touch: no span is divided into more than two at a time, since many would not gain what they cost.
pub fn refined(scene: &Scene, asked: &Scene, found: &[Difference], share: f64) -> Result<Scene, Invalid> {
    let most = if asked.has_contacts() { 2.0 } else { MOST_PIECES };
    refined_by(scene, asked, found, share, |excess| excess.powf(1.0 / ORDER).ceil().min(most))
}

/// The same of how deep rods lie in what they touch, which falls with the length of a span over an edge.
pub fn refined_where_sunk(scene: &Scene, asked: &Scene, found: &[Difference], share: f64) -> Result<Scene, Invalid> {
    refined_by(scene, asked, found, share, |excess| excess.ceil().min(MOST_PIECES_SUNK))
}

/// The pieces of a span are a function of how many times it contributes more than it may.
fn refined_by(
    scene: &Scene,
    asked: &Scene,
    found: &[Difference],
    share: f64,
    pieces: impl Fn(f64) -> f64,
) -> Result<Scene, Invalid> {
    let bound = share * largest_contribution(asked, found);
    let needed = asked.rods.iter().zip(found).map(|(rod, found)| {
        let needed = |own: &f64| match is_open(rod) && bound > 0.0 {
            true => pieces(own / bound).max(1.0) as usize,
            false => 1,
        };
        found.contributions.iter().map(needed).collect()
    });
    divided(scene, &needed.collect::<Vec<Vec<usize>>>())
}
