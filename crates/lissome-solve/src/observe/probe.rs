//! Measured numbers as functionals of a state. Every marker is a spring of the system, whose far end is what it measures.
//!
//! ```text
//! position    h − m = p_b − p_a              ṗ = R_b v
//! rotation    φ = log(R_aᵀ R_b)              φ̇ = ω + ½ φ × ω + c φ × (φ × ω)
//! ```

use crate::inverse::log_rate;
use lissome_lie::Wrench;
use lissome_mech::{State, System};
use nalgebra::{Matrix3, Vector3};

/// What a spring of the system measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Number of the spring.
    pub spring: usize,
    /// Its rotation instead of its position.
    pub turn: bool,
    /// Axes that were measured: of the world, or of the rotation vector.
    pub axes: [bool; 3],
}

impl Probe {
    /// Numbers that it has.
    pub fn size(&self) -> usize {
        self.axes.iter().filter(|on| **on).count()
    }
}

/// One measured number at a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The slot that it is of.
    pub slot: usize,
    /// Its derivative by the motion of the slot, body axes.
    pub covector: Wrench,
    /// h − m.
    pub gap: f64,
}

/// All measured numbers at a state, probe by probe.
pub fn rows(system: &System, state: &State, probes: &[Probe]) -> Vec<Row> {
    let mut all = Vec::new();
    for probe in probes {
        let Some(spring) = system.spring(probe.spring) else { continue };
        let (a, b) = (state.pose(spring.a), state.pose(spring.b));
        let turn = (a.rotation.inverse() * b.rotation).log();
        let rates = Matrix3::from_columns(&[0, 1, 2].map(|axis| log_rate(&turn, &Vector3::ith(axis, 1.0))));
        for axis in (0..3).filter(|axis| probe.axes[*axis]) {
            let (covector, gap) = match probe.turn {
                true => (Wrench::new(rates.row(axis).transpose(), Vector3::zeros()), turn[axis]),
                false => {
                    let along = b.rotation.inverse_rotate(&Vector3::ith(axis, 1.0));
                    (Wrench::new(Vector3::zeros(), along), (b.position - a.position)[axis])
                }
            };
            all.push(Row { slot: spring.b.index(), covector, gap });
        }
    }
    all
}
