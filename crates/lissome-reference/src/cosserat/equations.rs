//! The equilibrium of a Cosserat rod in world axes, and its linearisation.
//!
//! | symbol | meaning | code | unit (scaled) | frame |
//! |---|---|---|---|---|
//! | q, R | orientation of the section | `q`, `r` | – | world_from_body |
//! | p | centre line | `p` | L | world |
//! | m, n | internal moment and force, of s⁺ on s⁻ | `m`, `n` | B/L, B/L² | world |
//! | κ, ε | curvature, stretch | `strain` | 1/L, 1 | body |
//! | l, f | applied moment and force per length | `load` | B/L², B/L³ | world |
//! | φ, δp, δm, δn | variation, δR = φ~ R | rows 0–2, 3–5, 6–8, 9–11 | | world |
//!
//! q′ = ½ q (0, κ), p′ = R ε, m′ = −p′ × n − l, n′ = −f, with (κ, ε) = ξ₀ + K⁻¹ (Rᵀm, Rᵀn).
//!
//! Varied: φ′ = R δκ, δp′ = φ × p′ + R δε, δm′ = −δp′ × n − p′ × δn − δl, δn′ = −δf,
//! with (δκ, δε) = K⁻¹ Rᵀ(δm − φ × m, δn − φ × n) and δ(R a) = φ × R a for what follows the section.

use super::scaled_rod::{LoadPair, ScaledRod, SectionAt, Segment};
use crate::OracleError;
use crate::extrapolation::integrate;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Strain, Wrench};
use nalgebra::{Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

/// Tolerance of the integrator, relative, per step.
pub(crate) const TOLERANCE: f64 = 1e-13;

/// Twelve numbers vary at a section: φ, δp, δm, δn.
pub(crate) type Variation = SVector<f64, 12>;
/// How the variation at one section depends on that at another.
pub(crate) type Transfer = SMatrix<f64, 12, 12>;

/// Pose and internal wrench of one section, and the elastic energy up to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionState {
    pub q: Quaternion,
    pub p: Vector3<f64>,
    pub m: Vector3<f64>,
    pub n: Vector3<f64>,
    pub energy: f64,
}

const STATE: usize = 14;
const STATE_AND_TRANSFER: usize = STATE + 144;

impl SectionState {
    pub fn new(pose: &Pose, stress: &Wrench) -> Self {
        Self {
            q: Quaternion::from_rotation(&pose.rotation),
            p: pose.position,
            m: stress.moment,
            n: stress.force,
            energy: 0.0,
        }
    }

    /// Internal wrench in section axes.
    pub fn body_stress(&self) -> Vector6<f64> {
        let rt = self.q.matrix().transpose();
        stack(&(rt * self.m), &(rt * self.n))
    }

    pub fn strain(&self, section: &SectionAt) -> Strain {
        section.natural + Strain::from_vector(&(section.compliance * self.body_stress()))
    }

    /// Moves by a variation; the rotation turns on the left, in world axes.
    pub fn moved(&self, x: &Variation) -> Self {
        let part = |i: usize| -> Vector3<f64> { x.fixed_rows::<3>(i).into() };
        Self {
            q: Quaternion::from_rotation_vector(&part(0)).times(self.q).normalized(),
            p: self.p + part(3),
            m: self.m + part(6),
            n: self.n + part(9),
            energy: self.energy,
        }
    }

    /// The variation that leads from `other` here (to first order in the rotation's sine).
    pub fn minus(&self, other: &Self) -> Variation {
        let mut x = Variation::zeros();
        x.fixed_rows_mut::<3>(0).copy_from(&turn_between(&other.q, &self.q));
        x.fixed_rows_mut::<3>(3).copy_from(&(self.p - other.p));
        x.fixed_rows_mut::<3>(6).copy_from(&(self.m - other.m));
        x.fixed_rows_mut::<3>(9).copy_from(&(self.n - other.n));
        x
    }

    fn pack(&self) -> SVector<f64, STATE> {
        let mut y = SVector::<f64, STATE>::zeros();
        y.fixed_rows_mut::<4>(0).copy_from(&self.q.to_vector());
        y.fixed_rows_mut::<3>(4).copy_from(&self.p);
        y.fixed_rows_mut::<3>(7).copy_from(&self.m);
        y.fixed_rows_mut::<3>(10).copy_from(&self.n);
        y[13] = self.energy;
        y
    }

