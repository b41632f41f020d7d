//! Contact: points of rods and bodies that cannot enter an obstacle, a body or another rod, with Coulomb's friction.
//!
//! The condition of a contact has the gap in its first row and, with friction, the slip since the state that it is
//! anchored to in the next two. Its multiplier is minus the force on what touches: −λ along the normal, −λ_t along the
//! two directions of the surface. `law` says which rows act.
//!
//! Without friction and at rest a point of a rod on a round surface **moves** to the least gap of its cell, so that it does
//! not matter where spans begin; on flat ones, in bores, with friction, and in motion, it is **fixed** to the rod, since what slips or carries momentum is a piece of
//! material, unless the rod lies `across` something thin. Straight edges touch a rod wherever it crosses them (`edges`). Edges, rims and axes of solids move along
//! themselves to where they touch each other (`ridges`).
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | x, R | place and axes of the section, seen from what is touched | `Touch::relative` | m | touched |
//! | δ, ν, H | gap, its gradient and second derivative | `Touch::near` | m, –, 1/m | touched |
//! | e₁, e₂ | directions of the surface | `Grip::directions` | – | touched |
//! | s | slip of the touching point of the material, e·(x − x⁰ − r θ × ν) | `Grip::way` | m | touched |
//! | θ | rotation vector of the section since then | | rad | touched |
//! | ζ, η | motion of the section, of what is touched | | rad, m | body |

pub mod across;
pub mod carrier;
pub mod closest;
mod compile;
mod coupling;
mod crossing;
pub mod edge_search;
pub mod edges;
mod following;
mod grip;
pub mod ground;
pub mod hollow;
pub mod law;
pub mod lie;
mod place;
pub mod ridges;
pub mod roughness;
mod rows;
mod shape;
pub mod skin;
mod smoothing;
pub mod sunk;
pub mod surface;
pub mod transfer;
mod wire;
mod work;

use crate::contribution::{At, Condition, Constraint, Multiplier, Part, Scales};
use crate::index::{Block, Node};
use crate::sink::BlockSink;
use crate::state::State;
use carrier::{Carrier, Spot};
use closest::{Search, between, least_distance};
use edges::Edges;
use ground::{Ground, Neighbour, Partner, Ridges};
use law::{Friction, Held, Phase};
use lissome_geometry::Nearest;
use lissome_lie::Pose;
use lissome_model::{Smoothing, Toucher};
use nalgebra::{Matrix2, Matrix6, Vector3, Vector6};
use ridges::Following;
use skin::Skin;
use surface::Surface;

/// Distance that counts as far where there is nothing to touch, in lengths of the robot.
const FAR: f64 = 1.0;

/// What is nearer than this is soon touched, in radii of a rod that touches or in sizes of a body.
const NEAR: f64 = 1.0;

/// Part of 1/stiffness by which rows give way to the change of their multipliers in an iteration.
const SHARING: f64 = 1e-9;
/// Within a few spans a rod is stretched no more than this much beyond what it is at a place of it.
const LONGEST_STRETCH: f64 = 1.2;

/// A point that may touch something.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Its number among the contacts of the system.
    pub number: usize,
    /// What touches.
    pub toucher: Toucher,
    /// Where on that.
    pub carrier: Carrier,
    /// What it touches.
    pub ground: Ground,
    /// Friction; `None` for none.
    pub friction: Option<Friction>,
    /// A smooth law over time steps in place of the exact one.
    pub smoothing: Option<Smoothing>,
    /// Part of the approach speed that is given back.
    pub restitution: f64,
    /// Mass that moves with the point, kg: what weighs a gap against a force within a time step.
    pub mass: f64,
    /// The same at rest, N/m: what a rod resists with if a piece as long as a span is bent.
    pub firmness: f64,
    /// Where its forces are.
    pub multiplier: Multiplier,
    /// Where the pose is that slip counts from; only with friction.
    pub anchor: Option<Block>,
    /// Where the mean force of the last time step is, as the multiplier has it: with what its impact added.
    pub told: Block,
}

