//! How large the equations of a scene become, before they are made.

use lissome_model::{Discretization, NaturalShape, Resolution, Rod, RodKnots, Scene, StrainFunctions};

/// How large the equations of a rod are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// True for a chain of linear-strain elements, which its spans then are.
    pub linear_strain: bool,
    /// Functions of a strain basis, whose segments the spans then are, and how many coordinates a segment adds.
    pub strain_basis: Option<(StrainFunctions, usize)>,
    /// Polynomial degree.
    pub degree: usize,
    /// Knot spans; `None` if a tolerance decides.
    pub spans: Option<usize>,
    /// Control poses; `None` if a tolerance decides.
    pub control_poses: Option<usize>,
    /// How far apart two coupled blocks can stand.
    pub half_bandwidth: usize,
}

impl Size {
    /// Size of a rod's spline: spans + degree poses, and more where a point load or a step breaks the curve.
    pub fn of(scene: &Scene, rod_index: usize) -> Self {
        Self::with_places(&scene.rods[rod_index], &scene.places_on(rod_index))
    }

    /// Of every rod of a scene.
    pub fn of_all(scene: &Scene) -> Vec<Self> {
        scene.rods.iter().zip(scene.places_by_rod()).map(|(rod, places)| Self::with_places(rod, &places)).collect()
    }

    /// Of a rod with loads and attachments at these places.
    fn with_places(rod: &Rod, places: &[f64]) -> Self {
        let degree = rod.discretization.degree();
        let linear_strain = matches!(rod.discretization, Discretization::LinearStrain { .. });
        let mixed = rod.discretization.has_independent_stress();
        let strain_basis = match rod.discretization {
            Discretization::StrainBasis { functions, .. } => {
                let on = functions.orders().iter().filter(|order| **order > 0).count();
                let lines = matches!(functions, StrainFunctions::Linear { .. });
                Some((functions, if lines { on } else { functions.orders().iter().sum() }))
            }
            _ => None,
        };
        let half_bandwidth = if mixed { 2 * degree } else { degree };
        let open = matches!(rod.discretization.resolution(), Resolution::Tolerance(_))
            && !matches!(rod.natural, NaturalShape::ControlPoses(_));
        let knots = if open { None } else { rod.knots(places).ok() };
        let (spans, control_poses) = (knots.as_ref().map(RodKnots::spans), knots.as_ref().map(RodKnots::poses));
        // All coordinates of a rod couple.
        let half_bandwidth = match (strain_basis, spans) {
            (Some((_, each)), Some(segments)) => (each * segments).div_ceil(6),
            _ => half_bandwidth,
        };
        Self { linear_strain, strain_basis, degree, spans, control_poses, half_bandwidth }
    }

    /// In words, such as `cubic spline, 15 control poses`.
    pub fn words(&self) -> String {
        if let Some((functions, _)) = self.strain_basis {
            let kind = match functions {
                StrainFunctions::Constant { .. } => "constant strain".into(),
                StrainFunctions::Linear { .. } => "linear strain, continuous".into(),
                StrainFunctions::Legendre { orders } => {
                    format!("Legendre strains of order {}", orders.into_iter().fold(0, usize::max))
                }
            };
            return match self.spans {
                Some(1) => format!("{kind}, 1 segment"),
                Some(segments) => format!("{kind}, {segments} segments"),
                None => format!("{kind}, as many segments as the tolerance needs"),
            };
        }
        if self.linear_strain {
            return match self.spans {
                Some(elements) => format!("{elements} linear-strain elements"),
                None => "linear-strain elements, as many as the tolerance needs".into(),
            };
        }
        let degree = match self.degree {
            1 => "linear",
            2 => "quadratic",
            3 => "cubic",
            4 => "quartic",
            _ => "quintic",
        };
        match self.control_poses {
            Some(poses) => format!("{degree} spline, {poses} control poses"),
            None => format!("{degree} spline, as many poses as the tolerance needs"),
        }
    }
}
