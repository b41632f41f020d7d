//! `report.html` of a motion: shapes over time, tip curves, the energy balance, momenta and steps.

use super::bodies::{self, ProjectedBody};
use super::contacts;
use super::course::{self, Unit};
use super::derivative_course::{self, Axis};
use super::obstacles::{self, Extent, SeenObstacle};
use super::picture::Picture;
use super::plane::Plane;
use super::plot::{Curve, Plot, flush};
use super::rods;
use super::springs;
use super::stage;
use super::svg::{Anchor, Point, Svg};
use super::window::{BOTTOM, Bounds, LEFT, RIGHT, TOP, WIDTH, Window};
use super::{html, tables};
use crate::motion_summary::MotionSummary;
use crate::number;
use crate::placing::Placing;
use lissome_model::{Coordinate, Frame, Scene};
use lissome_solve::{MotionFrame, MotionRecord};
use nalgebra::Vector3;

/// Shapes drawn over one another.
const SHAPES: usize = 24;
/// Points of a curve: more than there are pixels would only make the page heavy.
const POINTS: usize = 1200;
/// Of what is exchanged, times the part below which a value is rounding: a drift of less than 1e-14 is none.
const BALANCE: f64 = 1e-4;
/// The oldest shape is drawn with this opacity, the newest with 1.
const FAINTEST: f64 = 0.12;

/// The whole page.
pub fn html(summary: &MotionSummary<'_>, scene_toml: &str) -> String {
    let (scene, status) = (summary.scene, summary.status());
    let under = format!("Motion over {}", number::with_unit(summary.reached(), "s"));
    let mood = if status == "finished" { html::Mood::Good } else { html::Mood::Bad };
    let mut body = html::heading(scene, status, mood, &under);
    body.push_str(&stage::of_motion(scene, &summary.motion.record.frames));
    body.push_str(&tables::cells(&facts(summary)));
    let notes = summary.complaint().into_iter().chain(summary.warnings());
    notes.for_each(|diagnostic| body.push_str(&html::note(&diagnostic)));
    body.push_str(&events(&summary.motion.record));
    summary.motion.record.derivatives.iter().for_each(|own| body.push_str(&derivative_course::table(own, &Axis::TIME)));
    for (heading, pictures) in sections(scene, &summary.motion.record) {
        body.push_str(&html::section(heading, &pictures));
    }
    let remark = "Everything in SI; the balance is kinetic + elastic + gravity + dissipated − work, which exact motion \
                  keeps. A scheme that damps lets it fall; it must not rise.";
    html::page(scene, &body, scene_toml, remark)
}

/// Events in the table; the others are in `events.jsonl`.
const SHOWN_EVENTS: usize = 100;

/// What happened, in a table; nothing if nothing did.
fn events(record: &MotionRecord) -> String {
    if record.events.is_empty() {
        return String::new();
    }
    let rows = record.events.iter().take(SHOWN_EVENTS).map(|event| {
        let (what, meaning) = event.kind.words();
        let time = number::with_unit(event.time, "s");
        vec![time, event.part.clone(), what.into(), number::significant(event.value, 4), meaning.into()]
    });
    let table = tables::table(&["time", "part", "event", "number", ""], rows.collect());
    let more = match record.event_count.saturating_sub(SHOWN_EVENTS) {
        0 => String::new(),
        more => format!("<p>and {more} more, in events.jsonl</p>"),
    };
    format!("<h2>Events</h2>{table}{more}")
}

/// Every picture of a motion.
pub fn pictures(scene: &Scene, record: &MotionRecord) -> Vec<Picture> {
    sections(scene, record).into_iter().flat_map(|(_, pictures)| pictures).collect()
}

fn sections(scene: &Scene, record: &MotionRecord) -> Vec<(&'static str, Vec<Picture>)> {
    let frames = &record.frames;
    vec![
        ("Shapes over time", vec![shapes(scene, frames, Plane::Side), shapes(scene, frames, Plane::Top)]),
        ("Tips and bodies", places(scene, frames)),
        ("Energy", energies(frames)),
        ("Momentum", momenta(frames)),
        ("Drives, joints and cables", driven(scene, frames)),
        ("Contacts", pressed(scene, frames)),
        ("Derivatives", derivative_course::pictures(&record.derivatives, &Axis::TIME)),
        ("Steps", steps(frames)),
    ]
}

