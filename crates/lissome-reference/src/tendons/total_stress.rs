//! Shooting on the total stress, of rod and tendons together.
//!
//! A cut through rod and tendons shows that their stresses add up to one that balances the loads beyond it, wherever
//! the tendons run. The total force is known beforehand for dead loads, the total moment follows m′ = −p′ × n, both
//! are continuous where tendons end or kink, and the strain answers to them section by section. Three unknowns, the
//! total moment at the base, meet three conditions, that at the tip.

use super::active_stress::{elastic_strain, joined};
use super::description::TendonRod;
use super::routing::Offset;
use super::shooting::{INTEGRATION, Units, record, shoot};
use super::solution::{TendonSolution, add_lengths, sample};
use super::span::{Span, spans};
use crate::OracleError;
use crate::extrapolation::integrate;
use crate::quaternion::Quaternion;
use nalgebra::{SVector, Vector3, Vector6};

/// Quaternion, position, total moment in world axes; scaled.
type State = SVector<f64, 10>;

/// The equilibrium of a tendon-driven rod.
pub fn solve(rod: &TendonRod) -> Result<TendonSolution, OracleError> {
    rod.validate()?;
    let (cuts, units) = (rod.cuts(), Units::of(rod));
    let closed = shoot(|factor, moment: &Vector3<f64>| {
        let mut y = at_base(rod, moment, &units);
        for span in &spans(rod, &cuts, factor) {
            let mut section = Section::new(span, units);
            y = integrate(|s, y| section.rate(s, y), span.from, span.to, y, INTEGRATION)?;
        }
        Ok(y.fixed_rows::<3>(7) - rod.tip_load.moment * (factor / units.moment))
    })?;

    let mut y = at_base(rod, &closed.unknowns, &units);
    let (mut samples, mut tendon_lengths) = (Vec::new(), vec![0.0; rod.tendons.len()]);
    for span in &spans(rod, &cuts, 1.0) {
        let mut section = Section::new(span, units);
        let recorded = record(span, y, |s, y| section.rate(s, y))?;
        let first = samples.len();
        for (s, state) in &recorded.at {
            y = *state;
            let elastic = section.elastic(*s, state).ok_or(OracleError::StepTooSmall { s: *s, step: 0.0 })?;
            samples.push(sample(span, *s, turn(state), position(state) * units.length, &elastic));
        }
        add_lengths(&mut tendon_lengths, span, recorded.weights.iter().copied().zip(&samples[first..]));
    }
    Ok(TendonSolution {
        samples,
        tendon_lengths,
        iterations: closed.iterations,
        load_steps: closed.load_steps,
        residual: closed.residual,
    })
}

fn at_base(rod: &TendonRod, moment: &Vector3<f64>, units: &Units) -> State {
    let mut y = State::zeros();
    y.fixed_rows_mut::<4>(0).copy_from(&Quaternion::from_rotation(&rod.base.rotation).to_vector());
    y.fixed_rows_mut::<3>(4).copy_from(&(rod.base.position / units.length));
    y.fixed_rows_mut::<3>(7).copy_from(moment);
    y
}

fn turn(y: &State) -> Quaternion {
    Quaternion::from_vector(&y.fixed_rows::<4>(0).into())
}

fn position(y: &State) -> Vector3<f64> {
    y.fixed_rows::<3>(4).into()
}

/// The equations on one span, with the last strain as the guess of the next.
struct Section<'a> {
    span: &'a Span<'a>,
    units: Units,
    tendons: Vec<(f64, Offset)>,
    guess: Vector6<f64>,
}

impl<'a> Section<'a> {
    fn new(span: &'a Span<'a>, units: Units) -> Self {
        Self { span, units, tendons: Vec::with_capacity(span.strands.len()), guess: Vector6::zeros() }
    }

    /// The elastic strain of a section, from the total stress that it carries.
    fn elastic(&mut self, s: f64, y: &State) -> Option<Vector6<f64>> {
        let body_from_world = turn(y).matrix().transpose();
        let moment: Vector3<f64> = y.fixed_rows::<3>(7).into();
        let moment = body_from_world * moment * self.units.moment;
        let total = joined(&moment, &(body_from_world * self.span.total_force(s)));
        self.tendons.clear();
        self.tendons.extend(self.span.strands.iter().map(|strand| (strand.tension, strand.piece.offset(s))));
        let segment = self.span.segment;
        let (stiffness, natural) = (&segment.stiffness, &segment.natural);
        let elastic = elastic_strain(stiffness, natural, &self.tendons, &total, self.guess, self.units.length)?;
        self.guess = elastic;
        Some(elastic)
    }

    /// NaN where no strain answers, which the integrator reports with its place.
    fn rate(&mut self, s: f64, y: &State) -> State {
        let Some(elastic) = self.elastic(s, y) else { return State::repeat(f64::NAN) };
        let strain = self.span.segment.natural + elastic;
        let curvature: Vector3<f64> = strain.fixed_rows::<3>(0).into();
        let velocity = turn(y).matrix() * strain.fixed_rows::<3>(3);
        let mut rate = State::zeros();
        rate.fixed_rows_mut::<4>(0).copy_from(&turn(y).rate(&curvature).to_vector());
        rate.fixed_rows_mut::<3>(4).copy_from(&(velocity / self.units.length));
        rate.fixed_rows_mut::<3>(7).copy_from(&(-velocity.cross(&self.span.total_force(s)) / self.units.moment));
        rate
    }
}
