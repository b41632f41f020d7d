//! Named unknowns by least squares: each trial is an equilibrium, its derivatives come from the factor of that.
//!
//! Steps are those of Levenberg and Marquardt. A trial whose equilibrium cannot be reached along the inputs counts as a worse one.

use super::stand::{Measured, Pull, Stand};
use super::{Estimate, Refused};
use lissome_io::observe::ObserveFault;
use lissome_mech::{Input, Inputs};
use lissome_solve::observe::{Fit, NORMAL_95, ObservedUnknown, Seen, by_inputs, chi_squared_tail, student_quantile};
use nalgebra::{DMatrix, DVector};

/// Trials at most.
const MOST_TRIALS: usize = 200;
/// Damping, of the diagonal: where it begins, its least and its largest, and its factor.
const DAMPING: (f64, f64, f64) = (1e-3, 1e-12, 1e10);
const FACTOR: f64 = 10.0;
/// A step that changes no normalised number by more than this is the last: of stated noise, and of lengths.
const SETTLED: f64 = 1e-7;
const SETTLED_EXACT: f64 = 1e-13;
/// Farthest that a step may move a marker, lengths of the robot.
const FARTHEST: f64 = 0.3;
/// Part of an unknown's own size in a direction that cannot be told that makes it one of them.
const PART_OF_BLIND: f64 = 1e-4;

/// The present place of the search.
struct Place {
    residual: DVector<f64>,
    jacobian: DMatrix<f64>,
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
        if !self.drive(index) || !self.settle() {
            return Ok(None);
        }
        let Some(place) = self.descend(&measured) else { return Ok(None) };
        if place.jacobian.amax() == 0.0 {
            let counted = self.table.markers.iter().zip(&measured.groups).filter(|(_, group)| !group.is_empty());
            let names = counted.map(|(marker, _)| marker.name.clone()).take(5).collect();
            return Err(ObserveFault::NothingMoves { names }.into());
        }
        Ok(Some(self.explanation(index, &measured, place)))
    }

    fn causes(&self) -> Vec<Input> {
        self.prepared.unknowns.iter().map(|own| own.input).collect()
    }

    fn place(&mut self, measured: &Measured) -> Option<Place> {
        let rows = self.rows(measured);
        let causes = self.causes();
        let Self { system, state, inputs, work, .. } = self;
        let mut jacobian = by_inputs(system, state, inputs, &rows, &causes, None, work)?.rows;
        measured.sigma.iter().enumerate().for_each(|(row, sigma)| jacobian.row_mut(row).scale_mut(1.0 / sigma));
        let residual = DVector::from_fn(rows.len(), |row, _| rows[row].gap / measured.sigma[row]);
        Some(Place { residual, jacobian })
    }

    /// Goes to the least squares.
    fn descend(&mut self, measured: &Measured) -> Option<Place> {
        let settled = if self.prepared.exact { SETTLED_EXACT } else { SETTLED };
        let length = self.system.scales().length;
        let reach = measured.sigma.iter().fold(0.0f64, |most, sigma| most.max(FARTHEST * length / sigma));
        let mut place = self.place(measured)?;
        let mut damping = DAMPING.0;
        for _ in 0..MOST_TRIALS {
            if self.watch.stopped() {
                return None;
            }
            let mut step = damped(&place, damping);
            let moves = (&place.jacobian * &step).amax();
            if moves > reach {
                step *= reach / moves;
            }
            let mut wanted: Inputs = self.inputs.clone();
            for (own, change) in self.prepared.unknowns.iter().zip(step.iter()) {
                wanted.set(own.input, (wanted.get(own.input) + change).max(own.least));
            }
            if moves <= settled || wanted == self.inputs {
                return Some(place);
            }
            let (state, inputs, cost) = (self.state.clone(), self.inputs.clone(), place.residual.norm_squared());
            let next = if self.go_to(&wanted) { self.place(measured) } else { None };
            match next.filter(|next| next.residual.norm_squared() <= cost) {
                Some(next) => {
                    let gained = cost - next.residual.norm_squared();
                    place = next;
                    damping = (damping / FACTOR).max(DAMPING.1);
                    // What is left is rounding.
                    if gained <= f64::EPSILON * cost && moves <= settled.sqrt() {
                        return Some(place);
                    }
                }
                None => {
                    (self.state, self.inputs) = (state, inputs);
                    damping *= FACTOR;
                    if damping > DAMPING.2 {
                        return Some(place);
                    }
                }
            }
        }
        Some(place)
    }

    fn explanation(&mut self, index: usize, measured: &Measured, place: Place) -> Estimate {
        let exact = self.prepared.exact;
        let scales = *self.system.scales();
        let plain = |unit: &str| match unit {
            "N" => scales.force,
            "N·m" => scales.force * scales.length,
            "N/m" => scales.force / scales.length,
            _ => 1.0,
        };
        let sizes = self.prepared.unknowns.iter().enumerate().map(|(column, own)| {
            let norm = place.jacobian.column(column).norm();
            if norm > 0.0 { 1.0 / norm } else { plain(own.unit) }
        });
        let sizes: Vec<f64> = sizes.collect();
        let Place { residual, jacobian } = place;
        let fit = Fit::new(&jacobian, &sizes, residual);
        let told = sizes.len() - fit.blind.len();
        let freedom = measured.sigma.len() - told;
        // Noise that was not stated is what the residuals show.
        let (scale, quantile) = match (exact, freedom) {
            (false, _) => (1.0, NORMAL_95),
            (true, 0) => (0.0, NORMAL_95),
            (true, _) => {
                ((fit.decided.misfit() / freedom as f64).sqrt(), student_quantile(0.05, freedom))
            }
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
            false => (chi, chi_squared_tail(chi, group.len())),
        });
        Estimate { surprises: surprises.collect(), frame }
    }
}

/// The step of Levenberg and Marquardt.
fn damped(place: &Place, damping: f64) -> DVector<f64> {
    let Place { residual, jacobian } = place;
    let mut normal = jacobian.tr_mul(jacobian);
    let gradient = jacobian.tr_mul(residual);
    for i in 0..gradient.len() {
        let own = normal[(i, i)];
        normal[(i, i)] = if own > 0.0 { own * (1.0 + damping) } else { 1.0 };
    }
    normal.lu().solve(&-&gradient).unwrap_or_else(|| DVector::zeros(gradient.len()))
}
