//! What cables, springs and tendons measure from: the natural state.

use crate::kind::{Kinds, each_at_rest};
use crate::system::System;
use lissome_model::{Invalid, Problem, Scene};

impl System {
    /// Tells what is measured from the natural state where that is. Where tensions are given it is but the size that legs of no
    /// length are told by, and that of a system beside this one serves as well.
    pub(super) fn note_natural_state(&mut self, scene: &Scene, beside: Option<&System>) -> Result<(), Invalid> {
        let Kinds { tension_cables, length_cables, springs, tendons, .. } = &mut self.values.kinds;
        let measures = !(length_cables.is_empty() && springs.is_empty() && tendons.is_empty());
        if let (false, Some(beside)) = (measures, beside) {
            for (own, other) in tension_cables.iter_mut().zip(&beside.values.kinds.tension_cables) {
                own.set_natural_length(other.law.natural_length);
            }
            return Ok(());
        }
        if tension_cables.is_empty() && !measures {
            return Ok(());
        }
        let natural = self.natural_state();
        each_at_rest!(&mut self.values.kinds, |kind| {
            kind.set_at_rest(&natural);
        });
        let lengths: Vec<f64> = self.tendon_states(&natural).iter().map(|own| own.length).collect();
        for (line, length) in self.values.kinds.tendons.iter_mut().zip(lengths) {
            line.law.natural_length = length;
        }
        for tendon in &mut self.values.kinds.length_tendons {
            tendon.line.law.natural_length = self.values.kinds.tendons[tendon.line.tendon].law.natural_length;
        }
        for cable in &self.values.kinds.length_cables {
            let left = cable.law.full_target(&self.values.nominal);
            if left <= 0.0 {
                let natural = cable.law.natural_length;
                let interval = format!("(-inf, {natural:.6}): the cable's path has that length at rest");
                let path = format!("cable.{}.pull", scene.cables[cable.cable].name);
                return Err(Invalid::new(path, Problem::OutOfRange { value: natural - left, interval }));
            }
        }
        Ok(())
    }
}
