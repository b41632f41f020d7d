//! How rods of tubes are divided while their tubes are pushed: sections from one place of a tube to the next, all with the same
//! number of spans, so that those of one moment correspond to those of the next when places pass each other.

use lissome_mech::motion::Feed;
use lissome_mech::rod::tubes::HELD;
use lissome_model::{DriveTarget, DynamicsJob, Resolution, Scene, Sections, Signal};

/// Sections shorter than this part of the length are passed over: their ends are about to pass each other.
pub(crate) const BESIDE: f64 = 1.2e-7;
/// Spans of a section at most: those of the shortest must be told apart.
const MOST_SPANS: usize = 8;
/// Insertions that are looked at to choose the number of spans.
const LOOKS: usize = 64;
/// Moments of a motion at which tubes are looked at to find where their places have passed each other.
const MOMENTS: f64 = 16_777_216.0;

/// What decides the layout of one rod of tubes.
#[derive(Clone, Debug, PartialEq)]
struct Order {
    /// The tube and the number of each place.
    places: Vec<(Option<usize>, usize)>,
    /// Which tubes are held at the entry.
    held: Vec<bool>,
}

/// Raises the numbers of spans of the sections of each rod of tubes to what the longest of them needs.
pub(crate) fn need(scene: &Scene, spans: &mut [Option<usize>]) {
    for (rod, most) in spans.iter_mut().enumerate() {
        let (Some(sections), Ok(knots)) = (scene.sections(rod), scene.rod_knots(rod)) else { continue };
        let mut counts = vec![0; sections.boundaries.len()];
        knots.lines().windows(2).for_each(|pair| counts[sections.of(0.5 * (pair[0] + pair[1]))] += 1);
        let needed = counts.into_iter().max().unwrap_or(1).clamp(1, MOST_SPANS);
        *most = Some(most.map_or(needed, |most: usize| most.max(needed)));
    }
}

/// Gives every section of the rods of tubes so many spans.
pub(crate) fn divide(scene: &mut Scene, spans: &[Option<usize>]) {
    for (rod, spans) in spans.iter().enumerate() {
        let (Some(spans), Some(sections)) = (spans, scene.sections(rod)) else { continue };
        let mut knots = Vec::new();
        for pair in sections.boundaries.windows(2) {
            let part = |k: usize| pair[0].s + (pair[1].s - pair[0].s) * k as f64 / *spans as f64;
            knots.extend((1..*spans).map(part));
            knots.push(pair[1].s);
        }
        knots.pop();
        *scene.rods[rod].discretization.resolution_mut() = Resolution::Knots(knots);
    }
}

/// The course of the insertions of a scene.
pub(crate) struct Division<'s> {
    scene: &'s Scene,
    duration: f64,
    /// Spans of each section of each rod; none for other rods.
    spans: Vec<Option<usize>>,
}

impl<'s> Division<'s> {
    /// Every section has as many spans as the longest needs anywhere on the way of the tubes, however long the motion is: so one
    /// that is taken up again may last longer.
    pub(crate) fn new(scene: &'s Scene, job: &DynamicsJob) -> Self {
        let mut spans = vec![None; scene.rods.len()];
        for k in 0..=LOOKS {
            let mut now = scene.clone();
            for drive in &scene.drives {
                if let DriveTarget::TubeInsertion { rod, tube } = drive.target {
                    let (least, most) = drive.signal.range();
                    now.insert_tube(rod, tube, least + (most - least) * k as f64 / LOOKS as f64);
                }
            }
            need(&now, &mut spans);
        }
        Self { scene, duration: job.duration, spans }
    }

    /// The scene with its tubes where they are at a time, and its rods divided.
    pub(crate) fn scene_at(&self, time: f64) -> Scene {
        let mut now = self.scene.inserted_at(time);
        for drive in &mut now.drives {
            if drive.target.is_insertion() {
                drive.signal = Signal::Constant(drive.signal.at(time));
            }
        }
        divide(&mut now, &self.spans);
        now
    }

    /// The next time from this one on at which no section is too short to be seen; the last before it if there is none.
    pub(crate) fn clear(&self, time: f64) -> f64 {
        if self.is_clear(time) {
            return time;
        }
        let moment = self.duration / MOMENTS;
        let first = (time / moment).ceil();
        let at = |k: f64| (k * moment).min(self.duration);
        for way in [1.0, -1.0] {
            // In strides that grow, and back to the first.
            let (mut near, mut stride) = (first, 1.0);
            while (0.0..=MOMENTS).contains(&(near + way * stride)) {
                let far = near + way * stride;
                if self.is_clear(at(far)) {
                    let (mut open, mut closed) = (far, near);
                    while (open - closed).abs() > 1.0 {
                        let middle = (0.5 * (open + closed)).round();
                        match self.is_clear(at(middle)) {
                            true => open = middle,
                            false => closed = middle,
                        }
                    }
                    return at(open);
                }
                (near, stride) = (far, stride * 2.0);
            }
            if way > 0.0 && self.is_clear(self.duration) {
                return self.duration;
            }
        }
        time
    }

    fn is_clear(&self, time: f64) -> bool {
        self.shortest(time) >= BESIDE
    }

    /// The shortest section at a time, as a part of its rod.
    pub(crate) fn shortest(&self, time: f64) -> f64 {
        let now = self.scene.inserted_at(time);
        let shortest = |sections: Sections| {
            let length = sections.boundaries.last().map_or(0.0, |tip| tip.s);
            sections.boundaries.windows(2).map(|pair| (pair[1].s - pair[0].s) / length).fold(1.0, f64::min)
        };
        (0..now.rods.len()).filter_map(|rod| now.sections(rod)).map(shortest).fold(1.0, f64::min)
    }

    /// True if the robot has one layout at both times.
    pub(crate) fn is_alike(&self, a: f64, b: f64) -> bool {
        self.orders(a) == self.orders(b)
    }

    fn orders(&self, time: f64) -> Vec<Option<Order>> {
        let now = self.scene.inserted_at(time);
        let order = |rod: usize| {
            let sections = now.sections(rod)?;
            let tubes = now.rods[rod].tubes.iter().flat_map(|set| &set.tubes);
            Some(Order {
                places: sections.boundaries.iter().map(|boundary| (boundary.tube, boundary.number)).collect(),
                held: tubes.map(|tube| tube.transmission() <= HELD * tube.length).collect(),
            })
        };
        (0..now.rods.len()).map(order).collect()
    }

    /// How fast each tube is pushed on the way from one time to another, and how that changes.
    pub(crate) fn feeds(&self, from: f64, to: f64) -> Vec<Feed> {
        let (middle, time) = (0.5 * (from + to), to - from);
        let of = |drive: &lissome_model::Drive| {
            let DriveTarget::TubeInsertion { rod, tube } = drive.target else { return None };
            let [a, b, c] = [from, middle, to].map(|t| drive.signal.at(t));
            Some(Feed { rod, tube, rate: (c - a) / time, acceleration: 4.0 * ((c - b) - (b - a)) / (time * time) })
        };
        self.scene.drives.iter().filter_map(of).collect()
    }
}
