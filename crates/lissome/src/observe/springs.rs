//! The shape of least energy: springs of the markers' accuracy pull the robot, softly at first.

use super::stand::{Measured, Pull, Stand};
use super::{Estimate, Refused};
use lissome_io::observe::ObserveFault;
use lissome_solve::least_squares::distribution::chi_squared_above;
use lissome_solve::observe::{Decided, Row, Seen, by_wrenches};
use nalgebra::{DMatrix, DVector};

/// Share of the softest springs in what they pull at: the robot hardly feels them.
const SOFT: f64 = 0.1;
/// Springs grow at most by this from one equilibrium to the next, and least before the way is given up.
const GROWTH: f64 = 10.0;
const LEAST_GROWTH: f64 = 1.05;
/// Rounds of the search for T, and the change of its logarithm that ends it.
const ROUNDS: usize = 60;
const SETTLED: f64 = 0.05;
/// Numbers that the data must decide before they tell T.
const DECIDED: f64 = 1.5;
/// Exact markers: springs are stiff where the robot decides no more than this of any number; what is left goes by moving their far
/// ends, which leaves this part of it each time.
const STIFF: f64 = 1e-3;
const SHIFTS: usize = 8;
/// Gaps that are left of exact markers, lengths of the robot or rad.
const MET: f64 = 1e-12;

