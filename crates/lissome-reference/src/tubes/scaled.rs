//! A robot of tubes in units of its own: length L beyond the entry, force B/L², moment B/L, with B the least bending stiffness.

use super::description::{Stretch, TubeRobot};
use crate::OracleError;
use lissome_lie::Wrench;
use lissome_model::{LoadFrame, LoadKind};
use nalgebra::{Vector2, Vector3};

/// Shooting segments on the whole length, at least.
const FEWEST_SEGMENTS: f64 = 16.0;
/// Breaks closer than this share of the length are one.
const SAME_PLACE: f64 = 1e-12;

/// The tubes at one place, scaled.
#[derive(Clone, Debug)]
pub(super) struct Sheaf {
    /// Tubes that are there: index, natural moment EI (κ_y, κ_z) in the tube's axes, 1/GJ.
    pub tubes: Vec<(usize, Vector2<f64>, f64)>,
    /// 1/ΣEI.
    pub bending_compliance: f64,
    /// ½ Σ EI |κ|².
    pub natural_energy: f64,
    /// 1/ΣEA, 1/ΣGA.
    pub stretch_compliance: f64,
    pub shear_compliance: f64,
}

/// Wrenches on the centre line, scaled: in world axes, and in the axes of a tube.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Applied {
    pub dead: Wrench,
    pub follower: Wrench,
    /// Tube that takes the moment about the tangent and whose axes the follower keeps.
    pub carrier: usize,
}

/// One shooting segment.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub from: f64,
    pub to: f64,
    /// Per length.
    pub load: Applied,
    /// At its far end.
    pub kick: Applied,
}

#[derive(Clone, Debug)]
pub(super) struct ScaledTubes {
    pub robot: TubeRobot,
    /// L, m.
    pub length: f64,
    /// B, N·m².
    pub bending: f64,
    pub segments: Vec<Segment>,
}

impl ScaledTubes {
    pub fn new(robot: &TubeRobot) -> Result<Self, OracleError> {
        robot.check()?;
        let length = robot.length();
        let bending = robot.tubes.iter().map(|tube| tube.bending).fold(f64::INFINITY, f64::min);
        let mut scaled = Self { robot: robot.clone(), length, bending, segments: Vec::new() };
        let mut from = 0.0;
        // The end of the robot is among the breaks; one that lies just before it gives way to it.
        let near = SAME_PLACE * length;
        for to in robot.breaks().into_iter().map(|s| if s > length - near { length } else { s }) {
            if to - from < near {
                continue;
            }
            let parts = ((to - from) / length * FEWEST_SEGMENTS).ceil().max(1.0);
            for i in 0..parts as usize {
                let place = |i: usize| if i as f64 == parts { to } else { from + (to - from) * i as f64 / parts };
                scaled.push(place(i), place(i + 1));
            }
            from = to;
        }
        Ok(scaled)
    }

    fn push(&mut self, from: f64, to: f64) {
        let middle = 0.5 * (from + to);
        let carrier = self.robot.tubes.iter().position(|tube| tube.reach() > middle).unwrap_or(0);
        let (mut load, mut kick) =
            (Applied { carrier, ..Applied::default() }, Applied { carrier, ..Applied::default() });
        let (l, b) = (self.length, self.bending);
        let scaled =
            |wrench: &Wrench, per: f64| Wrench::new(wrench.moment * (l / b * per), wrench.force * (l * l / b * per));
        // A load at the entry itself goes into its support.
        for given in &self.robot.loads {
            let (target, wrench) = match given.kind {
                LoadKind::Point { at, wrench } if (at - to).abs() < SAME_PLACE * l => (&mut kick, scaled(&wrench, 1.0)),
                LoadKind::Distributed { from, to, per_length } if from < middle && middle < to => {
                    (&mut load, scaled(&per_length, l))
                }
                _ => continue,
            };
            match given.frame {
                LoadFrame::World => target.dead += wrench,
                LoadFrame::Body => target.follower += wrench,
            }
        }
        let present = self.robot.tubes.iter().filter(|tube| tube.reach() > middle);
        let mass: f64 = present.map(|tube| tube.mass_per_length).sum();
        load.dead += scaled(&Wrench::new(Vector3::zeros(), self.robot.gravity * mass), l);
        self.segments.push(Segment { from: from / l, to: to / l, load, kick });
    }

    /// The tubes at scaled `s` of a segment.
    pub fn sheaf(&self, segment: &Segment, s: f64) -> Sheaf {
        let middle = 0.5 * (segment.from + segment.to) * self.length;
        let mut sheaf = Sheaf {
            tubes: Vec::with_capacity(self.robot.tubes.len()),
            bending_compliance: 0.0,
            natural_energy: 0.0,
            stretch_compliance: 0.0,
            shear_compliance: 0.0,
        };
        let (mut bending, mut axial, mut shear) = (0.0, 0.0, 0.0);
        for (j, tube) in self.robot.tubes.iter().enumerate().filter(|(_, tube)| tube.reach() > middle) {
            let curvature = tube.curvature(s * self.length, middle) * self.length;
            let stiffness = tube.bending / self.bending;
            sheaf.tubes.push((j, curvature * stiffness, self.bending / tube.torsion));
            sheaf.natural_energy += 0.5 * stiffness * curvature.norm_squared();
            bending += stiffness;
            axial += tube.axial;
            shear += tube.shear;
        }
        sheaf.bending_compliance = 1.0 / bending;
        if self.robot.stretch == Stretch::SumOfTubes {
            let unit = self.bending / (self.length * self.length);
            (sheaf.stretch_compliance, sheaf.shear_compliance) = (unit / axial, unit / shear);
        }
        sheaf
    }

    /// How far the plate of tube j lies behind the entry, as a compliance of torsion.
    pub fn transmission(&self, j: usize) -> f64 {
        let tube = &self.robot.tubes[j];
        tube.behind / self.length * self.bending / tube.torsion
    }
}
