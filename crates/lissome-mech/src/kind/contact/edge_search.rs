//! Which edges a rod lies across.
//!
//! Every stretch of a rod looks for those that it comes near, as it does for other rods: before a step and, at rest, after every
//! iteration. What was found is followed along the rod, wherever the crossing slides.

use super::Contact;
use super::LONGEST_STRETCH;
use super::edges::{Crossed, Edges, Place};
use crate::state::State;
use lissome_geometry::Ridge;
use lissome_geometry::pairs::nearest_of_segments;
use nalgebra::Vector3;
use std::sync::Arc;

/// At rest edges are looked for within so many lengths of a stretch, and always within so many radii.
const LENGTHS_NEAR: f64 = 0.5;
const RADII_NEAR: f64 = 2.0;
/// A stretch is looked at in so many chords.
const CHORDS: usize = 4;
/// How far the normal may point beyond those of the faces, in the sine of their angle: where a rod lies flat on one of them; where it did
/// so before; and while it presses.
const BESIDE: f64 = 0.05;
const BESIDE_KNOWN: f64 = 0.1;
const BESIDE_PRESSED: f64 = 0.5;
/// Sine of the angle between a rod and an edge from which on it lies across it, and to which it goes on to.
const ACROSS: f64 = 0.05;
const STILL_ACROSS: f64 = 0.025;
/// In motion what lies in an edge by more than this part of a radius stays there: to be pushed out at once would be a blow.
const SUNK: f64 = 1e-4;
/// What is behind an edge is inside the solid if it is no farther out of it than this part of a radius.
const INSIDE: f64 = 0.5;
/// Crossings that are closer than this part of a stretch are one; a corner is the nearest place if nothing is nearer by this part.
const SAME: f64 = 1e-6;
/// Two edges that push against each other more than this are on both sides of what a rod has run through.
const AGAINST: f64 = -0.5;

/// A crossing that someone has.
struct Known<'a> {
    edges: &'a Edges,
    which: usize,
    s: f64,
    foot: Vector3<f64>,
    ends: bool,
}

impl<'a> Known<'a> {
    fn new(edges: &'a Edges, which: usize, place: &Place) -> Self {
        Self { edges, which, s: place.s, foot: place.foot(), ends: place.leaning.ends }
    }

    /// True if another one is the same, or at the same corner.
    fn is(&self, other: &Self) -> bool {
        let length = self.edges.cell[1] - self.edges.cell[0];
        let same_solid =
            self.edges.own.index == other.edges.own.index && Arc::ptr_eq(&self.edges.list, &other.edges.list);
        let same_place = (self.s - other.s).abs() <= SAME * length;
        let same_corner = self.ends && other.ends && (self.foot - other.foot).norm() <= SAME * length;
        same_solid && same_place && (self.which == other.which || same_corner)
    }
}

/// How strictly a crossing is looked at.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    New,
    Known,
    Presses,
}

/// What a look is for.
#[derive(Clone, Copy)]
struct Look {
    /// m, where it is more than what is looked at anyway.
    further: f64,
    /// True before a step of a motion.
    moves: bool,
}

impl Look {
    /// Within which distance edges are looked for, m.
    fn reach(&self, edges: &Edges) -> f64 {
        let near = RADII_NEAR * edges.own.thickest();
        match self.moves {
            true => near.max(self.further),
            false => near.max(LENGTHS_NEAR * (edges.cell[1] - edges.cell[0])),
        }
    }

    /// True if a place of a rod lies across an edge there, or soon will.
    fn counts(&self, edges: &Edges, edge: &Ridge, place: &Place, standing: Standing) -> bool {
        let radius = edges.own.radius(place.s);
        let near = &place.leaning.near;
        let gap = near.distance - radius;
        if place.held || gap > self.reach(edges) {
            return false;
        }
        let around = || edges.surface.gap(&place.position, 0.0).map_or(f64::INFINITY, |near| near.distance);
        if near.distance < 0.0 && (standing == Standing::New && self.moves || around() > INSIDE * radius) {
            return false;
        }
        if standing == Standing::New && self.moves && gap < -SUNK * radius {
            return false;
        }
        if place.leaning.ends {
            let nearest = || near.distance <= around() + SAME * (edge.ball().1 + near.distance.abs());
            return standing == Standing::Presses || nearest();
        }
        let (beside, sine) = match standing {
            Standing::New => (BESIDE, ACROSS),
            Standing::Known => (BESIDE_KNOWN, STILL_ACROSS),
            Standing::Presses => (BESIDE_PRESSED, STILL_ACROSS),
        };
        edge.points_out(&near.normal, beside) && edge.sine_to(&place.tangent) >= sine
    }
}

impl Contact {
    /// The place where a rod crosses an edge slides along it: it is looked for around where it is now.
    pub fn follow_edge(&self, state: &mut State) {
        let Some(edges) = self.ground.edges() else { return };
        let Some(crossed) = edges.crossed(state) else { return };
        if let Some(place) = edges.place(&crossed, state) {
            state.linear[edges.memory] = Crossed { window: place.s, ..crossed }.memory();
        }
    }

