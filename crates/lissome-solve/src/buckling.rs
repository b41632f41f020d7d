//! Critical loads: load factors at which the tangent of a branch of equilibria becomes singular, and how the robot gives way.
//!
//! First an estimate. About an equilibrium at load factor f the tangent (with stresses and multipliers) changes with the loads
//! as S + ΔS′, S′ from a neighbouring equilibrium, and S z = −ΔS′z has the critical Δ: for f = 0 the linear buckling analysis
//! of textbooks. Then the true branch is followed to f + Δ, where the same is asked again; since S + ΔS′ is the tangent to the
//! problem that is solved, the steps Δ fall quadratically, and what they end at does not depend on any linearisation.

use crate::arnoldi;
use crate::branch::Branch;
use crate::divergence;
use crate::krylov::{self, Operator, Reach};
use crate::stability;
use lissome_lie::Twist;
use lissome_mech::{CurvatureOf, Inputs, State, System, Workspace};
use std::fmt;

/// A critical load.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalLoad {
    /// Load factor at which the tangent of the branch is singular.
    pub factor: f64,
    /// The estimate from the equilibrium that the search began with.
    pub estimate: f64,
    /// Last correction of the factor; infinite if there was none.
    pub uncertainty: f64,
    /// What happens there.
    pub kind: CriticalKind,
    /// Motion of every slot as the robot gives way, largest scaled displacement one.
    pub shape: Vec<Twist>,
    /// The equilibrium there.
    pub state: State,
}

/// What happens at a critical load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CriticalKind {
    /// Other equilibria branch off, as from a straight column.
    Bifurcation,
    /// The branch itself ends: a limit load, from which the robot snaps.
    Limit,
    /// An estimate alone: the branch could not be followed that far.
    Estimate,
}

/// The critical loads of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Buckling {
    /// Load factor of the equilibrium that the search began with.
    pub from: f64,
    /// The lowest critical loads above it, in increasing order; a round column has each of them twice.
    pub loads: Vec<CriticalLoad>,
    /// Negative directions at the last of them beyond those that were found; 0 if none was missed.
    pub missed: usize,
    /// True if whoever watched stopped the search: there may be lower loads than those that were found.
    pub stopped: bool,
}

/// Why there are no critical loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucklingError {
    /// There is no equilibrium without loads to begin with.
    NoEquilibrium,
    /// The equilibrium is already unstable.
    Unstable,
    /// A rod in displacement form has no elastic stiffness of its own to compare with.
    DisplacementForm,
    /// The eigenvalues did not converge.
    NotConverged,
}

impl fmt::Display for BucklingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEquilibrium => write!(f, "there is no equilibrium to begin with"),
            Self::Unstable => write!(f, "the equilibrium to begin with is unstable already"),
            Self::DisplacementForm => write!(f, "critical loads need rods in mixed form"),
            Self::NotConverged => write!(f, "the critical loads did not converge"),
        }
    }
}

impl std::error::Error for BucklingError {}

/// Difference of load factors that S′ is taken over, as a part of the lowest Δ, and where it is good enough.
const DIFFERENCE: f64 = 0.01;
const GOOD_DIFFERENCE: std::ops::Range<f64> = 1e-4..0.1;
const DIFFERENCES: usize = 12;
/// Correction of a load factor, relative, that ends its refinement: what [`NEUTRAL_SHIFT`] brings in at a singular tangent, and
/// some; and corrections at most.
const CORRECTION: f64 = 5.0 * NEUTRAL_SHIFT;
const CORRECTIONS: usize = 30;
/// A branch that cannot be followed farther ends in a fold if the nearest critical load is this part of its own away.
const LIMIT_DISTANCE: f64 = 1e-3;
/// Δ below this part of the load factor: the branch stands at a critical load.
const AT_IT: f64 = 1e-5;
/// How far beside a critical load negative directions are counted, of the way to it; and the width of the bracket around one
/// that no estimate announced.
const BESIDE: f64 = 1e-4;
const CROSSING: f64 = 1e-3;
/// Arnoldi vectors beside four times the number of loads, and the error at which an eigenvalue has converged.
const SPARE_VECTORS: usize = 48;
const TOLERANCE: f64 = 1e-10;
/// Part of the elastic stiffness that is added where the elimination needs it.
const NEUTRAL_SHIFT: f64 = 1e-7;
/// |Δ| beyond this many times the lowest is no critical load but rounding of S′.
const FARTHEST: f64 = 1e6;

/// The critical loads above no load.
pub fn from_unloaded(system: &System, inputs: &Inputs, count: usize) -> Result<Buckling, BucklingError> {
    let branch = Branch::unloaded(system, inputs).ok_or(BucklingError::NoEquilibrium)?;
    on_branch(system, branch, count)
}

