//! The contacts of a scene: a point in each span of a rod, its ends, and points of bodies, each with every obstacle that it
//! may touch.

use super::Contact;
use super::carrier::{Carrier, RodCell};
use super::edges::{EDGES_OF_A_SPAN, Edges};
use super::ground::{Ground, Neighbour, Ridges};
use super::hollow::Hollow;
use super::law::Friction;
use super::lie::Across;
use super::roughness::Roughness;
use super::shape::{self, Shape};
use super::skin::Skin;
use super::surface::Surface;
use crate::attach::Attach;
use crate::rod::Rod;
use lissome_geometry::Ridge;
use lissome_model::{Frame, FrameOf, JointMotion, ObstacleShape, Outline, Scene, Toucher};
use nalgebra::Vector3;
use std::f64::consts::PI;
use std::sync::Arc;

/// Other rods, and other places of its own rod, that a point may touch at the same time.
const MOST_PARTNERS: usize = 4;
const OWN_PARTNERS: usize = 4;
/// Two places of one rod touch if they are apart by so many radii along it at least: a rod that is bent as sharply as its
/// thickness allows comes back to itself after π of them.
const APART: f64 = PI;

/// A point that may touch something.
struct Point {
    toucher: Toucher,
    carrier: Carrier,
    /// The rod that it is on, for what concerns other rods; `None` for ends, which belong to the last cells.
    skin: Option<Arc<Skin>>,
    on: Surfaces,
    mass: f64,
    firmness: f64,
}

/// Which surfaces a point touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surfaces {
    All,
    /// Those without friction, and other rods.
    Smooth,
    /// Those with friction: what sticks is held along the rod too, where fewer points can be told apart.
    Rough,
}

impl Surfaces {
    fn include(self, rough: bool) -> bool {
        self == Self::All || rough == (self == Self::Rough)
    }
}