/// A contact at a state.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The place of what touches.
    pub spot: Spot,
    /// The place of what is touched.
    pub base: Spot,
    /// Arc length of the first and, on a rod, of the second, m.
    pub places: [f64; 2],
    /// Pose of the first seen from the second.
    pub relative: Pose,
    /// The gap, in axes of the second.
    pub near: Nearest,
    /// Of places that move along their rods: inverse of the second derivative of what they minimise, m.
    pub gives: Matrix2<f64>,
    /// What is added to the gap of such a point, m: see `place`.
    pub centring: f64,
    /// Of ridges: how their places follow.
    pub following: Option<Following>,
}

/// How a contact and what it may touch are to each other at a state.
// It lives on the stack within one evaluation.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
pub enum Meeting {
    /// There is nothing to touch.
    Nobody,
    /// A partner whose gap is no smaller than this, m.
    Far(f64),
    /// Near enough to be looked at.
    Near(Touch),
}

/// What the condition of a contact needs of it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Pose of what touches seen from what is touched.
    relative: Pose,
    radius: f64,
    near: Nearest,
    centring: f64,
}

impl Seen {
    /// What is closed, m.
    fn gap(&self) -> f64 {
        self.near.distance + self.centring
    }
}

impl Touch {
    fn seen(&self) -> Seen {
        let Self { relative, near, centring, .. } = *self;
        Seen { relative, radius: self.spot.radius(), near, centring }
    }
}

impl Contact {
    /// True if the point is fixed to what touches. Where a rod lies along a surface it does not matter where points sit.
    fn is_fixed(&self, at: &At<'_>) -> bool {
        self.friction.is_some() || at.inputs.duration > 0.0
    }

    /// True if the point moves to the least gap of its stretch.
    fn moves_on(&self, surface: &Surface, at: &At<'_>) -> bool {
        let stretch = matches!(self.carrier, Carrier::Rod(_));
        stretch && (surface.is_round() && !self.is_fixed(at) || self.lies_across(at.state))
    }

    /// At a state; `None` where there is nothing to touch.
    pub fn touch(&self, at: &At<'_>) -> Option<Touch> {
        match self.meeting(at) {
            Meeting::Near(touch) => Some(touch),
            Meeting::Nobody | Meeting::Far(_) => None,
        }
    }

    /// How it meets what it may touch at a state.
    pub fn meeting(&self, at: &At<'_>) -> Meeting {
        let near = |touch: Option<Touch>| touch.map_or(Meeting::Nobody, Meeting::Near);
        match &self.ground {
            Ground::Ridges(_) => self.meet_ridges(at.state),
            Ground::Edges(edges) => near(edges.touch(at.state)),
            Ground::Surface { .. } if self.carrier.is_ridge() => near(self.touch_rim(at.state)),
            Ground::Surface { surface, .. } => match self.moves_on(surface, at) {
                true => near(self.least_touch(at.inputs.duration > 0.0, at.state)),
                false => near(self.touch_at(self.carrier.fixed_place(), at.state)),
            },
            Ground::Rods { .. } => {
                let Some((partner, neighbour)) = self.ground.partner(at.state) else { return Meeting::Nobody };
                if let Some(hollow) = neighbour.hollow {
                    return near(self.touch_hollow(hollow, &partner, neighbour, at.state));
                }
                // Most of those that were found in reach do not touch.
                if self.is_idle(at.state) {
                    let least = self.least_distance(&partner, neighbour, at.state);
                    if least > 0.0 {
                        return Meeting::Far(least);
                    }
                }
                near(self.touch_partner(&partner, neighbour, at))
            }
        }
    }

    /// The same without how it follows the unknowns, which costs less.
    fn glance(&self, at: &At<'_>) -> Option<Seen> {
        match &self.ground {
            Ground::Surface { surface, .. } if !self.carrier.is_ridge() && !self.moves_on(surface, at) => {
                self.glance_fixed(at.state)
            }
            _ => self.touch(at).map(|touch| touch.seen()),
        }
    }

