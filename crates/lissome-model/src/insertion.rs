//! Tubes that are pushed in and out: what moves with which tube, and sections whose lengths follow.
//!
//! The places where a tube ends, where its curvature begins and where something is attached cut a rod of tubes into
//! *sections*. Each lives on a unit interval: its spans keep their parts of it, and its length follows from the insertions
//! of the tubes whose places it lies between.

use crate::invalid::Invalid;
use crate::scene::Passed;
use crate::tubes::COINCIDENT;
use crate::{DriveTarget, Frame, FrameOf, LoadKind, Mount, Rod, Scene};

/// Moments at which driven insertions are looked at.
const LOOKS: u32 = 64;

/// A place between two sections of a rod of tubes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boundary {
    /// Arc length from the entry, m.
    pub s: f64,
    /// The tube that it moves with; `None` for the entry.
    pub tube: Option<usize>,
    /// Which break of that tube it is, in the order of [`crate::Tube::breaks`]; beyond them, what is attached to it.
    pub number: usize,
}

/// The sections of a rod of tubes, between neighbouring boundaries.
#[derive(Clone, Debug, PartialEq)]
pub struct Sections {
    /// From the entry to the tip, in order.
    pub boundaries: Vec<Boundary>,
}

impl Sections {
    /// Number of the section that an arc length lies in.
    pub fn of(&self, s: f64) -> usize {
        let inner = &self.boundaries[1..self.boundaries.len() - 1];
        inner.partition_point(|boundary| boundary.s <= s)
    }

    /// How far the place at s moves from the entry for each unit of length that a tube is pushed.
    pub fn rate(&self, s: f64, tube: usize) -> f64 {
        let [a, b] = self.ends(s);
        let [from, to] = self.end_rates(s, tube);
        from + (to - from) * ((s - a) / (b - a))
    }

    /// By what part of its length the section around s grows for each unit of length that a tube is pushed, 1/m.
    pub fn stretch(&self, s: f64, tube: usize) -> f64 {
        let ([a, b], [from, to]) = (self.ends(s), self.end_rates(s, tube));
        (to - from) / (b - a)
    }

    /// True if the boundaries of both are the same places of the same tubes in the same order.
    pub fn is_alike(&self, other: &Self) -> bool {
        let places = |own: &Self| own.boundaries.iter().map(|b| (b.tube, b.number)).collect::<Vec<_>>();
        places(self) == places(other)
    }

    fn ends(&self, s: f64) -> [f64; 2] {
        let section = self.of(s);
        [self.boundaries[section].s, self.boundaries[section + 1].s]
    }

    fn end_rates(&self, s: f64, tube: usize) -> [f64; 2] {
        let section = self.of(s);
        [section, section + 1].map(|k| f64::from(u8::from(self.boundaries[k].tube == Some(tube))))
    }
}

/// How far the tubes of a rod are pushed, and how long they are.
fn reach(rod: &Rod) -> impl Iterator<Item = (f64, f64)> + '_ {
    rod.tubes.iter().flat_map(|set| &set.tubes).map(|tube| (tube.insertion, tube.length))
}

impl Scene {
    /// The sections of a rod of tubes; nothing for other rods.
    pub fn sections(&self, rod: usize) -> Option<Sections> {
        let set = self.rods.get(rod)?.tubes.as_ref()?;
        let length = set.length();
        let near = COINCIDENT * length;
        let mut known: Vec<Boundary> = Vec::new();
        for (tube, own) in set.tubes.iter().enumerate() {
            let breaks = own.breaks().into_iter().enumerate();
            known.extend(breaks.map(|(number, s)| Boundary { s, tube: Some(tube), number }));
        }
        let inner = self.rod_jumps(rod).into_iter().enumerate().map(|(index, s)| {
            let own = known.iter().find(|boundary| (boundary.s - s).abs() <= near.max(1e-8 * length));
            // What is attached to the rod moves with the innermost tube.
            own.map_or(Boundary { s, tube: Some(0), number: usize::MAX - index }, |own| Boundary { s, ..*own })
        });
        let (entry, tip) =
            (Boundary { s: 0.0, tube: None, number: 0 }, Boundary { s: length, tube: Some(0), number: 0 });
        Some(Sections { boundaries: std::iter::once(entry).chain(inner).chain([tip]).collect() })
    }

