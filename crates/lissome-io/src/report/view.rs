//! A view of an answer: obstacles, bodies, rods with their true width, joints, cables, tendons, loads and what presses, the
//! unstressed rods behind them, and the way there if it is the end of a path. Both directions have the same scale.

use super::arrows;
use super::bodies::{self, ProjectedBody};
use super::connections;
use super::contacts;
use super::obstacles::{self, Extent, SeenObstacle};
use super::plane::Plane;
use super::rods::{self, Cut};
use super::sensitivity;
use super::springs;
use super::svg::{Anchor, Point, Svg};
use super::targets;
use super::tendons;
use super::tubes;
use super::undeformed;
use super::window::{BOTTOM, Bounds, LEFT, RIGHT, TOP, WIDTH, Window};
use crate::places;
use crate::summary::Summary;
use lissome_lie::Pose;
use lissome_model::{Rod, Scene};
use lissome_solve::{Equilibrium, PathSample};

/// Samples of a path that are shown behind the last.
const SHOWN_SAMPLES: usize = 24;
/// Radius of the ring around the last place of a target.
const TARGET_RADIUS: f64 = 5.0;
/// Shades from the first of them to the last.
const SHADES: [&str; 4] = ["trail t0", "trail t1", "trail t2", "trail t3"];

/// Draws the scene as seen along a direction.
pub fn draw(summary: &Summary<'_>, plane: Plane) -> Svg {
    let (scene, equilibrium) = (summary.scene, summary.equilibrium);
    // Tubes that are nested have stress in each other: no shape without it.
    let alone = scene.rods.iter().filter(|rod| rod.tubes.is_none());
    let count = scene.rods.len();
    let unstressed = |rod: &Rod| rods::cuts(rod, &rods::shown(undeformed::poses(rod), count), plane);
    let unstressed_rods: Vec<Vec<Cut>> = alone.map(unstressed).collect();
    let drawn_rods: Vec<Vec<Cut>> = scene
        .rods
        .iter()
        .zip(&equilibrium.rods)
        .map(|(rod, record)| {
            let poses: Vec<(f64, Pose)> = record.samples.iter().map(|s| (s.s, s.pose)).collect();
            // The ends of tubes are counted in samples.
            let poses = if rod.tubes.is_some() { poses } else { rods::shown(poses, count) };
            rods::cuts(rod, &poses, plane)
        })
        .collect();
    let drawn_bodies = bodies::projected(scene, equilibrium.bodies.iter().map(|body| &body.pose), plane);
    let trails = trails(scene, summary.path, plane);
    let targets = targets::places(summary);

    let mut bounds = Bounds::default();
    for cut in unstressed_rods.iter().chain(&drawn_rods).flatten() {
        for side in [-1.0, 1.0] {
            bounds.include(rods::offset(cut, side * cut.half));
        }
    }
    let outlines =
        drawn_bodies.iter().flat_map(ProjectedBody::points).chain(trails.iter().flat_map(|t| t.1.iter().copied()));
    outlines.for_each(|point| bounds.include(point));
    let cables = equilibrium.cables.iter().flat_map(|cable| &cable.points);
    cables
        .chain(equilibrium.joints.iter().map(|joint| &joint.pose.position))
        .for_each(|p| bounds.include(plane.project(p)));
    let springs = springs::ends(scene, equilibrium).into_iter().flatten();
    springs.flat_map(|(a, b)| [a, b]).for_each(|p| bounds.include(plane.project(&p)));
    tendons::points(scene, equilibrium).iter().for_each(|p| bounds.include(plane.project(p)));
    targets.iter().flatten().for_each(|p| bounds.include(plane.project(p)));
    let extent = extent(scene, equilibrium);
    let obstacles = obstacles::seen(scene, extent, plane, |frame| places::of_frame(equilibrium, frame));
    SeenObstacle::include(&obstacles, extent, plane, &mut bounds);
    let pressed = || equilibrium.contacts.iter().map(|record| &record.contact);
    let per_newton = contacts::scale(pressed(), &bounds);
    contacts::include(pressed(), per_newton.unwrap_or(0.0), plane, &mut bounds);
    let arrows = arrows::of(summary, plane, 0.16 * bounds.size());
    for arrow in &arrows {
        bounds.include(arrow.from);
        bounds.include(arrow.to);
    }
    let window = Window::around(&bounds);
    let place = |point: &(f64, f64)| window.at(*point);

    let title = plane.labels().0;
    let mut svg = Svg::new(WIDTH, TOP + window.height + BOTTOM, title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, title);
    window.draw_frame(&mut svg, plane);
    obstacles.iter().for_each(|obstacle| obstacle.draw(&mut svg, &window));
    let grey: String = unstressed_rods.iter().map(|cuts| rods::outline(cuts, &window)).collect();
    svg.path("ghost", &grey);
    for (shade, points) in &trails {
        svg.polyline(shade, &points.iter().map(place).collect::<Vec<Point>>());
    }
    // What is nearer to the reader covers what is not; the rods are thin and stay in front of the bodies.
    drawn_bodies.iter().for_each(|body| body.draw(&mut svg, &window, plane));
    for ((rod, record), cuts) in scene.rods.iter().zip(&equilibrium.rods).zip(&drawn_rods) {
        if tubes::draw(&mut svg, rod, record, cuts, &window) {
            continue;
        }
        svg.path("body", &rods::outline(cuts, &window));
        let axis: Vec<Point> = cuts.iter().map(|cut| window.at(cut.centre)).collect();
        svg.polyline("axisline", &axis);
    }
    for (rod, cuts) in scene.rods.iter().zip(&drawn_rods) {
        rods::draw_holds(&mut svg, rod, cuts, &window);
    }
    tendons::draw(&mut svg, scene, equilibrium, plane, &window);
    sensitivity::draw(&mut svg, summary, plane, &window, bounds.size());
    connections::draw_cables(&mut svg, equilibrium, plane, &window);
    springs::draw(&mut svg, scene, equilibrium, plane, &window);
    connections::draw_joints(&mut svg, scene, equilibrium, plane, &window);
    if let Some(scale) = per_newton {
        contacts::draw(&mut svg, contacts::named(&equilibrium.contacts), scale, plane, &window);
    }
    for course in &targets {
        let points: Vec<Point> = course.iter().map(|p| window.at(plane.project(p))).collect();
        svg.polyline("target", &points);
        points.last().into_iter().for_each(|last| svg.circle("target", *last, TARGET_RADIUS));
    }
    for arrow in &arrows {
        arrow.draw(&mut svg, |p| window.at(p));
    }
    draw_legend(&mut svg, !grey.is_empty(), trails.len());
    svg
}

