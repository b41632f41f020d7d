//! Whether rods went through each other within a step, told by where they run and by nothing else: contacts follow the
//! places that they know, and what nobody follows shows itself here.

use crate::kind::contact::ground::{Ground, Neighbour};
use crate::kind::contact::skin::Skin;
use crate::{State, System};
use lissome_geometry::Bounds;
use lissome_geometry::broad::Sweep;
use lissome_geometry::pairs::nearest_of_segments;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rods are inside each other if their centrelines come closer than this part of their radii.
pub const INSIDE: f64 = 0.5;
/// A rod is looked at in chords as long as so many radii, and no more of them in a span.
const CHORD: f64 = 2.0;
const MOST_CHORDS: f64 = 12.0;
/// Two places of one rod are strangers if they are apart by so many times the distance at which they may touch.
const STRANGERS: f64 = 1.5;
/// The least part of a step between two looks at a pair.
const LEAST_ADVANCE: f64 = 0.02;

/// Two places that came too close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passing {
    /// Numbers of the rods.
    pub rods: [usize; 2],
    /// Arc lengths, m.
    pub at: [f64; 2],
    /// Distance of the centrelines over the radii together.
    pub closeness: f64,
}

/// The rods of a system as chords, and where they were.
#[derive(Clone, Debug, Default)]
pub struct Strands {
    rods: Vec<Strand>,
    /// Pairs of strands that may not pass, each with the least distance along a rod.
    pairs: BTreeMap<(usize, usize), Option<f64>>,
    /// Strand and point of each chord.
    chords: Vec<(usize, usize)>,
    points: [Vec<Vector3<f64>>; 2],
    boxes: Vec<Bounds>,
    sweep: Sweep,
    near: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct Strand {
    skin: Skin,
    first: usize,
    places: Vec<f64>,
    radii: Vec<f64>,
}

impl Strand {
    fn new(skin: &Skin, first: usize) -> Self {
        let mut places = vec![skin.span(0)[0]];
        for span in 0..skin.span_count() {
            let [from, to] = skin.span(span);
            let count = ((to - from) / (CHORD * skin.radius(0.5 * (from + to)))).ceil().clamp(1.0, MOST_CHORDS);
            places.extend((1..=count as usize).map(|k| from + (to - from) * k as f64 / count));
        }
        let radii = places.iter().map(|s| skin.radius(*s)).collect();
        Self { skin: skin.clone(), first, places, radii }
    }
}

impl Strands {
    /// The rods of a system that may touch each other.
    pub fn of(system: &System) -> Self {
        let mut strands = Self::default();
        let mut known = BTreeMap::new();
        let mut last = None;
        for contact in system.seekers() {
            let Ground::Rods { own, near, .. } = &contact.ground else { continue };
            // Points that follow each other on a rod may touch the same.
            let same =
                |(skin, others): (&Arc<Skin>, &Arc<[Neighbour]>)| Arc::ptr_eq(skin, own) && Arc::ptr_eq(others, near);
            if last.replace((own, near)).is_some_and(same) {
                continue;
            }
            let own = strands.add(own, &mut known);
            for near in near.iter() {
                let other = strands.add(&near.skin, &mut known);
                strands.pairs.insert((own.min(other), own.max(other)), near.apart);
            }
        }
        strands
    }

    /// The number of a rod's strand; `known` has those of the rods before.
    fn add(&mut self, skin: &Skin, known: &mut BTreeMap<usize, usize>) -> usize {
        if let Some(number) = known.get(&skin.index) {
            return *number;
        }
        known.insert(skin.index, self.rods.len());
        let (number, first) = (self.rods.len(), self.points[0].len());
        let strand = Strand::new(skin, first);
        let count = strand.places.len();
        self.points.iter_mut().for_each(|points| points.resize(first + count, Vector3::zeros()));
        self.chords.extend((first..first + count - 1).map(|point| (number, point)));
        self.rods.push(strand);
        number
    }

    /// Looks for rods that come inside each other on the way from a state to another.
    pub fn passing(&mut self, from: &State, to: &State) -> Option<Passing> {
        for (state, points) in [from, to].into_iter().zip(&mut self.points) {
            for rod in &self.rods {
                let mut course = rod.skin.course(state);
                for (s, point) in rod.places.iter().zip(&mut points[rod.first..]) {
                    *point = course.at(*s).position;
                }
            }
        }
        let (points, rods) = (&self.points, &self.rods);
        self.boxes.clear();
        self.boxes.extend(self.chords.iter().map(|(rod, point)| {
            let ends = points.iter().flat_map(|points| [points[*point], points[point + 1]]);
            Bounds::around(ends).grown(rods[*rod].skin.thickest())
        }));
        let Self { sweep, boxes, near, .. } = self;
        near.clear();
        sweep.pairs(boxes, |a, b| near.push((a, b)));
        let found = self.near.iter().filter_map(|(a, b)| self.inside(*a, *b));
        found.min_by(|a, b| a.closeness.total_cmp(&b.closeness))
    }

    /// Two chords that come too close, advanced by no more than what they may approach each other.
    fn inside(&self, a: usize, b: usize) -> Option<Passing> {
        let ((rod_a, point_a), (rod_b, point_b)) = (self.chords[a], self.chords[b]);
        let apart = self.pairs.get(&(rod_a.min(rod_b), rod_a.max(rod_b)))?;
        let (strand_a, strand_b) = (&self.rods[rod_a], &self.rods[rod_b]);
        let place = |strand: &Strand, point: usize, part: f64| {
            let k = point - strand.first;
            strand.places[k] + part * (strand.places[k + 1] - strand.places[k])
        };
        if let Some(apart) = apart {
            let between = place(strand_b, point_b, 0.0) - place(strand_a, point_a, 1.0);
            let between = between.max(place(strand_a, point_a, 0.0) - place(strand_b, point_b, 1.0));
            if between < STRANGERS * apart {
                return None;
            }
        }
        let radii = strand_a.radii[point_a - strand_a.first] + strand_b.radii[point_b - strand_b.first];
        let way = |point: usize| (self.points[1][point] - self.points[0][point]).norm();
        let speed = way(point_a).max(way(point_a + 1)) + way(point_b).max(way(point_b + 1));
        let at = |point: usize, part: f64| self.points[0][point].lerp(&self.points[1][point], part);
        let mut part = 0.0;
        loop {
            let chords = [point_a, point_b].map(|point| [at(point, part), at(point + 1, part)]);
            let (distance, [on_a, on_b]) = nearest_of_segments(&chords);
            let closeness = distance / radii;
            if closeness < INSIDE {
                let at = [place(strand_a, point_a, on_a), place(strand_b, point_b, on_b)];
                return Some(Passing { rods: [strand_a.skin.index, strand_b.skin.index], at, closeness });
            }
            if part >= 1.0 {
                return None;
            }
            let free = (distance - INSIDE * radii) / speed.max(f64::MIN_POSITIVE);
            part = (part + free.max(LEAST_ADVANCE)).min(1.0);
        }
    }
}
