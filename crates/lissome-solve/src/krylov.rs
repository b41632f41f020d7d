//! Block Krylov spaces: v, (operator) v, (operator)² v … from several vectors at once, orthonormal in an inner product.
//!
//! From several, so that an eigenvalue that occurs several times (a round rod swings alike in two planes, a free one floats in
//! six ways) is found as often as it occurs. `arnoldi` and `dynamics::lanczos` read eigenvalues off them.

/// An operator and the inner product xᵀMy in which its vectors are compared: that of a mass or of a stiffness, symmetric and
/// not negative.
pub trait Operator {
    /// y = M x.
    fn mass(&mut self, x: &[f64], y: &mut [f64]);
    /// y = (operator) x, given x and M x.
    fn apply(&mut self, x: &[f64], mass_x: &[f64], y: &mut [f64]);
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Eigenvalues that are to converge; without symmetry a pair of conjugates counts as two.
    pub wanted: usize,
    /// Vectors at most.
    pub most: usize,
    /// Error at which an eigenvalue has converged.
    pub tolerance: f64,
}

/// Vectors from which a space grows: a body that floats has six motions without frequency.
pub const BLOCK: usize = 6;
/// A vector shorter than this part of what it was before the others were taken out is round-off.
const EXHAUSTED: f64 = 1e-12;
/// Vectors at the first look at the errors, and how many more there are at the next: a look costs their cube.
const FIRST_LOOK: usize = 6;
const NEXT_LOOK: f64 = 1.3;

/// A space and what the operator does in it.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// The orthonormal vectors.
    pub vectors: Vec<Vec<f64>>,
    /// M times each.
    pub images: Vec<Vec<f64>>,
    /// Column j: (operator) v_j in terms of the vectors; the last vectors have none yet.
    pub columns: Vec<Vec<f64>>,
}

impl Space {
    /// The space that some vectors span.
    pub fn new(operator: &mut impl Operator, starts: Vec<Vec<f64>>) -> Self {
        let mut space = Self::default();
        for mut start in starts {
            if let (_, Some((size, image))) = space.split(operator, &mut start) {
                space.push(start, size, image);
            }
        }
        space
    }

    /// Grows until `look`, called from time to time, finds what it looks for, the space is exhausted or it has `most`
    /// vectors. Returns what the last look saw; `None` if a number is not finite.
    pub fn grow<T>(
        &mut self,
        operator: &mut impl Operator,
        reach: &Reach,
        mut look: impl FnMut(&Self) -> Option<(T, bool)>,
    ) -> Option<T> {
        let mut next_look = FIRST_LOOK.max(reach.wanted) as f64;
        while self.columns.len() < self.vectors.len() {
            let j = self.columns.len();
            let mut next = vec![0.0; self.vectors[j].len()];
            operator.apply(&self.vectors[j], &self.images[j], &mut next);
            if !next.iter().all(|x| x.is_finite()) {
                return None;
            }
            let (mut parts, left) = self.split(operator, &mut next);
            if let Some((size, image)) = left {
                parts.push(size);
                self.push(next, size, image);
            }
            self.columns.push(parts);
            let ends = j + 1 >= reach.most || self.columns.len() == self.vectors.len();
            if ends || (j + 1) as f64 >= next_look {
                next_look = NEXT_LOOK * (j + 1) as f64;
                let (seen, enough) = look(self)?;
                if ends || enough {
                    return Some(seen);
                }
            }
        }
        None
    }

    /// Entry (i, j) of the operator in terms of the vectors.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.columns[j].get(i).copied().unwrap_or(0.0)
    }

    /// Σ y_k v_k.
    pub fn combine(&self, y: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sum = vec![0.0; self.vectors.first().map_or(0, Vec::len)];
        for (y, v) in y.zip(&self.vectors) {
            add(&mut sum, y, v);
        }
        sum
    }

    /// Takes the vectors that are there out of x; returns what was taken and what is left, unless nothing is.
    fn split(&self, operator: &mut impl Operator, x: &mut [f64]) -> (Vec<f64>, Option<(f64, Vec<f64>)>) {
        let mut parts = vec![0.0; self.vectors.len()];
        let mut image = vec![0.0; x.len()];
        operator.mass(x, &mut image);
        let before = dot(x, &image).max(0.0).sqrt();
        // Twice is enough: the second pass removes what round-off of the first left.
        for _ in 0..2 {
            for ((part, v), w) in parts.iter_mut().zip(&self.vectors).zip(&self.images) {
                let overlap = dot(w, x);
                *part += overlap;
                add(x, -overlap, v);
            }
        }
        operator.mass(x, &mut image);
        let left = dot(x, &image).max(0.0).sqrt();
        // Also where a number is not finite.
        let fresh = left > EXHAUSTED * before && left.is_finite();
        (parts, fresh.then_some((left, image)))
    }

    fn push(&mut self, mut x: Vec<f64>, size: f64, mut image: Vec<f64>) {
        x.iter_mut().chain(&mut image).for_each(|x| *x /= size);
        self.vectors.push(x);
        self.images.push(image);
    }
}

/// [`BLOCK`] vectors of length n in which none of these rows is left out.
pub fn starts(n: usize, rows: impl Iterator<Item = std::ops::Range<usize>> + Clone) -> Vec<Vec<f64>> {
    // The multiples of an irrational number fill the circle evenly.
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let start = |seed: usize| {
        let mut x = vec![0.0; n];
        for (k, row) in rows.clone().flatten().enumerate() {
            x[row] = (std::f64::consts::TAU * ((1.0 + k as f64) * golden * (1.0 + seed as f64).sqrt()).fract()).sin();
        }
        x
    };
    (0..BLOCK).map(start).collect()
}

/// Σ a b.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(y: &mut [f64], k: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += k * x;
    }
}