    /// The same of the point that is fixed to what touches.
    fn glance_fixed(&self, state: &State) -> Option<Seen> {
        let Ground::Surface { frame, surface, .. } = &self.ground else { return None };
        let (pose, radius) = self.carrier.glance(self.carrier.fixed_place(), state);
        let relative = state.pose(*frame).inverse() * pose;
        let near = surface.gap(&relative.position, radius)?;
        Some(Seen { relative, radius, near, centring: 0.0 })
    }

    /// At arc length s, on a surface.
    fn touch_at(&self, s: f64, state: &State) -> Option<Touch> {
        let Ground::Surface { frame, surface, .. } = &self.ground else { return None };
        let spot = self.carrier.spot(s, state);
        let base = Spot::of(*frame, state);
        let relative = base.pose().inverse() * *spot.pose();
        let near = surface.gap(&relative.position, spot.radius())?;
        Some(Touch {
            spot,
            base,
            places: [s, 0.0],
            relative,
            near,
            gives: Matrix2::zeros(),
            centring: 0.0,
            following: None,
        })
    }

    /// Where it comes closest to a partner, however far that is.
    fn touch_partner(&self, partner: &Partner, neighbour: &Neighbour, at: &At<'_>) -> Option<Touch> {
        let (Ground::Rods { own, .. }, Carrier::Rod(cell)) = (&self.ground, &self.carrier) else { return None };
        if let Some(hollow) = neighbour.hollow {
            return self.touch_hollow(hollow, partner, neighbour, at.state);
        }
        let middle = self.carrier.fixed_place();
        let mut limits = neighbour.ranges(own, partner.alongside, &cell.cell, &partner.windows);
        let mut centring = 0.0;
        if partner.alongside && self.is_fixed(at) {
            limits[0] = [middle; 2];
        } else if partner.alongside {
            centring = place::CENTRING_OF_RODS / cell.length();
        }
        let search = Search { a: own, b: &neighbour.skin, state: at.state, limits, middle, centring };
        let found = search.closest(partner.windows);
        let places = [found.at[0], found.at[1]];
        let inside = |s: f64| if partner.alongside { s.min(cell.last()) } else { s };
        let (spot, base) = (own.spot(inside(places[0]), at.state), neighbour.skin.spot(places[1], at.state));
        let relative = base.pose().inverse() * *spot.pose();
        let near = between(&relative.position, spot.radius() + base.radius());
        let centring = 0.5 * search.centring * (places[0] - middle).powi(2);
        Some(Touch { spot, base, places, relative, near, gives: found.gives, centring, following: None })
    }

    /// The gap between it and a partner is no smaller than this, m.
    fn least_distance(&self, partner: &Partner, neighbour: &Neighbour, state: &State) -> f64 {
        let (Ground::Rods { own, .. }, Carrier::Rod(cell)) = (&self.ground, &self.carrier) else { return 0.0 };
        let limits = neighbour.ranges(own, partner.alongside, &cell.cell, &partner.windows);
        least_distance(own, &neighbour.skin, &limits, &partner.windows, state)
    }

    /// Gives it a partner that it has not touched yet.
    pub fn take_partner(&self, partner: Partner, state: &mut State) {
        if let Ground::Rods { memory, .. } = &self.ground {
            state.linear[*memory] = partner.memory();
        }
        self.forget(state);
    }

    /// Forgets what it exerted.
    pub fn forget(&self, state: &mut State) {
        state.linear[self.multiplier.block] = Vector6::zeros();
        state.linear[self.told] = Vector6::zeros();
    }

    /// True if what it touches is looked up among other rods.
    pub fn has_partners(&self) -> bool {
        matches!(self.ground, Ground::Rods { .. })
    }

    /// True if the place where a rod touches may slide along it, and is looked up.
    pub fn slides(&self) -> bool {
        matches!(self.ground, Ground::Rods { .. } | Ground::Edges(_))
    }

    fn is_idle(&self, state: &State) -> bool {
        state.block(self.multiplier.block)[0] == 0.0
    }

