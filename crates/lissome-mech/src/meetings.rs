//! Which rods meet: the partners of every point that may touch another rod.
//!
//! Who is near changes as rods move. A state remembers the partners of its points.

use crate::kind::contact::Contact;
use crate::kind::contact::carrier::Carrier;
use crate::kind::contact::closest::Search;
use crate::kind::contact::edge_search;
use crate::kind::contact::ground::{Ground, Neighbour, Partner};
use crate::kind::contact::skin::Skin;
use crate::{Inputs, State, System};
use lissome_geometry::Bounds;
use lissome_geometry::broad::Sweep;
use lissome_geometry::pairs::nearest_of_segments;
use nalgebra::Vector3;
use std::collections::HashMap;

/// Partners are looked for within so many lengths of a span, and so many radii.
const SPANS_NEAR: f64 = 0.5;
const RADII_NEAR: f64 = 2.0;
/// Where a gap rises along a span by less than this part of it, two rods run side by side.
const ALONGSIDE: f64 = 0.05;
/// Between its ends and its middle a piece may be farther from the line than in the middle by this factor.
const SAG: f64 = 1.5;
/// A span is looked at in chords that leave it by no more than this part of its radius, and in no more of them than this.
const CHORD_SAG: f64 = 0.25;
const MOST_CHORDS: f64 = 6.0;
/// What a step ends inside of by more than this part of a radius, and did not see, it takes in.
const UNSEEN: f64 = 0.02;
/// Crossings that are closer than this part of a span are one.
const SAME: f64 = 1e-6;

/// A partner that was found.
#[derive(Clone, Copy)]
struct Found {
    which: usize,
    at: [f64; 2],
    gap: f64,
    alongside: bool,
}

impl Found {
    fn partner(&self, reach: f64) -> Partner {
        Partner { which: self.which, alongside: self.alongside, anchors: self.at, windows: self.at, reach }
    }
}

/// A span of a rod in the search.
struct Piece<'a> {
    skin: &'a Skin,
    span: usize,
    /// Both ends, m.
    ends: [Vector3<f64>; 2],
    middle: Vector3<f64>,
    /// Half of its length, m.
    half: f64,
    /// How far it is from the line between its ends, m.
    sag: f64,
    /// Points along it, from end to end: the fewer the straighter it is.
    points: Vec<Vector3<f64>>,
}

/// The spans of all rods, and which of them are near each other.
struct Surroundings<'a> {
    pieces: Vec<Piece<'a>>,
    /// Where each of them is in the list.
    places: HashMap<(usize, usize), usize>,
    near: HashMap<(usize, usize), Vec<usize>>,
    /// Distance within which partners are looked for, m.
    reach: f64,
}

impl<'a> Surroundings<'a> {
    /// The span of a cell, and those near it.
    fn of(&self, skin: &Skin, cell: &[f64; 2]) -> Option<(&Piece<'a>, impl Iterator<Item = &Piece<'a>>)> {
        let span = skin.span_at(0.5 * (cell[0] + cell[1]));
        let piece = &self.pieces[*self.places.get(&(skin.index, span))?];
        let others = self.near.get(&piece.key()).map_or(&[][..], Vec::as_slice);
        Some((piece, others.iter().map(|k| &self.pieces[*k])))
    }
}

impl Piece<'_> {
    fn key(&self) -> (usize, usize) {
        (self.skin.index, self.span)
    }

    fn chord(&self, k: usize) -> [Vector3<f64>; 2] {
        [self.points[k], self.points[k + 1]]
    }

    fn chord_count(&self) -> usize {
        self.points.len() - 1
    }

    /// Places from which the nearest ones of two spans are looked for, as parts of both: wherever chords are closer than those
    /// around them.
    fn starts(&self, other: &Self, distances: &mut Vec<(f64, [f64; 2])>, out: &mut Vec<[f64; 2]>) {
        let [rows, columns] = [self, other].map(Piece::chord_count);
        distances.clear();
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            distances.push(nearest_of_segments(&[self.chord(i), other.chord(j)]));
        }
        out.clear();
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let (own, [on_own, on_other]) = distances[i * columns + j];
            let around = |k: usize, count: usize| k.saturating_sub(1)..(k + 2).min(count);
            let mut others = around(i, rows).flat_map(|m| around(j, columns).map(move |n| m * columns + n));
            // Of those that are as close, as where they share an end, the first.
            let here = i * columns + j;
            if others.all(|k| distances[k].0 > own || distances[k].0 == own && k >= here) {
                out.push([(i as f64 + on_own) / rows as f64, (j as f64 + on_other) / columns as f64]);
            }
        }
    }
}

