//! Derivatives at an equilibrium by any number that its scene is made from.
//!
//! ```text
//! dx/dp = K⁻¹ db/dp            K the tangent at the equilibrium, factored once
//! dy/dp = ∂y/∂p + ∂y/∂x dx/dp
//! ```
//!
//! b is what the equations ask of a state ([`lissome_mech::Demand`]). How it changes with a number of the scene is the difference of what
//! the equations of slightly other scenes ask of the same state: two to four evaluations of the residual and no search
//! (`docs/theory/derivatives.md`, section 2). Outputs are differenced in the same way, along the step.

use lissome_lie::Wrench;
use lissome_mech::{
    Covector, CurvatureOf, Demand, Inputs, Neighbourhood, PrescribedColumns, State, Step, System, Workspace,
};
use lissome_model::{Invalid, Scene, ScenePart};
use std::sync::Arc;

/// Relative change of a number between neighbouring scenes. Of two neighbours the error goes with its square over six, 6e-10, times what stands
/// before it: 6 for a compliance, which goes with the inverse of a modulus, and 30 for one that goes with the inverse fourth power of a radius, less what
/// they tell of it; more where a spring is much shorter than the robot. Rounding leaves 1e-16 over it, and 1e-10 over it in the reactions of stiff robots.
pub const CHANGE: f64 = 1.0 / 16_384.0;
/// Two neighbours are enough where what bends is this part of what grows between them, which it is for a compliance: what they tell of the third
/// order leaves a small part of 6e-9, its square. Sums of several powers, as of a length, bend more.
const STRAIGHT: f64 = 8e-5;
/// Up to this part a third one tells the third order, so many times as far away that its rounding does not count. The error is of the fourth
/// order then: 3e-9 at most, 2e-11 for that compliance.
const BENT: f64 = 1e-3;
const THIRD: f64 = 8.0;
/// Otherwise two more lie this many times as far away: of what does not grow at all they tell just that.
const FAR: f64 = 2.5;
/// What bends may be this part of what grows of a single number if that is to tell of the third order.
const SMOOTH: f64 = 1e-2;
/// A number is the one that its power laws are in if its neighbours lie at most this part of it away.
const OWN_SIZE: f64 = 4.0 * CHANGE;
/// Part of the way along a step, of the size of the robot, between which outputs are differenced.
const MOTION: f64 = CHANGE;
/// Newton steps that settle an equilibrium whose search ended at a tolerance, what they may leave (rad, lengths), and how far it may
/// be away.
const SETTLING: usize = 4;
const SETTLED: f64 = 1e-10;
const NEAR: f64 = 1e-3;
/// Most of the distance of neighbouring scenes that a step is followed for where it hardly moves anything.
const FARTHEST: f64 = 64.0;
/// Where neighbours lie, in distances, with their weights over the distance: exact for polynomials of the fourth degree, and of the
/// second.
type Stencil = &'static [(f64, f64, f64)];
/// Neighbours on both sides.
const CENTRAL: Stencil =
    &[(-2.0, 1.0 / 12.0, 0.0), (-1.0, -2.0 / 3.0, -0.5), (1.0, 2.0 / 3.0, 0.5), (2.0, -1.0 / 12.0, 0.0)];
/// Neighbours on one side, where there are none on the other: a tension that is zero.
const UPWARD: Stencil =
    &[(0.0, -25.0 / 12.0, -1.5), (1.0, 4.0, 2.0), (2.0, -3.0, -0.5), (3.0, 4.0 / 3.0, 0.0), (4.0, -0.25, 0.0)];

/// Which neighbours are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// On both sides.
    Both,
    /// Larger ones.
    Above,
    /// Smaller ones.
    Below,
}

impl Side {
    /// Where neighbours of a number lie, each with the weight of its difference in the derivative.
    pub fn neighbours(self, distance: f64) -> Vec<(f64, f64)> {
        let (stencil, distance) = self.stencil(distance);
        let others = stencil.iter().filter(|(place, ..)| *place != 0.0);
        others.map(|(place, weight, _)| (place * distance, weight / distance)).collect()
    }