fn facts(summary: &MotionSummary<'_>) -> Vec<(String, String)> {
    let record = &summary.motion.record;
    let mut facts = vec![
        (number::with_unit(summary.reached(), "s"), "simulated".to_owned()),
        (record.count.to_string(), "recorded states".to_owned()),
        (percent(record.balance.relative_rise()), "rise of the energy balance (of the turnover)".to_owned()),
        (percent(record.balance.relative_loss()), "loss to the scheme (of the turnover)".to_owned()),
        (
            percent(record.balance.relative_dissipation()),
            "dissipated by materials, dampers, friction and impacts (of the turnover)".to_owned(),
        ),
    ];
    if let Some(last) = &record.last {
        let effort = last.effort;
        facts.push((effort.steps.to_string(), "steps".into()));
        facts.push((format!("{} + {}", effort.rejected, effort.halved), "steps rejected, halved".into()));
        let per_step = effort.iterations as f64 / effort.steps.max(1) as f64;
        facts.push((number::significant(per_step, 3), "iterations a step".into()));
    }
    facts
}

/// A part of the energy that was exchanged.
fn percent(part: f64) -> String {
    format!("{} %", number::significant(100.0 * part, 2))
}

/// Rods, cables and bodies at several times, older ones fainter.
fn shapes(scene: &Scene, frames: &[MotionFrame], plane: Plane) -> Picture {
    let chosen = evenly(frames, SHAPES);
    let mut bounds = Bounds::default();
    for frame in &chosen {
        points_of(frame).for_each(|p| bounds.include(plane.project(&p)));
        let seen = bodies::projected(scene, frame.bodies.iter(), plane);
        seen.iter().flat_map(ProjectedBody::points).for_each(|point| bounds.include(point));
        spring_ends(scene, frame).flat_map(|(a, b)| [a, b]).for_each(|p| bounds.include(plane.project(&p)));
    }
    let extent = Extent::of(chosen.iter().flat_map(|frame| points_of(frame)));
    let obstacles = match (scene.obstacles.is_empty(), chosen.last()) {
        (false, Some(last)) => {
            let placing = Placing::in_motion(scene, last);
            obstacles::seen(scene, extent, plane, |frame| placing.frame(frame))
        }
        _ => Vec::new(),
    };
    SeenObstacle::include(&obstacles, extent, plane, &mut bounds);
    let pressed = || chosen.last().into_iter().flat_map(|last| &last.contacts);
    let per_newton = contacts::scale(pressed(), &bounds);
    contacts::include(pressed(), per_newton.unwrap_or(0.0), plane, &mut bounds);
    // Traces of the tips may reach beyond the chosen shapes.
    let traces = traces(scene, frames);
    traces.iter().flat_map(|(_, path)| path).for_each(|(_, p)| bounds.include(plane.project(p)));
    let window = Window::around(&bounds);
    let (title, horizontal, vertical) = plane.labels();
    let mut svg = Svg::new(WIDTH, TOP + window.height + BOTTOM, title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, title);
    window.draw_grid(&mut svg, horizontal, vertical);
    obstacles.iter().for_each(|obstacle| obstacle.draw(&mut svg, &window));
    for (index, (_, path)) in traces.iter().enumerate() {
        let path: Vec<Point> = path.iter().map(|(_, p)| window.at(plane.project(p))).collect();
        svg.polyline(&format!("curve thin c{}", 1 + index % 5), &path);
    }
    for (index, frame) in chosen.iter().enumerate() {
        let age = (index + 1) as f64 / chosen.len() as f64;
        svg.faded(FAINTEST + (1.0 - FAINTEST) * age * age, |svg| {
            for rod in &frame.rods {
                let path: Vec<Point> = rod.poses.iter().map(|g| window.at(plane.project(&g.position))).collect();
                svg.polyline("curve c0", &rods::shown(path, chosen.len() * frame.rods.len()));
            }
            for cable in frame.cables.iter().chain(&frame.tendons) {
                let path: Vec<Point> = cable.points.iter().map(|p| window.at(plane.project(p))).collect();
                svg.polyline("axisline", &path);
            }
            for (a, b) in spring_ends(scene, frame) {
                springs::draw_one(svg, window.at(plane.project(&a)), window.at(plane.project(&b)));
            }
            let seen = bodies::projected(scene, frame.bodies.iter(), plane);
            if index + 1 == chosen.len() {
                seen.iter().for_each(|body| body.draw(svg, &window, plane));
            } else {
                for outline in seen.into_iter().flat_map(ProjectedBody::outlines) {
                    svg.polyline("edge", &outline.iter().map(|p| window.at(*p)).collect::<Vec<Point>>());
                }
            }
        });
    }
    if let (Some(first), Some(last)) = (chosen.first(), chosen.last()) {
        if let Some(scale) = per_newton {
            contacts::draw(&mut svg, pair_names(scene).into_iter().zip(&last.contacts), scale, plane, &window);
        }
        let words = format!(
            "{} shapes from {} to {}",
            chosen.len(),
            number::with_unit(first.time, "s"),
            number::with_unit(last.time, "s")
        );
        svg.text("strong", (WIDTH - RIGHT, 20.0), Anchor::End, &words);
    }
    let name = if plane == Plane::Side { "motion-side" } else { "motion-top" };
    Picture { name: name.into(), svg }
}

