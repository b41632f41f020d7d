//! Curves of folds over two drives: the border of snap-free operation.
//!
//! With u of a second drive frozen, equilibria lie on branches R(s, t; u) = 0, and a fold is where the tangent of a branch has
//! no part along t. About a fold with tangent φ let F(σ, u) be that part, at the equilibrium that lies σ from the fold along φ.
//! F is smooth, and its zeros are the curve. A fold is where ∂F/∂σ ≠ 0; where that vanishes two folds meet in a *cusp*, and the
//! curve turns back in u, but in (σ, u) it goes on. So it is followed there by its own length, from frame to frame:
//!
//! ```text
//! predictor   along (−∂F/∂u, ∂F/∂σ)
//! corrector   along (∂F/∂σ, ∂F/∂u), by secants
//! ```

use crate::Iteration;
use crate::arclength::{Place, Station};
use crate::continuation::Continuation;
use crate::diagram::{self, EDGE, extended};
use crate::driver::Driver;
use crate::event::EventKind;
use crate::path::Step;
use crate::statics::StaticOptions;
use lissome_mech::{Inputs, System, Workspace};
use lissome_model::{Arclength, Drive, FoldCurveJob};

/// Differences of σ (rad, parts of the length) and of u (parts of its range) for the derivatives of F.
const DIFFERENCE: (f64, f64) = (2e-3, 1e-3);
/// Corrections at most, and how near to the curve is near enough, in σ and u.
const CORRECTIONS: usize = 8;
const ON_CURVE: f64 = 1e-8;
/// First and shortest step; steps grow by this at most.
const FIRST_STEP: f64 = 0.02;
const SHORTEST_STEP: f64 = 1e-5;
const GROWTH: f64 = 1.6;
const SHORTER: f64 = 0.4;
/// The cosine between directions of the curve in a row.
const STRAIGHT: f64 = 0.8;
/// Folds nearer than this in both parameters are one.
const SAME: f64 = 1e-4;

/// A fold on the curve.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldPoint {
    /// Parameter of the path's drives.
    pub at: f64,
    /// Parameter of the second drive.
    pub over: f64,
    /// Value of each drive of the scene there.
    pub drives: Vec<f64>,
    /// Directions in which the potential falls on the better side of the fold: 0 if a stable branch ends there.
    pub negative_directions: usize,
    /// True where two folds meet.
    pub cusp: bool,
}

/// How a curve of folds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldCurveEnd {
    /// One of the drives leaves its range.
    LeavesRange,
    /// It has had as many steps as were allowed.
    StepsSpent,
    /// No step, however short, leads on.
    Lost,
}

impl FoldCurveEnd {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::LeavesRange => "leaves-range",
            Self::StepsSpent => "steps-spent",
            Self::Lost => "lost",
        }
    }
}

/// A curve of folds.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldCurve {
    /// Its folds, in order.
    pub points: Vec<FoldPoint>,
    /// How it ended.
    pub end: FoldCurveEnd,
}

/// Follows every fold of the branch through the first equilibrium over the second drive, from the beginning of its range.
pub fn trace(
    system: &System,
    job: &FoldCurveJob,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Vec<FoldCurve> {
    let over = Over { system, end: job.end, drive: &system.drives()[job.over] };
    let how = Arclength { start_at: job.start_at, max_steps: job.max_steps, ..Arclength::default() };
    let mut folds: Vec<Place> = Vec::new();
    let mut see = |step: Step<'_>| {
        let folds_there = step.solution.outcome.events.iter().any(|event| event.kind == EventKind::Fold);
        if folds_there && step.index > 0 {
            let (state, inputs) = (step.solution.state.clone(), step.inputs.clone());
            folds.push(Place { state, inputs, t: step.at / job.end });
        }
        true
    };
    let first = |t: f64| over.inputs(t, 0.0);
    diagram::trace_along(system, job.end, &first, &how, options, work, observer, &mut see);
    let mut curves: Vec<FoldCurve> = Vec::new();
    for fold in folds {
        // Another fold may have led here around a cusp.
        let here = |point: &FoldPoint| point.over < SAME * job.end && (point.at / job.end - fold.t).abs() < SAME;
        if curves.iter().any(|curve| curve.points.iter().any(here)) {
            continue;
        }
        let mut driver = Driver { system, work, options, history: Vec::new(), checks: 0, definite: false, observer };
        let mut tracer = Tracer { driver: &mut driver, over: &over, job };
        curves.extend(tracer.run(fold));
    }
    curves
}