    fn stencil(self, distance: f64) -> (Stencil, f64) {
        match self {
            Self::Both => (CENTRAL, distance),
            Self::Above => (UPWARD, distance),
            Self::Below => (UPWARD, -distance),
        }
    }
}

/// What stands in the place of the equilibrium's scene.
pub enum Moved {
    /// A scene of the same structure, with its drives at a time, and the parts in which it may be another one, if they are known.
    Scene(Arc<Scene>, f64, Option<Vec<ScenePart>>),
    /// Other inputs of the same scene.
    Inputs(Inputs),
    /// Equations that stand ready, and what acts.
    Neighbour(Arc<Neighbour>, Inputs),
}

/// Equations of a scene beside another one.
#[derive(Debug)]
pub struct Neighbour {
    /// With the layout of the other ones.
    pub system: Arc<System>,
    /// Which rods have the same values.
    pub same: Vec<bool>,
}

impl Neighbour {
    /// Of a scene beside one whose equations are known.
    pub fn of(scene: &Scene, known: (&Scene, &System)) -> Result<Self, Invalid> {
        let mut system = known.1.clone();
        let same = system.set_values_beside(scene, known, None)?;
        Ok(Self { system: Arc::new(system), same })
    }
}

/// A robot in a state that outputs are read from.
pub struct View<'a> {
    /// Its equations.
    pub system: &'a System,
    /// The state.
    pub state: &'a State,
    /// What acts.
    pub inputs: &'a Inputs,
}

/// Reads numbers from a robot; may use the memory as it likes.
pub type Reading<'r> = dyn FnMut(&View<'_>, &mut Workspace) -> Vec<f64> + 'r;

/// How equations and outputs change with a number while the state does not, but for what the number prescribes.
#[derive(Clone, Debug)]
pub struct Rate {
    /// Of what is asked of the state.
    pub demand: Demand,
    /// Of the outputs.
    pub explicit: Vec<f64>,
    /// Part of the rate by which differences of the second order differ: its square is the order of the error.
    pub roughness: f64,
    /// The distance.
    pub distance: f64,
}

/// A number whose neighbours are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Spacing {
    /// Its value.
    pub value: f64,
    /// How far away the nearest neighbours lie.
    pub distance: f64,
}

impl Spacing {
    /// What of the growth over one distance is of the third order, from the growth and the bend. Stiffness and compliance go with powers of
    /// sizes and moduli: of b = c pⁿ,
    ///
    /// ```text
    /// b‴ = (n − 1)(n − 2) b′/p² = b″ (b″/b′ − 1/p)
    /// ```
    ///
    /// and of what grows exponentially the same without 1/p.
    fn cubic(self, growth: f64, bend: f64) -> f64 {
        if bend.abs() > SMOOTH * growth.abs() || growth == 0.0 {
            return 0.0;
        }
        let relative = self.distance / self.value;
        let power = if relative.abs() <= OWN_SIZE { relative } else { 0.0 };
        bend * (bend / growth - power) / 6.0
    }
}

/// What neighbours on both sides ask for more than the equilibrium between them, and by how much their outputs differ.
struct Sides {
    below: (Demand, Vec<f64>),
    above: (Demand, Vec<f64>),
}

impl Sides {
    /// How much bends of what grows, but for what is lost in rounding.
    fn roughness(&self, rounding: &Demand) -> f64 {
        let pairs = self.above.1.iter().zip(&self.below.1);
        let bends = pairs.map(|(a, b)| if a + b == 0.0 { 0.0 } else { ((a + b) / (a - b)).abs() });
        let of_demand = self.above.0.bend_of_growth(&self.below.0, rounding);
        bends.fold(of_demand, |most, bend| if bend.is_nan() { bend } else { most.max(bend) })
    }

