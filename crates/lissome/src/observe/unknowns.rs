//! Named unknowns by least squares: each trial is an equilibrium, its derivatives come from the factor of that.

use super::stand::{Measured, Pull, Stand};
use super::{Estimate, Refused};
use lissome_io::observe::ObserveFault;
use lissome_mech::{Input, Inputs, State};
use lissome_solve::least_squares::distribution::{chi_squared_above, half_width};
use lissome_solve::least_squares::{self, End, Found, Options, Problem, Round, Variable};
use lissome_solve::observe::{Fit, NORMAL_95, ObservedUnknown, PART, Seen, by_inputs};
use nalgebra::{DMatrix, DVector};

/// Part of an unknown's own size in a direction that cannot be told that makes it one of them.
const PART_OF_BLIND: f64 = 1e-4;
/// Derivatives below this part of the largest, unknowns in their plain sizes, are rounding.
const UNFELT: f64 = 1e-10;
/// Farthest that a trial may move a marker at once, lengths of the robot: beyond that its equilibrium may be another one.
const FARTHEST: f64 = 0.5;

/// The search: where the last accepted point stands.
struct Explaining<'s, 'a> {
    stand: &'s mut Stand<'a>,
    measured: &'s Measured,
    accepted: (State, Inputs),
    gaps: Vec<f64>,
}

impl Explaining<'_, '_> {
    fn values(&self) -> Vec<f64> {
        self.stand.prepared.unknowns.iter().map(|own| self.stand.inputs.get(own.input)).collect()
    }

    fn gaps(&self) -> Vec<f64> {
        self.stand.rows(self.measured).iter().map(|row| row.gap).collect()
    }
}

impl Problem for Explaining<'_, '_> {
    fn residuals(&mut self, x: &[f64]) -> Option<DVector<f64>> {
        (self.stand.state, self.stand.inputs) = self.accepted.clone();
        let mut wanted = self.stand.inputs.clone();
        self.stand.prepared.unknowns.iter().zip(x).for_each(|(own, value)| wanted.set(own.input, *value));
        if !self.stand.go_near(&wanted) {
            return None;
        }
        let gaps = self.gaps();
        let reach = FARTHEST * self.stand.system.scales().length;
        let moved = gaps.iter().zip(&self.gaps).map(|(now, before)| (now - before).abs()).fold(0.0, f64::max);
        let sigma = &self.measured.sigma;
        (moved <= reach).then(|| DVector::from_fn(gaps.len(), |row, _| gaps[row] / sigma[row]))
    }

    fn jacobian(&mut self, x: &[f64]) -> Option<DMatrix<f64>> {
        if self.values() != x {
            self.residuals(x)?;
        }
        self.accepted = (self.stand.state.clone(), self.stand.inputs.clone());
        self.gaps = self.gaps();
        let rows = self.stand.rows(self.measured);
        let causes = self.stand.causes();
        let Stand { system, state, inputs, work, .. } = &mut *self.stand;
        let mut jacobian = by_inputs(system, state, inputs, &rows, &causes, None, work)?.rows;
        let sigma = self.measured.sigma.iter().enumerate();
        sigma.for_each(|(row, sigma)| jacobian.row_mut(row).scale_mut(1.0 / sigma));
        Some(jacobian)
    }

    fn see(&mut self, _: &Round<'_>) -> bool {
        !self.stand.watch.stopped()
    }
}