    /// Goes on with the edge that it has, if the rod still lies across it.
    fn keep_edge<'a>(&'a self, look: Look, poses: &State, known: &mut Vec<Known<'a>>, to: &mut State) {
        let Some(edges) = self.ground.edges() else { return };
        let Some(crossed) = edges.crossed(to) else { return };
        let presses = self.presses(to.block(self.multiplier.block));
        let standing = if presses { Standing::Presses } else { Standing::Known };
        let [from, end] = edges.cell;
        let kept = edges.place(&crossed, poses).filter(|place| {
            let close = (place.s - 0.5 * (from + end)).abs() <= end - from;
            close && look.counts(edges, &edges.list[crossed.which], place, standing)
        });
        let kept = kept.map(|place| Known::new(edges, crossed.which, &place));
        match kept.filter(|new| !known.iter().any(|other| other.is(new))) {
            Some(new) => {
                to.linear[edges.memory] = Crossed { window: new.s, ..crossed }.memory();
                known.push(new);
            }
            None => {
                to.linear[edges.memory] = nalgebra::Vector6::zeros();
                self.forget(to);
            }
        }
    }

    fn take_edge(&self, which: usize, s: f64, poses: &State, to: &mut State) {
        let Some(edges) = self.ground.edges() else { return };
        to.linear[edges.memory] = Crossed { which, anchor: s, window: s }.memory();
        self.forget(to);
        let relative = poses.pose(edges.slot).inverse() * edges.own.pose(s, poses);
        self.anchor_where(&relative, to);
    }
}

/// Looks for the edges that every stretch lies across, at the poses of one state for the memory of another. What moves does so by less
/// than `further`, m, until the next look.
pub fn look<'a>(
    contacts: impl Iterator<Item = &'a Contact>,
    (further, moves): (f64, bool),
    poses: &State,
    to: &mut State,
) {
    let look = Look { further, moves };
    let contacts: Vec<(&Contact, &Edges)> =
        contacts.filter_map(|contact| Some((contact, contact.ground.edges()?))).collect();
    let mut known = Vec::new();
    contacts.iter().for_each(|(contact, _)| contact.keep_edge(look, poses, &mut known, to));
    let same_stretch = |(_, a): &(&Contact, &Edges), (_, b): &(&Contact, &Edges)| {
        a.own.index == b.own.index && a.cell == b.cell && Arc::ptr_eq(&a.list, &b.list)
    };
    for own in contacts.chunk_by(same_stretch) {
        let free: Vec<&Contact> =
            own.iter().filter(|(_, edges)| edges.crossed(to).is_none()).map(|(own, _)| *own).collect();
        if free.is_empty() {
            continue;
        }
        let found = search(own[0].1, look, &mut known, poses);
        for (contact, (which, s)) in free.into_iter().zip(found) {
            contact.take_edge(which, s, poses, to);
        }
    }
}

/// Edges that a stretch comes near and nobody has, the nearest first, with the places where it crosses them.
fn search<'a>(edges: &'a Edges, look: Look, known: &mut Vec<Known<'a>>, poses: &State) -> Vec<(usize, f64)> {
    let Edges { own, cell: [from, end], surface, list, .. } = edges;
    let (length, frame) = (end - from, poses.pose(edges.slot).inverse());
    let mut course = own.course(poses);
    let middle = course.at(0.5 * (from + end));
    let reach = look.reach(edges) + own.thickest();
    let half = 0.5 * length * LONGEST_STRETCH * middle.first.norm().max(1.0);
    let centre = frame.transform(&middle.position);
    if surface.gap(&centre, 0.0).is_none_or(|near| near.distance > half + reach) {
        return Vec::new();
    }
    let points: [Vector3<f64>; CHORDS + 1] = std::array::from_fn(|k| {
        frame.transform(&course.at(own.inside(from + length * k as f64 / CHORDS as f64)).position)
    });
    let mut found: Vec<(f64, Vector3<f64>, Known<'a>)> = Vec::new();
    for (which, edge) in list.iter().enumerate() {
        let far = edge.leaning(&centre).is_none_or(|own| own.near.distance.abs() > half + reach);
        let Some(ends) = edge.ends().filter(|_| !far) else { continue };
        let near: [(f64, f64); CHORDS] = std::array::from_fn(|k| {
            let (distance, [part, _]) = nearest_of_segments(&[[points[k], points[k + 1]], ends]);
            (distance, from + length * (k as f64 + part) / CHORDS as f64)
        });
        for (k, (distance, start)) in near.iter().enumerate() {
            let beside = [k.checked_sub(1), Some(k + 1)];
            let beside = beside.into_iter().flatten().filter_map(|k| near.get(k));
            if *distance > reach + 0.5 * length || beside.into_iter().any(|(other, _)| other < distance) {
                continue;
            }
            let Some(place) = edges.nearest(edge, own.window(*start), *start, &frame, &mut course) else { continue };
            let within = place.s >= from - SAME * length && place.s <= end + SAME * length;
            if !within || !look.counts(edges, edge, &place, Standing::New) {
                continue;
            }
            let new = Known::new(edges, which, &place);
            let others = known.iter().chain(found.iter().map(|(_, _, other)| other));
            if !others.into_iter().any(|other| other.is(&new)) {
                let leaning = &place.leaning.near;
                found.push((leaning.distance.abs(), leaning.normal, new));
            }
        }
    }
    found.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let mut pushed: Vec<Vector3<f64>> = Vec::new();
    let mut out = Vec::new();
    for (_, normal, new) in found {
        if pushed.iter().all(|other| other.dot(&normal) > AGAINST) {
            pushed.push(normal);
            out.push((new.which, new.s));
            known.push(new);
        }
    }
    out
}