    /// Rates of demand and outputs by a number, with what the two sides tell of the third order.
    fn rates(self, spacing: Spacing) -> (Demand, Vec<f64>) {
        let Self { below, above: (mut demand, mut explicit) } = self;
        let rate = |above: f64, [below]: [f64; 1]| {
            let (growth, bend) = (0.5 * (above - below), above + below);
            (growth - spacing.cubic(growth, bend)) / spacing.distance
        };
        demand.combine([&below.0], rate);
        explicit.iter_mut().zip(&below.1).for_each(|(above, below)| *above = rate(*above, [*below]));
        (demand, explicit)
    }

    /// The same with the third order from a neighbour that lies [`THIRD`] times as far away above.
    fn rates_with_third(self, third: &(Demand, Vec<f64>), distance: f64) -> (Demand, Vec<f64>) {
        let Self { below, above: (mut demand, mut explicit) } = self;
        let rate = |above: f64, [below, third]: [f64; 2]| {
            let (growth, bend) = (0.5 * (above - below), above + below);
            let cubic = (third - THIRD * growth - 0.5 * THIRD * THIRD * bend) / (THIRD * THIRD * THIRD - THIRD);
            (growth - cubic) / distance
        };
        demand.combine([&below.0, &third.0], rate);
        for ((above, below), third) in explicit.iter_mut().zip(&below.1).zip(&third.1) {
            *above = rate(*above, [*below, *third]);
        }
        (demand, explicit)
    }

    /// The same with the third order from two neighbours that lie [`FAR`] times as far away, and how far off those alone are.
    fn rates_with_far(self, far: &Self, distance: f64) -> ((Demand, Vec<f64>), f64) {
        // What is cubic goes with the square of the distance.
        let part = 1.0 / (FAR * FAR - 1.0);
        let rate = |above: f64, [below, far_above, far_below]: [f64; 3]| {
            let (near, far) = (0.5 * (above - below), 0.5 * (far_above - far_below) / FAR);
            (near + part * (near - far)) / distance
        };
        let Self { below, above: (mut demand, mut explicit) } = self;
        demand.combine([&below.0, &far.above.0, &far.below.0], rate);
        let mut alone = far.above.0.clone();
        alone.combine([&far.below.0], |above, [below]| 0.5 * (above - below) / (FAR * distance));
        let far_values = far.above.1.iter().zip(&far.below.1);
        for ((above, below), (far_above, far_below)) in explicit.iter_mut().zip(&below.1).zip(far_values) {
            *above = rate(*above, [*below, *far_above, *far_below]);
        }
        let roughness = demand.distance(&alone);
        ((demand, explicit), roughness)
    }
}

/// An equilibrium with its tangent, factored.
pub struct Tangent<'a> {
    system: &'a System,
    state: State,
    inputs: &'a Inputs,
    work: Workspace,
    /// Memory for other states, and equations with other values.
    probe: Workspace,
    other: Option<Neighbour>,
    beside: Neighbourhood,
    /// What prescribed steps cost, once that was asked for.
    prescribed: Option<PrescribedColumns>,
    /// Of each rod that it has the values it has.
    unchanged: Vec<bool>,
    /// What the equations were made from, where that is known.
    scene: Option<&'a Scene>,
    /// The equilibrium as neighbours take it over, and what is asked of it: all count from there, so that what does not depend on a
    /// number changes by nothing at all.
    here: (State, Demand),
    /// What rounding leaves of what is asked.
    rounding: Demand,
    /// True if something acts on one side alone.
    one_sided: bool,
}