/// Names of the pairs that may touch, in the order of the frames.
fn pair_names(scene: &Scene) -> Vec<String> {
    let pairs = scene.contact_pairs();
    pairs.map(|(part, obstacle)| format!("{} – {}", part.name(scene), obstacle.name(scene))).collect()
}

/// World positions of the ends of the springs.
fn spring_ends(scene: &Scene, frame: &MotionFrame) -> impl Iterator<Item = springs::Ends> {
    let placing = (!scene.springs.is_empty()).then(|| Placing::in_motion(scene, frame));
    scene.springs.iter().filter_map(move |spring| {
        let at = |end: &Frame| placing.as_ref()?.frame(end).map(|pose| pose.position);
        at(&spring.a).zip(at(&spring.b))
    })
}

fn points_of(frame: &MotionFrame) -> impl Iterator<Item = Vector3<f64>> {
    let rods = frame.rods.iter().flat_map(|rod| rod.poses.iter().map(|pose| pose.position));
    let cables = frame.cables.iter().chain(&frame.tendons).flat_map(|cable| cable.points.iter().copied());
    rods.chain(cables).chain(frame.bodies.iter().map(|pose| pose.position))
}

/// At most `count` of the frames, both ends included.
fn evenly(frames: &[MotionFrame], count: usize) -> Vec<&MotionFrame> {
    if frames.len() <= count {
        return frames.iter().collect();
    }
    (0..count).map(|i| &frames[i * (frames.len() - 1) / (count - 1)]).collect()
}

type Trace = Vec<(f64, Vector3<f64>)>;

/// Where each tip and each body goes.
fn traces(scene: &Scene, frames: &[MotionFrame]) -> Vec<(String, Trace)> {
    let frames = evenly(frames, POINTS);
    let rods = scene.rods.iter().enumerate().map(|(i, rod)| {
        let at = |frame: &&MotionFrame| Some((frame.time, frame.rods.get(i)?.poses.last()?.position));
        (format!("tip of {}", rod.name), frames.iter().filter_map(at).collect())
    });
    let bodies = scene.bodies.iter().enumerate().map(|(i, body)| {
        let at = |frame: &&MotionFrame| Some((frame.time, frame.bodies.get(i)?.position));
        (body.name.clone(), frames.iter().filter_map(at).collect())
    });
    rods.chain(bodies).collect()
}

