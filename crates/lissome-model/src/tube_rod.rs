//! A set of tubes as the rod that it is: length, sections and natural shape follow from the tubes.

use crate::invalid::{Invalid, Problem};
use crate::tubes::COINCIDENT;
use crate::{Discretization, Frame, NaturalShape, Rod, StrainForm, TubeSet};

impl TubeSet {
    /// The rod that these tubes are, beyond the entry: its length and sections follow from them.
    pub fn rod(self, name: impl Into<String>, entry: Frame, discretization: Discretization) -> Rod {
        Rod {
            name: name.into(),
            length: self.length(),
            profile: self.profile(),
            natural: NaturalShape::Straight,
            base: Some(entry),
            discretization,
            tubes: Some(self),
            ..Rod::default()
        }
    }
}

impl Rod {
    /// Moves a tube of a rod of tubes in or out; length and sections follow.
    pub(crate) fn insert_tube(&mut self, tube: usize, insertion: f64) {
        if let Some(tubes) = &mut self.tubes
            && let Some(tube) = tubes.tubes.get_mut(tube)
        {
            tube.insertion = insertion;
            (self.length, self.profile) = (tubes.length(), tubes.profile());
        }
    }

    /// A rod of tubes has what follows from them, stands on its entry and has stresses of its own.
    pub(crate) fn validate_tubes(&self, path: &str, tubes: &TubeSet) -> Result<(), Invalid> {
        tubes.validate(path)?;
        let refuse = |key: &str, reason: &str| {
            Err(Invalid::new(format!("{path}.{key}"), Problem::Contradiction { reason: reason.into() }))
        };
        if self.base.is_none() {
            let need = "tubes leave a guide somewhere: say what holds their entry".into();
            return Err(Invalid::new(format!("{path}.entry"), Problem::Missing { need }));
        }
        if self.natural != NaturalShape::Straight || self.turns.norm() > 0.0 {
            return refuse("shape", "belongs to the tubes: each has a curvature and a rotation of its own");
        }
        if (self.length - tubes.length()).abs() > COINCIDENT * self.length || self.profile != tubes.profile() {
            return refuse("length", "and sections of a tube set follow from its tubes: make it with `TubeSet::rod`");
        }
        match self.discretization {
            Discretization::Spline { form: StrainForm::Mixed, degree, .. } if degree >= 2 => Ok(()),
            Discretization::Spline { form: StrainForm::Mixed, .. } => {
                refuse("model.spline.degree", "must be 2 or more: angles of tubes are splines of the same degree")
            }
            Discretization::Spline { form: StrainForm::Printed, .. } => {
                refuse("model.spline.form", "has no stresses of its own, which tubes need: leave it out")
            }
            Discretization::LinearStrain { .. } => {
                refuse("model.linear_strain", "has no splines that the angles of tubes could be: use `spline`")
            }
            Discretization::StrainBasis { .. } => {
                refuse("model.strain_basis", "has no stresses of its own, which tubes need: use `spline`")
            }
        }
    }
}