impl System {
    /// Contacts that look for partners.
    pub(crate) fn seekers(&self) -> impl Iterator<Item = &Contact> {
        self.partnered().filter(|contact| !contact.is_hollow())
    }

    /// Contacts between rods.
    fn partnered(&self) -> impl Iterator<Item = &Contact> {
        self.values.kinds.contacts.iter().filter(|contact| contact.has_partners())
    }

    /// Looks up where rods are in the bores of others.
    fn seat_hollow(&self, poses: &State, to: &mut State) {
        for contact in self.partnered().filter(|contact| contact.is_hollow()) {
            let had = contact.ground.partner(to).is_some();
            contact.seat(poses, to);
            if !had && contact.ground.partner(to).is_some() {
                contact.anchor_partner(&self.at(poses, &self.values.nominal), to);
            }
        }
    }

    /// Stretches of rods that may lie across what they touch.
    fn crests(&self) -> impl Iterator<Item = &Contact> {
        self.values.kinds.contacts.iter().filter(|contact| contact.may_lie_across())
    }

    /// Rods that may lie across edges.
    fn on_edges(&self) -> impl Iterator<Item = &Contact> {
        self.values.kinds.contacts.iter().filter(|contact| contact.ground.edges().is_some())
    }

    /// True if how things meet is to be looked up: rods that may touch each other or themselves, or lie across something.
    pub fn has_meetings(&self) -> bool {
        self.partnered().chain(self.crests()).chain(self.on_edges()).next().is_some()
    }

    /// Looks for the partners of every point that may touch another rod, at the poses of a state, and remembers them in it.
    /// What moves by less than half of `further` until the next look cannot pass through anything unseen.
    pub fn meet(&self, state: &mut State, further: f64) {
        if self.has_meetings() {
            let poses = state.clone();
            self.look_around(&poses, further, false, state);
        }
    }

    /// The same before a time step, at the poses of one state for the memory of another.
    pub fn meet_at(&self, poses: &State, further: f64, to: &mut State) {
        self.look_around(poses, further, true, to);
    }

    fn look_around(&self, poses: &State, further: f64, moves: bool, to: &mut State) {
        self.seat_hollow(poses, to);
        self.crests().for_each(|contact| contact.look_across(poses, moves, to));
        edge_search::look(self.on_edges(), (further, moves), poses, to);
        if self.seekers().next().is_none() {
            return;
        }
        let around = self.surroundings(poses, further, None);
        let reach = around.reach;
        let mut crossings = Vec::new();
        for contact in self.seekers() {
            keep_crossing(contact, reach, poses, &mut crossings, to);
        }
        let seekers: Vec<&Contact> = self.seekers().collect();
        for own in seekers.chunk_by(same_cell) {
            let Some((skin, cell)) = cell_of(own[0]) else { continue };
            let Some((piece, others)) = around.of(skin, &cell) else { continue };
            let found = search(own[0], piece, others, reach, poses, &mut crossings);
            for contact in assign(own, found, reach, to) {
                contact.anchor_partner(&self.at(poses, &self.values.nominal), to);
            }
        }
    }

    /// Takes over what [`System::meet_at`] told one state, for another that was the same for it.
    pub fn meet_like(&self, met: &State, to: &mut State) {
        for contact in self.partnered().chain(self.crests()).chain(self.on_edges()) {
            let memory = contact.ground.memory().into_iter();
            for block in memory.chain([contact.multiplier.block, contact.told]).chain(contact.anchor) {
                to.linear[block] = *met.block(block);
            }
        }
    }

    /// Partners that a step has found by the end that it came to, and inside of which it ended: they are taken in beside those
    /// that it began with, and the step goes on. Slip counts from where it began. False if there are none.
    pub fn meet_within(&self, from: &State, inputs: &Inputs, end: &mut State) -> bool {
        if self.seekers().next().is_none() {
            return false;
        }
        let mut more = false;
        let poses = end.clone();
        // Only those count that it ended inside of.
        let around = self.surroundings(&poses, 0.0, Some(0.0));
        let mut crossings: Vec<Crossing> = self.seekers().filter_map(|contact| crossing_of(contact, &poses)).collect();
        let seekers: Vec<&Contact> = self.seekers().collect();
        for own in seekers.chunk_by(same_cell) {
            let Some((skin, cell)) = cell_of(own[0]) else { continue };
            let Some((piece, others)) = around.of(skin, &cell) else { continue };
            let found = search(own[0], piece, others, 0.0, &poses, &mut crossings);
            for new in found.into_iter().filter(|new| new.gap < -UNSEEN * skin.thickest()) {
                let known = own.iter().any(|contact| has_alongside(contact, &new, &poses));
                let idle = |contact: &&&Contact| {
                    let Ground::Rods { memory, .. } = &contact.ground else { return false };
                    Partner::read(end.block(*memory)).is_none() || end.block(contact.multiplier.block)[0] == 0.0
                };
                let Some(contact) = own.iter().find(idle).filter(|_| !known) else { continue };
                contact.take_partner(new.partner(around.reach), end);
                contact.anchor_partner(&self.at(from, inputs), end);
                more = true;
            }
        }
        more
    }