    fn unpack<const N: usize>(y: &SVector<f64, N>) -> Self {
        let part = |i: usize| Vector3::new(y[i], y[i + 1], y[i + 2]);
        Self { q: Quaternion { w: y[0], v: part(1) }, p: part(4), m: part(7), n: part(10), energy: y[13] }
    }
}

/// World rotation vector from `a` to `b`, exact to second order in its length and zero only at a = b.
pub(crate) fn turn_between(a: &Quaternion, b: &Quaternion) -> Vector3<f64> {
    b.times(a.conjugate()).rotation_vector()
}

/// What acts along a smooth stretch of a rod.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acting {
    /// Distributed load per length.
    pub load: LoadPair,
    pub gravity: Vector3<f64>,
    /// Multiplies both.
    pub load_factor: f64,
}

/// Carries a state from s = `from` to `to`, along sections that are smooth in between.
pub(crate) fn carry_along(
    section_at: impl Fn(f64) -> SectionAt,
    acting: &Acting,
    start: &SectionState,
    from: f64,
    to: f64,
) -> Result<SectionState, OracleError> {
    let rate = |s: f64, y: &SVector<f64, STATE>| {
        state_rate(&SectionState::unpack(y), &section_at(s), &acting.load, &acting.gravity, acting.load_factor)
    };
    let mut end = SectionState::unpack(&integrate(rate, from, to, start.pack(), TOLERANCE)?);
    end.q = end.q.normalized();
    Ok(end)
}

/// Carries a state and all its variations, along sections that are smooth in between.
pub(crate) fn carry_along_with_transfer(
    section_at: impl Fn(f64) -> SectionAt,
    acting: &Acting,
    start: &SectionState,
    from: f64,
    to: f64,
) -> Result<(SectionState, Transfer), OracleError> {
    let Acting { load, gravity, load_factor } = acting;
    let mut y = SVector::<f64, STATE_AND_TRANSFER>::zeros();
    y.fixed_rows_mut::<STATE>(0).copy_from(&start.pack());
    y.fixed_rows_mut::<144>(STATE).copy_from_slice(Transfer::identity().as_slice());
    let rate = |s: f64, y: &SVector<f64, STATE_AND_TRANSFER>| {
        let state = SectionState::unpack(y);
        let section = section_at(s);
        let transfer = Transfer::from_column_slice(&y.as_slice()[STATE..]);
        let growth = linearised(&state, &section, load, gravity, *load_factor) * transfer;
        let mut dy = SVector::<f64, STATE_AND_TRANSFER>::zeros();
        dy.fixed_rows_mut::<STATE>(0).copy_from(&state_rate(&state, &section, load, gravity, *load_factor));
        dy.fixed_rows_mut::<144>(STATE).copy_from_slice(growth.as_slice());
        dy
    };
    let end = integrate(rate, from, to, y, TOLERANCE)?;
    let mut state = SectionState::unpack(&end);
    state.q = state.q.normalized();
    Ok((state, Transfer::from_column_slice(&end.as_slice()[STATE..])))
}

/// Carries a state to scaled arc length `to` inside the segment.
pub(crate) fn carry(
    rod: &ScaledRod,
    segment: &Segment,
    load_factor: f64,
    start: &SectionState,
    from: f64,
    to: f64,
) -> Result<SectionState, OracleError> {
    let acting = Acting { load: segment.load, gravity: rod.gravity, load_factor };
    carry_along(|s| rod.section(segment, s), &acting, start, from, to).map_err(|e| in_metres(e, rod.length))
}

/// Carries a state and all its variations across the whole segment.
pub(crate) fn carry_with_transfer(
    rod: &ScaledRod,
    segment: &Segment,
    load_factor: f64,
    start: &SectionState,
) -> Result<(SectionState, Transfer), OracleError> {
    let acting = Acting { load: segment.load, gravity: rod.gravity, load_factor };
    carry_along_with_transfer(|s| rod.section(segment, s), &acting, start, segment.from, segment.to)
        .map_err(|e| in_metres(e, rod.length))
}