impl Stand<'_> {
    /// The estimate of the named unknowns from the markers that count; `None` if there is none.
    pub(super) fn explained(&mut self, index: usize, counts: &[bool]) -> Result<Option<Estimate>, Refused> {
        self.solves = 0;
        let measured = self.measured(index, counts);
        let unknowns = self.prepared.unknowns.len();
        if measured.sigma.len() < unknowns {
            let (numbers, time) = (measured.sigma.len(), self.table.frames[index].time);
            return Err(ObserveFault::FewerData { numbers, unknowns, time }.into());
        }
        self.pull(index, &measured, &Pull { energy: 0.0, shift: None })?;
        if !self.drive(index)? || !self.settle() {
            return Ok(None);
        }
        let variables: Vec<Variable> = self
            .prepared
            .unknowns
            .iter()
            .map(|own| {
                let start = self.inputs.get(own.input);
                Variable { start, limits: (own.least, f64::INFINITY), size: start.abs().max(self.plain_size(own.unit)) }
            })
            .collect();
        let accepted = (self.state.clone(), self.inputs.clone());
        let mut search = Explaining { measured: &measured, accepted, gaps: Vec::new(), stand: self };
        search.gaps = search.gaps();
        let found = least_squares::solve(&mut search, &variables, &Options::default());
        let stands = search.values() == found.x || search.residuals(&found.x).is_some();
        if !stands || matches!(found.end, End::NoStart | End::NoJacobian | End::Stopped) {
            return Ok(None);
        }
        if found.jacobian.amax() == 0.0 {
            let counted = self.table.markers.iter().zip(&measured.groups).filter(|(_, group)| !group.is_empty());
            let names = counted.map(|(marker, _)| marker.name.clone()).take(5).collect();
            return Err(ObserveFault::NothingMoves { names }.into());
        }
        Ok(Some(self.explanation(index, &measured, found)))
    }

    fn causes(&self) -> Vec<Input> {
        self.prepared.unknowns.iter().map(|own| own.input).collect()
    }

    /// What counts as a large value of an unknown that is zero.
    fn plain_size(&self, unit: &str) -> f64 {
        let scales = self.system.scales();
        match unit {
            "N" => scales.force,
            "N·m" => scales.force * scales.length,
            "N/m" => scales.force / scales.length,
            _ => 1.0,
        }
    }

    fn explanation(&mut self, index: usize, measured: &Measured, found: Found) -> Estimate {
        let exact = self.prepared.exact;
        let mut found = found;
        let plain: Vec<f64> = self.prepared.unknowns.iter().map(|own| self.plain_size(own.unit)).collect();
        let norms: Vec<f64> = found.jacobian.column_iter().map(|column| column.norm()).collect();
        let most = norms.iter().zip(&plain).fold(0.0f64, |most, (norm, plain)| most.max(norm * plain));
        let mut sizes = Vec::with_capacity(plain.len());
        for (column, (norm, plain)) in norms.iter().zip(&plain).enumerate() {
            let felt = norm * plain > UNFELT * most;
            if !felt {
                found.jacobian.column_mut(column).fill(0.0);
            }
            sizes.push(if felt { 1.0 / norm } else { *plain });
        }
        let fit = Fit::new(&found.jacobian, &sizes, found.residuals);
        let told = sizes.len() - fit.blind.len();
        let freedom = measured.sigma.len() - told;
        // Noise that was not stated is what the residuals show.
        let (scale, quantile) = match (exact, freedom) {
            (false, _) => (1.0, NORMAL_95),
            (true, 0) => (0.0, NORMAL_95),
            (true, _) => ((fit.decided.misfit() / freedom as f64).sqrt(), half_width(PART, Some(freedom as f64))),
        };
        let rows = self.rows(measured);
        let (reader, causes) = (self.reader(), self.causes());
        let Self { system, state, inputs, work, .. } = self;
        let read = |moved: &_| reader.read(system, moved);
        let found = by_inputs(system, state, inputs, &rows, &causes, Some(&read), work);
        let readings = found.map_or_else(|| DMatrix::zeros(0, causes.len()), |own| own.readings);
        let deviations: Vec<f64> =
            fit.deviations(&readings).iter().map(|deviation| deviation * scale * quantile / NORMAL_95).collect();
        let mut frame = self.record(index, Seen::Found, &deviations);
        self.record_markers(&mut frame, index, measured, None);
        frame.misfit = if exact { f64::NAN } else { fit.decided.misfit() };
        frame.freedom = freedom as f64;
        if exact {
            frame.noise = scale * self.system.scales().length;
        }
        for (column, own) in self.prepared.unknowns.iter().enumerate() {
            let blind = fit.blind.iter().any(|direction| direction[column].abs() > PART_OF_BLIND * sizes[column]);
            let standard_error = if blind { f64::INFINITY } else { fit.covariance[(column, column)].sqrt() * scale };
            frame.unknowns.push(ObservedUnknown {
                path: own.path.clone(),
                unit: own.unit,
                value: self.inputs.get(own.input),
                standard_error,
                band: standard_error * quantile,
            });
        }
        frame.blind = fit.blind.iter().map(|direction| direction.iter().copied().collect()).collect();
        let surprises = fit.decided.left_out(&measured.groups).into_iter().zip(&measured.groups);
        let surprises = surprises.map(|(chi, group)| match exact || group.is_empty() {
            true => (f64::NAN, f64::NAN),
            false => (chi, chi_squared_above(chi, group.len() as f64)),
        });
        Estimate { surprises: surprises.collect(), frame }
    }
}