impl Stand<'_> {
    /// The estimate with unknown forces on the markers that count; `None` if there is none.
    pub(super) fn pulled(&mut self, index: usize, counts: &[bool]) -> Result<Option<Estimate>, Refused> {
        self.solves = 0;
        let measured = self.measured(index, counts);
        if !self.drive(index)? {
            return Ok(None);
        }
        let warm = self.energy;
        let begun = self.state.clone();
        let mut energy = match warm {
            Some(energy) => energy,
            None => self.soft(&measured)?,
        };
        let found = self.search(index, &measured, &mut energy)?;
        let found = match found {
            // What is far from the frame before is looked for as the first is.
            None if warm.is_some() && !self.watch.stopped() => {
                self.state = begun;
                self.pull(index, &measured, &Pull { energy: 0.0, shift: None })?;
                self.settle();
                energy = self.soft(&measured)?;
                self.search(index, &measured, &mut energy)?
            }
            found => found,
        };
        let Some((decided, shift)) = found else { return Ok(None) };
        self.energy = Some(energy);
        self.told(index, &measured, energy, decided, &shift).map(Some)
    }

    /// T for springs that the robot hardly feels.
    fn soft(&mut self, measured: &Measured) -> Result<f64, Refused> {
        let rows = self.rows(measured);
        let response = self.response(&rows);
        let shares = (0..rows.len()).map(|i| response[(i, i)] / measured.sigma[i].powi(2));
        let most = shares.fold(0.0, f64::max);
        if most > 0.0 && most.is_finite() {
            return Ok(SOFT / most);
        }
        let counted = self.table.markers.iter().zip(&measured.groups).filter(|(_, group)| !group.is_empty());
        let names = counted.map(|(marker, _)| marker.name.clone()).take(5).collect();
        Err(ObserveFault::NothingMoves { names }.into())
    }

    /// D, or nothing but zeros where the tangent is singular.
    fn response(&mut self, rows: &[Row]) -> DMatrix<f64> {
        let Self { system, state, inputs, work, .. } = self;
        let found = by_wrenches(system, state, inputs, rows, None, work);
        found.map_or_else(|| DMatrix::zeros(rows.len(), rows.len()), |own| own.rows)
    }

    /// Looks for T and the shape together; what is decided there, and how far the springs' ends were moved. T is that of the
    /// state it ends with.
    fn search(
        &mut self,
        index: usize,
        measured: &Measured,
        energy: &mut f64,
    ) -> Result<Option<(Decided, Vec<f64>)>, Refused> {
        let exact = self.prepared.exact;
        let mut growth = GROWTH;
        let mut last: Option<f64> = None;
        // Where the posterior of ln T rises, and where it falls.
        let mut between = (0.0, f64::INFINITY);
        for _ in 0..ROUNDS {
            let before = self.state.clone();
            self.pull(index, measured, &Pull { energy: *energy, shift: None })?;
            if !self.settle() {
                let Some(sure) = last.filter(|_| growth > LEAST_GROWTH && !self.watch.stopped()) else {
                    return Ok(None);
                };
                // A smaller step from where an equilibrium was found.
                growth = growth.sqrt();
                self.state = before;
                *energy = sure * growth;
                continue;
            }
            last = Some(*energy);
            let decided = self.decided(measured, *energy);
            if exact {
                if decided.least_share() >= 1.0 - STIFF {
                    return self
                        .meet(index, measured, *energy)
                        .map(|shift| shift.map(|shift| (self.decided(measured, *energy), shift)));
                }
                *energy *= growth;
                continue;
            }
            if let Some(given) = self.options.energy {
                if *energy == given {
                    return Ok(Some((decided, vec![0.0; measured.sigma.len()])));
                }
                *energy = given.min(*energy * growth);
                continue;
            }
            let (excess, degrees) = (self.excess(), decided.degrees());
            // The slope of the posterior of ln T where √T may be anything beforehand.
            let slope = excess / *energy - 0.5 * (degrees - 1.0);
            if slope > 0.0 {
                between.0 = *energy
            } else {
                between.1 = *energy
            }
            let wanted =
                if degrees > DECIDED { 2.0 * excess / (degrees - 1.0) } else { *energy * slope.signum().exp() };
            let narrow = (between.1 / between.0).ln() < SETTLED;
            if narrow || (degrees > DECIDED && (wanted / *energy).ln().abs() < SETTLED) {
                return Ok(Some((decided, vec![0.0; measured.sigma.len()])));
            }
            let inside = wanted > between.0 && wanted < between.1;
            let wanted = if inside || between.1.is_infinite() || between.0 == 0.0 {
                wanted.clamp(*energy / growth, *energy * growth)
            } else {
                (between.0 * between.1).sqrt()
            };
            *energy = wanted;
        }
        // T wanders between two values that the data hardly tell apart: the last shape is as good as any.
        let Some(sure) = last.filter(|_| !exact) else { return Ok(None) };
        *energy = sure;
        self.pull(index, measured, &Pull { energy: sure, shift: None })?;
        Ok(self.settle().then(|| (self.decided(measured, sure), vec![0.0; measured.sigma.len()])))
    }

    fn decided(&mut self, measured: &Measured, energy: f64) -> Decided {
        let rows = self.rows(measured);
        let response = self.response(&rows);
        let residual = DVector::from_fn(rows.len(), |i, _| rows[i].gap / measured.sigma[i]);
        Decided::by_springs(&response, &stiffness(measured, energy), residual)
    }

    /// Moves the far ends of stiff springs until the robot goes through every marker; how far they were moved.
    fn meet(&mut self, index: usize, measured: &Measured, energy: f64) -> Result<Option<Vec<f64>>, Refused> {
        let mut shift = vec![0.0; measured.sigma.len()];
        let mut nearest = f64::INFINITY;
        for _ in 0..SHIFTS {
            let rows = self.rows(measured);
            // The gap from what was measured, not from the moved end.
            let gaps: Vec<f64> = rows.iter().zip(&shift).map(|(row, shift)| row.gap + shift).collect();
            let largest =
                gaps.iter().zip(&measured.sigma).fold(0.0f64, |most, (gap, unit)| most.max((gap / unit).abs()));
            if largest < MET || largest > 0.5 * nearest {
                break;
            }
            nearest = largest;
            shift.iter_mut().zip(&gaps).for_each(|(shift, gap)| *shift -= gap);
            self.pull(index, measured, &Pull { energy, shift: Some(&shift) })?;
            if !self.settle() {
                return Ok(None);
            }
        }
        Ok(Some(shift))
    }

    /// The numbers of the estimate.
    fn told(
        &mut self,
        index: usize,
        measured: &Measured,
        energy: f64,
        decided: Decided,
        shift: &[f64],
    ) -> Result<Estimate, Refused> {
        let exact = self.prepared.exact;
        let rows = self.rows(measured);
        let stiffness = stiffness(measured, energy);
        let forces: Vec<f64> = rows.iter().zip(&stiffness).map(|(row, k)| -k * row.gap).collect();
        let (deviations, force_deviations) = match exact {
            true => (Vec::new(), vec![0.0; rows.len()]),
            false => {
                let reader = self.reader();
                let Self { system, state, inputs, work, .. } = self;
                let read = |moved: &_| reader.read(system, moved);
                let found = by_wrenches(system, state, inputs, &rows, Some(&read), work);
                let readings = found.map_or_else(|| DMatrix::zeros(0, rows.len()), |own| own.readings);
                let forces = decided.force_deviations(&measured.sigma, energy);
                (decided.deviations(&readings, &stiffness, energy), forces)
            }
        };
        let mut frame = self.record(index, Seen::Found, &deviations);
        self.record_markers(&mut frame, index, measured, Some((&forces, &force_deviations)));
        frame.energy = if exact { 0.0 } else { energy };
        frame.misfit = if exact { 0.0 } else { decided.misfit() };
        frame.freedom = rows.len() as f64 - decided.degrees();
        if exact {
            let gaps = rows.iter().zip(shift).map(|(row, shift)| (row.gap + shift).abs());
            frame.noise = gaps.fold(0.0, f64::max);
        }
        let tails = decided.left_out(&measured.groups);
        let surprises = tails.iter().zip(&measured.groups).map(|(chi, group)| match exact || group.is_empty() {
            true => (f64::NAN, f64::NAN),
            false => (*chi, chi_squared_above(*chi, group.len() as f64)),
        });
        Ok(Estimate { frame, surprises: surprises.collect() })
    }
}

fn stiffness(measured: &Measured, energy: f64) -> Vec<f64> {
    measured.sigma.iter().map(|sigma| energy / (sigma * sigma)).collect()
}
