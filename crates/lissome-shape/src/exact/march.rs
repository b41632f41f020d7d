//! The linearised rod, solved from end to end without losing digits.
//!
//! At a node the variation is (η, ω): motion of the frame and change of the wrench, both in body axes. Over a stretch
//!
//! | equation | meaning |
//! |---|---|
//! | η⁺ = Ad_Δ⁻¹ η + E ω + d | Δ the stretch's pose, E = ∂η/∂ω over it, d the defect |
//! | ω⁺ = Ad_Δ̃ᵀ(ω − N(μ)η) + N(μ⁺)η⁺ | the wrench is one and the same in space; Δ̃ = g⁻¹g⁺ |
//!
//! With the base's motion given, all solutions are η = X c + y, ω = W c + w with six free numbers c. Where a rod is
//! taut or soft the columns of (X, W) grow like e^{√n s} and turn parallel; whenever they have grown too far they are
//! made orthonormal again (Godunov's march), (X, W) = Q R, c⁺ = R c + …, R upper triangular with positive diagonal, so
//! the sign of det X never changes by it. Afterwards c is found at the tip and carried back through the R's.

use lissome_lie::{Pose, Wrench};
use nalgebra::{Matrix6, SMatrix};

/// Growth of X at which the columns are made orthonormal: two of sixteen digits are spent until then.
const GROWTH: f64 = 100.0;

/// 6×M: M right-hand sides at once.
pub type Columns<const M: usize> = SMatrix<f64, 6, M>;

/// A stretch as the march sees it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Pose of its end seen from its start.
    pub delta: Pose,
    /// E.
    pub local: Matrix6<f64>,
    /// Pose of the next node seen from this one; `delta` on a continuous curve.
    pub between: Pose,
    /// Wrench at its start and at the next node, section axes.
    pub wrench: (Wrench, Wrench),
}

/// All solutions at one node.
#[derive(Clone, Copy, Debug)]
pub struct Family<const M: usize> {
    /// X.
    pub x: Matrix6<f64>,
    /// W.
    pub w: Matrix6<f64>,
    /// y.
    pub y: Columns<M>,
    /// w.
    pub v: Columns<M>,
    /// How many times the columns had been made orthonormal.
    pub block: usize,
}

/// c⁺ = R c + shift.
#[derive(Clone, Copy, Debug)]
struct Turn<const M: usize> {
    r: Matrix6<f64>,
    shift: Columns<M>,
}

/// The families at all nodes.
#[derive(Clone, Debug)]
pub struct March<const M: usize> {
    families: Vec<Family<M>>,
    turns: Vec<Turn<M>>,
}

impl<const M: usize> March<M> {
    /// At the base, which moves by `base` (zero if it is held) and whose wrench is free.
    pub fn start(base: Columns<M>, nodes: usize) -> Self {
        let mut march = Self { families: Vec::with_capacity(nodes), turns: Vec::new() };
        march.restart(base);
        march
    }

    /// The same again, keeping the memory.
    pub fn restart(&mut self, base: Columns<M>) {
        self.families.clear();
        self.turns.clear();
        let (x, w) = (Matrix6::zeros(), Matrix6::identity());
        self.families.push(Family { x, w, y: base, v: Columns::zeros(), block: 0 });
    }

    /// Over the next stretch.
    pub fn step(&mut self, link: &Link, defect: &Columns<M>) {
        let next = self.tip().over(link, defect);
        self.families.push(next);
        if next.x.amax() > GROWTH {
            self.orthonormalise();
        }
    }

    /// The family reached last.
    pub fn tip(&self) -> &Family<M> {
        self.families.last().expect("a march has a start")
    }

    /// The family at a node.
    pub fn family(&self, node: usize) -> &Family<M> {
        &self.families[node]
    }

    /// True if the columns stayed apart all the way, so that [`Self::by_wrench`] is as good as its entries.
    pub fn is_plain(&self) -> bool {
        self.turns.is_empty()
    }