/// The second drive.
struct Over<'a> {
    system: &'a System,
    end: f64,
    drive: &'a Drive,
}

impl Over<'_> {
    /// What acts at t of the path's drives and u of this one, both as parts of their ranges.
    fn inputs(&self, t: f64, u: f64) -> Inputs {
        let mut inputs = extended(self.system, self.end, t);
        let value = |u: f64| self.drive.signal.at(self.end * u);
        let beyond = |inner: f64, edge: f64, by: f64| value(edge) + (value(edge) - value(inner)) * by / EDGE;
        let value = match u {
            u if u < 0.0 => beyond(EDGE, 0.0, -u),
            u if u > 1.0 => beyond(1.0 - EDGE, 1.0, u - 1.0),
            u => value(u),
        };
        inputs.set(self.drive.target.into(), value);
        inputs
    }
}

/// A fold with the frame about it.
#[derive(Clone)]
struct Frame {
    station: Station,
    u: f64,
}

/// Derivatives of F about a fold, and directions in which the potential falls on its better side.
struct Slopes {
    by_sigma: f64,
    by_u: f64,
    negative: usize,
}

struct Tracer<'t, 'd, 'a> {
    driver: &'t mut Driver<'d>,
    over: &'t Over<'a>,
    job: &'t FoldCurveJob,
}

