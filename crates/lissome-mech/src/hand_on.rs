//! From the outermost pose of a chain to what it stands on: blocks that were kept of its poses become blocks of groups.
//!
//! ```text
//! K_bc += B_bᵀ H B_c        K_ec += R_e B_c                  b, c of the present step, e of those beyond it
//! R_e ← R_e T               R_b += B_bᵀ (H T + C)            H ← Tᵀ (H T + C) + D T
//! ```
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | T, B | motion of a pose with its neighbour and with the coordinates of the step | terms from [`Link::at`] on |
//! | H | block on the present pose | `own` |
//! | C, D | in its row by its neighbour, and the other way round | `below`, `above` |
//! | R_b, Q_b | rows of q_b by the present pose, and its rows by q_b | `rows`, `columns` |
//!
//! One row and one column of blocks are on the way: the work is the square of the number of coordinates.

use crate::chain::Link;
use crate::index::{Group, Node};
use crate::node::{Home, Term};
use crate::sink::{BlockSink, GroupMatrix, NodeSink, StartRows};
use nalgebra::Matrix6;
use std::cmp::Ordering;
use std::ops::Range;

/// Terms of rows and of columns: those of the start of a time step and of its end may differ.
struct Sides<'a> {
    rows: &'a [Term],
    columns: &'a [Term],
    start: Option<&'a StartRows>,
}

impl Sides<'_> {
    /// T of rows and columns.
    fn carry(&self, link: &Link) -> [&Matrix6<f64>; 2] {
        [&self.rows[link.at].jacobian, &self.columns[link.at].jacobian]
    }

    /// B of both for a block.
    fn step(&self, link: &Link, block: usize) -> [&Matrix6<f64>; 2] {
        let at = link.at + 1 + (block - link.blocks.start);
        [&self.rows[at].jacobian, &self.columns[at].jacobian]
    }
}

impl<M: GroupMatrix> NodeSink<'_, M> {
    /// Hands on what was kept of the poses of chains. Nothing is complete before.
    pub fn finish(&mut self) {
        for chain in 0..self.chains.all.len() {
            let [used, from_start] = std::mem::take(&mut self.kept.used[chain]);
            if used {
                let terms = self.terms;
                self.hand_on(chain, &Sides { rows: terms, columns: terms, start: None });
            }
            if let (true, Some(start)) = (from_start, self.start) {
                self.hand_on(chain, &Sides { rows: &start.terms, columns: self.terms, start: Some(start) });
            }
        }
    }

    fn hand_on(&mut self, chain: usize, sides: &Sides<'_>) {
        // Rows at the start of a step are no mirror images of columns at its end.
        let symmetric = M::SYMMETRIC && sides.start.is_none();
        let chain = &self.chains.all[chain];
        let homes = self.homes;
        let group = |block: usize| match homes.of(chain.first_block.after(block)) {
            Home::Own(group) => Some(group),
            _ => None,
        };
        let (mut rows, mut columns) = (std::mem::take(&mut self.kept.rows), std::mem::take(&mut self.kept.columns));
        let mut own = Matrix6::zeros();
        // Blocks beyond the present pose, and of those the ones that were met: all that are between two of them.
        let mut beyond: Range<usize> = 0..0;
        for (k, link) in chain.links.iter().enumerate().rev() {
            let [here, below, above] = self.kept.take(chain.first + k, sides.start.is_some());
            own += here;
            let met = if beyond.is_empty() {
                link.blocks.clone()
            } else {
                beyond.start.min(link.blocks.start)..beyond.end.max(link.blocks.end)
            };
            for block in met.clone().filter(|block| !beyond.contains(block)) {
                (rows[block], columns[block]) = (Matrix6::zeros(), Matrix6::zeros());
            }
            for c in link.blocks.clone() {
                let ([left, right], Some(at)) = (sides.step(link, c), group(c)) else { continue };
                for e in beyond.clone() {
                    let Some(other) = group(e) else { continue };
                    if symmetric {
                        self.add_pair(other, at, &(rows[e] * right));
                    } else {
                        self.write(other, at, &(rows[e] * right));
                        self.write(at, other, &left.tr_mul(&columns[e]));
                    }
                }
                let pulled = own * right;
                for b in link.blocks.clone() {
                    let ([left, _], Some(other)) = (sides.step(link, b), group(b)) else { continue };
                    match (symmetric, b.cmp(&c)) {
                        (false, _) | (true, Ordering::Equal) => self.write(other, at, &left.tr_mul(&pulled)),
                        (true, Ordering::Greater) => self.add_pair(other, at, &left.tr_mul(&pulled)),
                        (true, Ordering::Less) => {}
                    }
                }
            }
            let [left, right] = sides.carry(link);
            for e in beyond.clone() {
                rows[e] *= right;
                if !symmetric {
                    columns[e] = left.tr_mul(&columns[e]);
                }
            }
            let (by_inner, of_inner) = (own * right + below, left.tr_mul(&own) + above);
            for b in link.blocks.clone() {
                let [step_left, step_right] = sides.step(link, b);
                rows[b] += step_left.tr_mul(&by_inner);
                if !symmetric {
                    columns[b] += of_inner * step_right;
                }
            }
            own = left.tr_mul(&by_inner) + above * right;
            beyond = met;
        }
        let anchor = self.homes.of(chain.anchor);
        if anchor != Home::Fixed {
            self.stand_on(chain.anchor, &own, sides, symmetric);
            for e in beyond {
                let Some(at) = group(e) else { continue };
                self.stand_on_row(at, anchor, [&rows[e], &columns[e]], sides, symmetric);
            }
        }
        (self.kept.rows, self.kept.columns) = (rows, columns);
    }

    /// What arrives at the pose that a chain stands with.
    fn stand_on(&mut self, anchor: Node, own: &Matrix6<f64>, sides: &Sides<'_>, symmetric: bool) {
        match (symmetric, sides.start, self.homes.of(anchor)) {
            (true, ..) => self.add_symmetric(anchor, anchor, own),
            (false, Some(start), Home::Own(group)) => {
                self.add_from_start(anchor, anchor, own, &start.moved[group]);
            }
            (false, Some(_), _) => self.add_from_start(anchor, anchor, own, &Matrix6::identity()),
            (false, None, _) => self.add_general(anchor, anchor, own),
        }
    }

    /// What is between a block of coordinates and that pose.
    fn stand_on_row(
        &mut self,
        at: Group,
        anchor: Home,
        [row, column]: [&Matrix6<f64>; 2],
        sides: &Sides<'_>,
        symmetric: bool,
    ) {
        if symmetric {
            self.spread(Home::Own(at), anchor, row, |sink, (r, _), (c, _), value| sink.add_pair(r, c, value));
            return;
        }
        self.spread(Home::Own(at), anchor, row, |sink, (r, _), (c, _), value| sink.write(r, c, value));
        let Some(start) = sides.start else {
            self.spread(anchor, Home::Own(at), column, |sink, (r, _), (c, _), value| sink.write(r, c, value));
            return;
        };
        match anchor {
            Home::Fixed => {}
            Home::Own(group) => self.write(group, at, &start.moved[group].tr_mul(column)),
            Home::Through { first, count } => {
                for term in &start.terms[first..first + count] {
                    let value = start.moved[term.group].tr_mul(&term.jacobian.tr_mul(column));
                    self.write(term.group, at, &value);
                }
            }
        }
    }
}
