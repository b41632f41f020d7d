//! Which unknowns a nearly singular matrix leaves open.

/// A pivot that lost digits: of what was added up in it, little was left.
///
/// In a multiplier it says that the closure repeats or contradicts others, in a primal group that nothing holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeakPivot {
    /// Group by order of declaration.
    pub group: usize,
    /// Row in the group that was left with the least: the last to be eliminated of those that depend on each other.
    pub row: usize,
    /// What was left, relative to the magnitudes that were added up; independent of units. Rounding leaves about 10⁻¹⁶.
    pub significance: f64,
}

impl WeakPivot {
    /// A pivot, if it lost more than a factor of `growth`. A significance that is not a number is none.
    pub(crate) fn beyond(growth: f64, group: u32, row: usize, significance: f64) -> Option<Self> {
        let kept = significance * growth >= 1.0;
        (!kept).then_some(Self { group: group as usize, row, significance })
    }
}
