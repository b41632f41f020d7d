//! Whether the parts of a scene hang together: nothing floats, every joint carries something, no
//! closure ties what is rigid already, no cable has two points that are one, every spring has something
//! to stretch.

use crate::invalid::{Invalid, Problem};
use crate::scene::{Passed, ScenePart};
use crate::{Frame, FrameOf, Item, Job, JointKind, JointMotion, Mount, Scene};
use std::collections::HashMap;

/// Nearer than this two points of a cable on one carrier are the same, m: far below what anyone builds.
const SAME_POINT: f64 = 1e-9;

impl Scene {
    pub(crate) fn validate_connections(&self, passed: Passed<'_>, standing: Passed<'_>) -> Result<(), Invalid> {
        if standing.is_none() {
            self.validate_joints_carry()?;
        }
        self.validate_closures()?;
        self.validate_cable_points(passed)?;
        self.validate_springs()?;
        self.validate_turns()?;
        let rests = !matches!(self.job, Job::Dynamics(_) | Job::Shape(_));
        // Where everything stands on what it stood on, nothing has come to float.
        match standing.is_none().then(|| self.floating()).flatten() {
            Some(parts) if rests => {
                let parts: Vec<String> = parts.into_iter().map(|item| item.path(self)).collect();
                Err(Invalid::new(parts[0].clone(), Problem::Floating { parts }))
            }
            _ => Ok(()),
        }
    }

    /// What is free at one end unwinds.
    fn validate_turns(&self) -> Result<(), Invalid> {
        for (index, rod) in self.rods.iter().enumerate().filter(|(_, rod)| rod.turns.norm() > 0.0) {
            let carries =
                || self.attachments().any(|frame| matches!(frame.of, FrameOf::Rod { rod, .. } if rod == index));
            let held = usize::from(rod.base.is_some()) + usize::from(rod.tip.is_some());
            if held < 2 && !carries() {
                let reason = "needs both ends held: a free end unwinds".into();
                return Err(Invalid::new(format!("rod.{}.turns", rod.name), Problem::Contradiction { reason }));
            }
        }
        Ok(())
    }

    fn validate_joints_carry(&self) -> Result<(), Invalid> {
        let mut carries = vec![false; self.joints.len()];
        for frame in self.attachments() {
            if let FrameOf::Joint(joint) = frame.of {
                carries[joint] = true;
            }
        }
        match carries.iter().position(|carries| !carries) {
            Some(joint) => Err(Invalid::new(format!("joint.{}", self.joints[joint].name), Problem::NothingHangs)),
            None => Ok(()),
        }
    }

    fn validate_cable_points(&self, passed: Passed<'_>) -> Result<(), Invalid> {
        for cable in passed.others(&self.cables, |scene| &scene.cables, ScenePart::Cable) {
            let same =
                |w: &[Frame]| w[0].of == w[1].of && (w[0].pose.position - w[1].pose.position).norm() < SAME_POINT;
            if let Some(first) = cable.points.windows(2).position(same) {
                let path = format!("cable.{}.points", cable.name);
                return Err(Invalid::new(path, Problem::Coincident { first }));
            }
        }
        Ok(())
    }

    /// A spring acts between two pieces that can move against each other.
    fn validate_springs(&self) -> Result<(), Invalid> {
        for spring in &self.springs {
            let [a, b] = [&spring.a, &spring.b].map(|frame| self.rigid_root(frame, true));
            if a == b {
                let reason = match (a, spring.a.of == spring.b.of) {
                    (FrameOf::World, _) => "neither end can move",
                    (_, true) => "both ends are on the same part",
                    (_, false) => "both ends belong to the same rigid piece",
                };
                let problem = Problem::NothingToStretch { reason: reason.into() };
                return Err(Invalid::new(format!("spring.{}", spring.name), problem));
            }
        }
        Ok(())
    }

    /// The carrier at the root of the rigid piece that a frame belongs to: what is mounted on a body, or hangs on a fixed
    /// joint, moves as one with its carrier; so does the held end of a rod, if `through_rods`.
    fn rigid_root(&self, frame: &Frame, through_rods: bool) -> FrameOf {
        let mut of = frame.of;
        // The carriers form a tree (`assembly_order`), so a walk is no longer than their number.
        for _ in 0..=self.bodies.len() + self.joints.len() + self.rods.len() {
            let above = match of {
                FrameOf::World => None,
                FrameOf::Body(body) => match self.bodies[body].mount {
                    Mount::On(frame) => Some(frame),
                    Mount::Free(_) => None,
                },
                FrameOf::Joint(joint) => {
                    matches!(self.joints[joint].kind, JointKind::Fixed).then_some(self.joints[joint].parent)
                }
                FrameOf::Rod { .. } if !through_rods => None,
                FrameOf::Rod { rod, s } => {
                    let rod = &self.rods[rod];
                    let near = 1e-9 * rod.length;
                    if s < near {
                        rod.base
                    } else if s > rod.length - near {
                        rod.tip
                    } else {
                        None
                    }
                }
            };
            match above {
                Some(frame) => of = frame.of,
                None => break,
            }
        }
        of
    }

