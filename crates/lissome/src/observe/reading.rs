//! What is read along the robot, and how it becomes a record.

use super::stand::{Measured, Stand, position};
use crate::sampling::SAMPLES;
use lissome_lie::{Pose, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{State, System};
use lissome_model::{Frame, FrameOf};
use lissome_solve::Sample;
use lissome_solve::observe::{
    NORMAL_95, ObservedBody, ObservedFrame, ObservedMarker, ObservedRod, ObservedSample, SampleBand, Seen,
};
use nalgebra::Vector3;

/// Numbers of a body: position and rotation.
const BODY: usize = 6;

/// Reads samples of rods and poses of bodies; rotations count from where they are at the estimate.
pub(super) struct Reader {
    samples: Vec<Vec<Sample>>,
    bodies: Vec<(usize, Pose)>,
}

impl Reader {
    pub fn read(&self, system: &System, state: &State) -> Vec<f64> {
        let mut all = Vec::new();
        for (rod, from) in self.samples.iter().enumerate() {
            for (own, from) in system.sample(RodIndex::new(rod), state, SAMPLES).iter().zip(from) {
                push_pose(&mut all, &own.pose, &from.pose);
                all.extend(own.strain.curvature.iter().chain(own.strain.stretch.iter()));
                all.extend(own.stress.moment.iter().chain(own.stress.force.iter()));
            }
        }
        for (slot, from) in &self.bodies {
            push_pose(&mut all, &state.poses[*slot], from);
        }
        all
    }
}

fn push_pose(all: &mut Vec<f64>, pose: &Pose, from: &Pose) {
    all.extend(pose.position.iter());
    all.extend((from.rotation.inverse() * pose.rotation).log().iter());
}

impl Stand<'_> {
    pub(super) fn reader(&self) -> Reader {
        let rods = RodIndex::first(self.scene.rods.len());
        Reader {
            samples: rods.map(|rod| self.system.sample(rod, &self.state, SAMPLES)).collect(),
            bodies: self.system.bodies().iter().map(|own| (own.slot.index(), self.state.poses[own.slot])).collect(),
        }
    }

    /// The present state with bands: standard deviations in the order of the reader, or none.
    pub(super) fn record(&self, index: usize, seen: Seen, deviations: &[f64]) -> ObservedFrame {
        let reader = self.reader();
        let mut rest = deviations;
        let mut next = |size: usize| -> Vec<f64> {
            if rest.len() < size {
                return vec![0.0; size];
            }
            let (own, others) = rest.split_at(size);
            rest = others;
            own.iter().map(|deviation| deviation * NORMAL_95).collect()
        };
        let rods = reader.samples.iter().enumerate().map(|(rod, samples)| {
            let samples = samples.iter().map(|sample| ObservedSample {
                sample: *sample,
                band: SampleBand::from_slice(&next(SampleBand::SIZE)),
            });
            ObservedRod {
                name: self.scene.rods[rod].name.clone(),
                samples: samples.collect(),
                discretisation_error: self.errors.get(rod).copied().unwrap_or(f64::NAN),
            }
        });
        let rods: Vec<ObservedRod> = rods.collect();
        let bodies = reader.bodies.iter().zip(&self.scene.bodies).map(|((_, pose), body)| {
            let band = next(BODY);
            ObservedBody {
                name: body.name.clone(),
                pose: *pose,
                position_band: Vector3::new(band[0], band[1], band[2]),
                rotation_band: Vector3::new(band[3], band[4], band[5]),
            }
        });
        ObservedFrame {
            time: self.table.frames[index].time,
            seen,
            least: self.negative == 0,
            energy: 0.0,
            misfit: f64::NAN,
            freedom: f64::NAN,
            noise: f64::NAN,
            solves: self.solves,
            bodies: bodies.collect(),
            rods,
            markers: Vec::new(),
            unknowns: Vec::new(),
            blind: Vec::new(),
        }
    }

    /// A frame of which nothing is known.
    pub(super) fn unseen(&self, index: usize, seen: Seen) -> ObservedFrame {
        let frame = ObservedFrame { rods: Vec::new(), bodies: Vec::new(), ..self.record(index, seen, &[]) };
        ObservedFrame { least: false, ..frame }
    }

    /// Where a frame is.
    fn place(&self, frame: &Frame) -> Pose {
        let on = match frame.of {
            FrameOf::World => Pose::identity(),
            FrameOf::Body(body) => self.state.poses[self.system.bodies()[body].slot],
            FrameOf::Joint(joint) => self.state.poses[self.system.joint_slot(joint)],
            FrameOf::Rod { rod, s } => {
                let samples = self.system.sample_at(RodIndex::new(rod), &self.state, &[s]);
                samples.first().map_or_else(Pose::identity, |own| own.pose)
            }
        };
        on * frame.pose
    }

    /// Adds the markers; `forces` are those along the rows with their standard deviations.
    pub(super) fn record_markers(
        &self,
        frame: &mut ObservedFrame,
        index: usize,
        measured: &Measured,
        forces: Option<(&[f64], &[f64])>,
    ) {
        let table = &self.table.frames[index];
        for (marker, own) in self.table.markers.iter().enumerate() {
            let springs = self.prepared.springs[marker];
            let place = self.place(&own.frame);
            let seen = table.positions[marker].map(|value| value.is_some());
            let known = Vector3::from(seen.map(|seen| if seen { 0.0 } else { f64::NAN }));
            let at = position(table, marker) + known;
            let turn = table.rotations[marker].map(|turn| (place.rotation.inverse() * turn).log());
            let numbers = seen.iter().filter(|seen| **seen).count() + if turn.is_some() { 3 } else { 0 };
            let mut wrench = [Wrench::zero(), Wrench::zero()];
            if let Some((values, deviations)) = forces {
                let group = measured.groups[marker].clone();
                let mut row = group.start;
                for probe in measured
                    .probes
                    .iter()
                    .filter(|probe| Some(probe.spring) == springs.position || Some(probe.spring) == springs.rotation)
                {
                    for axis in (0..3).filter(|axis| probe.axes[*axis]) {
                        if row >= group.end {
                            break;
                        }
                        for (wrench, number) in wrench.iter_mut().zip([values[row], deviations[row] * NORMAL_95]) {
                            let part = if probe.turn { &mut wrench.moment } else { &mut wrench.force };
                            part[axis] = number;
                        }
                        row += 1;
                    }
                }
            }
            frame.markers.push(ObservedMarker {
                name: own.name.clone(),
                place,
                measured: at,
                residual: at - place.position,
                turn_residual: turn.unwrap_or_else(|| Vector3::repeat(f64::NAN)),
                numbers,
                surprise: f64::NAN,
                probability: f64::NAN,
                outlier: false,
                wrench: wrench[0],
                wrench_band: wrench[1],
            });
        }
    }
}