impl Contact {
    /// Every contact of a scene.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        if !scene.has_contacts() {
            return Vec::new();
        }
        let mut points = points(scene, places);
        let mut contacts = Vec::new();
        for (touched, frame, shape) in solids(scene) {
            let frame = places.slot(&frame);
            let surface = Arc::new(Surface::of(&shape));
            let mut rough: Option<(Toucher, Option<Roughness>)> = None;
            for point in &points {
                // Points of one part follow each other.
                if rough.as_ref().is_none_or(|(of, _)| *of != point.toucher) {
                    rough = Some((point.toucher, Roughness::between(scene, [point.toucher, touched])));
                }
                let Some((_, Some(rough))) = &rough else { continue };
                if !point.on.include(rough.most() > 0.0) {
                    continue;
                }
                let coefficient = match &point.carrier {
                    Carrier::Rod(cell) => rough.over(cell.cell, 0.0),
                    Carrier::Point { .. } | Carrier::Ridge { .. } => rough.at([0.0; 2]),
                };
                let own = point.skin.as_ref().filter(|_| surface.is_round());
                let across = own.map(|own| Across { own: own.clone(), memory: places.reaction() });
                let ground = Ground::Surface { of: touched, frame, surface: surface.clone(), across };
                contacts.push(Self::new(point, ground, coefficient, places));
            }
        }
        // Rods see each other, and edges, as they see what is smooth.
        points.retain(|point| point.on.include(false));
        contacts.extend(Self::over_edges(&points, places));
        let skins: Vec<Arc<Skin>> = {
            let mut skins: Vec<Arc<Skin>> = points.iter().filter_map(|point| point.skin.clone()).collect();
            skins.dedup_by_key(|skin| skin.index);
            skins
        };
        let near: Vec<Arc<[Neighbour]>> = skins.iter().map(|own| neighbours(scene, own, &skins)).collect();
        for point in &points {
            let Some(own) = &point.skin else { continue };
            let Some(near) = skins.iter().position(|skin| skin.index == own.index).map(|k| near[k].clone()) else {
                continue;
            };
            let other = near.iter().filter(|near| near.apart.is_none()).count();
            let partners = other.min(MOST_PARTNERS) + if other < near.len() { OWN_PARTNERS } else { 0 };
            let coefficient = near.iter().map(|near| near.friction.most()).fold(0.0, f64::max);
            for _ in 0..partners {
                let memory = places.reaction();
                let ground = Ground::Rods { own: own.clone(), near: near.clone(), memory };
                contacts.push(Self::new(point, ground, coefficient, places));
            }
        }
        contacts.extend(Self::in_bores(&points, &skins, places));
        contacts.extend(Self::of_shapes(places));
        contacts.iter_mut().enumerate().for_each(|(number, contact)| contact.number = number);
        contacts
    }

    /// Of rods that may lie across edges: so many in each span as it may bend over.
    fn over_edges<'s>(points: &[Point], places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let mut contacts = Vec::new();
        for (of, frame, shape) in solids(scene) {
            let surface = Arc::new(Surface::of(&shape));
            let list: Arc<[Ridge]> = shape::edges_under_rods(&shape, &surface).into();
            let Some(depth) = surface.depth().filter(|_| !list.is_empty()) else { continue };
            let slot = places.slot(&frame);
            for point in points {
                let (Some(own), Carrier::Rod(cell)) = (&point.skin, &point.carrier) else { continue };
                let Some(rough) = Roughness::between(scene, [point.toucher, of]) else { continue };
                for _ in 0..EDGES_OF_A_SPAN {
                    let (own, surface, list) = (own.clone(), surface.clone(), list.clone());
                    let memory = places.reaction();
                    let edges = Edges { of, slot, own, cell: cell.cell, surface, list, depth, memory };
                    contacts.push(Self::new(point, Ground::Edges(edges), rough.over(cell.cell, 0.0), places));
                }
            }
        }
        contacts
    }

    /// Of rods in rods: points of the inner one, and the mouths of the bore.
    fn in_bores<'s>(points: &[Point], skins: &[Arc<Skin>], places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let mut contacts = Vec::new();
        for (inner, outer, radius) in scene.rods_in_rods() {
            let skin = |rod: usize| skins.iter().find(|skin| skin.index == rod);
            let (Some(inner), Some(outer)) = (skin(inner), skin(outer)) else { continue };
            for (own, other, hollow) in [(inner, outer, Hollow::Around(radius)), (outer, inner, Hollow::Mouth(radius))]
            {
                let of = [own, other].map(|skin| Toucher::Rod(skin.index));
                let Some(friction) = Roughness::between(scene, of) else { continue };
                let coefficient = friction.most();
                let near: Arc<[Neighbour]> =
                    Arc::new([Neighbour { skin: other.clone(), friction, apart: None, hollow: Some(hollow) }]);
                let is_mouth = |point: &&Point| matches!(hollow, Hollow::Around(_)) || point.skin.is_none();
                for point in points.iter().filter(|point| point.toucher == of[0]).filter(is_mouth) {
                    let memory = places.reaction();
                    let ground = Ground::Rods { own: own.clone(), near: near.clone(), memory };
                    contacts.push(Self::new(point, ground, coefficient, places));
                }
            }
        }
        contacts
    }

    /// Of the shapes of bodies with each other and with obstacles, as far as points of bodies do not have them: points of obstacles on bodies,
    /// rims on surfaces, and edges, rims and axes across each other.
    fn of_shapes<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let shapes: Vec<(Toucher, Frame, Shape)> =
            solids(scene).into_iter().map(|(of, frame, shape)| (of, frame, Shape::of(&shape))).collect();
        let mut contacts = Vec::new();
        for (k, (one, first, a)) in shapes.iter().enumerate() {
            for (two, second, b) in &shapes[k + 1..] {
                let body = [*one, *two].into_iter().find_map(|side| match side {
                    Toucher::Body(body) => Some(&scene.bodies[body].inertia),
                    _ => None,
                });
                // The centre of a ball sees all of a surface; those of bodies are among the points.
                let is_ball_of_body = |of: &Toucher, own: &Shape| matches!(of, Toucher::Body(_)) && own.is_ball();
                let Some(inertia) = body.filter(|_| !is_ball_of_body(one, a) && !is_ball_of_body(two, b)) else {
                    continue;
                };
                let Some(rough) = Roughness::between(scene, [*one, *two]) else { continue };
                let slots = [first, second].map(|frame| places.slot(frame));
                let firmness = body_firmness(scene, inertia.mass, places.length_scale());
                let mut add = |toucher: Toucher, carrier: Carrier, ground: Ground, places: &mut _| {
                    let mass = inertia.mass / shape::POINTS as f64;
                    let point = Point { toucher, carrier, skin: None, on: Surfaces::All, mass, firmness };
                    contacts.push(Self::new(&point, ground, rough.most(), places));
                };
                let both = [(*one, slots[0], a, *two, slots[1], b), (*two, slots[1], b, *one, slots[0], a)];
                for (toucher, slot, own, of, frame, other) in both {
                    let surface = || Ground::Surface { of, frame, surface: other.surface.clone(), across: None };
                    // Points of bodies have all surfaces already.
                    if matches!(toucher, Toucher::Obstacle(_)) {
                        for (offset, radius) in &own.points {
                            let carrier = Carrier::Point { slot, offset: *offset, radius: *radius };
                            add(toucher, carrier, surface(), places);
                        }
                    }
                    for ridge in own.rims().filter(|_| !other.is_ball()) {
                        add(toucher, Carrier::Ridge { slot, ridge: Box::new(*ridge) }, surface(), places);
                    }
                }
                // The side with fewer ridges looks for those of the other.
                let fewer = if a.crossings_of(b) <= b.crossings_of(a) { both[0] } else { both[1] };
                let (toucher, slot, own, of, frame, other) = fewer;
                let depth = own.depth.min(other.depth);
                for (ridge, list, root) in own.crossings(other) {
                    let memory = places.reaction();
                    let ground = Ground::Ridges(Ridges { of, slot: frame, list: list.clone(), root, depth, memory });
                    add(toucher, Carrier::Ridge { slot, ridge: Box::new(*ridge) }, ground, places);
                }
            }
        }
        contacts
    }

    fn new<'s>(point: &Point, ground: Ground, coefficient: f64, places: &mut impl Attach<'s>) -> Self {
        let friction = (coefficient > 0.0).then_some(Friction { coefficient });
        let multiplier = places.multiplier(if friction.is_some() { 3 } else { 1 });
        let anchor = friction.map(|_| places.reaction());
        let restitution = match point.toucher {
            Toucher::Body(_) | Toucher::Obstacle(_) => places.scene().touching.restitution,
            Toucher::Rod(_) => 0.0,
        };
        Self {
            number: 0,
            toucher: point.toucher,
            carrier: point.carrier.clone(),
            ground,
            friction,
            smoothing: places.scene().touching.smoothing,
            restitution,
            mass: point.mass,
            firmness: point.firmness,
            multiplier,
            anchor,
            told: places.reaction(),
        }
    }
}