    /// True if a drive moves a tube in or out.
    pub fn moves_tubes(&self) -> bool {
        self.drives.iter().any(|drive| {
            let (least, most) = drive.signal.range();
            drive.target.is_insertion() && least != most
        })
    }

    /// The scene with its tubes where the drives have them at a moment.
    pub fn inserted_at(&self, moment: f64) -> Self {
        let mut now = self.clone();
        for drive in &self.drives {
            if let DriveTarget::TubeInsertion { rod, tube } = drive.target {
                now.insert_tube(rod, tube, drive.signal.at(moment));
            }
        }
        now
    }

    /// Where drives move tubes in and out, the innermost must reach farthest all along: looked at often enough that a ramp
    /// cannot step over it.
    pub(crate) fn validate_insertions(&self, passed: Passed<'_>) -> Result<(), Invalid> {
        let driven: Vec<_> = (self.drives.iter())
            .filter_map(|drive| match drive.target {
                DriveTarget::TubeInsertion { rod, tube } => Some((drive, rod, tube)),
                _ => None,
            })
            .collect();
        let Some((first, ..)) = driven.first() else { return Ok(()) };
        let pushed_alike = |passed: &Self| {
            let mut rods = self.rods.iter().zip(&passed.rods);
            self.drives == passed.drives && rods.all(|(own, other)| reach(own).eq(reach(other)))
        };
        if !passed.when(pushed_alike).is_none() {
            return Ok(());
        }
        let end = self.job.end();
        for (index, rod) in self.rods.iter().enumerate() {
            let path = rod.path();
            let Some(mut set) = rod.tubes.clone().filter(|_| driven.iter().any(|(_, rod, _)| *rod == index)) else {
                continue;
            };
            for k in 0..=LOOKS {
                for (drive, _, tube) in driven.iter().filter(|(_, rod, _)| *rod == index) {
                    set.tubes[*tube].insertion = drive.signal.at(end * f64::from(k) / f64::from(LOOKS));
                }
                let place = |invalid: Invalid| Invalid::new(format!("drive.{}", first.path), invalid.problem);
                set.validate_reach(&path).map_err(place)?;
            }
        }
        Ok(())
    }

    /// Moves a tube in or out. What is attached to the rod of tubes or loads it is attached to its innermost tube and moves
    /// with it, but for what is attached to the entry.
    pub fn insert_tube(&mut self, rod: usize, tube: usize, insertion: f64) {
        let before = self.rods[rod].length;
        self.rods[rod].insert_tube(tube, insertion);
        let moved = self.rods[rod].length - before;
        if moved == 0.0 {
            return;
        }
        let near = COINCIDENT * before;
        let follow = |s: &mut f64| {
            if *s > near {
                *s += moved;
            }
        };
        let carry = |frame: &mut Frame| {
            if let FrameOf::Rod { rod: on, s } = &mut frame.of
                && *on == rod
            {
                follow(s);
            }
        };
        for body in &mut self.bodies {
            if let Mount::On(frame) = &mut body.mount {
                carry(frame);
            }
        }
        self.joints.iter_mut().for_each(|joint| carry(&mut joint.parent));
        self.rods.iter_mut().flat_map(|rod| [&mut rod.base, &mut rod.tip]).flatten().for_each(carry);
        self.closures.iter_mut().flat_map(|closure| [&mut closure.a, &mut closure.b]).for_each(carry);
        self.cables.iter_mut().flat_map(|cable| &mut cable.points).for_each(carry);
        self.springs.iter_mut().flat_map(|spring| [&mut spring.a, &mut spring.b]).for_each(carry);
        self.disks.iter_mut().filter(|disks| disks.rod == rod).flat_map(|disks| &mut disks.places).for_each(follow);
        for run in self.tendons.iter_mut().flat_map(|tendon| &mut tendon.runs).filter(|run| run.rod == rod) {
            [&mut run.from, &mut run.to].into_iter().for_each(follow);
            // Holes that tubes move are parallel, so that no more than their ends moves.
            run.routing.pieces.iter_mut().flat_map(|piece| [&mut piece.from, &mut piece.to]).for_each(follow);
        }
        self.frame_loads.iter_mut().for_each(|load| carry(&mut load.on));
        for load in self.loads.iter_mut().filter(|load| load.rod == rod) {
            match &mut load.kind {
                LoadKind::Point { at, .. } => follow(at),
                LoadKind::Distributed { from, to, .. } => [from, to].into_iter().for_each(follow),
            }
        }
    }
}
