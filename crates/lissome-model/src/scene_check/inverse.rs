//! Whether an inverse job names what is there.

use crate::invalid::{Invalid, Problem, check};
use crate::{InverseJob, Scene, Wanted};

/// Directions shorter than this are none.
const NO_DIRECTION: f64 = 1e-9;

impl Scene {
    /// Everything that targets and free drives name is there, and numbers are in order.
    pub(crate) fn validate_inverse(&self, job: &InverseJob) -> Result<(), Invalid> {
        for target in &job.targets {
            let path = format!("target.{}", target.name);
            check::positive(format_args!("{path}.weight"), target.weight)?;
            for course in target.output.courses() {
                course.validate(&path, job.end)?;
            }
            if let Some(frame) = target.output.frame() {
                self.validate_frame(format_args!("{path}.of"), frame)?;
            }
            let there = match &target.output {
                Wanted::TendonTension { tendon, .. } | Wanted::TendonLength { tendon, .. } => {
                    *tendon < self.tendons.len()
                }
                Wanted::CableTension { cable, .. } | Wanted::CableLength { cable, .. } => *cable < self.cables.len(),
                Wanted::SpringPull { spring, .. } => *spring < self.springs.len(),
                Wanted::Force { rod, .. } => *rod < self.rods.len(),
                _ => true,
            };
            if !there || target.output.courses().is_empty() {
                let reason = "names nothing that can be wanted".into();
                return Err(Invalid::new(path, Problem::Contradiction { reason }));
            }
            if let Wanted::Direction { along, .. } = &target.output {
                let short = |t: f64| along.iter().map(|own| own.at(t).powi(2)).sum::<f64>().sqrt() < NO_DIRECTION;
                if (0..job.samples).any(|index| short(job.moment(index))) {
                    let reason = "a direction has a length above zero at every moment".into();
                    return Err(Invalid::new(path, Problem::Contradiction { reason }));
                }
            }
        }
        for free in &job.free {
            let Some(drive) = self.drives.get(free.drive) else {
                let reason = "a free drive is none of the scene's".into();
                return Err(Invalid::new("free", Problem::Contradiction { reason }));
            };
            let path = format!("free.{}", drive.path);
            if free.weight < 0.0 || free.weight.is_nan() {
                return Err(Invalid::new(format!("{path}.weight"), Problem::Negative { value: free.weight }));
            }
            check::finite(format_args!("{path}.rest"), free.rest)?;
            let (low, high) = free.limits;
            let value = drive.signal.at(0.0);
            if low >= high || !(low..=high).contains(&value) {
                let interval = format!("[{low}, {high}], its limits, where the search begins");
                return Err(Invalid::new(format!("{path}.limits"), Problem::OutOfRange { value, interval }));
            }
        }
        Ok(())
    }
}