fn places(scene: &Scene, frames: &[MotionFrame]) -> Vec<Picture> {
    // A page of a hundred tips helps nobody.
    const SHOWN: usize = 12;
    let traces = traces(scene, frames).into_iter().take(SHOWN).enumerate();
    traces
        .map(|(index, (name, trace))| {
            let curves = [("x", 0), ("y", 1), ("z", 2)]
                .map(|(axis, i)| (axis.to_owned(), trace.iter().map(|(t, p)| (*t, p[i])).collect::<Vec<_>>()));
            over_time(&format!("place-{index}"), &format!("Position, {name}"), "m", curves.to_vec())
        })
        .collect()
}

/// A plot over time; the unit takes a prefix.
fn over_time(file: &str, title: &str, unit: &str, curves: Vec<(String, Vec<(f64, f64)>)>) -> Picture {
    let sizes = curves.iter().flat_map(|(_, c)| c.iter().map(|p| p.1.abs())).filter(|y| y.is_finite());
    let largest = sizes.fold(0.0, f64::max);
    let scaled = match unit {
        "" => number::Scaled { unit: String::new(), factor: 1.0 },
        "°" => number::Scaled { unit: unit.into(), factor: 1f64.to_degrees() },
        _ => number::scale(largest, unit),
    };
    let curves = curves
        .into_iter()
        .map(|(name, points)| Curve {
            name,
            points: points.into_iter().map(|(t, y)| (t, flush(y, largest) * scaled.factor)).collect(),
        })
        .collect();
    let axis = Some("time");
    let plot =
        Plot { title: title.into(), x_label: "time / s".into(), y_label: scaled.unit, curves, axis, ..Plot::default() };
    Picture { name: format!("motion-{file}"), svg: plot.draw() }
}

fn course(frames: &[MotionFrame], value: impl Fn(&MotionFrame) -> f64) -> Vec<(f64, f64)> {
    evenly(frames, POINTS).into_iter().map(|frame| (frame.time, value(frame))).collect()
}

fn energies(frames: &[MotionFrame]) -> Vec<Picture> {
    let Some(first) = frames.first() else { return Vec::new() };
    let start = first.energy.balance();
    let all = vec![
        ("kinetic".to_owned(), course(frames, |f| f.energy.kinetic)),
        ("elastic".to_owned(), course(frames, |f| f.energy.elastic)),
        ("gravity".to_owned(), course(frames, |f| f.energy.gravity)),
        ("dissipated".to_owned(), course(frames, |f| f.energy.dissipated)),
        ("of that by friction".to_owned(), course(frames, |f| f.energy.friction)),
        ("work".to_owned(), course(frames, |f| f.energy.work)),
    ];
    let shown = all.into_iter().filter(|(_, c)| c.iter().any(|p| p.1 != 0.0)).collect();
    // A drift that is rounding beside what is exchanged is drawn as none.
    let most = frames.iter().flat_map(|f| [f.energy.kinetic, f.energy.elastic, f.energy.gravity, f.energy.work]);
    let most = most.filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
    let drift = course(frames, move |f| flush(f.energy.balance() - start, BALANCE * most));
    let drift = vec![("balance − start".to_owned(), drift)];
    vec![over_time("energy", "Energy", "J", shown), over_time("balance", "Drift of the balance", "J", drift)]
}

fn momenta(frames: &[MotionFrame]) -> Vec<Picture> {
    let of = |value: fn(&MotionFrame) -> Vector3<f64>| {
        [("x", 0), ("y", 1), ("z", 2)].map(|(axis, i)| (axis.to_owned(), course(frames, move |f| value(f)[i]))).to_vec()
    };
    vec![
        over_time("linear-momentum", "Linear momentum", "N·s", of(|f| f.momentum.linear)),
        over_time("angular-momentum", "Angular momentum about the origin", "N·m·s", of(|f| f.momentum.angular)),
    ]
}

