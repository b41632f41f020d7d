//! What a factorisation reports: the signs of its pivots, or why it stopped.

use std::fmt;

/// Numbers of positive, negative and zero eigenvalues of a symmetric matrix, counted on the pivots (Sylvester).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inertia {
    /// Positive eigenvalues.
    pub positive: usize,
    /// Negative eigenvalues.
    pub negative: usize,
    /// Eigenvalues that are zero to working precision.
    pub zero: usize,
}

/// Why a matrix could not be factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorError {
    /// The pivot of this block row vanished to working precision.
    Singular {
        /// Block row whose pivot vanished.
        block: usize,
    },
    /// An entry of this block row is infinite or not a number, or became so in the elimination or in the solution:
    /// numbers of so different sizes met that the range was left.
    NotFinite {
        /// Block row that holds the entry.
        block: usize,
    },
    /// The factor was allocated for another size.
    SizeMismatch {
        /// Block rows and half-bandwidth of the matrix; for sparse ones, groups and couplings.
        matrix: (usize, usize),
        /// The same of the factor.
        factor: (usize, usize),
    },
}

impl fmt::Display for FactorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Singular { block } => write!(f, "the matrix is singular to working precision at block row {block}"),
            Self::NotFinite { block } => write!(f, "block row {block} holds a number that is not finite"),
            Self::SizeMismatch { matrix, factor } => write!(
                f,
                "a matrix of {} blocks and band or couplings {} does not fit a factor made for {} and {}",
                matrix.0, matrix.1, factor.0, factor.1
            ),
        }
    }
}

impl std::error::Error for FactorError {}
