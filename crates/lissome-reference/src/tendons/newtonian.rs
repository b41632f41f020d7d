//! The Newtonian method: tendons are distributed loads on the rod, and the rod's own stress is integrated.
//!
//! \[tendon2025, eq. (28) and appendix A\] with the stress Λ = (C, N) of the rod in place of its strain, as the paper
//! allows, so that a rod that hardly stretches loses no digits. In body axes
//!
//! ```text
//! N′ + κ×N + a + A ε′ + G κ′ + Rᵀw = 0         A = −Σ T Γ~²/|Γ|³,  G = −Σ A_i D~,  a = Σ A_i(κ×Γ + κ×D′ + D″)
//! C′ + κ×C + ε×N + b + B ε′ + H κ′ = 0         B = Σ D~A_i,  H = −Σ D~A_i D~,  b = Σ D×a_i
//! ```
//!
//! Six unknowns, the stress at the base, meet six conditions: at the tip, rod and tendons together carry the load
//! there (29). The unknowns are counted with the tendons' share: shooting starts from zero, which is near for the sum
//! of both and far for the rod alone (with its own stress, 5 N on scenario A need 84 iterations in 4 load steps). Where tendons end or kink the strain jumps, see [`Jump`].

use super::active_stress::{active_stress, elastic_strain, halves, joined, velocity};
use super::description::TendonRod;
use super::routing::Offset;
use super::shooting::{INTEGRATION, Units, record, shoot};
use super::solution::{TendonSolution, add_lengths, sample};
use super::span::{Span, spans};
use crate::OracleError;
use crate::extrapolation::integrate;
use crate::quaternion::Quaternion;
use nalgebra::{Matrix3, Matrix6, SVector, Vector3, Vector6};

/// Quaternion, position, stress of the rod in body axes; scaled.
type State = SVector<f64, 13>;

/// What happens to the strain where the slope D′ of a tendon jumps.
///
/// All three let tendons end exactly: what they pulled with goes over to the rod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// The total stress is continuous, and the strain after the jump solves K e + Λ_act = total.
    Exact,
    /// The printed correction (63) with its sign put right: exact to first order in the jump of D′.
    Linearised,
    /// None, as in the part of the paper's video that shows why one is needed.
    Ignored,
}

/// The equilibrium of a tendon-driven rod.
pub fn solve(rod: &TendonRod, jump: Jump) -> Result<TendonSolution, OracleError> {
    rod.validate()?;
    let (cuts, units) = (rod.cuts(), Units::of(rod));
    let closed = shoot(|factor, total: &Vector6<f64>| {
        let spans = spans(rod, &cuts, factor);
        let mut y = at_base(rod, &spans[0], total, &units)?;
        for (k, span) in spans.iter().enumerate() {
            y = integrate(|s, y| rate(span, &units, s, y), span.from, span.to, y, INTEGRATION)?;
            if let Some(next) = spans.get(k + 1) {
                y = pass(jump, span, next, &y, &units)?;
            }
        }
        let (last, tip) = (&spans[spans.len() - 1], turn(&y).matrix().transpose());
        let load = joined(&(tip * rod.tip_load.moment), &(tip * rod.tip_load.force)) * factor;
        let strain = last.segment.natural + elastic(last, &y, &units);
        Ok(scaled(&(stress_of(&y, &units) + active_stress(last, last.to, &strain).0 - load), &units))
    })?;

    let spans = spans(rod, &cuts, 1.0);
    let mut y = at_base(rod, &spans[0], &closed.unknowns, &units)?;
    let (mut samples, mut tendon_lengths) = (Vec::new(), vec![0.0; rod.tendons.len()]);
    for (k, span) in spans.iter().enumerate() {
        let recorded = record(span, y, |s, y| rate(span, &units, s, y))?;
        let first = samples.len();
        for (s, state) in &recorded.at {
            y = *state;
            let position = state.fixed_rows::<3>(4) * units.length;
            samples.push(sample(span, *s, turn(state), position, &elastic(span, state, &units)));
        }
        add_lengths(&mut tendon_lengths, span, recorded.weights.iter().copied().zip(&samples[first..]));
        if let Some(next) = spans.get(k + 1) {
            y = pass(jump, span, next, &y, &units)?;
        }
    }
    Ok(TendonSolution {
        samples,
        tendon_lengths,
        iterations: closed.iterations,
        load_steps: closed.load_steps,
        residual: closed.residual,
    })
}

/// The first state, from the scaled total stress: what the tendons carry of it is not the rod's.
fn at_base(rod: &TendonRod, span: &Span, total: &Vector6<f64>, units: &Units) -> Result<State, OracleError> {
    let (moment, force) = halves(total);
    let total = joined(&(moment * units.moment), &(force * units.force));
    let tendons: Vec<_> = span.strands.iter().map(|strand| (strand.tension, strand.piece.offset(span.from))).collect();
    let (stiffness, natural) = (&span.segment.stiffness, &span.segment.natural);
    let elastic = elastic_strain(stiffness, natural, &tendons, &total, Vector6::zeros(), units.length)
        .ok_or(OracleError::StepTooSmall { s: span.from, step: 0.0 })?;
    let mut y = State::zeros();
    y.fixed_rows_mut::<4>(0).copy_from(&Quaternion::from_rotation(&rod.base.rotation).to_vector());
    y.fixed_rows_mut::<3>(4).copy_from(&(rod.base.position / units.length));
    y.fixed_rows_mut::<6>(7).copy_from(&scaled(&stiffness.component_mul(&elastic), units));
    Ok(y)
}