    /// What is touched at a state.
    pub fn touched(&self, state: &State) -> Option<Toucher> {
        match &self.ground {
            Ground::Surface { of, .. } | Ground::Ridges(Ridges { of, .. }) => Some(*of),
            Ground::Rods { .. } => self.ground.partner(state).map(|(_, near)| Toucher::Rod(near.skin.index)),
            Ground::Edges(edges) => edges.crossed(state).map(|_| edges.of),
        }
    }

    /// Friction with what is touched at a state.
    pub fn friction_at(&self, state: &State) -> Option<Friction> {
        let own = self.friction?;
        let pair = self
            .ground
            .partner(state)
            .map(|(partner, near)| Friction { coefficient: near.friction.at(partner.anchors) });
        Some(pair.unwrap_or(own))
    }

    /// What weighs a gap and a slip against a force, N/m: what resists if the point is pushed, by the elasticity of what
    /// touches and, over a time step, by its mass.
    fn stiffness(&self, at: &At<'_>) -> [f64; 2] {
        let inertia = match at.inputs.duration {
            0.0 => 0.0,
            h => self.mass / (h * h),
        };
        [self.firmness + inertia, self.carrier.grip(self.firmness) + inertia]
    }

    /// Force of a touch on what touches, world axes, N; and where it acts, m.
    pub fn force(&self, touch: &Touch, at: &At<'_>) -> (Vector3<f64>, Vector3<f64>) {
        let (base, near) = (touch.base.pose(), &touch.near);
        let acting = match at.inputs.duration > 0.0 {
            true => *at.state.block(self.told),
            false => {
                let multiplier = at.state.block(self.multiplier.block);
                self.condition(at, Some(&touch.seen()), multiplier).acting(multiplier)
            }
        };
        let mut force = base.rotation.rotate(&(near.normal * -acting[0]));
        if self.friction.is_some() {
            let places = self.grip_places(at.state);
            let grip = self.grip(touch, places.as_ref(), at.state);
            let along = grip.slip.directions[0] * acting[1] + grip.slip.directions[1] * acting[2];
            force -= grip.base.pose().rotation.rotate(&along);
        }
        let point = touch.relative.position - near.normal * touch.spot.radius();
        (force, base.transform(&point))
    }

    /// The gap, m; `None` where there is no surface.
    pub fn gap(&self, at: &At<'_>) -> Option<f64> {
        self.glance(at).map(|seen| seen.near.distance)
    }

    fn condition(&self, at: &At<'_>, seen: Option<&Seen>, multiplier: &Vector6<f64>) -> Condition {
        let mut condition = Condition::equality(Vector6::zeros(), 0);
        let Some(seen) = seen else {
            condition.open[0] = FAR * at.scales.length;
            return condition;
        };
        let [stiffness, grip] = self.stiffness(at);
        condition.sharing = SHARING / stiffness;
        condition.open[0] = seen.gap();
        condition.sides[0] = Some(-1.0);
        let pressed = -multiplier[0] - stiffness * condition.open[0];
        if let Some(smoothing) = self.smoothing.filter(|_| at.inputs.duration > 0.0) {
            // What is farther may couple nothing.
            if pressed > 0.0 || condition.open[0] <= 0.5 * NEAR * self.carrier.size(seen.radius) {
                let friction = self.friction_at(at.state).map(|friction| (friction, self.way(seen, at.state)));
                smoothing::decide(&smoothing, friction, multiplier, pressed, [stiffness, grip], &mut condition);
            }
            return condition;
        }
        condition.active[0] = match Phase::read(multiplier) {
            Phase::Held(held) => {
                condition.sides[0] = None;
                held != Held::Open
            }
            _ => pressed > 0.0,
        };
        if let Some(friction) = self.friction_at(at.state)
            && condition.active[0]
        {
            let pressed = pressed.max(0.0);
            let way = self.way(seen, at.state);
            friction.decide(multiplier, pressed, [stiffness, grip], &way, &mut condition);
        }
        condition
    }

