//! Many pairs of ends at once, on every core, with the same bits as one by one.

use crate::elastic::ElasticRod;
use crate::ends::Ends;
use crate::error::ShapeError;
use crate::options::Options;
use crate::shape::Shape;
use crate::solve::solve;
use rayon::prelude::*;

/// Solves every pair of ends; answers are in the order of the questions. Each is computed by one thread from its own
/// ends alone, so the number of threads cannot change a bit.
pub fn solve_batch(rod: &ElasticRod, ends: &[Ends], options: &Options) -> Vec<Result<Shape, ShapeError>> {
    ends.par_iter().map(|ends| solve(rod, ends, options)).collect()
}
