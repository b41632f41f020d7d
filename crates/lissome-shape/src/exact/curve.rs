//! An equilibrium as nodes along the rod; between two nodes one more step of the integrator gives any point exactly.

use super::field::{Cosserat, Kirchhoff};
use super::march::{Columns, Link, March};
use super::step::{self, Stretch};
use crate::elastic::ElasticRod;
use crate::options::Mechanics;
use lissome_lie::{Pose, Strain, Wrench};
use nalgebra::Vector6;

/// An equilibrium, dimensionless, in the frame of its base.
#[derive(Clone, Debug)]
pub struct ExactCurve {
    /// Law of the section.
    pub mechanics: Mechanics,
    /// Steps along the rod.
    pub stretches: Vec<Stretch>,
    /// One pose more than there are stretches; the first is the identity.
    pub nodes: Vec<Pose>,
    /// Wrench at the base, (B/L, B/L²).
    pub wrench: Wrench,
}

impl ExactCurve {
    /// Index of the stretch that holds τ, and its part up to τ.
    pub(crate) fn locate(&self, tau: f64) -> (usize, Stretch) {
        let index = self.stretches.iter().rposition(|stretch| stretch.from <= tau).unwrap_or(0);
        let stretch = self.stretches[index];
        (index, Stretch { span: (tau - stretch.from).clamp(0.0, stretch.span), ..stretch })
    }

    /// Pose at τ in the base frame, positions over L.
    pub fn pose(&self, rod: &ElasticRod, tau: f64) -> Pose {
        let (index, part) = self.locate(tau);
        let node = self.nodes[index];
        let wrench = node.coadjoint_wrench(&self.wrench);
        node * match self.mechanics {
            Mechanics::Kirchhoff => step::advance::<Kirchhoff>(rod, &part, &wrench),
            Mechanics::Cosserat => step::advance::<Cosserat>(rod, &part, &wrench),
        }
    }

    /// Strain (κ̂, ε) at a pose of the curve.
    pub fn strain(&self, rod: &ElasticRod, tau: f64, pose: &Pose) -> Strain {
        let wrench = pose.coadjoint_wrench(&self.wrench);
        let piece = self.locate(tau).1.piece;
        match self.mechanics {
            Mechanics::Kirchhoff => {
                let (bending, natural) = rod.bending_in(piece, tau);
                Strain::new(bending.compliance * wrench.moment + natural, nalgebra::Vector3::x())
            }
            Mechanics::Cosserat => {
                let (compliance, natural) = rod.compliance_in(piece, tau);
                let change = Strain::from_vector(&(compliance * Vector6::from(wrench)));
                Strain::new(change.curvature + natural, change.stretch + nalgebra::Vector3::x())
            }
        }
    }

    /// The linearised rod at every node, for a base that moves by each of the given columns.
    pub fn march<const M: usize>(&self, rod: &ElasticRod, base: Columns<M>) -> March<M> {
        let mut march = March::start(base, self.nodes.len());
        for (k, stretch) in self.stretches.iter().enumerate() {
            march.step(&self.link(rod, k, stretch), &Columns::zeros());
        }
        march
    }

    /// A stretch, or its first part, as the linearised rod sees it.
    pub(crate) fn link(&self, rod: &ElasticRod, k: usize, part: &Stretch) -> Link {
        let wrench = self.nodes[k].coadjoint_wrench(&self.wrench);
        let (delta, local) = match self.mechanics {
            Mechanics::Kirchhoff => step::advance_with_variation::<Kirchhoff>(rod, part, &wrench),
            Mechanics::Cosserat => step::advance_with_variation::<Cosserat>(rod, part, &wrench),
        };
        Link { delta, local, between: delta, wrench: (wrench, delta.coadjoint_wrench(&wrench)) }
    }

    /// Sum over the stretches of what changes when each is crossed in two steps: the error of the mesh.
    pub(crate) fn halving_error(&self, rod: &ElasticRod) -> f64 {
        let advance = |part: &Stretch, wrench: &Wrench| match self.mechanics {
            Mechanics::Kirchhoff => step::advance::<Kirchhoff>(rod, part, wrench),
            Mechanics::Cosserat => step::advance::<Cosserat>(rod, part, wrench),
        };
        let of = |(stretch, ends): (&Stretch, &[Pose])| {
            let start = ends[0].coadjoint_wrench(&self.wrench);
            let half = Stretch { span: 0.5 * stretch.span, ..*stretch };
            let first = advance(&half, &start);
            let second = advance(&Stretch { from: half.from + half.span, ..half }, &first.coadjoint_wrench(&start));
            (first * second).boxminus(&(ends[0].inverse() * ends[1])).to_vector().amax()
        };
        self.stretches.iter().zip(self.nodes.windows(2)).map(of).sum()
    }

    /// Elastic energy over B/L, integrated along with the pose.
    pub fn energy(&self, rod: &ElasticRod) -> f64 {
        let of = |(stretch, node): (&Stretch, &Pose)| {
            let start = node.coadjoint_wrench(&self.wrench);
            match self.mechanics {
                Mechanics::Kirchhoff => step::advance_with_energy::<Kirchhoff>(rod, stretch, &start).1,
                Mechanics::Cosserat => step::advance_with_energy::<Cosserat>(rod, stretch, &start).1,
            }
        };
        self.stretches.iter().zip(&self.nodes).map(of).sum()
    }
}