    /// The part of a step that may be taken before the point could come out on the other side of what it touches: it goes no
    /// deeper than half of what that is thick. `motion` is the step of each node.
    pub fn longest_fraction(&self, at: &At<'_>, motion: impl Fn(Node) -> Vector6<f64>) -> f64 {
        match self.is_endless() {
            true => 1.0,
            false => self.fraction_in(&self.meeting(at), at, motion),
        }
    }

    /// True of what cannot be passed through: it has no other side, or it is a bore.
    pub fn is_endless(&self) -> bool {
        self.is_hollow() || matches!(&self.ground, Ground::Surface { surface, .. } if surface.depth().is_none())
    }

    /// [`Self::longest_fraction`] of what meets so.
    pub fn fraction_in(&self, meeting: &Meeting, at: &At<'_>, motion: impl Fn(Node) -> Vector6<f64>) -> f64 {
        let touch = match meeting {
            Meeting::Nobody => return 1.0,
            Meeting::Far(least) => return self.far_fraction(*least, at, motion),
            Meeting::Near(touch) => touch,
        };
        let depth = match &self.ground {
            Ground::Surface { surface, .. } => surface.depth(),
            Ground::Ridges(other) => Some(other.depth),
            Ground::Edges(edges) => Some(edges.depth),
            Ground::Rods { near, .. } => near.iter().map(|near| near.skin.thickest()).reduce(f64::min),
        };
        let Some(depth) = depth else { return 1.0 };
        // Of two ridges the depth is that of both.
        let radius = if matches!(self.ground, Ground::Ridges(_)) { 0.0 } else { touch.spot.radius() };
        let allowed = touch.near.distance.max(0.0) + 0.5 * (depth + radius);
        let (mut own, mut other) = (Vector6::zeros(), Vector6::zeros());
        touch.spot.visit(|node, jacobian| own += jacobian * motion(node));
        touch.base.visit(|node, jacobian| other += jacobian * motion(node));
        let way: Vector3<f64> = touch.relative.rotation.matrix() * own.fixed_rows::<3>(3);
        let [turn, shift] = [0, 3].map(|first| other.fixed_rows::<3>(first).into_owned());
        let size = (way - shift - turn.cross(&touch.relative.position)).norm();
        if size > allowed { allowed / size } else { 1.0 }
    }

    /// The same for a partner whose gap is no smaller than `least`.
    fn far_fraction(&self, least: f64, at: &At<'_>, motion: impl Fn(Node) -> Vector6<f64>) -> f64 {
        let (Ground::Rods { own, .. }, Carrier::Rod(cell)) = (&self.ground, &self.carrier) else {
            return self.ridge_fraction(least, motion);
        };
        let Some((partner, neighbour)) = self.ground.partner(at.state) else { return 1.0 };
        let limits = neighbour.ranges(own, partner.alongside, &cell.cell, &partner.windows);
        let allowed = least + 0.5 * (own.thickest() + neighbour.skin.thickest());
        let farthest = |skin: &Skin, range: &[f64; 2]| {
            let mut way = 0.0f64;
            skin.nodes(range[0], range[1], &mut |node| way = way.max(motion(node).fixed_rows::<3>(3).norm()));
            way
        };
        let size = farthest(own, &limits[0]) + farthest(&neighbour.skin, &limits[1]);
        if size > allowed { allowed / size } else { 1.0 }
    }

    /// What the contact would do by its law, whatever it is held to.
    pub fn wish(&self, at: &At<'_>) -> Held {
        let mut multiplier = *at.state.block(self.multiplier.block);
        multiplier[3] = 0.0;
        Held::of(&self.evaluate(at, &multiplier))
    }

