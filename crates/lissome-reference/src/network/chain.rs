//! The segments of a rod as one link between its ends, for Newton's step.
//!
//! Each segment gives A x_k + B x_{k+1} = r for the steps x at its two cuts. An inner cut is eliminated from its two links by
//! an orthogonal transformation of their 24 rows, which does not amplify rounding however much solutions part along the rod:
//!
//! ```text
//! Qᵀ [ B   A    0   r  ]   [ R  U  W  t ]   first 12 rows: the inner step, once the ends are known
//!    [ A′  0    B′  r′ ] = [ 0  A″ B″ r″ ]  last 12 rows: a link from end to end
//! ```

use crate::cosserat::equations::{Transfer, Variation};
use nalgebra::{QR, SMatrix, U12, U24};

/// A x + B y = r.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub from: Transfer,
    pub to: Transfer,
    pub right: Variation,
}

/// An eliminated cut: R x = t − U (start) − W (next).
#[derive(Clone, Copy, Debug)]
struct InnerCut {
    own: Transfer,
    start: Transfer,
    next: Transfer,
    right: Variation,
}

/// All links of a rod in one.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// From the first cut to the last.
    pub link: Link,
    inner: Vec<InnerCut>,
}

impl Chain {
    /// From the links of a rod, in order.
    pub fn new(links: &[Link]) -> Self {
        let mut link = links[0];
        let mut inner = Vec::with_capacity(links.len() - 1);
        for next in &links[1..] {
            let mut middle = SMatrix::<f64, 24, 12>::zeros();
            middle.fixed_rows_mut::<12>(0).copy_from(&link.to);
            middle.fixed_rows_mut::<12>(12).copy_from(&next.from);
            let mut rest = SMatrix::<f64, 24, 25>::zeros();
            rest.fixed_view_mut::<12, 12>(0, 0).copy_from(&link.from);
            rest.fixed_view_mut::<12, 12>(12, 12).copy_from(&next.to);
            rest.fixed_view_mut::<12, 1>(0, 24).copy_from(&link.right);
            rest.fixed_view_mut::<12, 1>(12, 24).copy_from(&next.right);
            let qr: QR<f64, U24, U12> = middle.qr();
            qr.q_tr_mul(&mut rest);
            inner.push(InnerCut {
                own: qr.r(),
                start: rest.fixed_view::<12, 12>(0, 0).into(),
                next: rest.fixed_view::<12, 12>(0, 12).into(),
                right: rest.fixed_view::<12, 1>(0, 24).into(),
            });
            link = Link {
                from: rest.fixed_view::<12, 12>(12, 0).into(),
                to: rest.fixed_view::<12, 12>(12, 12).into(),
                right: rest.fixed_view::<12, 1>(12, 24).into(),
            };
        }
        Self { link, inner }
    }

    /// The steps at the inner cuts, in order, from those at the ends; `None` if an elimination was singular.
    pub fn inner_steps(&self, first: &Variation, last: &Variation) -> Option<Vec<Variation>> {
        let mut steps = Vec::with_capacity(self.inner.len());
        let mut next = *last;
        for cut in self.inner.iter().rev() {
            next = cut.own.solve_upper_triangular(&(cut.right - cut.start * first - cut.next * next))?;
            steps.push(next);
        }
        steps.reverse();
        Some(steps)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_chain_has_the_steps_of_its_links() {
        // Links that grow by e⁹ in some directions and shrink as much in others.
        let wave = |i: usize, j: usize, k: usize| ((3 * i + 5 * j + 7 * k + i * j * k) as f64).sin();
        let steps: Vec<Variation> = (0..5).map(|k| Variation::from_fn(|i, _| wave(i, 1, k))).collect();
        let links: Vec<Link> = (0..4)
            .map(|k| {
                let mix = Transfer::from_fn(|i, j| wave(i, j, k)).qr().q();
                let growth = Transfer::from_diagonal(&Variation::from_fn(|i, _| (1.6 * i as f64 - 9.0).exp()));
                let (from, to) = (mix.transpose() * growth * mix, -Transfer::identity());
                Link { from, to, right: from * steps[k] + to * steps[k + 1] }
            })
            .collect();
        let chain = Chain::new(&links);
        let found = chain.inner_steps(&steps[0], &steps[4]).unwrap();
        for (k, step) in found.iter().enumerate() {
            // Rounding of rows of size e⁹.
            assert!((step - steps[k + 1]).amax() < 1e-10, "{k}");
        }
        let defect = chain.link.from * steps[0] + chain.link.to * steps[4] - chain.link.right;
        assert!(defect.amax() < 1e-10);
    }
}
