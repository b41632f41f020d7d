//! Nested pre-curved tubes at rest, by multiple shooting: the torsionally compliant tube model with loads.
//!
//! All tubes share one centre line and slide and turn in each other without friction. Each keeps its own twist, and its own
//! torque from the plate that holds it to its end. Everything is written in a frame of the centre line that does *not* twist, so
//! that no tube is special: any of them may reach farthest, and any may end anywhere. (The solver takes the frame of the
//! innermost tube instead. What checks must not share the choice of what is checked.)
//!
//! [`TubeRobot`] is the description, [`solve`] finds an equilibrium, [`TubeSolution::negative_directions`] counts the ways in
//! which it can lower its energy. [`Stretch`] chooses between the classical model, whose centre line neither stretches nor shears, and the
//! sum of the tubes' axial and shear stiffness, which for one tube is Cosserat's rod.

mod description;
mod equations;
mod scaled;
mod scene;
mod solution;
mod solver;
mod stability;

pub use description::{CurvedPart, ElasticTube, Stretch, TubeLoad, TubeRobot};
pub use solution::TubeSolution;
pub use solver::{solve, solve_from};
