//! The load at which a straight rod buckles: the linearised Cosserat equations about the compressed straight state.
//!
//! The straight state of a rod under axial dead loads is integrated from its tip. Its variations are those of the full
//! rod, so that shear and compression of the axis are in. The lowest critical load is bracketed by the number of
//! negative directions of the energy, which cannot miss a load, then located by the sign of the boundary determinant in
//! each of the two bending planes, which a round section's double load does not hide.

use super::equations::{SectionState, Transfer, carry, pass_kick};
use super::newton::{End, Stage};
use super::scaled_rod::ScaledRod;
use super::stability::index;
use crate::OracleError;
use crate::analytic::root::bisect_fallible;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Wrench};
use lissome_model::{LoadKind, Scene};
use nalgebra::{DMatrix, SVector, Vector3};

/// What holds the tip of a compressed rod sideways; along the axis it always slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TipSupport {
    /// Nothing.
    Free,
    /// Stays on the axis, turns freely.
    Pinned,
    /// Stays on the axis and keeps its direction.
    Clamped,
}

/// Width of the bracket, relative to its upper end, at which the determinant takes over from the index.
const BRACKET: f64 = 1e-3;
/// The straight state may carry this much moment from rounding, in B/L and relative to its force.
const STRAIGHT: f64 = 1e-10;

/// The least factor on all loads and gravity, below `up_to`, at which the straight rod buckles. The base is held, the
/// scene's tip is free; `tip` says what holds it sideways.
pub fn critical_load_factor(scene: &Scene, rod: usize, tip: TipSupport, up_to: f64) -> Result<f64, OracleError> {
    // Read at the largest load, so that the rod is cut finely enough for it.
    let rod = ScaledRod::new(&scaled_loads(scene, up_to), rod)?;
    let (Some(base), None) = (rod.base(), rod.tip()) else {
        return Err(OracleError::WrongSupports { rod: rod.name().into(), held_ends: rod.held_ends(), need: 1 });
    };
    let index_at = |factor: f64| -> Result<usize, OracleError> {
        let transfers = straight_transfers(&rod, &base, factor)?;
        index(&transfers, &vec![Vector3::zeros(); transfers.len() + 1], &held_motions(&base, tip))
    };
    let (mut low, mut high) = (0.0, 1.0);
    if index_at(high)? == 0 {
        return Err(OracleError::NoSignChange { low, high: up_to });
    }
    while high - low > BRACKET * high {
        let middle = 0.5 * (low + high);
        if index_at(middle)? == 0 { low = middle } else { high = middle }
    }
    let in_plane = |plane: Plane| {
        bisect_fallible(low, high, |factor| {
            Ok(plane.determinant(&straight_transfers(&rod, &base, factor)?, &base, tip))
        })
    };
    let part = match (in_plane(Plane::Y), in_plane(Plane::Z)) {
        (Ok(y), Ok(z)) => y.min(z),
        (Ok(one), Err(OracleError::NoSignChange { .. })) | (Err(OracleError::NoSignChange { .. }), Ok(one)) => one,
        (Err(error), _) | (_, Err(error)) => return Err(error),
    };
    Ok(part * up_to)
}

fn scaled_loads(scene: &Scene, factor: f64) -> Scene {
    let mut scaled = scene.clone();
    scaled.gravity *= factor;
    for load in &mut scaled.loads {
        load.kind = match load.kind {
            LoadKind::Point { at, wrench } => LoadKind::Point { at, wrench: wrench * factor },
            LoadKind::Distributed { from, to, per_length } => {
                LoadKind::Distributed { from, to, per_length: per_length * factor }
            }
        };
    }
    scaled
}

/// Transfers of the segments about the straight state, which starts at the unloaded tip and goes back to the base.
fn straight_transfers(rod: &ScaledRod, base: &Pose, load_factor: f64) -> Result<Vec<Transfer>, OracleError> {
    let n = rod.segments.len();
    let mut state = SectionState::new(&Pose::new(base.rotation, Vector3::zeros()), &Wrench::zero());
    let mut cuts = vec![state; n + 1];
    for k in (0..n).rev() {
        // Back through the load at the cut, then along the segment.
        let (loaded, _) = pass_kick(&state, &rod.kicks[k + 1], -load_factor);
        let segment = &rod.segments[k];
        state = carry(rod, segment, load_factor, &loaded, segment.to, segment.from)?;
        cuts[k] = state;
    }
    let stressed = cuts.iter().map(|x| x.n.amax()).fold(0.0, f64::max);
    let bent = cuts.iter().map(|x| x.m.amax()).fold(0.0, f64::max);
    if bent > STRAIGHT * (1.0 + stressed) {
        return Err(OracleError::NotAxial { rod: rod.name().into(), moment: bent * rod.bending / rod.length });
    }
    Stage { rod, load_factor, base: End::Held(*base), tip: End::Free }.transfers(&cuts)
}

/// Displacements (φ, δp) that the tip's support prevents, as columns.
fn held_motions(base: &Pose, tip: TipSupport) -> DMatrix<f64> {
    let axes = Quaternion::from_rotation(&base.rotation).matrix();
    // First row of the part, then its axis.
    let held: &[(usize, usize)] = match tip {
        TipSupport::Free => &[],
        TipSupport::Pinned => &[(3, 1), (3, 2)],
        TipSupport::Clamped => &[(0, 0), (0, 1), (0, 2), (3, 1), (3, 2)],
    };
    let mut columns = DMatrix::zeros(6, held.len());
    for (j, (row, axis)) in held.iter().enumerate() {
        columns.fixed_view_mut::<3, 1>(*row, j).copy_from(&axes.column(*axis));
    }
    columns
}

/// A plane of bending, by the section axis about which the rod turns.
#[derive(Clone, Copy, Debug)]
enum Plane {
    Y,
    Z,
}

impl Plane {
    /// Determinant of the tip's conditions as they depend on moment and shear force at the base, in this plane.
    fn determinant(self, transfers: &[Transfer], base: &Pose, tip: TipSupport) -> f64 {
        let axes = Quaternion::from_rotation(&base.rotation).matrix();
        let (turn, across) = match self {
            Self::Y => (axes.column(1).into_owned(), axes.column(2).into_owned()),
            Self::Z => (axes.column(2).into_owned(), axes.column(1).into_owned()),
        };
        // Rows of (φ, δp, δm, δn) that must vanish at the tip.
        let rows: [(usize, Vector3<f64>); 2] = match tip {
            TipSupport::Free => [(6, turn), (9, across)],
            TipSupport::Pinned => [(3, across), (6, turn)],
            TipSupport::Clamped => [(0, turn), (3, across)],
        };
        let arrive = |start: usize, axis: Vector3<f64>| {
            let mut x = SVector::<f64, 12>::zeros();
            x.fixed_rows_mut::<3>(start).copy_from(&axis);
            let x = transfers.iter().fold(x, |x, transfer| transfer * x);
            rows.map(|(row, axis)| x.fixed_rows::<3>(row).dot(&axis))
        };
        let (by_moment, by_force) = (arrive(6, turn), arrive(9, across));
        by_moment[0] * by_force[1] - by_moment[1] * by_force[0]
    }
}