/// Passes a point load: n(s⁺) = n(s⁻) − F, m(s⁺) = m(s⁻) − M; returns the variation's change too.
pub(crate) fn pass_kick(state: &SectionState, kick: &LoadPair, load_factor: f64) -> (SectionState, Transfer) {
    let r = state.q.matrix();
    let applied = kick.in_world(&r) * load_factor;
    let mut transfer = Transfer::identity();
    // −δ(R a) = −φ × R a = (R a)~ φ.
    transfer.fixed_view_mut::<3, 3>(6, 0).copy_from(&cross(&(r * kick.follower.moment * load_factor)));
    transfer.fixed_view_mut::<3, 3>(9, 0).copy_from(&cross(&(r * kick.follower.force * load_factor)));
    (SectionState { m: state.m - applied.moment, n: state.n - applied.force, ..*state }, transfer)
}

fn state_rate(
    state: &SectionState,
    section: &SectionAt,
    load: &LoadPair,
    gravity: &Vector3<f64>,
    load_factor: f64,
) -> SVector<f64, STATE> {
    let r = state.q.matrix();
    let strain = state.strain(section);
    let tangent = r * strain.stretch;
    let weight = section.weight * (r.transpose() * gravity);
    let (weight_moment, weight_force) = halves(&weight);
    let applied = load.in_world(&r);
    let mut rate = SVector::<f64, STATE>::zeros();
    rate.fixed_rows_mut::<4>(0).copy_from(&state.q.rate(&strain.curvature).to_vector());
    rate.fixed_rows_mut::<3>(4).copy_from(&tangent);
    let moment_rate = -tangent.cross(&state.n) - (applied.moment + r * weight_moment) * load_factor;
    rate.fixed_rows_mut::<3>(7).copy_from(&moment_rate);
    rate.fixed_rows_mut::<3>(10).copy_from(&(-(applied.force + r * weight_force) * load_factor));
    let stress = state.body_stress();
    rate[13] = 0.5 * stress.dot(&(section.compliance * stress));
    rate
}

/// The matrix A of x′ = A x for x = (φ, δp, δm, δn).
pub(crate) fn linearised(
    state: &SectionState,
    section: &SectionAt,
    load: &LoadPair,
    gravity: &Vector3<f64>,
    load_factor: f64,
) -> Transfer {
    let r = state.q.matrix();
    let rt = r.transpose();
    let (m, n) = (state.m, state.n);
    let tangent = r * state.strain(section).stretch;

    // Compliance in world axes: (R δκ, R δε) = C (δm − φ × m, δn − φ × n).
    let mut turn = Matrix6::zeros();
    turn.fixed_view_mut::<3, 3>(0, 0).copy_from(&r);
    turn.fixed_view_mut::<3, 3>(3, 3).copy_from(&r);
    let c = turn * section.compliance * turn.transpose();
    let mut strain_of = SMatrix::<f64, 6, 12>::zeros();
    strain_of.fixed_view_mut::<6, 6>(0, 6).copy_from(&c);
    let mut stress_of_turn = SMatrix::<f64, 6, 3>::zeros();
    stress_of_turn.fixed_view_mut::<3, 3>(0, 0).copy_from(&cross(&m));
    stress_of_turn.fixed_view_mut::<3, 3>(3, 0).copy_from(&cross(&n));
    strain_of.fixed_view_mut::<6, 3>(0, 0).copy_from(&(c * stress_of_turn));

    let mut tangent_of: SMatrix<f64, 3, 12> = strain_of.fixed_rows::<3>(3).into();
    let mut turned = tangent_of.fixed_view_mut::<3, 3>(0, 0);
    turned -= cross(&tangent);

    let mut a = Transfer::zeros();
    a.fixed_rows_mut::<3>(0).copy_from(&strain_of.fixed_rows::<3>(0));
    a.fixed_rows_mut::<3>(3).copy_from(&tangent_of);
    // −δp′ × n = n × δp′.
    a.fixed_rows_mut::<3>(6).copy_from(&(cross(&n) * tangent_of));
    let mut by_force = a.fixed_view_mut::<3, 3>(6, 9);
    by_force -= cross(&tangent);

    // Follower loads R a vary by φ × R a; the weight R W Rᵀ g by φ × R W Rᵀ g − R W Rᵀ (φ × g).
    let weight_moment: Matrix3<f64> = r * section.weight.fixed_rows::<3>(0) * rt;
    let weight_force: Matrix3<f64> = r * section.weight.fixed_rows::<3>(3) * rt;
    let moment = r * load.follower.moment + weight_moment * gravity;
    let force = r * load.follower.force + weight_force * gravity;
    let mut moment_by_turn = a.fixed_view_mut::<3, 3>(6, 0);
    moment_by_turn -= (weight_moment * cross(gravity) - cross(&moment)) * load_factor;
    let mut force_by_turn = a.fixed_view_mut::<3, 3>(9, 0);
    force_by_turn -= (weight_force * cross(gravity) - cross(&force)) * load_factor;
    a
}