impl Tracer<'_, '_, '_> {
    fn run(&mut self, fold: Place) -> Option<FoldCurve> {
        let mut at = self.frame(fold)?;
        let mut curve = FoldCurve { points: Vec::new(), end: FoldCurveEnd::StepsSpent };
        let mut earlier: Option<((f64, f64), Frame, f64)> = None;
        let mut length = FIRST_STEP.min(self.job.longest_step);
        for step in 0..self.job.max_steps {
            let Some(slopes) = self.slopes(&at) else {
                curve.end = FoldCurveEnd::Lost;
                break;
            };
            let size = slopes.by_sigma.hypot(slopes.by_u);
            let mut along = (-slopes.by_u / size, slopes.by_sigma / size);
            let turned = match &earlier {
                Some((before, ..)) => along.0 * before.0 + along.1 * before.1 < 0.0,
                None => along.1 < 0.0,
            };
            if turned {
                along = (-along.0, -along.1);
            }
            if let Some((before, from, went)) = &earlier
                && before.1 * along.1 < 0.0
                && let Some(cusp) = self.along_curve(from, *before, went * before.1 / (before.1 - along.1))
            {
                curve.points.push(self.point(&cusp, slopes.negative, true));
            }
            curve.points.push(self.point(&at, slopes.negative, false));
            if step > 0 && !(0.0..1.0).contains(&at.u) {
                curve.end = FoldCurveEnd::LeavesRange;
                break;
            }
            let next = loop {
                if length < SHORTEST_STEP {
                    break None;
                }
                let system = self.driver.system;
                match self.along_curve(&at, along, length) {
                    Some(next) if next.station.tangent.cosine(&at.station.tangent, system) > STRAIGHT => {
                        break Some(next);
                    }
                    _ => length *= SHORTER,
                }
            };
            let Some(next) = next else {
                curve.end = FoldCurveEnd::Lost;
                break;
            };
            let next = match next.u {
                u if (0.0..=1.0).contains(&u) => Some(next),
                u => self.at_edge(&at, along, if u > 1.0 { 1.0 } else { 0.0 }),
            };
            match next {
                Some(next) if (0.0..=1.0).contains(&next.station.place.t) => {
                    earlier = Some((along, std::mem::replace(&mut at, next), length));
                    length = (GROWTH * length).min(self.job.longest_step);
                }
                _ => {
                    curve.end = FoldCurveEnd::LeavesRange;
                    break;
                }
            }
        }
        Some(curve)
    }

    fn point(&self, at: &Frame, negative_directions: usize, cusp: bool) -> FoldPoint {
        let Place { inputs, t, .. } = &at.station.place;
        let (at, over) = (t * self.job.end, at.u * self.job.end);
        let drives = self.driver.system.drives().iter().map(|drive| inputs.get(drive.target.into())).collect();
        FoldPoint { at, over, drives, negative_directions, cusp }
    }

    /// The frame about a fold of the first branch.
    fn frame(&mut self, place: Place) -> Option<Frame> {
        let over = self.over;
        let course = |t: f64| over.inputs(t, 0.0);
        let tangent = way(self.driver, &course).arc_tangent(&place, None)?;
        Some(Frame { station: Station { place, tangent, negative: 0 }, u: 0.0 })
    }

    /// The equilibrium at σ along the frame and u of the second drive; its tangent's part along t is F.
    fn equilibrium(&mut self, frame: &Frame, sigma: f64, u: f64) -> Option<Station> {
        let over = self.over;
        let course = |t: f64| over.inputs(t, u);
        let mut start = frame.station.clone();
        start.place.inputs = course(start.place.t);
        self.driver.system.drive(&start.place.inputs, &mut start.place.state);
        Some(way(self.driver, &course).station_along(&start, sigma)?.0)
    }

    fn slopes(&mut self, at: &Frame) -> Option<Slopes> {
        let (sigma, u) = DIFFERENCE;
        let (ahead, behind) = (self.equilibrium(at, sigma, at.u)?, self.equilibrium(at, -sigma, at.u)?);
        let (more, less) = (self.equilibrium(at, 0.0, at.u + u)?, self.equilibrium(at, 0.0, at.u - u)?);
        Some(Slopes {
            by_sigma: (ahead.tangent.t - behind.tangent.t) / (2.0 * sigma),
            by_u: (more.tangent.t - less.tangent.t) / (2.0 * u),
            negative: ahead.negative.min(behind.negative),
        })
    }

    /// The fold at a length along the curve, corrected across it.
    fn along_curve(&mut self, at: &Frame, along: (f64, f64), length: f64) -> Option<Frame> {
        let across = (along.1, -along.0);
        let place = |c: f64| (length * along.0 + c * across.0, at.u + length * along.1 + c * across.1);
        self.secant(at, place, length)
    }

    /// The fold where the second drive is at an end of its range.
    fn at_edge(&mut self, at: &Frame, along: (f64, f64), edge: f64) -> Option<Frame> {
        let length = (edge - at.u) / along.1;
        let place = |c: f64| (length * along.0 + c, edge);
        self.secant(at, place, length.abs().max(DIFFERENCE.0))
    }

    /// The zero of F on a line through (σ, u), given by its own parameter, by secants.
    fn secant(&mut self, at: &Frame, place: impl Fn(f64) -> (f64, f64), reach: f64) -> Option<Frame> {
        let value = |tracer: &mut Self, c: f64| {
            let (sigma, u) = place(c);
            tracer.equilibrium(at, sigma, u)
        };
        let difference = (0.1 * reach).min(DIFFERENCE.0);
        let (mut before, mut here) = (difference, 0.0);
        let mut f_before = value(self, before)?.tangent.t;
        let mut found = value(self, here)?;
        for _ in 0..CORRECTIONS {
            let f = found.tangent.t;
            let slope = (f - f_before) / (here - before);
            let correction = -f / slope;
            if !correction.is_finite() || (here + correction).abs() > reach {
                return None;
            }
            (before, f_before) = (here, f);
            here += correction;
            found = value(self, here)?;
            if correction.abs() < ON_CURVE {
                return Some(Frame { station: found, u: place(here).1 });
            }
        }
        None
    }
}

fn way<'w, 'd>(driver: &'w mut Driver<'d>, course: &'w dyn Fn(f64) -> Inputs) -> Continuation<'w, 'd> {
    Continuation { driver, course, tolerance: SAME, judged: true, limit: usize::MAX, steps: 0 }
}
