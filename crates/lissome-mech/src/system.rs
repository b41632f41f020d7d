//! The compiled system: rods with their numbering, loads on sections. Built once, never changed.

use crate::State;
use crate::closure::Closure;
use crate::element::spline::SplineRod;
use crate::element::spline::line_load::LineLoads;
use crate::element::spline::rod::{Held, Winding};
use crate::load::SectionLoad;
use lissome_lie::Wrench;
use lissome_model::{Invalid, LoadFrame, LoadKind, Scene, StrainForm};
use nalgebra::{Vector3, Vector6};

/// A wrench on one control pose.
#[derive(Clone, Copy, Debug)]
pub struct PoseLoad {
    /// Index among all poses.
    pub pose: usize,
    /// What acts there.
    pub load: SectionLoad,
}

/// A compiled scene.
#[derive(Clone, Debug)]
pub struct System {
    /// The rods, in the order of the scene.
    pub rods: Vec<SplineRod>,
    /// Line loads of each rod.
    pub line_loads: Vec<LineLoads>,
    /// Point loads; all sit on control poses, since a knot of full multiplicity was put under each.
    pub pose_loads: Vec<PoseLoad>,
    /// Block of each pose; `None` if prescribed.
    pub pose_block: Vec<Option<usize>>,
    /// Block of each stress coefficient of a mixed rod (unused entries for printed rods).
    pub stress_block: Vec<usize>,
    /// Ends tied by a constraint.
    pub closures: Vec<Closure>,
    /// Number of 6-blocks of unknowns.
    pub blocks: usize,
    /// Largest distance of two coupled blocks.
    pub half_bandwidth: usize,
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
}

impl System {
    /// Numbers the unknowns and places every load. The scene must have passed [`Scene::validate`].
    pub fn compile(scene: &Scene) -> Result<Self, Invalid> {
        let mut system = Self {
            rods: Vec::new(),
            line_loads: Vec::new(),
            pose_loads: Vec::new(),
            pose_block: Vec::new(),
            stress_block: Vec::new(),
            closures: Vec::new(),
            blocks: 0,
            half_bandwidth: 0,
            gravity: scene.gravity,
        };
        for (index, model) in scene.rods.iter().enumerate() {
            let breaks: Vec<f64> = scene
                .loads
                .iter()
                .filter(|load| load.rod == index)
                .flat_map(|load| match load.kind {
                    LoadKind::Point { at, .. } => vec![at],
                    LoadKind::Distributed { from, to, .. } => vec![from, to],
                })
                .collect();
            let path = format!("rod.{}", model.name);
            let rod = SplineRod::compile(model, &path, &breaks, system.pose_block.len(), system.stress_block.len())?;
            system.number_blocks(&rod);
            system.place_loads(scene, index, &rod);
            system.rods.push(rod);
        }
        Ok(system)
    }

    /// Stress a comes just before the pose that increment a reaches, so that when a pose is eliminated its stiffness
    /// is already there: the pivots of the saddle matrix then have the right signs.
    fn number_blocks(&mut self, rod: &SplineRod) {
        let n = rod.increments();
        let mixed = rod.form == StrainForm::Mixed;
        let free = |i: usize| match rod.held {
            Held::Base | Held::Both => i > 0,
            Held::Tip => i < n,
        };
        let mut next = self.blocks;
        let mut take = || {
            next += 1;
            next - 1
        };
        let mut poses = vec![None; rod.pose_count];
        let mut stresses = vec![0; rod.stress_count()];
        let reached = |a: usize| if rod.held == Held::Tip { a } else { a + 1 };
        for a in 0..n {
            if mixed {
                stresses[a] = take();
            }
            let i = reached(a);
            if free(i) {
                poses[i] = Some(take());
            }
        }
        if rod.held == Held::Both
            && let Some(target) = rod.model.tip.and_then(|frame| frame.world_pose())
        {
            let block = take();
            let pose = rod.first_pose + n;
            self.closures.push(Closure { rod: self.rods.len(), pose, target, block });
            self.half_bandwidth = self.half_bandwidth.max(1);
        }
        self.blocks = next;
        let p = rod.degree;
        for i in 0..rod.pose_count {
            let Some(row) = poses[i] else { continue };
            for column in poses[i.saturating_sub(p)..=i].iter().flatten() {
                self.half_bandwidth = self.half_bandwidth.max(row.abs_diff(*column));
            }
            if mixed {
                // Stress a couples with poses a − p + 1 … a + p.
                for a in i.saturating_sub(p)..(i + p).min(n) {
                    self.half_bandwidth = self.half_bandwidth.max(row.abs_diff(stresses[a]));
                }
            }
        }
        if mixed {
            for a in 0..n {
                for b in a.saturating_sub(p - 1)..a {
                    self.half_bandwidth = self.half_bandwidth.max(stresses[a].abs_diff(stresses[b]));
                }
            }
        }
        self.pose_block.extend(poses);
        self.stress_block.extend(stresses);
    }