    /// Spans of rods, and which of them are near each other: within a distance, m, or as far as partners are looked for.
    fn surroundings<'a>(&'a self, poses: &State, further: f64, within: Option<f64>) -> Surroundings<'a> {
        let pieces = self.pieces(poses);
        let reach = pieces.iter().map(reach_of).fold(0.0, f64::max).max(further);
        let within = within.unwrap_or(reach);
        let boxes: Vec<Bounds> = pieces
            .iter()
            .map(|piece| Bounds::around([piece.middle]).grown(piece.half + piece.skin.thickest() + 0.5 * within))
            .collect();
        let mut near: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        Sweep::default().pairs(&boxes, |a, b| {
            near.entry(pieces[a].key()).or_default().push(b);
            near.entry(pieces[b].key()).or_default().push(a);
        });
        let places = pieces.iter().enumerate().map(|(k, piece)| (piece.key(), k)).collect();
        Surroundings { pieces, places, near, reach }
    }

    fn pieces<'a>(&'a self, state: &State) -> Vec<Piece<'a>> {
        let mut skins: Vec<&Skin> = Vec::new();
        let mut known = vec![false; self.values.rods.len()];
        let mut seen = None;
        for contact in self.seekers() {
            let Ground::Rods { own, near, .. } = &contact.ground else { continue };
            // All points of a rod have the same neighbours.
            if seen.replace(own.index) == Some(own.index) {
                continue;
            }
            for skin in std::iter::once(own).chain(near.iter().map(|near| &near.skin)) {
                if !std::mem::replace(&mut known[skin.index], true) {
                    skins.push(skin);
                }
            }
        }
        let mut pieces = Vec::new();
        for skin in skins {
            let mut course = skin.course(state);
            for span in 0..skin.span_count() {
                let [from, to] = skin.span(span);
                let places = [from, 0.5 * (from + to), to].map(|s| course.at(s));
                let stretch = places.iter().map(|place| place.first.norm()).fold(1.0, f64::max);
                let [start, middle, end] = places.map(|place| place.position);
                let sag = SAG * (middle - (start + end) * 0.5).norm();
                let chords = (sag / (CHORD_SAG * skin.thickest())).sqrt().ceil().clamp(1.0, MOST_CHORDS);
                let point = |k: usize| course.at(from + (to - from) * k as f64 / chords).position;
                let points = (0..=chords as usize).map(point).collect();
                let half = 0.5 * (to - from) * stretch;
                pieces.push(Piece { skin, span, ends: [start, end], middle, half, sag, points });
            }
        }
        pieces
    }

    /// The places where rods touch slide along them: they are looked for around where they are now.
    pub fn follow_partners(&self, state: &mut State, inputs: &Inputs) {
        self.on_edges().for_each(|contact| contact.follow_edge(state));
        for contact in self.partnered() {
            let Ground::Rods { memory, .. } = &contact.ground else { continue };
            let Some((partner, _)) = contact.ground.partner(state) else { continue };
            if let Some(touch) = contact.touch(&self.at(state, inputs)) {
                state.linear[*memory] = Partner { windows: touch.places, ..partner }.memory();
            }
        }
    }

    /// Part of a step after which partners must be looked up again: nothing may pass a rod that it has not seen.
    /// `motion` is the step of a slot.
    pub(crate) fn unseen_fraction(&self, state: &State, motion: impl Fn(usize) -> f64) -> f64 {
        let reach = self.seekers().filter_map(|contact| match &contact.ground {
            Ground::Rods { memory, .. } => Some(Partner::reach(state.block(*memory))),
            Ground::Surface { .. } | Ground::Ridges(_) | Ground::Edges(_) => None,
        });
        let reach = reach.fold(f64::INFINITY, f64::min);
        let rods = self.layout.rods.iter().flat_map(|place| place.poses());
        let farthest = rods.map(motion).fold(0.0, f64::max);
        if farthest > 0.5 * reach { 0.5 * reach / farthest } else { 1.0 }
    }
}