fn driven(scene: &Scene, frames: &[MotionFrame]) -> Vec<Picture> {
    let mut all = Vec::new();
    let mut add = |file: &str, title: &str, unit: &str, curves: Vec<(String, Vec<(f64, f64)>)>| {
        if !curves.is_empty() {
            all.push(over_time(file, title, unit, curves));
        }
    };
    let units =
        [(Unit::Angle, "°"), (Unit::Length, "m"), (Unit::Force, "N"), (Unit::Moment, "N·m"), (Unit::Factor, "")];
    for (kind, unit) in units {
        let of_kind =
            scene.drives.iter().enumerate().map(|(i, drive)| (i, drive, course::measure(scene, drive.target)));
        let drives = of_kind.filter(|(_, _, (of, _))| *of == kind).map(|(i, drive, (_, size))| {
            let name = drive.path.strip_suffix(".factor").unwrap_or(&drive.path).to_owned();
            (name, course(frames, move |f| size * f.drives.get(i).copied().unwrap_or(0.0)))
        });
        let file = format!("drives-{kind:?}").to_lowercase();
        add(&file, if kind == Unit::Factor { "Factors" } else { "Drives" }, unit, drives.collect());
    }
    for (kind, title, file, unit) in [
        (Coordinate::Angle, "Angles of joints", "angles", "°"),
        (Coordinate::Distance, "Slides of joints", "slides", "m"),
    ] {
        let joints = scene.joints.iter().enumerate().flat_map(|(i, joint)| {
            let coordinates = joint.kind.coordinates();
            let of_kind = coordinates.iter().enumerate().filter(move |(_, (_, of))| *of == kind);
            of_kind.map(move |(k, (name, _))| {
                let name = if coordinates.len() == 1 { joint.name.clone() } else { format!("{}.{name}", joint.name) };
                let value = move |f: &MotionFrame| f.joints.get(i).and_then(|j| j.get(k)).copied().unwrap_or(0.0);
                (name, course(frames, value))
            })
        });
        add(file, title, unit, joints.collect());
    }
    let tension = |i: usize| move |f: &MotionFrame| f.cables.get(i).map_or(0.0, |cable| cable.tension);
    let tendon = |i: usize| move |f: &MotionFrame| f.tendons.get(i).map_or(0.0, |tendon| tendon.tension);
    let cables = scene.cables.iter().enumerate();
    let tendons = scene.tendons.iter().enumerate();
    let tensions = tendons.map(|(i, t)| (t.name.clone(), course(frames, tendon(i)))).collect();
    add("tendons", "Tendon tensions", "N", tensions);
    add("cables", "Cable tensions", "N", cables.map(|(i, c)| (c.name.clone(), course(frames, tension(i)))).collect());
    all
}

/// Forces and least gaps of the pairs that touched; none where nothing did.
fn pressed(scene: &Scene, frames: &[MotionFrame]) -> Vec<Picture> {
    let touched = |index: usize| frames.iter().any(|f| f.contacts.get(index).is_some_and(|c| !c.points.is_empty()));
    let pairs = || pair_names(scene).into_iter().enumerate().filter(|(index, _)| touched(*index));
    if pairs().next().is_none() {
        return Vec::new();
    }
    let force = |i: usize| move |f: &MotionFrame| f.contacts.get(i).map_or(0.0, |contact| contact.force().norm());
    let gap = |i: usize| move |f: &MotionFrame| f.contacts.get(i).map_or(f64::NAN, |contact| contact.least_gap);
    let forces = pairs().map(|(i, name)| (name, course(frames, force(i))));
    let gaps = pairs().map(|(i, name)| (name, course(frames, gap(i))));
    vec![
        over_time("contact-force", "Contact forces", "N", forces.collect()),
        over_time("contact-gap", "Least gaps", "m", gaps.collect()),
    ]
}

fn steps(frames: &[MotionFrame]) -> Vec<Picture> {
    // The first frame stands before the first step.
    let Some(moving) = frames.get(1..).filter(|frames| !frames.is_empty()) else { return Vec::new() };
    let lengths = vec![("last step before each state".to_owned(), course(moving, |f| f.effort.step))];
    let counts = vec![
        ("rejected".to_owned(), course(moving, |f| f.effort.rejected as f64)),
        ("halved".to_owned(), course(moving, |f| f.effort.halved as f64)),
    ];
    vec![over_time("steps", "Step length", "s", lengths), over_time("rejections", "Steps taken back", "", counts)]
}
