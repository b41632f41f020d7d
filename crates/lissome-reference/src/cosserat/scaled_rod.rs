//! A rod of a scene in units of its own: length L, force B/L², moment B/L, with B its least bending stiffness.
//!
//! In these units the unknowns of any rod, of a millimetre or a kilometre, are of order one, and the tolerances of
//! the integrator and of Newton's method mean the same everywhere.

use crate::OracleError;
use lissome_lie::{Pose, Strain, Wrench};
use lissome_model::{LoadFrame, LoadKind, NaturalShape, Rod, Scene};
use nalgebra::{Matrix3, Matrix6, Matrix6x3, Vector3};

/// Cuts at least this many per rod.
const FEWEST_SEGMENTS: f64 = 16.0;
/// Cuts at most this many per smooth stretch.
const MOST_SEGMENTS: f64 = 4000.0;

/// Section and natural strain at one place, scaled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionAt {
    /// K⁻¹: (κ − κ₀, ε − ε₀) per (moment, force) in body axes.
    pub compliance: Matrix6<f64>,
    /// ξ₀.
    pub natural: Strain,
    /// Body wrench per length, for a gravity of one along each body axis.
    pub weight: Matrix6x3<f64>,
}

/// A pair of wrenches, one fixed in the world and one fixed in the section.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadPair {
    /// World axes.
    pub dead: Wrench,
    /// Section axes.
    pub follower: Wrench,
}

impl LoadPair {
    fn add(&mut self, frame: LoadFrame, wrench: Wrench) {
        match frame {
            LoadFrame::World => self.dead += wrench,
            LoadFrame::Body => self.follower += wrench,
        }
    }

    /// The wrench in world axes on a section turned by R.
    pub fn in_world(&self, r: &Matrix3<f64>) -> Wrench {
        Wrench::new(self.dead.moment + r * self.follower.moment, self.dead.force + r * self.follower.force)
    }
}

/// One shooting segment: sections and distributed loads are smooth inside.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Scaled arc length of its ends.
    pub from: f64,
    pub to: f64,
    /// Distributed load per length.
    pub load: LoadPair,
    /// The section, where it does not vary.
    uniform: Option<SectionAt>,
}

/// A rod, its supports and its loads, scaled.
#[derive(Clone, Debug)]
pub(crate) struct ScaledRod {
    rod: Rod,
    /// L, m.
    pub length: f64,
    /// B, N·m².
    pub bending: f64,
    /// World point that becomes the scaled origin.
    pub origin: Vector3<f64>,
    /// Direction and size of gravity, m/s² (its units go into [`SectionAt::weight`]).
    pub gravity: Vector3<f64>,
    /// Segments from base to tip; cut k is the start of segment k, the last cut the tip.
    pub segments: Vec<Segment>,
    /// Point load at each cut.
    pub kicks: Vec<LoadPair>,
}

impl ScaledRod {
    /// Reads rod `index` of a scene.
    pub fn new(scene: &Scene, index: usize) -> Result<Self, OracleError> {
        scene.validate()?;
        let rod = scene.rods.get(index).ok_or(OracleError::NoSuchRod { rod: index, count: scene.rods.len() })?;
        if matches!(rod.natural, NaturalShape::ControlPoses(_)) {
            return Err(OracleError::SplineShape { rod: rod.name.clone() });
        }
        let length = rod.length;
        let least_bending = |k: Matrix6<f64>| k[(1, 1)].min(k[(2, 2)]);
        let bending =
            rod.profile.stations.iter().map(|x| least_bending(x.section.stiffness())).fold(f64::INFINITY, f64::min);
        let mut scaled = Self {
            rod: rod.clone(),
            length,
            bending,
            origin: rod.base.or(rod.tip).map_or_else(Pose::identity, |frame| frame.pose).position,
            gravity: scene.gravity,
            segments: Vec::new(),
            kicks: Vec::new(),
        };
        scaled.cut(scene, index);
        Ok(scaled)
    }

    /// Name of the rod.
    pub fn name(&self) -> &str {
        &self.rod.name
    }

    /// How many ends are held.
    pub fn held_ends(&self) -> usize {
        usize::from(self.rod.base.is_some()) + usize::from(self.rod.tip.is_some())
    }

    /// Held pose of the base, scaled.
    pub fn base(&self) -> Option<Pose> {
        self.rod.base.map(|frame| self.scale_pose(&frame.pose))
    }

    /// Held pose of the tip, scaled.
    pub fn tip(&self) -> Option<Pose> {
        self.rod.tip.map(|frame| self.scale_pose(&frame.pose))
    }

    pub fn scale_pose(&self, pose: &Pose) -> Pose {
        Pose::new(pose.rotation, (pose.position - self.origin) / self.length)
    }

    pub fn scale_wrench(&self, w: &Wrench) -> Wrench {
        let (l, b) = (self.length, self.bending);
        Wrench::new(w.moment * (l / b), w.force * (l * l / b))
    }

