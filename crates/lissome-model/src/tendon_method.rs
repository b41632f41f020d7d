//! The classical methods for one clamped rod with tendons.

use crate::invalid::{Invalid, Problem};

/// Polynomials of the strains and Chebyshev nodes of \[tendon2025, sec. VIII\].
const OF_THE_PAPER: TendonMethod = TendonMethod::Lagrangian { functions: [5, 7, 7, 3, 3, 3], nodes: 10 };
/// More nodes than this are refused: the matrices are full.
const MOST_NODES: usize = 64;

/// A method that solves one clamped rod with tendons without the program's own discretisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TendonMethod {
    /// Shooting on the total stress of rod and tendons.
    TotalStress,
    /// Shooting on the rod's own stress, with the exact jumps of the strain where tendons end or kink.
    Newtonian,
    /// Strains as polynomials on every segment, by collocation.
    Lagrangian {
        /// Number of polynomials for torsion, the two curvatures, stretch and the two shears.
        functions: [usize; 6],
        /// Chebyshev nodes on every segment.
        nodes: usize,
    },
}

impl TendonMethod {
    /// The Lagrangian method with the numbers of the paper.
    pub fn lagrangian() -> Self {
        OF_THE_PAPER
    }

    /// Its name in scenes and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::TotalStress => "total-stress",
            Self::Newtonian => "newtonian",
            Self::Lagrangian { .. } => "lagrangian",
        }
    }

    pub(crate) fn validate(self) -> Result<(), Invalid> {
        let Self::Lagrangian { functions, nodes } = self else { return Ok(()) };
        let most = functions.iter().copied().max().unwrap_or(0);
        // One node carries the boundary value; the others must tell the polynomials apart.
        if nodes <= most || nodes > MOST_NODES {
            let need = format!("{most} polynomials need more than {most} nodes, and {MOST_NODES} at most");
            return Err(Invalid::new("job.nodes", Problem::Count { found: nodes, need }));
        }
        match functions.iter().sum::<usize>() {
            0 => Err(Invalid::new("job.functions", Problem::Count { found: 0, need: "ask for at least one".into() })),
            _ => Ok(()),
        }
    }
}
