//! Where the robot of an observation stands, from frame to frame.

use super::prepared::{Prepared, Springs, anchor, turned_anchor};
use super::{ObserveOptions, Refused};
use crate::observer::Watch;
use crate::sampling::SAMPLES;
use lissome_io::observe::{MarkerFrame, MarkerTable};
use lissome_lie::Rotation;
use lissome_mech::contribution::Force;
use lissome_mech::index::RodIndex;
use lissome_mech::{Inputs, Potentials, State, System, Workspace};
use lissome_model::{Job, Scene, SpringLaw, StaticsJob};
use lissome_solve::accuracy::{self, Finer, division};
use lissome_solve::observe::{Probe, Row, rows};
use lissome_solve::statics::{self, StaticOptions};
use nalgebra::{Matrix6, Vector3};
use std::ops::Range;

/// Newton iterations of a search that is to stay near.
const NEARBY: usize = 60;
/// A division is looked at again where the curvature is so much larger than when it was.
const MORE_BENT: f64 = 1.2;
/// The error that the next division aims at, of the tolerance.
const AIM: f64 = 0.3;

/// The robot.
pub(super) struct Stand<'a> {
    pub prepared: Prepared,
    pub table: &'a MarkerTable,
    pub options: &'a ObserveOptions,
    pub watch: &'a Watch<'a>,
    /// The scene as it is divided, with the springs as they pull.
    pub scene: Scene,
    pub system: System,
    pub state: State,
    pub inputs: Inputs,
    pub work: Workspace,
    pub statics: StaticOptions,
    /// Estimated error of each rod.
    pub errors: Vec<f64>,
    /// The equilibrium without markers, and its energy, J.
    pub free: (State, f64),
    /// Largest curvature for which the division was found fine enough, 1/m.
    pub divided_for: f64,
    /// T of the frame before; `None` where springs begin softly.
    pub energy: Option<f64>,
    /// Equilibria solved for in this frame.
    pub solves: usize,
    /// Directions in which the energy of the present shape falls.
    pub negative: usize,
}

/// The numbers that a frame has, in the order of the rows.
pub(super) struct Measured {
    pub probes: Vec<Probe>,
    /// Standard deviations of the rows.
    pub sigma: Vec<f64>,
    /// Rows of each marker; empty where it does not count.
    pub groups: Vec<Range<usize>>,
}

/// How hard the springs pull, and at what: by marker.
pub(super) struct Pull<'p> {
    /// Stiffness of a number over 1/σ²: T.
    pub energy: f64,
    /// Added to what was measured, in the order of the rows.
    pub shift: Option<&'p [f64]>,
}