impl<'a> Tangent<'a> {
    /// At an equilibrium, which is settled to rounding first; `None` where the tangent is singular.
    pub fn at(system: &'a System, near: &State, inputs: &'a Inputs) -> Option<Self> {
        let (mut work, mut probe) = (system.workspace(), system.workspace());
        let mut state = near.clone();
        let mut next = near.clone();
        for _ in 0..SETTLING {
            system.assemble(&state, inputs, CurvatureOf::Increments, &mut work);
            system.factor(&mut work).ok()?;
            system.solve(&state, &mut work);
            let left = system.step_size(&work);
            // What is not near an equilibrium is left as it is.
            if left.is_nan() || left > NEAR {
                break;
            }
            system.retract_increments(&state, 1.0, &work, &mut next);
            system.refresh_dependent_stress(&mut next, &mut probe);
            std::mem::swap(&mut state, &mut next);
            if left < SETTLED {
                break;
            }
        }
        system.assemble(&state, inputs, CurvatureOf::Poses, &mut work);
        system.factor(&mut work).ok()?;
        system.take_sharing_out(&state, inputs, &mut work);
        let here = system.adapted_state(system, &state, inputs, &mut probe);
        let (beside, asked) = system.neighbourhood(&here, inputs);
        let unchanged = vec![true; system.rods().len()];
        let here = (here, asked);
        Some(Self {
            system,
            state,
            inputs,
            work,
            probe,
            other: None,
            beside,
            prescribed: None,
            unchanged,
            scene: None,
            rounding: system.rounding(&here.0),
            one_sided: system.is_one_sided(),
            here,
        })
    }

    /// The same of a scene, so that of neighbouring ones only what is different is made anew.
    pub fn of_scene(self, scene: &'a Scene) -> Self {
        Self { scene: Some(scene), ..self }
    }