/// The rod and the cell of a contact that looks for partners.
fn cell_of(contact: &Contact) -> Option<(&Skin, [f64; 2])> {
    match (&contact.ground, &contact.carrier) {
        (Ground::Rods { own, .. }, Carrier::Rod(cell)) => Some((own, cell.cell)),
        _ => None,
    }
}

fn same_cell(a: &&Contact, b: &&Contact) -> bool {
    cell_of(a).map(identity) == cell_of(b).map(identity)
}

/// What tells the cells of all rods apart.
fn identity((skin, cell): (&Skin, [f64; 2])) -> (usize, u64) {
    (skin.index, cell[0].to_bits())
}

/// Distance within which the partners of a span are looked for, m.
fn reach_of(piece: &Piece<'_>) -> f64 {
    (SPANS_NEAR * 2.0 * piece.half).max(RADII_NEAR * piece.skin.thickest())
}

/// Two rods that cross.
#[derive(Clone, Copy)]
struct Crossing {
    rods: [usize; 2],
    at: [f64; 2],
}

impl Crossing {
    /// True if this is the same place.
    fn is(&self, other: &Self, distance: f64) -> bool {
        self.rods == other.rods && (0..2).all(|k| (self.at[k] - other.at[k]).abs() <= distance)
    }
}

/// Where the rod of a contact crosses another one.
fn crossing_of(contact: &Contact, state: &State) -> Option<Crossing> {
    let (own, cell) = cell_of(contact)?;
    let (partner, neighbour) = contact.ground.partner(state).filter(|(partner, _)| !partner.alongside)?;
    let limits = neighbour.ranges(own, false, &cell, &partner.windows);
    let search = Search { a: own, b: &neighbour.skin, state, limits, middle: partner.windows[0], centring: 0.0 };
    let found = search.closest(partner.windows);
    Some(Crossing { rods: [own.index, neighbour.skin.index], at: [found.at[0], found.at[1]] })
}

/// True if a contact has this partner alongside already.
fn has_alongside(contact: &Contact, new: &Found, state: &State) -> bool {
    contact.ground.partner(state).is_some_and(|(partner, neighbour)| {
        let [low, high] = neighbour.skin.window(partner.windows[1]);
        let same = partner.alongside && new.alongside && partner.which == new.which;
        same && new.at[1] >= low && new.at[1] <= high
    })
}

/// A contact whose rod crossed another one keeps it while it slides along both.
fn keep_crossing(contact: &Contact, reach: f64, state: &State, crossings: &mut Vec<Crossing>, to: &mut State) {
    let (Some((own, cell)), Ground::Rods { memory, .. }) = (cell_of(contact), &contact.ground) else { return };
    let Some((partner, neighbour)) = contact.ground.partner(to).filter(|(partner, _)| !partner.alongside) else {
        return;
    };
    let limits = neighbour.ranges(own, false, &cell, &partner.windows);
    let search = Search { a: own, b: &neighbour.skin, state, limits, middle: partner.windows[0], centring: 0.0 };
    let found = search.closest(partner.windows);
    let at = [found.at[0], found.at[1]];
    let length = cell[1] - cell[0];
    let left = own.leaves_window(partner.windows[0], at[0]) || neighbour.skin.leaves_window(partner.windows[1], at[1]);
    let far = (at[0] - 0.5 * (cell[0] + cell[1])).abs() > length;
    let blunt = found.rise(length) < 0.5 * ALONGSIDE;
    let crossing = Crossing { rods: [own.index, neighbour.skin.index], at };
    let known = crossings.iter().any(|other| other.is(&crossing, SAME * length));
    let kept = !(left || far || blunt || known) && found.value <= reach;
    to.linear[*memory] = match kept {
        true => {
            crossings.push(crossing);
            Partner { windows: at, reach, ..partner }.memory()
        }
        false => Partner::nobody(reach),
    };
}

