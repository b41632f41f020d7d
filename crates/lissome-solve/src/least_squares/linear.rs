//! The linear problem of one round, in variables scaled by the columns of the Jacobian, by orthogonal factors alone.

use super::{Found, Loss, Variable};
use nalgebra::{DMatrix, DVector, SVD};

/// Singular values below this part of the largest tell nothing of where the least point is.
const NOTHING: f64 = 1e-12;

/// √ψ' J D⁻¹ and what it is to meet, both multiplied by an orthogonal matrix so that there is a row for each column.
pub(super) struct Scaled {
    /// Upper triangle.
    r: DMatrix<f64>,
    b: DVector<f64>,
    /// D: what one unit of a scaled variable is the inverse of.
    scale: Vec<f64>,
    /// At a limit and pushed against it.
    pub held: Vec<bool>,
}

/// An upper triangle with as many rows as columns, and the right side that belongs to it.
pub(super) fn triangle(a: DMatrix<f64>, b: &DVector<f64>) -> (DMatrix<f64>, DVector<f64>) {
    let (rows, columns) = a.shape();
    let a = if rows < columns { a.resize_vertically(columns, 0.0) } else { a };
    let mut right = b.clone().resize_vertically(a.nrows(), 0.0);
    let qr = a.qr();
    qr.q_tr_mul(&mut right);
    (qr.r(), right.rows(0, columns).into_owned())
}

impl Scaled {
    pub fn new(found: &Found, variables: &[Variable], loss: Loss, norms: &mut [f64]) -> Self {
        let r = &found.residuals;
        let mut a = found.jacobian.clone();
        for (row, residual) in r.iter().enumerate() {
            a.row_mut(row).scale_mut(loss.curvature(*residual).sqrt());
        }
        let b = DVector::from_iterator(r.len(), r.iter().map(|r| -loss.influence(*r) / loss.curvature(*r).sqrt()));
        let mut scale = Vec::with_capacity(variables.len());
        let mut held = Vec::with_capacity(variables.len());
        for (index, variable) in variables.iter().enumerate() {
            let mut column = a.column_mut(index);
            norms[index] = norms[index].max(column.norm());
            let own = if norms[index] > 0.0 { norms[index] } else { 1.0 / variable.size };
            column.unscale_mut(own);
            scale.push(own);
            // The cost falls in this direction.
            let down = column.dot(&b);
            let (low, high) = variable.limits;
            held.push((found.x[index] <= low && down <= 0.0) || (found.x[index] >= high && down >= 0.0));
        }
        let (r, b) = triangle(a, &b);
        Self { r, b, scale, held }
    }

    /// The least point of the linear problem within the limits, damped, and the decrease of the cost that it promises.
    pub fn step(&self, x: &[f64], variables: &[Variable], damping: f64) -> (Vec<f64>, f64) {
        let count = x.len();
        let mut fixed: Vec<Option<f64>> = self.held.iter().map(|held| held.then_some(0.0)).collect();
        let mut y = DVector::zeros(count);
        // Each round ends at one limit more.
        for _ in 0..=count {
            let free: Vec<usize> = (0..count).filter(|index| fixed[*index].is_none()).collect();
            let mut right = self.b.clone();
            for (index, own) in fixed.iter().enumerate().filter_map(|(index, own)| Some((index, (*own)?))) {
                right.axpy(-own, &self.r.column(index), 1.0);
                y[index] = own;
            }
            if !free.is_empty() {
                let part = damped(&self.r.select_columns(&free), &right, damping);
                free.iter().zip(part.iter()).for_each(|(index, value)| y[*index] = *value);
            }
            let mut passed = false;
            for index in free {
                let (low, high) = variables[index].limits;
                let to = x[index] + y[index] / self.scale[index];
                if to < low || to > high {
                    fixed[index] = Some((to.clamp(low, high) - x[index]) * self.scale[index]);
                    passed = true;
                }
            }
            if !passed {
                break;
            }
        }
        let promised = 0.5 * (self.b.norm_squared() - (&self.r * &y - &self.b).norm_squared());
        let there = |index: usize| {
            let (low, high) = variables[index].limits;
            (x[index] + y[index] / self.scale[index]).clamp(low, high)
        };
        ((0..count).map(there).collect(), promised)
    }

    /// How far the least point of the linear problem is away: in parts of what the residuals let it be known to, and of the sizes
    /// of the numbers.
    pub fn offset(&self, found: &Found, variables: &[Variable]) -> (f64, f64) {
        let (there, promised) = self.step(&found.x, variables, NOTHING * NOTHING);
        let free = self.held.iter().filter(|held| !**held).count();
        let degrees = found.residuals.len().saturating_sub(free).max(1) as f64;
        let left = 2.0 * (found.cost - promised).max(0.0) / degrees;
        let offset = 2.0 * promised.max(0.0) / free.max(1) as f64;
        let moved = variables.iter().zip(&there).zip(&found.x).map(|((own, to), from)| (to - from).abs() / own.size);
        let offset = if offset == 0.0 { 0.0 } else { (offset / left).sqrt() };
        (offset, moved.fold(0.0, f64::max))
    }
}

/// Least squares with damping times the identity below.
fn damped(a: &DMatrix<f64>, b: &DVector<f64>, damping: f64) -> DVector<f64> {
    let SVD { u, v_t, singular_values: s } = a.clone().svd(true, true);
    let (Some(u), Some(v_t)) = (u, v_t) else { return DVector::zeros(a.ncols()) };
    let mut part = u.tr_mul(b);
    let least = NOTHING * s.max();
    for (own, value) in part.iter_mut().zip(s.iter()) {
        *own *= if *value > least { value / (value * value + damping) } else { 0.0 };
    }
    v_t.tr_mul(&part)
}
