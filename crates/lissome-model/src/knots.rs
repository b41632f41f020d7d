//! The knots of a rod: where its curve is divided, and how many unknowns that makes. Equations and estimates of their
//! size both follow this one rule.

use crate::discretization::STARTING_SPANS;
use crate::invalid::{Invalid, Problem};
use crate::span_limits::{MAX_SCENE_SPANS, MAX_SPANS};
use crate::{LoadKind, NaturalShape, Resolution, Rod, Scene, ScenePart};
use lissome_lie::{Break, open_uniform_knots};
use std::f64::consts::TAU;
use std::iter::repeat_n;

/// Jumps nearer than this part of the length to an end or to each other are one.
const COINCIDENT: f64 = 1e-8;
/// Natural turn that one span of the starting division holds at most, rad.
const TURN_OF_A_SPAN: f64 = 0.6;
/// Change of the bending stiffness that one span of it holds at most, as a natural logarithm.
const TAPER_OF_A_SPAN: f64 = 0.7;
/// Power of the bending stiffness with which spans of it shrink. Of a round section of radius a the compliance goes with
/// 1/a⁴, its third derivative with 1/a⁷, and what a span of length h errs by with h⁴ times that: h as the power 7/16 of the
/// stiffness. A little less, since the moment is often largest at the stiff end.
const SPANS_BY_STIFFNESS: f64 = 0.375;

/// How a rod is divided.
#[derive(Clone, Debug, PartialEq)]
pub struct RodKnots {
    /// Polynomial degree of the curve.
    pub degree: usize,
    /// Open knot vector in arc length, m.
    pub knots: Vec<f64>,
}

impl RodKnots {
    /// Number of control poses.
    pub fn poses(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// Number of increments between control poses, and of independent stresses of a mixed form.
    pub fn increments(&self) -> usize {
        self.poses() - 1
    }

    /// Number of spans that are not empty.
    pub fn spans(&self) -> usize {
        self.knots.windows(2).filter(|pair| pair[0] < pair[1]).count()
    }

    /// Ends of the spans that are not empty: both ends of the rod and every place of a knot between them, once.
    pub fn lines(&self) -> Vec<f64> {
        let mut lines = self.knots.clone();
        lines.dedup();
        lines
    }
}

impl Rod {
    /// The tolerance that decides how the rod is divided, if one does: where control poses are the natural shape they are the
    /// division.
    pub fn tolerance(&self) -> Option<f64> {
        match (&self.natural, self.discretization.resolution()) {
            (NaturalShape::ControlPoses(_), _) => None,
            (_, Resolution::Tolerance(relative)) => Some(*relative),
            (_, Resolution::Spans(_) | Resolution::Knots(_)) => None,
        }
    }

    /// Arc lengths inside the rod where its stress or strain may jump, in order: these places, steps of the section and of
    /// the natural shape.
    pub fn jumps(&self, places: &[f64]) -> Vec<f64> {
        let mut at: Vec<f64> = places.iter().copied().chain(self.profile.steps()).chain(self.natural.steps()).collect();
        at.extend(self.tubes.iter().flat_map(|tubes| tubes.breaks()));
        let near = COINCIDENT * self.length;
        at.retain(|s| *s > near && *s < self.length - near);
        at.sort_by(f64::total_cmp);
        at.dedup_by(|a, b| *a - *b < near);
        at
    }