/// The nearest place of each neighbour within reach of a cell, the nearest first.
fn search<'a>(
    contact: &Contact,
    own: &Piece<'_>,
    others: impl Iterator<Item = &'a Piece<'a>>,
    reach: f64,
    state: &State,
    crossings: &mut Vec<Crossing>,
) -> Vec<Found> {
    let Ground::Rods { near, .. } = &contact.ground else { return Vec::new() };
    let mut found: Vec<Found> = Vec::new();
    let (mut distances, mut starts) = (Vec::new(), Vec::new());
    let cell = &own.skin.span(own.span);
    let (middle, length) = (0.5 * (cell[0] + cell[1]), cell[1] - cell[0]);
    for piece in others {
        let Some(which) = near.iter().position(|near| near.skin.index == piece.skin.index) else { continue };
        let Neighbour { skin, apart, .. } = &near[which];
        let [mut low, mut high] = piece.skin.span(piece.span);
        let range = [low, high];
        if let Some(apart) = apart {
            // Of two places of one rod the first one has the point.
            if high <= middle {
                continue;
            }
            match low >= middle {
                true => low = low.max(cell[1] + apart),
                false => high = high.min(cell[0] - apart),
            }
            if low >= high {
                continue;
            }
        }
        let (distance, _) = nearest_of_segments(&[own.ends, piece.ends]);
        if distance - own.sag - piece.sag > own.skin.thickest() + skin.thickest() + reach {
            continue;
        }
        own.starts(piece, &mut distances, &mut starts);
        for [on_own, on_other] in &starts {
            let start = [cell[0] + on_own * length, range[0] + on_other * (range[1] - range[0])];
            let own = own.skin;
            let limits = [*cell, [low, high]];
            let search = Search { a: own, b: skin, state, limits, middle, centring: 0.01 / length };
            let mut best = search.closest(start);
            // A rod is near to itself where it goes on.
            let goes_on = apart.is_some() && (best.at[1] == low && low > middle || best.at[1] == high && high < middle);
            if best.value > reach || goes_on {
                continue;
            }
            let alongside = best.rise(length) < ALONGSIDE;
            if !alongside {
                // Of rods that cross, the span on which they are closest has the point.
                let start = [best.at[0], best.at[1]];
                let limits = near[which].ranges(own, false, cell, &start);
                best = Search { limits, centring: 0.0, ..search }.closest(start);
                let at = [best.at[0], best.at[1]];
                let crossing = Crossing { rods: [own.index, skin.index], at };
                let (low, high) = (cell[0] - SAME * length, cell[1] + SAME * length);
                // Where it would go on beyond what is looked at of the two rods, other spans of them have it.
                let leaves = own.leaves_window(start[0], at[0]) || skin.leaves_window(start[1], at[1]);
                let elsewhere = at[0] < low || at[0] > high || leaves;
                if elsewhere || crossings.iter().any(|other| other.is(&crossing, SAME * length)) {
                    continue;
                }
                crossings.push(crossing);
                found.push(Found { which, at, gap: best.value, alongside });
                continue;
            }
            let new = Found { which, at: [best.at[0], best.at[1]], gap: best.value, alongside };
            // One place for each other rod; of the own one, places that are apart.
            let distance = apart.unwrap_or(f64::INFINITY).max(2.0 * (high - low));
            let same = |known: &&mut Found| known.which == which && (known.at[1] - new.at[1]).abs() < distance;
            match found.iter_mut().filter(|known| known.alongside).find(same) {
                Some(known) if new.gap < known.gap => *known = new,
                Some(_) => {}
                None => found.push(new),
            }
        }
    }
    found.sort_by(|a, b| a.gap.total_cmp(&b.gap).then(a.which.cmp(&b.which)));
    found
}

/// Gives the contacts of a cell the partners that were found; whoever has one of them keeps it. Returns those that have a new
/// one.
fn assign<'a>(contacts: &[&'a Contact], mut found: Vec<Found>, reach: f64, to: &mut State) -> Vec<&'a Contact> {
    let mut free = Vec::new();
    for contact in contacts {
        let Ground::Rods { memory, near, .. } = &contact.ground else { continue };
        let partner = Partner::read(to.block(*memory)).filter(|partner| partner.which < near.len());
        let kept = partner.filter(|partner| partner.alongside).and_then(|partner| {
            let [low, high] = near[partner.which].skin.window(partner.windows[1]);
            let same =
                |new: &Found| new.alongside && new.which == partner.which && new.at[1] >= low && new.at[1] <= high;
            found.iter().position(same).map(|place| (partner, found.remove(place)))
        });
        match (kept, partner) {
            (Some((partner, new)), _) => {
                to.linear[*memory] = Partner { windows: new.at, reach, ..partner }.memory();
            }
            (None, Some(crosses)) if !crosses.alongside => {}
            _ => free.push(*contact),
        }
    }
    let mut found = found.into_iter();
    for contact in &free {
        let Ground::Rods { memory, .. } = &contact.ground else { continue };
        let partner = found.next().map(|new| new.partner(reach));
        to.linear[*memory] = partner.map_or(Partner::nobody(reach), |partner| partner.memory());
        contact.forget(to);
    }
    free
}