    fn place_loads(&mut self, scene: &Scene, index: usize, rod: &SplineRod) {
        let mut line = vec![SectionLoad::default(); rod.points.len()];
        let mut any = false;
        if scene.gravity != Vector3::zeros() {
            any = true;
            for (load, q) in line.iter_mut().zip(&rod.points) {
                load.dead.force += scene.gravity * (q.line_density * q.basis.weight);
            }
        }
        for load in scene.loads.iter().filter(|load| load.rod == index) {
            let section_load = |wrench: Wrench| match load.frame {
                LoadFrame::World => SectionLoad { dead: wrench, follower: Wrench::zero() },
                LoadFrame::Body => SectionLoad { dead: Wrench::zero(), follower: wrench },
            };
            match load.kind {
                LoadKind::Point { at, wrench } => {
                    let pose = rod.first_pose + rod.pose_at_knot(at);
                    self.pose_loads.push(PoseLoad { pose, load: section_load(wrench) });
                }
                LoadKind::Distributed { from, to, per_length } => {
                    any = true;
                    for (at, q) in line.iter_mut().zip(&rod.points) {
                        if q.s > from && q.s < to {
                            at.add(&section_load(per_length).scaled(q.basis.weight));
                        }
                    }
                }
            }
        }
        self.line_loads.push(LineLoads { at_points: if any { line } else { Vec::new() } });
    }

    /// True if every load derives from a potential, so that the tangent is symmetric.
    pub fn is_conservative(&self) -> bool {
        self.pose_loads.iter().all(|at| at.load.is_conservative())
            && self.line_loads.iter().flat_map(|line| &line.at_points).all(SectionLoad::is_conservative)
    }

    /// Number of scalar unknowns.
    pub fn unknowns(&self) -> usize {
        6 * self.blocks
    }

    /// Negative pivots of the saddle matrix at a stable equilibrium: one per stress and one per multiplier.
    pub fn negative_pivots(&self) -> usize {
        6 * (self.stress_blocks() + self.closures.len())
    }

    /// Blocks that are stresses.
    pub fn stress_blocks(&self) -> usize {
        self.rods.iter().filter(|rod| rod.form == StrainForm::Mixed).map(SplineRod::increments).sum()
    }

    /// Every rod in its natural shape on its held end, without stress.
    pub fn natural_state(&self) -> State {
        self.wound_state(Winding::Short)
    }

    /// The same, where rods held at both ends are turned evenly along their length so that their far ends have the right
    /// orientation; `winding` says which way round.
    pub fn wound_state(&self, winding: Winding) -> State {
        State {
            poses: self.rods.iter().flat_map(|rod| rod.natural_poses(winding)).collect(),
            stress: vec![Vector6::zeros(); self.stress_block.len()],
            aims: self.closures.iter().map(|closure| closure.target).collect(),
            reactions: vec![Vector6::zeros(); self.closures.len()],
        }
    }

    /// A start near an equilibrium of the same scene compiled with other resolutions.
    pub fn resampled_state(&self, coarse: &System, from: &State) -> State {
        let mut state = self.natural_state();
        for (rod, coarse) in self.rods.iter().zip(&coarse.rods) {
            rod.resample(coarse, from, &mut state);
        }
        state.reactions.copy_from_slice(&from.reactions);
        state
    }
}