    /// A closure must tie two pieces that could move apart: not two places of one rigid piece, be it by mounts or by the
    /// closures before it.
    fn validate_closures(&self) -> Result<(), Invalid> {
        for (index, rod) in self.rods.iter().enumerate() {
            let on_itself = |frame: &Frame| match self.rigid_root(frame, false) {
                FrameOf::Rod { rod, s } => rod == index && (s - self.rods[index].length).abs() < 1e-9 * s,
                _ => false,
            };
            if rod.tip.is_some_and(|tip| on_itself(&tip)) {
                let chain = vec![format!("rod.{}", rod.name); 2];
                return Err(Invalid::new(format!("rod.{}.tip", rod.name), Problem::Circle { chain }));
            }
        }
        let mut pieces = Pieces::default();
        for closure in &self.closures {
            let [a, b] = [&closure.a, &closure.b].map(|frame| self.rigid_root(frame, true));
            let refuse = |reason: &str| {
                let problem = Problem::RigidAlready { reason: reason.into() };
                Err(Invalid::new(format!("closure.{}", closure.name), problem))
            };
            if a == b {
                return refuse(match (a, closure.a.of == closure.b.of) {
                    (FrameOf::World, _) => "neither side can move",
                    (_, true) => "both sides are on the same part",
                    (_, false) => "both sides belong to the same rigid piece",
                });
            }
            if !pieces.tie(a, b) {
                return refuse("other closures tie the two sides already");
            }
        }
        Ok(())
    }

    /// Parts that nothing connects to the world: they have no equilibrium, or many. A joint that is free in every way and
    /// has no spring connects nothing; a cable does, since it can carry weight, and so does a spring with some stiffness.
    pub fn floating(&self) -> Option<Vec<Item>> {
        let (bodies, joints) = (self.bodies.len(), self.joints.len());
        // 0 is the world, then bodies, joints, rods.
        let node = |item: Item| match item {
            Item::Body(i) => 1 + i,
            Item::Joint(i) => 1 + bodies + i,
            Item::Rod(i) => 1 + bodies + joints + i,
        };
        let at = |frame: &Frame| Item::of(frame).map_or(0, node);
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            if let Mount::On(frame) = &body.mount {
                edges.push((node(Item::Body(i)), at(frame)));
            }
        }
        for (i, joint) in self.joints.iter().enumerate() {
            let driven = matches!(joint.motion, JointMotion::Driven { .. });
            if joint.kind != JointKind::Free || driven || joint.stiffness.iter().any(|k| *k > 0.0) {
                edges.push((node(Item::Joint(i)), at(&joint.parent)));
            }
        }
        for (i, rod) in self.rods.iter().enumerate() {
            edges.extend([rod.base, rod.tip].iter().flatten().map(|frame| (node(Item::Rod(i)), at(frame))));
        }
        edges.extend(self.closures.iter().map(|closure| (at(&closure.a), at(&closure.b))));
        edges.extend(self.cables.iter().flat_map(|cable| cable.points.windows(2)).map(|w| (at(&w[0]), at(&w[1]))));
        let elastic = self.springs.iter().filter(|spring| spring.is_elastic());
        edges.extend(elastic.map(|spring| (at(&spring.a), at(&spring.b))));
        let reached = reach(1 + bodies + joints + self.rods.len(), &edges, 0);
        let first = reached.iter().position(|reached| !reached)?;
        let together = reach(reached.len(), &edges, first);
        let items =
            (0..bodies).map(Item::Body).chain((0..joints).map(Item::Joint)).chain((0..self.rods.len()).map(Item::Rod));
        Some(items.filter(|item| together[node(*item)]).collect())
    }
}

/// Rigid pieces that closures tie together.
#[derive(Default)]
struct Pieces {
    /// Number of the piece of each root: the world, bodies and joints by their number, places on rods by their bits.
    numbers: HashMap<(u8, usize, u64), usize>,
    /// A piece that each is tied to; itself if it stands for all of them.
    above: Vec<usize>,
}

impl Pieces {
    fn number(&mut self, root: FrameOf) -> usize {
        let key = match root {
            FrameOf::World => (0, 0, 0),
            FrameOf::Body(body) => (1, body, 0),
            FrameOf::Joint(joint) => (2, joint, 0),
            FrameOf::Rod { rod, s } => (3, rod, s.to_bits()),
        };
        let next = self.above.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.above.push(next);
        }
        number
    }

    /// The piece that stands for all that one is tied to.
    fn top(&mut self, mut piece: usize) -> usize {
        while self.above[piece] != piece {
            // The way is halved for whoever comes next.
            self.above[piece] = self.above[self.above[piece]];
            piece = self.above[piece];
        }
        piece
    }

    /// Ties two pieces; false if they are tied already.
    fn tie(&mut self, a: FrameOf, b: FrameOf) -> bool {
        let (a, b) = (self.number(a), self.number(b));
        let (a, b) = (self.top(a), self.top(b));
        self.above[a] = b;
        a != b
    }
}

/// Which nodes edges lead to from one of them.
fn reach(nodes: usize, edges: &[(usize, usize)], from: usize) -> Vec<bool> {
    let mut neighbours = vec![Vec::new(); nodes];
    for (a, b) in edges {
        neighbours[*a].push(*b);
        neighbours[*b].push(*a);
    }
    let mut reached = vec![false; nodes];
    let mut ahead = vec![from];
    while let Some(node) = ahead.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            ahead.extend(neighbours[node].iter().copied());
        }
    }
    reached
}