/// The critical loads above those that an equilibrium carries.
pub fn from_equilibrium(
    system: &System,
    state: &State,
    inputs: &Inputs,
    count: usize,
) -> Result<Buckling, BucklingError> {
    on_branch(system, Branch::through(system, state, inputs), count)
}

/// The critical loads of a branch above where it stands. Where its watcher asks to stop, those that were found until then.
pub fn on_branch(system: &System, start: Branch<'_>, count: usize) -> Result<Buckling, BucklingError> {
    if !system.has_separate_elasticity() {
        return Err(BucklingError::DisplacementForm);
    }
    let mut work = system.workspace();
    if unstable_directions(system, &start, &mut work) > 0 {
        return Err(BucklingError::Unstable);
    }
    let from = start.factor();
    let stopped = |loads| Ok(Buckling { from, loads, missed: 0, stopped: true });
    let linearised = Linearised::at(system, &start, None, count);
    if start.is_stopped() {
        return stopped(Vec::new());
    }
    let mut estimates = linearised.ok_or(BucklingError::NotConverged)?.ahead;
    estimates.truncate(count);
    let mut loads: Vec<CriticalLoad> = Vec::new();
    for estimate in &estimates {
        let Some(refined) = refine(system, &start, estimate, from + estimate.delta, loads.len(), count) else {
            if start.is_stopped() {
                break;
            }
            continue;
        };
        let ends = refined.kind == CriticalKind::Limit;
        loads.push(refined);
        if ends {
            break;
        }
    }
    loads.sort_by(|a, b| a.factor.total_cmp(&b.factor));
    if start.is_stopped() {
        return stopped(loads);
    }
    let mut missing = missed(system, &start, &loads, &mut work);
    let attempts = missing;
    for _ in 0..attempts {
        let Some(between) = crossing(system, &start, &loads, &mut work) else { break };
        let Some(near) = Linearised::at(system, &between, None, count).and_then(|here| here.nearest.into_iter().next())
        else {
            break;
        };
        let announced = between.factor() + near.delta;
        let index = loads.iter().filter(|load| load.factor < between.factor()).count();
        let Some(load) = refine(system, &between, &near, announced, index, count) else { break };
        loads.push(load);
        loads.sort_by(|a, b| a.factor.total_cmp(&b.factor));
        missing = missed(system, &start, &loads, &mut work);
    }
    loads.truncate(count);
    Ok(Buckling { from, loads, missed: missing, stopped: start.is_stopped() })
}

/// Negative directions at the last load that was refined, beyond those that were found.
fn missed(system: &System, start: &Branch<'_>, loads: &[CriticalLoad], work: &mut Workspace) -> usize {
    let refined = loads.iter().filter(|load| load.kind != CriticalKind::Estimate);
    let Some(last) = refined.clone().next_back() else { return 0 };
    // Just above it, beyond its digits; or just below where the branch ends.
    let (way, found) = match last.kind {
        CriticalKind::Limit => (1.0 - BESIDE, refined.count() - 1),
        _ => (1.0 + BESIDE, refined.count()),
    };
    let mut there = start.clone();
    if !there.advance(start.factor() + (last.factor - start.factor()) * way) {
        return 0;
    }
    unstable_directions(system, &there, work).saturating_sub(found)
}

/// Where the number of negative directions first exceeds that of the loads that were found below.
fn crossing<'a>(
    system: &'a System,
    start: &Branch<'a>,
    loads: &[CriticalLoad],
    work: &mut Workspace,
) -> Option<Branch<'a>> {
    let last = loads.last()?.factor;
    let (mut low, mut high) = (start.clone(), last - BESIDE * (last - start.factor()));
    while high - low.factor() > CROSSING * high.abs() {
        let mut middle = low.clone();
        if !middle.advance(0.5 * (low.factor() + high)) {
            return None;
        }
        let found = loads.iter().filter(|load| load.factor < middle.factor()).count();
        if unstable_directions(system, &middle, work) > found { high = middle.factor() } else { low = middle }
    }
    Some(low)
}

fn unstable_directions(system: &System, branch: &Branch<'_>, work: &mut Workspace) -> usize {
    if !system.is_conservative()
        && let Some(real) = divergence::eigenvalues(system, branch.state(), branch.inputs(), work)
    {
        return divergence::diverging(&real);
    }
    stability::negative_directions(system, branch.state(), branch.inputs(), work)
}

/// A critical Δ and its vector over the unknowns.
#[derive(Clone, Debug)]
struct Estimate {
    delta: f64,
    vector: Vec<f64>,
}

/// The critical Δ of S + ΔS′ about an equilibrium.
struct Linearised {
    /// Positive ones, nearest first.
    ahead: Vec<Estimate>,
    /// The nearest of all.
    nearest: Vec<Estimate>,
    /// What S′ was taken over.
    difference: f64,
    /// Load factor of the equilibrium.
    factor: f64,
}

