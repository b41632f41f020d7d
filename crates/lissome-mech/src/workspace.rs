//! Memory for evaluating a system, allocated once.

use crate::chain::ChainBlocks;
use crate::frozen_load::FrozenLoad;
use crate::index::{Group, Node};
use crate::inputs::Inputs;
use crate::kind::contact::Contact;
use crate::load::SectionLoad;
use crate::near::{Coupled, MetPattern, Over};
use crate::node::Term;
use crate::one_sided_rows::OneSided;
use crate::rod::{PoseMap, RodScratch};
use crate::sink::HeldBlocks;
use crate::step::Step;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix, KktFactor, KktMatrix, Pattern};
use nalgebra::{Matrix6, Vector6};

/// Memory for evaluating a system. Dropping it never changes a result.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) scratch: Vec<RodScratch>,
    pub(crate) maps: Vec<PoseMap>,
    pub(crate) lambda: Vec<Vec<DualVector>>,
    /// Loads along each rod with their factors, point by point.
    pub(crate) line: Vec<Vec<SectionLoad>>,
    /// Forces on every node that moves.
    pub(crate) forces: Vec<DualVector>,
    /// Those on slots with what rods hand to the poses they stand on, and with all that is carried.
    pub(crate) total: Vec<DualVector>,
    pub(crate) terms: Vec<Term>,
    /// Blocks on poses that follow strain coordinates, until they are handed on.
    pub(crate) kept: ChainBlocks,
    /// Steps of the prescribed groups, in a vector over all groups.
    pub(crate) steps: Vec<f64>,
    pub(crate) held: HeldBlocks,
    /// Right-hand side by nodes.
    pub(crate) node_rows: Vec<Vector6<f64>>,
    /// Ψ at the last assembly and its step Tδ, rod by rod: trial states must not disturb them.
    pub(crate) increments: Vec<Vec<(DualVector, DualVector)>>,
    pub(crate) frozen_points: Vec<Vec<FrozenLoad>>,
    pub(crate) symmetric: KktMatrix,
    pub(crate) symmetric_factor: KktFactor,
    pub(crate) general: Option<(GeneralKktMatrix, GeneralKktFactor)>,
    /// μ of the matrix as it stands.
    pub(crate) shift: f64,
    /// What acted at the last assembly.
    pub(crate) inputs: Inputs,
    /// The solution of the last solve over all groups, prescribed ones included.
    pub(crate) solution: Vec<f64>,
    /// −residual over all groups: for prescribed ones, what holds them.
    pub(crate) right_hand_side: Vec<f64>,
    pub(crate) step: Step,
    /// Which one-sided rows act in that step.
    pub(crate) one_sided: OneSided,
    /// For which partners of rods that touch each other the matrices are laid out.
    pub(crate) met: MetPattern,
}

impl System {
    /// Memory for this system.
    pub fn workspace(&self) -> Workspace {
        let general = (!self.is_conservative()).then(|| self.general_matrix());
        self.workspace_over(&self.layout.pattern, general)
    }

    /// Memory in which residuals can be evaluated, and no tangent.
    pub(crate) fn evaluation_workspace(&self) -> Workspace {
        self.workspace_over(&Pattern::default(), None)
    }

    fn workspace_over(&self, pattern: &Pattern, general: Option<(GeneralKktMatrix, GeneralKktFactor)>) -> Workspace {
        let (layout, rods) = (&self.layout, &self.values.rods);
        let (slots, all_rows) = (layout.sources.len(), layout.homes.all_rows());
        Workspace {
            scratch: rods.iter().map(|rod| RodScratch::new(rod)).collect(),
            maps: rods.iter().map(|rod| PoseMap::new(rod.curve().increments())).collect(),
            lambda: rods.iter().map(|rod| vec![DualVector::zero(); rod.curve().increments()]).collect(),
            line: rods
                .iter()
                .zip(&self.values.line_loads)
                .map(|(rod, lines)| {
                    vec![SectionLoad::default(); if lines.is_empty() { 0 } else { rod.curve().point_count() }]
                })
                .collect(),
            forces: vec![DualVector::zero(); layout.moving_nodes()],
            total: vec![DualVector::zero(); slots],
            terms: vec![Term { group: crate::index::Group::new(0), jacobian: Matrix6::zeros() }; layout.term_count],
            kept: ChainBlocks::new(&layout.chains),
            steps: vec![0.0; all_rows],
            held: HeldBlocks::new(all_rows, layout.first_gap),
            node_rows: vec![Vector6::zeros(); layout.roles.len()],
            increments: rods.iter().map(|rod| vec![Default::default(); rod.curve().increments()]).collect(),
            frozen_points: rods.iter().map(|rod| Vec::with_capacity(rod.curve().point_count())).collect(),
            symmetric: KktMatrix::new(pattern),
            symmetric_factor: KktFactor::new(pattern).expect("numbering waits in one direction only"),
            general,
            shift: 0.0,
            inputs: self.values.nominal.clone(),
            solution: vec![0.0; all_rows],
            right_hand_side: vec![0.0; all_rows],
            step: self.zero_step(),
            one_sided: OneSided::new(layout.block_nodes.len()),
            met: MetPattern::default(),
        }
    }