    /// Remembers in `to` how the contact slid in the iteration that led there from `from`, by its condition there. What has begun to
    /// press goes on as `begun` says.
    pub fn remember_slip(&self, from: &State, condition: impl Fn() -> Condition, begun: Phase, to: &mut State) {
        if self.friction.is_some() {
            let (block, condition) = (self.multiplier.block, condition());
            let sense = law::sense_of(&condition);
            let phase = match Phase::read(from.block(block)) {
                Phase::Frozen if condition.active[0] || condition.follows(0) => begun,
                // Where it sticks next, one iteration without a force along the surface is enough: the one in which it came to press.
                Phase::Frozen if begun == Phase::Begins && to.block(block)[0] != 0.0 => begun,
                Phase::Begins => Phase::Free,
                other => other,
            };
            Phase::write(phase, &sense, &mut to.linear[block]);
        }
    }
}

impl Contact {
    /// Adds the second derivative of multiplier · c where it touches so.
    pub fn curvature_in(&self, touch: &Touch, state: &State, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink) {
        if !sink.is_wanted() || *multiplier == Vector6::zeros() {
            return;
        }
        self.add_curvature(touch, state, multiplier, sink);
        if touch.gives != Matrix2::zeros() {
            following::add(touch, -multiplier[0], sink);
        }
        if let Some(following) = &touch.following {
            ridges::add(touch, following, -multiplier[0], sink);
        }
    }
}

impl Constraint for Contact {
    fn part(&self) -> Part {
        match (&self.ground, self.toucher) {
            (
                Ground::Surface { of: Toucher::Obstacle(index), .. }
                | Ground::Ridges(Ridges { of: Toucher::Obstacle(index), .. })
                | Ground::Edges(Edges { of: Toucher::Obstacle(index), .. }),
                _,
            ) => Part::new("obstacle", *index),
            (_, Toucher::Rod(index)) => Part::rod(index),
            (_, Toucher::Body(index)) => Part::body(index),
            (_, Toucher::Obstacle(index)) => Part::new("obstacle", index),
        }
    }

    fn multiplier(&self) -> Multiplier {
        self.multiplier
    }

    fn size(&self) -> usize {
        if self.friction.is_some() { 3 } else { 1 }
    }

    fn stays(&self) -> bool {
        false
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        if let Ground::Surface { frame: slot, .. } | Ground::Ridges(Ridges { slot, .. }) = &self.ground {
            self.carrier.nodes(visit);
            visit(slot.node());
        }
    }

    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        let mut nodes = Vec::new();
        self.nodes(&mut |node| nodes.push(node));
        for (i, a) in nodes.iter().enumerate() {
            nodes[..=i].iter().for_each(|b| visit(*a, *b));
        }
    }

    fn is_one_sided(&self) -> bool {
        true
    }

    fn evaluate(&self, at: &At<'_>, multiplier: &Vector6<f64>) -> Condition {
        self.condition(at, self.glance(at).as_ref(), multiplier)
    }

    fn open_like(&self, at: &At<'_>, _: &Vector6<f64>, earlier: &Condition) -> Vector6<f64> {
        let mut open = Vector6::zeros();
        if let Some(seen) = self.glance(at) {
            open[0] = seen.gap();
            if self.friction.is_some() {
                let way = self.way(&seen, at.state);
                (0..2).filter(|k| earlier.active[k + 1]).for_each(|k| open[k + 1] = way[k]);
            }
        }
        open
    }

    fn jacobian(&self, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        let Some(touch) = self.touch(at) else { return };
        self.visit_rows(&touch, at.state, visit);
    }

    fn kept_as(&self) -> Option<usize> {
        Some(self.number)
    }

    fn curvature(&self, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink) {
        if sink.is_wanted()
            && *multiplier != Vector6::zeros()
            && let Some(touch) = self.touch(at)
        {
            self.curvature_in(&touch, at.state, multiplier, sink);
        }
    }

    fn unit(&self, scales: &Scales) -> Vector6<f64> {
        Vector6::repeat(scales.length)
    }

    fn firmness(&self, _: &Scales, _: &Vector6<f64>) -> Vector6<f64> {
        Vector6::repeat(self.firmness)
    }

    fn locates_impacts(&self) -> bool {
        self.restitution > 0.0
    }

    fn shared_mass(&self) -> Option<f64> {
        Some(self.mass)
    }

    fn restitution(&self) -> f64 {
        self.restitution
    }
}