impl Linearised {
    /// About the equilibrium where a branch stands. `difference` is a first guess of what S′ is taken over.
    fn at(system: &System, branch: &Branch<'_>, difference: Option<f64>, count: usize) -> Option<Self> {
        let mut difference = difference.unwrap_or(1.0);
        let mut last = None;
        for _ in 0..DIFFERENCES {
            if branch.is_stopped() {
                return None;
            }
            let mut beside = branch.clone();
            if !beside.advance(branch.factor() + difference) {
                // Ahead the branch may end; behind it has been followed.
                difference *= if difference > 0.0 { -1.0 } else { -0.1 };
                continue;
            }
            let mut found = Self::between(system, branch, &beside, count)?;
            found.difference = difference;
            let lowest = found.nearest.first().map_or(f64::INFINITY, |estimate| estimate.delta.abs());
            if lowest.is_infinite() {
                return Some(found);
            }
            // No load that this difference tells from none.
            if lowest > difference.abs() / f64::EPSILON.sqrt() && last.is_some() {
                return Some(Self { ahead: Vec::new(), nearest: Vec::new(), ..found });
            }
            // Near a critical load Δ goes to zero, and what it is compared with is the load itself.
            let scale = lowest.max(1e-3 * branch.factor().abs());
            let good = GOOD_DIFFERENCE.contains(&(difference.abs() / scale));
            last = Some(found);
            if good {
                break;
            }
            difference = DIFFERENCE * scale * difference.signum();
        }
        last
    }

    /// The critical load after `index` others, seen from where `passed` have been passed.
    fn toward(&self, passed: usize, index: usize) -> Option<&Estimate> {
        let behind = passed > index;
        let mut side = self.nearest.iter().filter(|estimate| (estimate.delta < 0.0) == behind);
        // At a critical load rounding decides on which side it is, and the nearest is meant.
        let nearest = self.nearest.first().filter(|estimate| estimate.delta.abs() < AT_IT * self.factor.abs());
        nearest.or_else(|| if behind { side.nth(passed - index - 1) } else { side.nth(index - passed) })
    }

    fn between(system: &System, here: &Branch<'_>, beside: &Branch<'_>, count: usize) -> Option<Self> {
        let (mut tangent, mut other) = (system.workspace(), system.workspace());
        system.assemble(here.state(), here.inputs(), CurvatureOf::Poses, &mut tangent);
        system.assemble(beside.state(), beside.inputs(), CurvatureOf::Poses, &mut other);
        if system.factor(&mut tangent).is_err() {
            // Singular because it is critical; or because pivots vanish on the way, as in a loop on hinges without load.
            system.shift_to(NEUTRAL_SHIFT, &mut tangent);
            system.shift_to(NEUTRAL_SHIFT, &mut other);
            system.factor(&mut tangent).ok()?;
        }
        let difference = beside.factor() - here.factor();
        let mut operator = Loss { system, tangent: &mut tangent, other: &mut other, difference };
        let wanted = 2 * count + 2;
        let reach = Reach { wanted, most: 4 * wanted + SPARE_VECTORS, tolerance: TOLERANCE };
        let starts = krylov::starts(system.unknowns(), system.displacement_rows());
        // Once through the factor: directions that constraints forbid drop out.
        let starts = starts
            .into_iter()
            .map(|mut x| {
                operator.tangent.solve(&mut x);
                x
            })
            .collect();
        let found = arnoldi::largest(&mut operator, starts, reach)?;
        let strongest = found.pairs.first().map_or(0.0, |pair| pair.value.norm());
        let real = found.pairs.into_iter().filter(|pair| pair.value.im == 0.0);
        let lasting = real.filter(|pair| pair.value.norm() > strongest / FARTHEST && pair.value.re != 0.0);
        let nearest: Vec<Estimate> =
            lasting.map(|pair| Estimate { delta: 1.0 / pair.value.re, vector: pair.real }).collect();
        let ahead = nearest.iter().filter(|estimate| estimate.delta > 0.0).cloned().collect();
        Some(Self { ahead, nearest, difference, factor: here.factor() })
    }
}

/// z ↦ −S⁻¹S′z over displacements, stresses and multipliers, in the inner product of energies; its eigenvalues are 1/Δ.
///
/// Of the condensed stiffness AᵀM⁻¹A a linear change would leave the square of the change of A out, and what hardly stretches
/// would seem to give way at once.
struct Loss<'a> {
    system: &'a System,
    tangent: &'a mut Workspace,
    other: &'a mut Workspace,
    difference: f64,
}