    /// Places inside a rod with these jumps where a tolerance that nothing refines yet divides it: no span is longer than
    /// the length over `least`, none turns far in the natural shape or tapers much, and spans end where tables have corners.
    pub fn starting_knots(&self, jumps: &[f64], least: usize) -> Vec<f64> {
        let places: Vec<f64> = self.corners().into_iter().chain(jumps.iter().copied()).collect();
        let least = self.discretization.starting_pieces(least);
        let mut ends = self.jumps(&places);
        ends.push(self.length);
        let mut knots = Vec::new();
        let mut from = 0.0;
        for to in ends {
            let size = to - from;
            let share = size / self.length * least as f64;
            // Turns that it is given before its ends are held come on top of the natural shape.
            let given = (self.turns.x.abs() + self.turns.y.hypot(self.turns.z)) * TAU * size / self.length;
            let turn = self.natural_turn(from, to) + given;
            let pieces = share.max(turn / TURN_OF_A_SPAN).max(self.taper(from, to).abs() / TAPER_OF_A_SPAN);
            let pieces = (pieces - COINCIDENT * least as f64).ceil().clamp(1.0, MAX_SPANS as f64 / 4.0);
            let share = |k: usize| self.share_of_taper(from, to, k as f64 / pieces);
            knots.extend((1..pieces as usize).map(|k| from + size * share(k)));
            knots.push(to);
            from = to;
        }
        knots.pop();
        knots
    }

    /// Places where the strain of the unloaded rod, or that which answers to a stress, may have a corner: those that the
    /// tables of the natural shape and of the section name.
    fn corners(&self) -> Vec<f64> {
        self.natural.places().into_iter().chain(self.profile.stations.iter().map(|station| station.s)).collect()
    }

    /// By how much the natural shape turns between two neighbouring corners of its table, rad.
    fn natural_turn(&self, from: f64, to: f64) -> f64 {
        if let Some(tubes) = &self.tubes {
            return (to - from) * tubes.largest_curvature(from, to);
        }
        let bend = |part: f64| self.natural.strain_at(from + part * (to - from)).map_or(0.0, |x| x.curvature.norm());
        // Just inside, where a step shows the side that counts.
        (to - from) * (bend(1e-6) + 4.0 * bend(0.5) + bend(1.0 - 1e-6)) / 6.0
    }

    /// Where spans end that shrink with the bending stiffness, of the way between two neighbouring stations: the strain of a
    /// rod changes the faster the softer it is. A span is as long as this power of the stiffness there, on a way on which that
    /// changes geometrically.
    fn share_of_taper(&self, from: f64, to: f64, part: f64) -> f64 {
        let power = -SPANS_BY_STIFFNESS * self.taper(from, to);
        match power.abs() < 0.1 {
            true => part,
            false => (power.exp_m1() * part).ln_1p() / power,
        }
    }

    /// By how much the bending stiffness changes between two neighbouring stations, as a natural logarithm.
    fn taper(&self, from: f64, to: f64) -> f64 {
        let stiffness = |part: f64| {
            let k = self.profile.at(from + part * (to - from)).stiffness();
            k[(1, 1)].min(k[(2, 2)])
        };
        (stiffness(1.0 - 1e-6) / stiffness(1e-6)).ln()
    }

    /// The knots of the rod with loads and attachments at these places: those that its discretization asks for (for a
    /// tolerance those that it starts with), and a knot of full multiplicity at every jump, so that a control pose lies
    /// there and the stress may jump.
    pub fn knots(&self, places: &[f64]) -> Result<RodKnots, Invalid> {
        let refuse = |key: &str, reason: String| {
            Invalid::new(format!("{}.{key}", self.path()), Problem::Contradiction { reason })
        };
        let degree = self.discretization.degree();
        let jumps = self.jumps(places);
        let spans = match (&self.natural, self.discretization.resolution()) {
            (NaturalShape::ControlPoses(_), _) if !jumps.is_empty() => {
                let reason = "control poses fix the knots, so loads must sit at the ends and sections must not step";
                return Err(refuse("shape", reason.into()));
            }
            (NaturalShape::ControlPoses(poses), _) => poses.len().saturating_sub(degree),
            (_, Resolution::Spans(spans)) => *spans,
            (_, Resolution::Tolerance(_)) => {
                let inner = self.starting_knots(&jumps, STARTING_SPANS);
                return Ok(RodKnots { degree, knots: self.open_knots(degree, &inner, &jumps) });
            }
            (_, Resolution::Knots(inner)) => {
                let inside = |s: &f64| *s > 0.0 && *s < self.length;
                if !inner.iter().all(inside) || inner.windows(2).any(|pair| pair[0] >= pair[1]) {
                    return Err(refuse("model", "has knots that are not inside the rod or not in order".into()));
                }
                return Ok(RodKnots { degree, knots: self.open_knots(degree, inner, &jumps) });
            }
        };
        let breaks: Vec<Break> = jumps.into_iter().map(|at| Break { at, multiplicity: degree }).collect();
        let mut knots = Vec::with_capacity(spans + (breaks.len() + 2) * (degree + 1));
        open_uniform_knots(degree, self.length, spans, &breaks, &mut knots)
            .map_err(|error| refuse("model.spline", error.to_string()))?;
        Ok(RodKnots { degree, knots })
    }