    /// The equilibrium.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How equations and outputs change with a number. `moved` gives what stands in the place of the scene where it is so much larger.
    pub fn rate<E: From<Invalid>>(
        &mut self,
        spacing: Spacing,
        side: Side,
        moved: &mut dyn FnMut(f64) -> Result<Moved, E>,
        read: &mut Reading<'_>,
    ) -> Result<Rate, E> {
        let here = View { system: self.system, state: &self.here.0, inputs: self.inputs };
        let values_here = read(&here, &mut self.probe);
        if side == Side::Both {
            return self.rate_between(spacing, &values_here, moved, read);
        }
        let (stencil, distance) = side.stencil(spacing.distance);
        let (mut demand, mut rough) = (self.system.no_demand(), self.system.no_demand());
        let mut explicit = vec![0.0; values_here.len()];
        for (place, weight, rough_weight) in stencil.iter().filter(|(place, ..)| *place != 0.0) {
            let (asked, values) = self.beside(moved(place * distance)?, &values_here, read)?;
            demand.add_scaled(weight / distance, &asked);
            rough.add_scaled(rough_weight / distance, &asked);
            explicit.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value / distance);
        }
        let roughness = demand.distance(&rough);
        self.charge(&mut demand);
        Ok(Rate { demand, explicit, roughness, distance: distance.abs() })
    }

    /// Adds what prescribed steps cost.
    fn charge(&mut self, demand: &mut Demand) {
        let Self { system, state, inputs, work, prescribed, .. } = self;
        if system.is_prescribing(demand) {
            let columns = prescribed.get_or_insert_with(|| system.prescribed_columns(state, inputs, work));
            system.charge_steps_by(columns, demand);
        }
    }

    /// The same from two neighbours that are near, which is as exact as can be where the number enters almost linearly; where it does not,
    /// with one or two more that lie farther away.
    fn rate_between<E: From<Invalid>>(
        &mut self,
        spacing: Spacing,
        values_here: &[f64],
        moved: &mut dyn FnMut(f64) -> Result<Moved, E>,
        read: &mut Reading<'_>,
    ) -> Result<Rate, E> {
        let distance = spacing.distance;
        let below = self.beside(moved(-distance)?, values_here, read)?;
        if !self.one_sided && below.0.is_nothing() && below.1.iter().all(|value| *value == 0.0) {
            // Not even the last digit feels it.
            return Ok(Rate { demand: below.0, explicit: below.1, roughness: 0.0, distance });
        }
        let above = self.beside(moved(distance)?, values_here, read)?;
        let near = Sides { below, above };
        let bend = near.roughness(&self.rounding);
        let ((mut demand, explicit), roughness) = if bend <= STRAIGHT {
            (near.rates(spacing), bend)
        } else if bend <= BENT {
            let third = self.beside(moved(THIRD * distance)?, values_here, read)?;
            (near.rates_with_third(&third, distance), bend)
        } else {
            let far = self.sides(distance * FAR, values_here, moved, read)?;
            near.rates_with_far(&far, distance)
        };
        self.charge(&mut demand);
        Ok(Rate { demand, explicit, roughness, distance })
    }

    fn sides<E: From<Invalid>>(
        &mut self,
        distance: f64,
        values_here: &[f64],
        moved: &mut dyn FnMut(f64) -> Result<Moved, E>,
        read: &mut Reading<'_>,
    ) -> Result<Sides, E> {
        let below = self.beside(moved(-distance)?, values_here, read)?;
        let above = self.beside(moved(distance)?, values_here, read)?;
        Ok(Sides { below, above })
    }

    /// What a neighbour asks of the equilibrium more than this does, and by how much its outputs differ.
    fn beside<E: From<Invalid>>(
        &mut self,
        moved: Moved,
        values_here: &[f64],
        read: &mut Reading<'_>,
    ) -> Result<(Demand, Vec<f64>), E> {
        let known = (self.scene, self.system);
        let (system, inputs, same) = equations_of(&moved, known, &self.unchanged, &mut self.other)?;
        if std::ptr::eq(system, self.system) && inputs == *self.inputs {
            return Ok((system.no_demand(), vec![0.0; values_here.len()]));
        }
        let moved = match inputs == *self.inputs && system.stands_as(self.system, same) {
            true => None,
            false => Some(system.adapted_state(self.system, &self.state, &inputs, &mut self.probe)),
        };
        let mut asked = system.demand_near(moved.as_ref(), &inputs, same, &mut self.beside);
        asked.add_scaled(-1.0, &self.here.1);
        let state = moved.as_ref().unwrap_or(&self.here.0);
        let mut values = read(&View { system, state, inputs: &inputs }, &mut self.probe);
        values.iter_mut().zip(values_here).for_each(|(value, here)| *value -= here);
        Ok((asked, values))
    }

    /// How the equilibrium moves with a number, beside what the number prescribes, from neighbours that stand ready: the weight of
    /// each, its equations and what acts on it.
    pub fn step_by(&mut self, neighbours: &[(f64, &System, &Inputs)]) -> Step {
        let mut demand = self.system.no_demand();
        for (weight, system, inputs) in neighbours {
            let state = system.adapted_state(self.system, &self.state, inputs, &mut self.probe);
            let mut asked = system.demand(&state, inputs, &mut self.probe);
            asked.add_scaled(-1.0, &self.here.1);
            demand.add_scaled(*weight, &asked);
        }
        self.charge(&mut demand);
        self.system.answer_demand(&self.state, &demand, &mut self.work)
    }

    /// The equilibrium of a neighbour as such a step tells it, where the number is so much larger.
    pub fn neighbour_state(&mut self, system: &System, inputs: &Inputs, by: f64, step: &Step) -> State {
        let beside = system.adapted_state(self.system, &self.state, inputs, &mut self.probe);
        let mut state = beside.clone();
        system.retract_poses(&beside, by, step, &mut state);
        system.refresh_dependent_stress(&mut state, &mut self.probe);
        state
    }

    /// The step that answers a rate: the motion of the equilibrium beside what the number prescribes.
    pub fn answer(&mut self, rate: &Rate) -> Step {
        self.system.answer_demand(&self.state, &rate.demand, &mut self.work)
    }

    /// How outputs change along the last answer, which was to this rate, by differences.
    pub fn along(&mut self, rate: &Rate, step: &Step, read: &mut Reading<'_>) -> Vec<f64> {
        let most = |all: &[nalgebra::Vector6<f64>]| all.iter().fold(0.0f64, |most, block| most.max(block.amax()));
        let (has, gets) = (most(&self.state.linear), most(&step.linear));
        let strained = if has > 0.0 { gets / has } else { 0.0 };
        let size = self.system.step_size(&self.work).max(strained);
        let farthest = FARTHEST * rate.distance;
        let distance = if size > 0.0 && size.is_finite() { (MOTION / size).min(farthest) } else { farthest };
        let mut sum: Vec<f64> = Vec::new();
        let mut state = self.state.clone();
        for (place, weight, _) in CENTRAL {
            // In the increments rods do not stretch as they turn, which would be a stiff term of second order.
            self.system.retract_increments(&self.state, place * distance, &self.work, &mut state);
            self.system.refresh_dependent_stress(&mut state, &mut self.probe);
            let view = View { system: self.system, state: &state, inputs: self.inputs };
            let values = read(&view, &mut self.probe);
            sum.resize(values.len(), 0.0);
            sum.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value / distance);
        }
        sum
    }

    /// How outputs change with a number, by differences along the equilibria beside this one as the last answer tells them: for what is
    /// known of whole tangents alone, as eigenvalues are.
    pub fn along_equilibria<E: From<Invalid>>(
        &mut self,
        distance: f64,
        step: &Step,
        moved: &mut dyn FnMut(f64) -> Result<Moved, E>,
        read: &mut Reading<'_>,
    ) -> Result<Vec<f64>, E> {
        let view = View { system: self.system, state: &self.here.0, inputs: self.inputs };
        let values_here = read(&view, &mut self.probe);
        let mut sum = vec![0.0; values_here.len()];
        for (place, weight, _) in CENTRAL {
            let by = place * distance;
            let moved = moved(by)?;
            let known = (self.scene, self.system);
            let (system, inputs, _) = equations_of(&moved, known, &self.unchanged, &mut self.other)?;
            let beside = system.adapted_state(self.system, &self.state, &inputs, &mut self.probe);
            let mut state = beside.clone();
            system.retract_poses(&beside, by, step, &mut state);
            system.refresh_dependent_stress(&mut state, &mut self.probe);
            let values = read(&View { system, state: &state, inputs: &inputs }, &mut self.probe);
            for ((sum, value), here) in sum.iter_mut().zip(&values).zip(&values_here) {
                *sum += weight * (value - here) / distance;
            }
        }
        Ok(sum)
    }

    /// A functional of the steps of slots as one of demands.
    pub fn adjoint(&mut self, on: &[(usize, Wrench)]) -> Covector {
        self.system.adjoint(on, &mut self.work)
    }
}