/// Every surface that may be touched: those of obstacles and of bodies.
fn solids(scene: &Scene) -> Vec<(Toucher, Frame, ObstacleShape)> {
    let obstacles = scene.obstacles.iter().enumerate();
    let mut found: Vec<_> =
        obstacles.map(|(index, model)| (Toucher::Obstacle(index), model.frame, model.shape.clone())).collect();
    for (index, body) in scene.bodies.iter().enumerate() {
        for solid in &body.solids {
            found.push((Toucher::Body(index), Frame::body(index).at(solid.pose), shape_of(&solid.outline)));
        }
    }
    found
}

/// The shape of a solid of a body.
fn shape_of(outline: &Outline) -> ObstacleShape {
    match *outline {
        Outline::Sphere { radius } => ObstacleShape::Sphere { radius },
        Outline::Box { size } => ObstacleShape::Box { size },
        Outline::Cylinder { radius, length } => ObstacleShape::Cylinder { radius, length },
    }
}

/// The rods that the points of a rod look for. Of two rods the one with the shorter spans has the points.
fn neighbours(scene: &Scene, own: &Arc<Skin>, skins: &[Arc<Skin>]) -> Arc<[Neighbour]> {
    let span = |skin: &Skin| skin.rod.curve().length() / skin.span_count() as f64;
    let finer = |other: &Skin| (span(own), own.index) < (span(other), other.index);
    let of = |skin: &Skin| Toucher::Rod(skin.index);
    skins
        .iter()
        .filter(|other| other.index == own.index || finer(other))
        .filter(|other| scene.touching.pair(of(own), of(other)).is_none_or(|pair| pair.bore.is_none()))
        .filter_map(|other| {
            let friction = Roughness::between(scene, [of(own), of(other)])?;
            let apart = (other.index == own.index).then(|| APART * own.thickest());
            Some(Neighbour { skin: other.clone(), friction, apart, hollow: None })
        })
        .collect()
}