    /// An open knot vector with simple knots at these places, full ones at jumps and, where a place is a corner, knots that
    /// let the strain have one; a place that all but meets a jump, an end or the place before it is dropped. Both lists are
    /// in order.
    fn open_knots(&self, degree: usize, inner: &[f64], jumps: &[f64]) -> Vec<f64> {
        let near = COINCIDENT * self.length;
        let corners = self.corners();
        let multiplicity = |s: f64| match corners.iter().any(|corner| (corner - s).abs() <= near) {
            true => (degree - 1).max(1),
            false => 1,
        };
        let mut knots = vec![0.0; degree + 1];
        let mut jumps = jumps.iter().copied().peekable();
        for s in inner.iter().copied().chain([self.length]) {
            while let Some(jump) = jumps.next_if(|jump| *jump <= s + near) {
                knots.extend(repeat_n(jump, degree));
            }
            let last = knots[knots.len() - 1];
            let next = jumps.peek().copied().unwrap_or(self.length);
            if s - last > near && next - s > near && s < self.length - near {
                knots.extend(repeat_n(s, multiplicity(s)));
            }
        }
        knots.extend(repeat_n(self.length, degree + 1));
        knots
    }
}

impl Scene {
    /// Arc lengths of a rod where loads begin, end or act, and where something is attached.
    pub fn places_on(&self, rod: usize) -> Vec<f64> {
        let loads = self.loads.iter().filter(|load| load.rod == rod).flat_map(|load| match load.kind {
            LoadKind::Point { at, .. } => vec![at],
            LoadKind::Distributed { from, to, .. } => vec![from, to],
        });
        loads.chain(self.stations(rod)).collect()
    }

    /// The same of every rod, in one walk over the scene.
    pub fn places_by_rod(&self) -> Vec<Vec<f64>> {
        let mut places = self.stations_by_rod();
        for load in &self.loads {
            match load.kind {
                LoadKind::Point { at, .. } => places[load.rod].push(at),
                LoadKind::Distributed { from, to, .. } => places[load.rod].extend([from, to]),
            }
        }
        places
    }

    /// Refuses scenes whose equations no memory holds.
    pub(crate) fn validate_size(&self) -> Result<(), Invalid> {
        let given = |rod: &Rod| match rod.discretization.resolution() {
            Resolution::Spans(spans) => *spans,
            Resolution::Knots(inner) => inner.len() + 1,
            Resolution::Tolerance(_) => STARTING_SPANS,
        };
        let spans = self.rods.iter().map(given).fold(0, usize::saturating_add);
        if spans > MAX_SCENE_SPANS {
            return Err(Invalid::new("rod", Problem::TooManySpans { found: spans, limit: MAX_SCENE_SPANS }));
        }
        Ok(())
    }

    /// Arc lengths inside a rod where its stress or strain may jump, in order.
    pub fn rod_jumps(&self, rod: usize) -> Vec<f64> {
        self.rods[rod].jumps(&self.places_on(rod))
    }