/// The equations of what stands in the place of a scene, what acts there, and which rods have the values that they have here.
fn equations_of<'m>(
    moved: &'m Moved,
    (scene, system): (Option<&Scene>, &'m System),
    unchanged: &'m [bool],
    other: &'m mut Option<Neighbour>,
) -> Result<(&'m System, Inputs, &'m [bool]), Invalid> {
    match moved {
        Moved::Inputs(inputs) => Ok((system, inputs.clone(), unchanged)),
        Moved::Neighbour(own, inputs) => Ok((&own.system, inputs.clone(), &own.same)),
        Moved::Scene(moved, at, changed)
            if scene.is_some_and(|scene| system.is_of_both(moved, scene, changed.as_deref())) =>
        {
            Ok((system, system.inputs_at(*at), unchanged))
        }
        Moved::Scene(moved, at, changed) => {
            let own = other.get_or_insert_with(|| Neighbour { system: Arc::new(system.clone()), same: Vec::new() });
            match scene {
                Some(scene) => {
                    let known = (scene, system);
                    own.same = Arc::make_mut(&mut own.system).set_values_beside(moved, known, changed.as_deref())?;
                }
                None => Arc::make_mut(&mut own.system).set_values(moved)?,
            }
            Ok((&own.system, own.system.inputs_at(*at), &own.same))
        }
    }
}