fn turn(y: &State) -> Quaternion {
    Quaternion::from_vector(&y.fixed_rows::<4>(0).into())
}

fn stress_of(y: &State, units: &Units) -> Vector6<f64> {
    let (moment, force) = halves(&y.fixed_rows::<6>(7).into());
    joined(&(moment * units.moment), &(force * units.force))
}

fn scaled(stress: &Vector6<f64>, units: &Units) -> Vector6<f64> {
    let (moment, force) = halves(stress);
    joined(&(moment / units.moment), &(force / units.force))
}

fn elastic(span: &Span, y: &State, units: &Units) -> Vector6<f64> {
    stress_of(y, units).component_div(&span.segment.stiffness)
}

/// A_i = T (1 − ttᵀ)/|Γ|, as printed.
fn resistance(tension: f64, velocity: &Vector3<f64>) -> Matrix3<f64> {
    let cross = velocity.cross_matrix();
    cross * cross * (-tension / velocity.norm().powi(3))
}

/// [[H, B], [G, A]] of one tendon: what multiplies (κ′, ε′).
fn rate_matrix(resistance: &Matrix3<f64>, position: &Vector3<f64>) -> Matrix6<f64> {
    let arm = position.cross_matrix();
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&(-arm * resistance * arm));
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&(arm * resistance));
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&(-resistance * arm));
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(resistance);
    matrix
}

fn rate(span: &Span, units: &Units, s: f64, y: &State) -> State {
    let world_from_body = turn(y).matrix();
    let (stress, segment) = (stress_of(y, units), span.segment);
    let strain = segment.natural + stress.component_div(&segment.stiffness);
    let ((curvature, stretch), (moment, force)) = (halves(&strain), halves(&stress));
    let mut moment_rate = -curvature.cross(&moment) - stretch.cross(&force);
    let mut force_rate = -curvature.cross(&force) - world_from_body.transpose() * span.line_load;
    let mut matrix = Matrix6::zeros();
    for strand in &span.strands {
        let Offset { position, slope, bend } = strand.piece.offset(s);
        let velocity = stretch + curvature.cross(&position) + slope;
        let resistance = resistance(strand.tension, &velocity);
        let push = resistance * (curvature.cross(&velocity) + curvature.cross(&slope) + bend);
        force_rate -= push;
        moment_rate -= position.cross(&push);
        matrix += rate_matrix(&resistance, &position);
    }
    // ξ′ = K⁻¹Λ′ turns (K + matrix) ξ′ = right side into (1 + matrix K⁻¹) Λ′ = right side.
    for k in 0..6 {
        let flexible = matrix.column(k) / segment.stiffness[k];
        matrix.set_column(k, &flexible);
        matrix[(k, k)] += 1.0;
    }
    let Some(stress_rate) = matrix.lu().solve(&joined(&moment_rate, &force_rate)) else {
        return State::repeat(f64::NAN);
    };
    let mut rate = State::zeros();
    rate.fixed_rows_mut::<4>(0).copy_from(&turn(y).rate(&curvature).to_vector());
    rate.fixed_rows_mut::<3>(4).copy_from(&(world_from_body * stretch / units.length));
    rate.fixed_rows_mut::<6>(7).copy_from(&scaled(&stress_rate, units));
    rate
}

/// The state after the border between two spans.
fn pass(jump: Jump, before: &Span, after: &Span, y: &State, units: &Units) -> Result<State, OracleError> {
    let (s, elastic_before) = (before.to, elastic(before, y, units));
    let strain = before.segment.natural + elastic_before;
    let total = stress_of(y, units) + active_stress(before, s, &strain).0;
    let exact = jump == Jump::Exact;
    // Tendons that go on keep their slope unless its jump is to be seen.
    let offset = |strand: &super::span::Strand| {
        let kept = before.strand(strand.tendon).filter(|_| !exact).unwrap_or(strand);
        (strand.tension, kept.piece.offset(s))
    };
    let tendons: Vec<_> = after.strands.iter().map(offset).collect();
    let (stiffness, natural) = (&after.segment.stiffness, &after.segment.natural);
    let mut elastic = elastic_strain(stiffness, natural, &tendons, &total, elastic_before, units.length)
        .ok_or(OracleError::StepTooSmall { s, step: 0.0 })?;
    if jump == Jump::Linearised {
        let (mut matrix, mut right) = (Matrix6::from_diagonal(stiffness), Vector6::zeros());
        for (strand, (tension, slope_before)) in after.strands.iter().zip(&tendons) {
            let position = &slope_before.position;
            let resistance = resistance(*tension, &velocity(slope_before, &(natural + elastic)));
            let push = resistance * (strand.piece.offset(s).slope - slope_before.slope);
            right -= joined(&position.cross(&push), &push);
            matrix += rate_matrix(&resistance, position);
        }
        elastic += matrix.lu().solve(&right).ok_or(OracleError::StepTooSmall { s, step: 0.0 })?;
    }
    let mut next = *y;
    next.fixed_rows_mut::<6>(7).copy_from(&scaled(&stiffness.component_mul(&elastic), units));
    Ok(next)
}