    /// Divides the rods as those of another scene are that differs in its numbers alone: every span lies between the same loads,
    /// attachments and steps, of which it takes the same part. False if they are not as many.
    pub fn divide_like(&mut self, other: &Scene) -> bool {
        self.divide_beside(other, None)
    }

    /// The same where the parts are known in which they may differ.
    pub fn divide_beside(&mut self, other: &Scene, changed: Option<&[ScenePart]>) -> bool {
        let changed = changed.filter(|changed| self.has_places_of(other, changed));
        let marks = |scene: &Scene, index: usize, places: &[f64]| {
            let rod = &scene.rods[index];
            let all: Vec<f64> = rod.corners().into_iter().chain(places.iter().copied()).collect();
            let mut marks = vec![0.0];
            marks.extend(rod.jumps(&all));
            marks.push(rod.length);
            marks
        };
        let mut places: Option<[Vec<Vec<f64>>; 2]> = None;
        for index in 0..self.rods.len() {
            if changed.is_some_and(|changed| !changed.contains(&ScenePart::Rod(index))) {
                let given = other.rods[index].discretization.resolution();
                if self.rods[index].discretization.resolution() != given {
                    *self.rods[index].discretization.resolution_mut() = given.clone();
                }
                continue;
            }
            let is_given = |scene: &Scene| matches!(scene.rods[index].natural, NaturalShape::ControlPoses(_));
            if is_given(self) && is_given(other) {
                // As many control poses are the same division, whatever else is said.
                let given = other.rods[index].discretization.resolution().clone();
                *self.rods[index].discretization.resolution_mut() = given;
                continue;
            }
            let [own, others] = &*places.get_or_insert_with(|| [self.places_by_rod(), other.places_by_rod()]);
            let given = std::mem::replace(
                self.rods[index].discretization.resolution_mut(),
                other.rods[index].discretization.resolution().clone(),
            );
            if self.rods[index] == other.rods[index] && own[index] == others[index] {
                continue;
            }
            *self.rods[index].discretization.resolution_mut() = given;
            let mut resolution = other.rods[index].discretization.resolution().clone();
            if let (Resolution::Spans(_), false) =
                (&resolution, self.is_divided_alike(other, index, [&own[index], &others[index]]))
            {
                // Evenly divided, spans would come to lie between other places.
                let Ok(knots) = other.rods[index].knots(&others[index]) else { return false };
                let lines = knots.lines();
                resolution = Resolution::Knots(lines[1..lines.len() - 1].to_vec());
            }
            if let Resolution::Knots(knots) = &mut resolution {
                let (from, to) = (marks(other, index, &others[index]), marks(self, index, &own[index]));
                if from.len() != to.len() {
                    return false;
                }
                for knot in knots.iter_mut() {
                    let after = from.partition_point(|mark| mark < knot).clamp(1, from.len() - 1);
                    let part = (*knot - from[after - 1]) / (from[after] - from[after - 1]);
                    *knot = to[after - 1] + part * (to[after] - to[after - 1]);
                }
            }
            *self.rods[index].discretization.resolution_mut() = resolution;
        }
        true
    }

    /// True if a rod has as many knots as that of another scene, each as often, with loads and attachments at these places.
    fn is_divided_alike(&self, other: &Scene, rod: usize, places: [&[f64]; 2]) -> bool {
        let [own, others] = places;
        let (Ok(own), Ok(others)) = (self.rods[rod].knots(own), other.rods[rod].knots(others)) else { return false };
        let repeats = |knots: &[f64]| knots.windows(2).map(|pair| pair[0] == pair[1]).collect::<Vec<bool>>();
        repeats(&own.knots) == repeats(&others.knots)
    }

    /// The knots of a rod.
    pub fn rod_knots(&self, rod: usize) -> Result<RodKnots, Invalid> {
        self.rods[rod].knots(&self.places_on(rod))
    }
}