    /// Scaled arc lengths of the cuts.
    pub fn cuts(&self) -> Vec<f64> {
        let starts = self.segments.iter().map(|x| x.from);
        starts.chain(self.segments.last().map(|x| x.to)).collect()
    }

    /// Section at scaled arc length s, seen from inside the segment.
    pub fn section(&self, segment: &Segment, s: f64) -> SectionAt {
        segment.uniform.unwrap_or_else(|| self.section_inside(segment.from, segment.to, s))
    }

    /// At a step the profile answers for the far side; one ulp before the end of the segment is the near side.
    fn section_inside(&self, from: f64, to: f64, s: f64) -> SectionAt {
        let (l, b) = (self.length, self.bending);
        let at = (s * l).clamp(from * l, (to * l).next_down());
        let section = self.rod.profile.at(at);
        let mut compliance = section.stiffness().try_inverse().expect("a validated stiffness is positive definite");
        let mut weight: Matrix6x3<f64> = section.mass().fixed_columns::<3>(3).into();
        for i in 0..6 {
            // Row of a strain: curvatures times L. Column of a wrench: moments in B/L, forces in B/L².
            for j in 0..6 {
                compliance[(i, j)] *= (if i < 3 { l } else { 1.0 }) * (if j < 3 { b / l } else { b / (l * l) });
            }
            for j in 0..3 {
                weight[(i, j)] *= if i < 3 { l * l / b } else { l * l * l / b };
            }
        }
        let natural = self.rod.natural.strain_at(at).expect("spline shapes were refused when the rod was read");
        SectionAt { compliance, natural: Strain::new(natural.curvature * l, natural.stretch), weight }
    }

    /// Cuts the rod where loads, sections or natural curvature are not smooth, and finely enough in between that
    /// neighbouring solutions do not part by more than a factor e within a segment.
    fn cut(&mut self, scene: &Scene, index: usize) {
        let l = self.length;
        let scaled_s = |s: f64| (s / l).clamp(0.0, 1.0);
        let mut breaks = vec![0.0, 1.0];
        breaks.extend(self.rod.profile.stations.iter().map(|x| scaled_s(x.s)));
        if let NaturalShape::Curvature(table) = &self.rod.natural {
            breaks.extend(table.iter().map(|(s, _)| scaled_s(*s)));
        }
        let loads: Vec<_> = scene.loads.iter().filter(|load| load.rod == index).collect();
        // Bounds on the internal force and moment that the loads can cause.
        let (mut force, mut moment) = (0.0, 0.0);
        for load in &loads {
            let total = match load.kind {
                LoadKind::Point { at, wrench } => {
                    breaks.push(scaled_s(at));
                    wrench
                }
                LoadKind::Distributed { from, to, per_length } => {
                    breaks.extend([scaled_s(from), scaled_s(to)]);
                    per_length * (to - from)
                }
            };
            let total = self.scale_wrench(&total);
            force += total.force.norm();
            moment += total.moment.norm();
        }
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();

        for w in breaks.windows(2) {
            let (from, to) = (w[0], w[1]);
            let ends = [self.section_inside(from, to, from), self.section_inside(from, to, to)];
            let weight = ends.iter().map(|x| (x.weight * self.gravity).norm()).fold(0.0, f64::max);
            let turn = ends.iter().map(|x| x.natural.curvature.norm()).fold(0.0, f64::max);
            // Solutions of EI θ″ = n θ part at the rate √n; a section turns at the rate of its curvature, at most
            // that of the moment (the compliance is at most one) and of the force on an arm of at most L.
            let rate = FEWEST_SEGMENTS + (force + weight).sqrt() + moment + turn;
            let pieces = ((to - from) * rate).ceil().clamp(1.0, MOST_SEGMENTS) as usize;
            let mut load = LoadPair::default();
            for x in &loads {
                if let LoadKind::Distributed { from: a, to: b, per_length } = x.kind
                    && scaled_s(a) <= from
                    && scaled_s(b) >= to
                {
                    let scaled = self.scale_wrench(&(per_length * l));
                    load.add(x.frame, scaled);
                }
            }
            let varies = ends[0].compliance != ends[1].compliance
                || ends[0].natural != ends[1].natural
                || ends[0].weight != ends[1].weight;
            let uniform = if varies { None } else { Some(ends[0]) };
            for i in 0..pieces {
                let at = |i: usize| if i == pieces { to } else { from + (to - from) * i as f64 / pieces as f64 };
                self.segments.push(Segment { from: at(i), to: at(i + 1), load, uniform });
            }
        }
        self.kicks = vec![LoadPair::default(); self.segments.len() + 1];
        let cuts = self.cuts();
        for x in &loads {
            if let LoadKind::Point { at, wrench } = x.kind {
                let s = scaled_s(at);
                let cut = cuts.iter().position(|c| *c == s).expect("every point load was made a cut");
                let wrench = self.scale_wrench(&wrench);
                self.kicks[cut].add(x.frame, wrench);
            }
        }
    }
}