/// Every point that may touch something, with the mass that moves with it and what it resists with.
fn points<'s>(scene: &Scene, places: &mut impl Attach<'s>) -> Vec<Point> {
    let mut found = Vec::new();
    for (index, model) in scene.rods.iter().enumerate() {
        let Ok(rod) = Rod::compile(model, &model.path(), &scene.places_on(index), Vec::new()) else { continue };
        let (rod, first) = (Arc::new(rod), places.rod_slot(index, 0.0));
        let radius = |s: f64| model.profile.at(s).outer_radius();
        let skin = Arc::new(Skin::new(rod.clone(), index, first, radius));
        let held = [&model.base, &model.tip].map(|end| end.is_some_and(|frame| is_prescribed(scene, &frame)));
        let weight: f64 =
            (0..rod.curve().point_count()).map(|q| rod.curve().line_density(q) * rod.curve().point_weight(q)).sum();
        let span = rod.curve().length() / skin.span_count() as f64;
        let firmness = rod.curve().soft_bending() / span.powi(3);
        let mut add = |pieces: Vec<[f64; 2]>, on: Surfaces| {
            let cells = cells_of(&rod, pieces, held);
            let mass = weight / cells.len() as f64;
            for cell in cells {
                // A point that sticks stays where it is, and knows the radius there.
                let radii =
                    if on == Surfaces::Rough { [radius(0.5 * (cell[0] + cell[1])); 2] } else { cell.map(radius) };
                let skin = (cell[1] > cell[0]).then(|| skin.clone());
                let carrier = Carrier::Rod(RodCell::new(rod.clone(), index, first, cell, radii));
                found.push(Point { toucher: Toucher::Rod(index), carrier, skin, on, mass, firmness });
            }
        };
        match rod.sticking_pieces() {
            None => add(rod.pieces(), Surfaces::All),
            Some(sticking) => {
                add(rod.pieces(), Surfaces::Smooth);
                add(sticking, Surfaces::Rough);
            }
        }
    }
    for (index, body) in scene.bodies.iter().enumerate() {
        let slot = places.slot(&Frame::body(index));
        let points: Vec<(Vector3<f64>, f64)> = body
            .solids
            .iter()
            .flat_map(|solid| {
                let shape = shape_of(&solid.outline);
                shape::points_of(&shape, &Surface::of(&shape))
                    .into_iter()
                    .map(|(at, radius)| (solid.pose.transform(&at), radius))
            })
            .collect();
        for (offset, radius) in &points {
            found.push(Point {
                toucher: Toucher::Body(index),
                carrier: Carrier::Point { slot, offset: *offset, radius: *radius },
                skin: None,
                on: Surfaces::All,
                mass: body.inertia.mass / points.len() as f64,
                firmness: body_firmness(scene, body.inertia.mass, places.length_scale()),
            });
        }
    }
    found
}

/// What weighs a gap of a body against a force: its weight over the length of the robot.
fn body_firmness(scene: &Scene, mass: f64, length: f64) -> f64 {
    let acceleration = if scene.gravity.norm() > 0.0 { scene.gravity.norm() } else { 1.0 };
    if mass > 0.0 { mass * acceleration / length } else { 1.0 / length }
}

/// True if nothing that touches can move a frame: it stands in the world, or on a joint there that is driven.
fn is_prescribed(scene: &Scene, frame: &Frame) -> bool {
    match frame.of {
        FrameOf::World => true,
        FrameOf::Joint(joint) => {
            let joint = &scene.joints[joint];
            matches!(joint.motion, JointMotion::Driven { .. }) && is_prescribed(scene, &joint.parent)
        }
        FrameOf::Body(_) | FrameOf::Rod { .. } => false,
    }
}

/// Stretches of a rod, and the ends that nothing holds.
fn cells_of(rod: &Rod, pieces: Vec<[f64; 2]>, held: [bool; 2]) -> Vec<[f64; 2]> {
    let mut cells = pieces;
    let ends = [0.0, rod.curve().length()];
    cells.extend(ends.into_iter().zip(held).filter(|(_, held)| !held).map(|(end, _)| [end, end]));
    cells
}
