//! Where the potential of an equilibrium is.

/// Energies of the equilibrium, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Stored in the rods.
    pub elastic: f64,
    /// Potential of gravity.
    pub gravity: f64,
    /// Potential of the dead loads (−work); moments and follower loads have none and count zero.
    pub loads: f64,
}

impl Energy {
    /// The whole potential.
    pub fn total(&self) -> f64 {
        self.elastic + self.gravity + self.loads
    }
}