    /// A matrix without symmetry over the pattern, and its factor.
    pub(crate) fn general_matrix(&self) -> (GeneralKktMatrix, GeneralKktFactor) {
        let pattern = &self.layout.pattern;
        let factor = GeneralKktFactor::new(pattern).expect("numbering waits in one direction only");
        (GeneralKktMatrix::new(pattern), factor)
    }

    /// Lays the matrices out for what is near at a state.
    pub(crate) fn fit_near(&self, state: &State, inputs: &Inputs, work: &mut Workspace) {
        let at = self.at(state, inputs);
        let coupled = |contact: &Contact, visit: &mut dyn FnMut(Node, f64)| {
            contact.reachable_nodes(&at, false, &mut |node| visit(node, 0.0));
        };
        self.fit_coupled(&coupled, false, work);
    }

    /// The same for the nodes that each contact shows; `lean` if multipliers may lean on one of them.
    pub(crate) fn fit_coupled(&self, coupled: Coupled<'_>, lean: bool, work: &mut Workspace) {
        let base = || self.layout.pattern.clone();
        let over = Over { homes: &self.layout.homes, terms: &work.terms, heavy: None, lean, coupled };
        let changed = self.met_pattern(base, &over, &mut work.met);
        if let Some(pattern) = changed {
            let waits = "multipliers wait for what they act on, and nothing waits for them";
            work.symmetric.rebuild(pattern);
            work.symmetric_factor.rebuild(pattern).expect(waits);
            if let Some((matrix, factor)) = &mut work.general {
                matrix.rebuild(pattern);
                factor.rebuild(pattern).expect(waits);
            }
        }
    }

    /// No change of any part.
    pub fn zero_step(&self) -> Step {
        let layout = &self.layout;
        Step::zero(layout.sources.len(), self.values.joints.len(), layout.block_nodes.len())
    }
}

impl Workspace {
    /// Number of 6×6 products that the last factorisation took, as if the matrix were symmetric.
    pub fn block_products(&self) -> usize {
        self.symmetric_factor.block_products()
    }

    /// −residual of the last assembly, group by group, of what is solved for.
    pub fn right_hand_side(&self) -> &[f64] {
        &self.right_hand_side[..self.symmetric.rows()]
    }

    /// Takes rows over the unknowns, prescribed ones included, from −residual of the last assembly: forces that are held beside
    /// those of the system.
    pub fn hold(&mut self, rows: &[f64]) {
        self.right_hand_side.iter_mut().zip(rows).for_each(|(own, held)| *own -= held);
    }

    /// The step of the last solve.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// Solves (assembled matrix) x = y in place with the last factor, every unknown of it.
    pub fn solve(&self, y: &mut [f64]) {
        match &self.general {
            Some((_, factor)) => factor.solve(y),
            None => self.symmetric_factor.solve(y),
        }
    }

    /// Solves (assembled matrix)ᵀ x = y in place with the last factor.
    pub fn solve_transposed(&self, y: &mut [f64]) {
        match &self.general {
            Some((_, factor)) => factor.solve_transposed(y),
            None => self.symmetric_factor.solve(y),
        }
    }

    /// Adds to the block of a group with itself in the assembled matrix.
    pub(crate) fn add_block(&mut self, group: Group, block: &Matrix6<f64>) {
        let group = group.index();
        match &mut self.general {
            Some((matrix, _)) => matrix.add_block(group, group, block),
            None => self.symmetric.add_block(group, group, block),
        }
    }

    /// y = (assembled matrix)ᵀ x.
    pub fn multiply_transposed(&self, x: &[f64], y: &mut [f64]) {
        match &self.general {
            Some((matrix, _)) => matrix.multiply_transposed(x, y),
            None => self.symmetric.multiply(x, y),
        }
    }

    /// y = (assembled matrix) x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        match &self.general {
            Some((matrix, _)) => matrix.multiply(x, y),
            None => self.symmetric.multiply(x, y),
        }
    }
}