impl Operator for Loss<'_> {
    fn mass(&mut self, x: &[f64], y: &mut [f64]) {
        self.system.energy_times(x, y, self.tangent);
    }
    fn apply(&mut self, x: &[f64], _: &[f64], y: &mut [f64]) {
        let mut here = vec![0.0; x.len()];
        self.tangent.multiply(x, &mut here);
        self.other.multiply(x, y);
        y.iter_mut().zip(&here).for_each(|(y, here)| *y = (here - *y) / self.difference);
        self.tangent.solve(y);
    }
}

/// Halves the way to a load beyond a critical one by the number of negative directions, where corrections do not lead there: the
/// last equilibrium below it, and how far the critical load may be above.
fn halved<'a>(
    system: &'a System,
    start: &Branch<'a>,
    beyond: f64,
    index: usize,
    work: &mut Workspace,
) -> Option<(Branch<'a>, f64)> {
    let (mut low, mut high) = (start.clone(), beyond);
    while high - low.factor() > CORRECTION * high.abs() {
        let mut middle = low.clone();
        if !middle.advance(0.5 * (low.factor() + high)) {
            return None;
        }
        if unstable_directions(system, &middle, work) > index { high = middle.factor() } else { low = middle }
    }
    let width = high - low.factor();
    Some((low, width))
}

/// Follows the branch to the critical load that an estimate announces, the one after `index` others: as many directions are
/// negative between the two (Sylvester), which tells on which side of it the branch stands. `None` if the branch leads on beyond
/// what was announced, and nothing gives way there.
fn refine(
    system: &System,
    start: &Branch<'_>,
    estimate: &Estimate,
    announced: f64,
    index: usize,
    count: usize,
) -> Option<CriticalLoad> {
    let mut branch = start.clone();
    let mut direction = estimate.vector.clone();
    let (mut target, mut difference) = (announced, DIFFERENCE * estimate.delta);
    let mut uncertainty = f64::INFINITY;
    let mut kind = CriticalKind::Estimate;
    // How far beside the equilibrium that was reached the load is.
    let mut beside = 0.0;
    let mut passed = 0;
    // The lowest load known to lie beyond it.
    let mut crossed: Option<f64> = None;
    let mut work = system.workspace();
    for _ in 0..CORRECTIONS {
        if branch.is_stopped() {
            return None;
        }
        let ends = !branch.advance(target);
        passed = unstable_directions(system, &branch, &mut work);
        if passed > index {
            crossed = Some(crossed.map_or(branch.factor(), |lower: f64| lower.min(branch.factor())));
        }
        let Some(here) = Linearised::at(system, &branch, Some(difference), count) else { break };
        let Some(next) = here.toward(passed, index) else { break };
        difference = here.difference;
        uncertainty = next.delta.abs();
        direction.copy_from_slice(&next.vector);
        if ends && passed > index {
            // It lies behind. Where the branch ends S′ has no bound; half way back it has.
            target = 0.5 * (start.factor() + branch.factor());
            continue;
        }
        if ends {
            // A fold only if the stiffness goes to zero there; otherwise something else kept the branch from going on.
            let reach = LIMIT_DISTANCE * branch.factor().abs();
            let singular = uncertainty <= reach;
            // Where the branch leads on beyond, it was the singular tangent that Newton stopped at.
            let leads_on = singular && start.clone().advance(branch.factor() + 2.0 * reach);
            (kind, beside) = match (singular, leads_on) {
                (true, true) => (CriticalKind::Bifurcation, next.delta),
                (true, false) => (CriticalKind::Limit, 0.0),
                _ => (CriticalKind::Estimate, 0.0),
            };
            break;
        }
        if uncertainty <= CORRECTION * branch.factor().abs() {
            kind = CriticalKind::Bifurcation;
            break;
        }
        target = branch.factor() + next.delta;
    }
    if branch.is_stopped() {
        return None;
    }
    if kind == CriticalKind::Estimate
        && let Some(beyond) = crossed
        && let Some((below, width)) = halved(system, start, beyond, index, &mut work)
    {
        if let Some(next) =
            Linearised::at(system, &below, Some(difference), count).as_ref().and_then(|here| here.toward(index, index))
        {
            direction.copy_from_slice(&next.vector);
        }
        (branch, kind, uncertainty, beside) = (below, CriticalKind::Bifurcation, width, 0.5 * width);
    }
    if kind == CriticalKind::Estimate && branch.factor() >= announced && passed <= index {
        return None;
    }
    system.assemble(branch.state(), branch.inputs(), CurvatureOf::Poses, &mut work);
    system.set_pose_step(&direction, &mut work);
    let size = system.step_size(&work);
    let shape = work.step().poses.iter().map(|twist| *twist * (1.0 / size)).collect();
    let factor = if kind == CriticalKind::Estimate { announced } else { branch.factor() + beside };
    Some(CriticalLoad { factor, estimate: announced, uncertainty, kind, shape, state: branch.state().clone() })
}
