//! Which rods meet: the partners of every point that may touch another rod.
//!
//! Who is near changes as rods move. A state remembers the partners of its points.

use crate::kind::contact::Contact;
use crate::kind::contact::carrier::Carrier;
use crate::kind::contact::closest::Search;
use crate::kind::contact::ground::{Ground, Neighbour, Partner};
use crate::kind::contact::skin::Skin;
use crate::{Inputs, State, System};
use lissome_geometry::Bounds;
use lissome_geometry::broad::Sweep;
use lissome_geometry::pairs::nearest_of_segments;
use nalgebra::{Vector3, Vector6};
use std::collections::HashMap;

/// Partners are looked for within so many lengths of a span, and so many radii.
const SPANS_NEAR: f64 = 0.5;
const RADII_NEAR: f64 = 2.0;
/// Where a gap rises along a span by less than this part of it, two rods run side by side.
const ALONGSIDE: f64 = 0.05;
/// Between its ends and its middle a piece may be farther from the line than in the middle by this factor.
const SAG: f64 = 1.5;
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
}

impl System {
    /// Contacts that look for partners.
    pub(crate) fn seekers(&self) -> impl Iterator<Item = &Contact> {
        self.values.kinds.contacts.iter().filter(|contact| matches!(contact.ground, Ground::Rods { .. }))
    }

    /// True if rods may touch each other or themselves.
    pub fn has_meetings(&self) -> bool {
        self.seekers().next().is_some()
    }

    /// Looks for the partners of every point that may touch another rod, at the poses of a state, and remembers them in it.
    /// What moves by less than half of `further` until the next look cannot pass through anything unseen.
    pub fn meet(&self, state: &mut State, further: f64) {
        if self.has_meetings() {
            let poses = state.clone();
            self.meet_at(&poses, further, state);
        }
    }

    /// The same at the poses of one state for the memory of another.
    pub fn meet_at(&self, poses: &State, further: f64, to: &mut State) {
        if !self.has_meetings() {
            return;
        }
        let pieces = self.pieces(poses);
        let reach = pieces.iter().map(reach_of).fold(0.0, f64::max).max(further);
        let boxes: Vec<Bounds> = pieces
            .iter()
            .map(|piece| Bounds::around([piece.middle]).grown(piece.half + piece.skin.thickest() + 0.5 * reach))
            .collect();
        let mut near: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        let key = |piece: &Piece<'_>| (piece.skin.index, piece.span);
        Sweep::default().pairs(&boxes, |a, b| {
            near.entry(key(&pieces[a])).or_default().push(b);
            near.entry(key(&pieces[b])).or_default().push(a);
        });
        let mut crossings = Vec::new();
        for contact in self.seekers() {
            keep_crossing(contact, reach, poses, &mut crossings, to);
        }
        let seekers: Vec<&Contact> = self.seekers().collect();
        let same_cell = |a: &&Contact, b: &&Contact| cell_of(a).map(identity) == cell_of(b).map(identity);
        for own in seekers.chunk_by(same_cell) {
            let Some((skin, cell)) = cell_of(own[0]) else { continue };
            let span = skin.span_at(0.5 * (cell[0] + cell[1]));
            let Some(piece) = pieces.iter().find(|piece| key(piece) == (skin.index, span)) else { continue };
            let others = near.get(&key(piece)).map_or(&[][..], Vec::as_slice);
            let others = others.iter().map(|k| &pieces[*k]);
            let found = search(own[0], piece, others, reach, poses, &mut crossings);
            for contact in assign(own, found, reach, to) {
                contact.anchor_partner(&self.at(poses, &self.values.nominal), to);
            }
        }
    }

    fn pieces<'a>(&'a self, state: &State) -> Vec<Piece<'a>> {
        let mut skins: Vec<&Skin> = Vec::new();
        for contact in self.seekers() {
            let Ground::Rods { own, near, .. } = &contact.ground else { continue };
            let known = |skin: &Skin, skins: &[&Skin]| skins.iter().any(|other| other.index == skin.index);
            for skin in std::iter::once(own).chain(near.iter().map(|near| &near.skin)) {
                if !known(skin, &skins) {
                    skins.push(skin);
                }
            }
        }
        let mut pieces = Vec::new();
        for skin in skins {
            for span in 0..skin.span_count() {
                let [from, to] = skin.span(span);
                let places = [from, 0.5 * (from + to), to].map(|s| skin.course(s, state));
                let stretch = places.iter().map(|place| place.first.norm()).fold(1.0, f64::max);
                let [start, middle, end] = places.map(|place| place.position);
                let sag = SAG * (middle - (start + end) * 0.5).norm();
                pieces.push(Piece { skin, span, ends: [start, end], middle, half: 0.5 * (to - from) * stretch, sag });
            }
        }
        pieces
    }

    /// The places where rods touch slide along them: they are looked for around where they are now.
    pub fn follow_partners(&self, state: &mut State, inputs: &Inputs) {
        for contact in self.seekers() {
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
            Ground::Surface { .. } => None,
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
    let blunt = found.sharpness * length < 0.5 * ALONGSIDE;
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
    let cell = &own.skin.span(own.span);
    let (middle, length) = (0.5 * (cell[0] + cell[1]), cell[1] - cell[0]);
    for piece in others {
        let Some(which) = near.iter().position(|near| near.skin.index == piece.skin.index) else { continue };
        let Neighbour { skin, apart, .. } = &near[which];
        let [mut low, mut high] = piece.skin.span(piece.span);
        let (distance, [on_own, on_other]) = nearest_of_segments(&[own.ends, piece.ends]);
        if distance - own.sag - piece.sag > own.skin.thickest() + skin.thickest() + reach {
            continue;
        }
        let start = [cell[0] + on_own * length, low + on_other * (high - low)];
        if let Some(apart) = apart {
            match low >= middle {
                true => low = low.max(cell[1] + apart),
                false => high = high.min(cell[0] - apart),
            }
            if low >= high {
                continue;
            }
        }
        let own = own.skin;
        let limits = [*cell, [low, high]];
        let search = Search { a: own, b: skin, state, limits, middle, centring: 0.01 / length };
        let mut best = search.closest(start);
        // A rod is near to itself where it goes on.
        let goes_on = apart.is_some() && (best.at[1] == low && low > middle || best.at[1] == high && high < middle);
        if best.value > reach || goes_on {
            continue;
        }
        let alongside = best.sharpness * length < ALONGSIDE;
        if !alongside {
            // Of rods that cross, the span on which they are closest has the point.
            let at = [best.at[0], best.at[1]];
            let limits = near[which].ranges(own, false, cell, &at);
            best = Search { limits, centring: 0.0, ..search }.closest(at);
            let at = [best.at[0], best.at[1]];
            let crossing = Crossing { rods: [own.index, skin.index], at };
            let (low, high) = (cell[0] - SAME * length, cell[1] + SAME * length);
            let elsewhere = at[0] < low || at[0] > high;
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
        let partner = found.next().map(|new| Partner {
            which: new.which,
            alongside: new.alongside,
            anchors: new.at,
            windows: new.at,
            reach,
        });
        to.linear[*memory] = partner.map_or(Partner::nobody(reach), |partner| partner.memory());
        to.linear[contact.multiplier.block] = Vector6::zeros();
        to.linear[contact.told] = Vector6::zeros();
    }
    free
}
