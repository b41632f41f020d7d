//! What happens to an equilibrium on its way, along drives or along a load: its branch ends, or loses its stability, or is
//! left for another.

use crate::energy::Energy;

/// Kinds of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The branch of equilibria turns back: there is none beyond, and the robot snaps. Claimed only where the smallest
    /// eigenvalue is seen to go to zero as the square root of what is left of the way, along a motion that what is driven
    /// pushes.
    Fold,
    /// The branch goes on but changes its stability where another crosses it: the robot buckles, or settles again.
    Bifurcation,
    /// The equilibrium jumped, and neither of the above was shown.
    Snap,
}

impl EventKind {
    /// Its name in files and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::Bifurcation => "bifurcation",
            Self::Snap => "snap",
        }
    }
}

/// An event on the way to an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// What it is.
    pub kind: EventKind,
    /// Where: value of the path's parameter, or fraction of the load of a single equilibrium.
    pub at: f64,
    /// How far that may be off.
    pub within: f64,
    /// Energies of the last equilibrium before it.
    pub before: Energy,
    /// Energies of the equilibrium that was found beyond it; `None` if none was, or none was looked for.
    pub after: Option<Energy>,
    /// Directions in which the potential falls, before and beyond.
    pub negative_directions: (usize, Option<usize>),
    /// Rod, by index, and arc length where the motion that nothing resists is largest, if that is known.
    pub place: Option<(usize, f64)>,
    /// How far the robot moved from the one to the other: rad, or fractions of the length.
    pub moved: f64,
    /// How many eigenvalues pass through zero at once: two where a round column buckles, to any side.
    pub multiplicity: usize,
}

/// Square-root law: where an eigenvalue that goes to zero as the root of what is left gets there, from the last two of
/// (parameter, eigenvalue). `None` if it does not shrink.
pub(crate) fn end_of_branch(track: &[(f64, f64)]) -> Option<f64> {
    let [.., (t1, a), (t2, b)] = track else { return None };
    let (first, second) = (a * a, b * b);
    (second < first && a * b > 0.0).then(|| t2 + (t2 - t1) * second / (first - second))
}

/// The fold that a track of eigenvalues shows: three points at least, the eigenvalue halved or less, and two estimates that
/// agree within the half of what is left, or within the tolerance.
pub(crate) fn shown_fold(track: &[(f64, f64)], tolerance: f64) -> Option<f64> {
    let end = end_of_branch(track)?;
    let before = end_of_branch(&track[..track.len() - 1])?;
    let (last, first) = (track.last()?, track.first()?);
    let agree = (end - before).abs() <= (0.5 * (end - last.0)).max(tolerance);
    (agree && last.1.abs() <= 0.5 * first.1.abs()).then_some(end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_root_law_is_a_fold_and_a_straight_line_is_none() {
        let at = [0.0, 0.5, 0.7];
        let root: Vec<(f64, f64)> = at.iter().map(|t| (*t, 3.0 * (0.8f64 - t).sqrt())).collect();
        assert!((shown_fold(&root, 1e-4).unwrap() - 0.8).abs() < 1e-12);
        // An eigenvalue that passes through zero does not end a branch: the estimates by the root law do not agree.
        let line: Vec<(f64, f64)> = at.iter().map(|t| (*t, 0.8 - t)).collect();
        assert_eq!(shown_fold(&line[..3], 1e-4), None);
        // One that stays away from zero.
        let stiff: Vec<(f64, f64)> = at.iter().map(|t| (*t, 1.0 - 0.1 * t)).collect();
        assert_eq!(shown_fold(&stiff, 1e-4), None);
    }
}