/// The box around rods and bodies, as thick as they are, near enough for a picture.
fn extent(scene: &Scene, equilibrium: &Equilibrium) -> Option<Extent> {
    let rods = equilibrium.rods.iter().flat_map(|rod| rod.samples.iter().map(|sample| sample.pose.position));
    let bodies = scene.bodies.iter().zip(&equilibrium.bodies).flat_map(|(body, record)| {
        let solids = body.solids.iter().map(|solid| record.pose.transform(&solid.pose.position));
        solids.chain([record.pose.position])
    });
    Extent::of(rods.chain(bodies))
}

/// The views that show most of a scene: two for rods, an oblique one and three for robots.
pub fn planes(scene: &Scene) -> &'static [Plane] {
    let plain =
        scene.bodies.is_empty() && scene.joints.is_empty() && scene.tendons.is_empty() && scene.obstacles.is_empty();
    if plain && scene.rods.len() < 2 {
        &[Plane::Side, Plane::Top]
    } else {
        &[Plane::Oblique, Plane::Side, Plane::Front, Plane::Top]
    }
}

/// Axes of the rods and outlines of the bodies of the samples before the last, evenly chosen, with their shades.
fn trails(scene: &Scene, path: &[PathSample], plane: Plane) -> Vec<(&'static str, Vec<(f64, f64)>)> {
    let before = path.len().saturating_sub(1);
    let shown = before.min(SHOWN_SAMPLES);
    let mut trails = Vec::new();
    for index in 0..shown {
        let shade = SHADES[index * SHADES.len() / shown];
        let earlier = &path[index * before / shown].equilibrium;
        for body in bodies::projected(scene, earlier.bodies.iter().map(|body| &body.pose), plane) {
            trails.extend(body.outlines().map(|outline| (shade, outline)));
        }
        for rod in &earlier.rods {
            let axis = rod.samples.iter().map(|sample| plane.project(&sample.pose.position)).collect();
            trails.push((shade, rods::shown(axis, shown * earlier.rods.len())));
        }
    }
    trails
}

fn draw_legend(svg: &mut Svg, unstressed: bool, trails: usize) {
    let mut right = WIDTH - RIGHT;
    if unstressed {
        svg.text("strong", (right, 20.0), Anchor::End, "unstressed");
        svg.rectangle("ghost", (right - 94.0, 10.0), 16.0, 11.0);
        right -= 112.0;
    }
    if trails > 0 {
        svg.text("strong", (right, 20.0), Anchor::End, "earlier samples");
        svg.line("trail t3", (right - 118.0, 16.0), (right - 100.0, 16.0));
    }
}