pub(crate) fn in_metres(error: OracleError, length: f64) -> OracleError {
    match error {
        OracleError::StepTooSmall { s, step } => OracleError::StepTooSmall { s: s * length, step: step * length },
        other => other,
    }
}

/// The matrix of a ↦ v × a.
pub(crate) fn cross(v: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

fn stack(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

fn halves(x: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lissome_lie::Rotation;
    use lissome_model::{Discretization, Load, LoadFrame, LoadKind, NaturalShape, Profile, Rod, Scene, Section};

    /// A rod with fully coupled stiffness and mass, so that no term of the linearisation is zero by luck.
    fn coupled_scene() -> Scene {
        let mix = Matrix6::from_fn(|i, j| ((3 * i + 5 * j + i * j) as f64).sin());
        let stiffness = mix * mix.transpose() + Matrix6::identity() * 2.0;
        let half = Matrix6::from_fn(|i, j| ((i * i + 2 * j) as f64).cos());
        let mass = half * half.transpose() * 0.2;
        let section = |scale: f64| Section::Given { stiffness: stiffness * scale, mass, damping: 0.0, radius: 0.1 };
        let wrench = Wrench::new(Vector3::new(0.3, -0.2, 0.4), Vector3::new(-0.5, 0.6, 0.2));
        let spread = LoadKind::Distributed { from: 0.0, to: 2.0, per_length: wrench };
        let load = |name: &str, frame: LoadFrame, kind: LoadKind| Load { name: name.into(), rod: 0, frame, kind };
        Scene {
            title: "coupled".into(),
            gravity: Vector3::new(1.0, -2.0, -3.0),
            rods: vec![Rod {
                name: "rod".into(),
                length: 2.0,
                profile: Profile::taper(section(1.0), section(0.6), 2.0),
                natural: NaturalShape::curved(Vector3::new(0.4, -0.3, 0.2)),
                base: Some(Pose::identity().into()),
                tip: None,
                discretization: Discretization::default(),
                ..Rod::default()
            }],
            loads: vec![
                load("dead", LoadFrame::World, spread),
                load("follower", LoadFrame::Body, spread),
                load("kick", LoadFrame::Body, LoadKind::Point { at: 2.0, wrench }),
            ],
            ..Scene::default()
        }
    }

    #[test]
    fn transfer_is_the_derivative_of_the_map() {
        let rod = ScaledRod::new(&coupled_scene(), 0).unwrap();
        let segment = rod.segments.last().unwrap();
        let kick = rod.kicks.last().unwrap();
        let factor = 0.7;
        let pose = Pose::new(Rotation::from_quat_wxyz([0.5, -0.2, 0.7, 0.4]).unwrap(), Vector3::new(0.2, 0.1, -0.4));
        let stress = Wrench::new(Vector3::new(0.8, -1.2, 0.5), Vector3::new(1.5, 0.7, -0.9));
        let start = SectionState::new(&pose, &stress);
        let arrive = |x: &Variation| {
            let end = carry(&rod, segment, factor, &start.moved(x), segment.from, segment.to).unwrap();
            pass_kick(&end, kick, factor).0
        };
        let (end, transfer) = carry_with_transfer(&rod, segment, factor, &start).unwrap();
        let (_, jump) = pass_kick(&end, kick, factor);
        let transfer = jump * transfer;
        // Central differences: truncation h² and rounding 1e-15/h, both under 1e-9.
        let h = 1e-5;
        for i in 0..12 {
            let mut x = Variation::zeros();
            x[i] = h;
            let column = arrive(&x).minus(&arrive(&-x)) / (2.0 * h);
            assert!((column - transfer.column(i)).amax() < 1e-9, "{i}: {column} {}", transfer.column(i));
        }
    }
}