impl<'a> Stand<'a> {
    /// In the equilibrium without any marker, on as many spans as it needs.
    pub fn begin(
        prepared: Prepared,
        table: &'a MarkerTable,
        options_: &'a ObserveOptions,
        watch: &'a Watch<'a>,
    ) -> Result<Self, Refused> {
        let (most, winding) = match &prepared.scene.job {
            Job::Statics(job) => (job.max_iterations, job.winding),
            _ => (StaticsJob::default().max_iterations, StaticsJob::default().winding),
        };
        let statics = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::of_job(most, winding) };
        let found = accuracy::solve(&prepared.scene, &statics, &mut |iteration| watch.iteration(iteration))?;
        let accuracy::Accurate { scene, system, solution, work, errors } = found;
        let mut work = work;
        // The whole load, also where there is no equilibrium without markers: they may hold what nothing else does.
        let inputs = system.inputs_at(0.0);
        let energy = total(&system.potentials(&solution.state, &inputs, &mut work));
        Ok(Self {
            free: (solution.state.clone(), energy),
            divided_for: 0.0,
            prepared,
            table,
            options: options_,
            watch,
            scene,
            system,
            state: solution.state,
            inputs,
            work,
            statics: StaticOptions { load_steps: false, ..statics },
            errors,
            energy: None,
            solves: 0,
            negative: 0,
        })
    }

    /// The numbers of a frame of the markers that count. Exact ones have a length of the robot, or a radian, for their unit.
    pub fn measured(&self, index: usize, counts: &[bool]) -> Measured {
        let frame = &self.table.frames[index];
        let length = self.system.scales().length;
        let stated = |noise: Option<f64>, unit: f64| noise.filter(|sigma| *sigma > 0.0).unwrap_or(unit);
        let mut all = Measured { probes: Vec::new(), sigma: Vec::new(), groups: Vec::new() };
        for (marker, own) in self.table.markers.iter().enumerate() {
            let first = all.sigma.len();
            let Springs { position, rotation } = self.prepared.springs[marker];
            if counts[marker] {
                let axes = frame.positions[marker].map(|value| value.is_some());
                if let Some(spring) = position.filter(|_| axes.contains(&true)) {
                    let probe = Probe { spring, turn: false, axes };
                    all.sigma.extend(std::iter::repeat_n(stated(own.noise, length), probe.size()));
                    all.probes.push(probe);
                }
                if let Some(spring) = rotation.filter(|_| frame.rotations[marker].is_some()) {
                    all.probes.push(Probe { spring, turn: true, axes: [true; 3] });
                    all.sigma.extend([stated(own.turn_noise, 1.0); 3]);
                }
            }
            all.groups.push(first..all.sigma.len());
        }
        all
    }

    /// Lets the springs pull at what was measured.
    pub fn pull(&mut self, index: usize, measured: &Measured, pull: &Pull<'_>) -> Result<(), Refused> {
        let frame = &self.table.frames[index];
        let mut row = 0;
        self.slacken();
        for probe in &measured.probes {
            let marker = self.marker_of(probe.spring);
            let mut stiffness = Vector3::zeros();
            let mut shift = Vector3::zeros();
            for axis in (0..3).filter(|axis| probe.axes[*axis]) {
                stiffness[axis] = pull.energy / measured.sigma[row].powi(2);
                shift[axis] = pull.shift.map_or(0.0, |all| all[row]);
                row += 1;
            }
            let own = &mut self.scene.springs[probe.spring];
            if probe.turn {
                let turn = frame.rotations[marker].unwrap_or_else(Rotation::identity);
                own.a.pose = turned_anchor(marker, &(turn * Rotation::exp(&shift)));
                let mut all = Matrix6::zeros();
                (0..3).for_each(|axis| all[(axis, axis)] = stiffness[axis]);
                own.law = SpringLaw::Bushing { stiffness: all, damping: Matrix6::zeros() };
            } else {
                let at = position(frame, marker) + shift;
                own.a.pose = anchor(marker, &at);
                own.law = SpringLaw::Axes { stiffness };
            }
        }
        self.system.set_values(&self.scene)?;
        self.system.settle(&mut self.state);
        Ok(())
    }

    /// Springs of the scene pull at nothing.
    fn slacken(&mut self) {
        for spring in self.prepared.springs.iter().flat_map(|own| [own.position, own.rotation]).flatten() {
            let slack = match self.scene.springs[spring].law {
                SpringLaw::Axes { .. } => SpringLaw::Axes { stiffness: Vector3::zeros() },
                _ => SpringLaw::Bushing { stiffness: Matrix6::zeros(), damping: Matrix6::zeros() },
            };
            self.scene.springs[spring].law = slack;
        }
    }

    /// What the present shape costs more than that without markers, the springs left out, J.
    pub fn excess(&mut self) -> f64 {
        let all = total(&self.system.potentials(&self.state, &self.inputs, &mut self.work));
        let springs = self.prepared.springs.iter().flat_map(|own| [own.position, own.rotation]).flatten();
        let at = self.system.at(&self.state, &self.inputs);
        let stored: f64 = springs.filter_map(|own| self.system.spring(own)).map(|own| own.potential(&at)).sum();
        all - stored - self.free.1
    }

    fn marker_of(&self, spring: usize) -> usize {
        let has = |own: &Springs| own.position == Some(spring) || own.rotation == Some(spring);
        self.prepared.springs.iter().position(has).unwrap_or(0)
    }

    /// Brings what is driven to a frame; false if the robot cannot follow.
    pub fn drive(&mut self, index: usize) -> Result<bool, Refused> {
        let mut wanted = self.inputs.clone();
        for ((_, target), value) in self.table.drives.iter().zip(&self.table.frames[index].drives) {
            if let Some(value) = value {
                wanted.set((*target).into(), *value);
            }
        }
        if wanted == self.inputs {
            return Ok(true);
        }
        if !self.prepared.unknowns.is_empty() {
            return Ok(self.go_to(&wanted));
        }
        // The robot without markers follows; that with them is found from where it stands.
        self.slacken();
        self.system.set_values(&self.scene)?;
        let free = self.free.0.clone();
        let mut held = std::mem::replace(&mut self.state, free);
        self.system.settle(&mut self.state);
        let followed = self.go_to(&wanted);
        if followed {
            let energy = total(&self.system.potentials(&self.state, &self.inputs, &mut self.work));
            self.free = (self.state.clone(), energy);
            self.system.drive(&wanted, &mut held);
        }
        self.state = held;
        self.system.settle(&mut self.state);
        Ok(followed)
    }

    /// Goes to other inputs; false, and nothing is changed, if the robot cannot follow.
    pub fn go_to(&mut self, wanted: &Inputs) -> bool {
        if *wanted == self.inputs {
            return true;
        }
        let watch = self.watch;
        let way = (&self.inputs, wanted);
        let found = lissome_solve::path::advance(
            &self.system,
            &self.state,
            way,
            &self.statics,
            &mut self.work,
            &mut |iteration| watch.iteration(iteration),
        );
        self.solves += 1;
        let converged = found.outcome.converged();
        if converged {
            self.negative = found.outcome.stability.map_or(0, |own| own.negative_directions);
            (self.state, self.inputs) = (found.state, wanted.clone());
        }
        converged
    }

    /// The same by one short search from where the robot stands, which must end in an equilibrium of the same kind.
    pub fn go_near(&mut self, wanted: &Inputs) -> bool {
        let watch = self.watch;
        let options = StaticOptions { leave_saddles: false, max_iterations: NEARBY, ..self.statics };
        let found = statics::solve(&self.system, &self.state, wanted, &options, &mut self.work, &mut |iteration| {
            watch.iteration(iteration)
        });
        self.solves += 1;
        let negative = found.outcome.stability.map_or(0, |own| own.negative_directions);
        let near = found.outcome.converged() && negative == self.negative;
        if near {
            (self.state, self.inputs) = (found.state, wanted.clone());
        }
        near
    }

    /// Looks for the equilibrium near the present state; false, and the state is as it was, if there is none.
    pub fn settle(&mut self) -> bool {
        let watch = self.watch;
        let found =
            statics::solve(&self.system, &self.state, &self.inputs, &self.statics, &mut self.work, &mut |iteration| {
                watch.iteration(iteration)
            });
        self.solves += 1;
        let converged = found.outcome.converged();
        if converged {
            self.negative = found.outcome.stability.map_or(0, |own| own.negative_directions);
            self.state = found.state;
        }
        converged
    }

    /// The numbers at the present state.
    pub fn rows(&self, measured: &Measured) -> Vec<Row> {
        rows(&self.system, &self.state, &measured.probes)
    }

    /// Divides rods whose error is beyond their tolerance, and goes to the equilibrium there; false if all are within it or the
    /// finer one has none.
    pub fn divide_further(&mut self) -> Result<bool, Refused> {
        let rods = RodIndex::first(self.scene.rods.len());
        let bent = rods.flat_map(|rod| self.system.sample(rod, &self.state, SAMPLES));
        let bent = bent.map(|own| own.strain.curvature.norm()).fold(0.0, f64::max);
        if self.divided_for > 0.0 && bent <= MORE_BENT * self.divided_for {
            return Ok(false);
        }
        self.divided_for = bent.max(f64::MIN_POSITIVE);
        let mut finer = Finer::new(&self.scene)?;
        let Some(found) = finer.differences(&self.system, &self.state, &self.inputs) else {
            self.errors = vec![f64::NAN; self.scene.rods.len()];
            return Ok(false);
        };
        self.errors = found.iter().map(|own| own.size()).collect();
        let excess = division::excess(&self.prepared.scene, &found, 1.0);
        let most = division::largest_contribution(&self.prepared.scene, &found);
        if excess <= 1.0 || most == 0.0 {
            return Ok(false);
        }
        let scene = division::refined(&self.scene, &self.prepared.scene, &found, AIM / excess)?;
        let system = System::compile(&scene)?;
        let mut work = system.workspace();
        let start = system.resampled_state(&self.system, &self.state);
        let watch = self.watch;
        let inputs = &self.inputs;
        let again = statics::solve(&system, &start, inputs, &self.statics, &mut work, &mut |iteration| {
            watch.iteration(iteration)
        });
        if !again.outcome.converged() {
            return Ok(false);
        }
        let free = system.resampled_state(&self.system, &self.free.0);
        (self.scene, self.system, self.state, self.work) = (scene, system, again.state, work);
        // The robot without markers on the same spans; the springs pull again with the next search.
        self.slacken();
        self.system.set_values(&self.scene)?;
        let held = std::mem::replace(&mut self.state, free);
        self.settle();
        let energy = total(&self.system.potentials(&self.state, &self.inputs, &mut self.work));
        self.free = (std::mem::replace(&mut self.state, held), energy);
        self.divided_for = 0.0;
        Ok(true)
    }

    /// The next estimate begins with soft springs.
    pub fn forget_energy(&mut self) {
        self.energy = None;
    }
}

/// All energies together, J.
fn total(all: &Potentials) -> f64 {
    all.elastic + all.gravity + all.applied
}

/// Where a marker was measured; zero where it was not.
pub(super) fn position(frame: &MarkerFrame, marker: usize) -> Vector3<f64> {
    let [x, y, z] = frame.positions[marker].map(|value| value.unwrap_or(0.0));
    Vector3::new(x, y, z)
}