    /// ∂η/∂(base wrench) at the tip.
    pub fn by_wrench(&self) -> Matrix6<f64> {
        self.turns.iter().rev().fold(self.tip().x, |x, turn| x * turn.r)
    }

    /// c of every block, from c at the tip.
    pub fn coefficients(&self, at_tip: Columns<M>) -> Vec<Columns<M>> {
        let mut all = vec![at_tip; self.turns.len() + 1];
        for (block, turn) in self.turns.iter().enumerate().rev() {
            let right = all[block + 1] - turn.shift;
            all[block] = turn.r.solve_upper_triangular(&right).unwrap_or_else(Columns::zeros);
        }
        all
    }

    /// The same for the columns (X, W) alone, without the base's motion.
    pub fn homogeneous_coefficients(&self, at_tip: Columns<M>) -> Vec<Columns<M>> {
        let mut all = vec![at_tip; self.turns.len() + 1];
        for (block, turn) in self.turns.iter().enumerate().rev() {
            let right = all[block + 1];
            all[block] = turn.r.solve_upper_triangular(&right).unwrap_or_else(Columns::zeros);
        }
        all
    }

    /// Gram–Schmidt, twice, on the columns of (X, W) at the tip; the particular solution is freed of them.
    fn orthonormalise(&mut self) {
        let family = self.families.last_mut().expect("a march has a start");
        let (mut x, mut w, mut r) = (family.x, family.w, Matrix6::zeros());
        for j in 0..6 {
            for _ in 0..2 {
                for i in 0..j {
                    let dot = x.column(i).dot(&x.column(j)) + w.column(i).dot(&w.column(j));
                    r[(i, j)] += dot;
                    let (xi, wi) = (x.column(i).into_owned(), w.column(i).into_owned());
                    x.set_column(j, &(x.column(j) - xi * dot));
                    w.set_column(j, &(w.column(j) - wi * dot));
                }
            }
            let norm = (x.column(j).norm_squared() + w.column(j).norm_squared()).sqrt();
            r[(j, j)] = norm;
            x.set_column(j, &(x.column(j) / norm));
            w.set_column(j, &(w.column(j) / norm));
        }
        let shift = x.tr_mul(&family.y) + w.tr_mul(&family.v);
        (family.x, family.w) = (x, w);
        family.y -= x * shift;
        family.v -= w * shift;
        family.block += 1;
        self.turns.push(Turn { r, shift });
    }
}

impl<const M: usize> Family<M> {
    /// Carried over a stretch.
    pub fn over(&self, link: &Link, defect: &Columns<M>) -> Self {
        let back = link.delta.inverse().adjoint();
        let forward = link.between.adjoint();
        let (here, there) = (coadjoint_of(&link.wrench.0), coadjoint_of(&link.wrench.1));
        let x = back * self.x + link.local * self.w;
        let y = back * self.y + link.local * self.v + defect;
        Self {
            x,
            w: forward.tr_mul(&(self.w - here * self.x)) + there * x,
            y,
            v: forward.tr_mul(&(self.v - here * self.y)) + there * y,
            block: self.block,
        }
    }

    /// η for the block's coefficients.
    pub fn motion(&self, coefficients: &[Columns<M>]) -> Columns<M> {
        self.x * coefficients[self.block] + self.y
    }

    /// ω for the block's coefficients.
    pub fn wrench_change(&self, coefficients: &[Columns<M>]) -> Columns<M> {
        self.w * coefficients[self.block] + self.v
    }
}

/// The matrix N(μ) of η ↦ ad_ηᵀ μ = (m×η_κ + n×η_ε, n×η_κ).
fn coadjoint_of(wrench: &Wrench) -> Matrix6<f64> {
    let (m, n) = (lissome_lie::skew(&wrench.moment), lissome_lie::skew(&wrench.force));
    let mut out = Matrix6::zeros();
    out.fixed_view_mut::<3, 3>(0, 0).copy_from(&m);
    out.fixed_view_mut::<3, 3>(0, 3).copy_from(&n);
    out.fixed_view_mut::<3, 3>(3, 0).copy_from(&n);
    out
}
