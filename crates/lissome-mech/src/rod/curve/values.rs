//! What a curve owes to material and shape: sections and natural strain at its points. No discretisation.

use super::Curve;
use super::kernel::PointBasis;
use super::layout::Layout;
use crate::rod::section::{Elastic, SectionAt};
use lissome_lie::dual::{DualVector, ExpMap};
use lissome_model::{NaturalShape, Profile, Rod};
use nalgebra::{Matrix6, Vector3};
use std::sync::Arc;

/// Material and shape at a quadrature point.
#[derive(Clone, Debug)]
pub struct PointValues {
    /// Natural strain ξ₀.
    pub natural: DualVector,
    /// The section, which points share where it is the same.
    pub section: Arc<Sectional>,
}

/// What is read of a section.
#[derive(Clone, Debug)]
pub struct Sectional {
    /// K and K⁻¹.
    pub elastic: Elastic,
    /// M_s, mass per length.
    pub mass: Matrix6<f64>,
}

impl Sectional {
    fn read(profile: &Profile, s: f64) -> Self {
        if let (Some(stiffness), Some(mass)) = (profile.layered_stiffness(s), profile.layered_mass(s)) {
            return Self { elastic: Elastic::uncoupled(&stiffness), mass: Matrix6::from_diagonal(&mass) };
        }
        let section = SectionAt::read(profile, s);
        Self { elastic: section.elastic(), mass: section.mass() }
    }

    /// Mass per length, kg/m.
    pub fn line_density(&self) -> f64 {
        self.mass[(3, 3)]
    }
}

/// Material and shape of a rod, as they are asked for.
#[derive(Clone, Debug)]
pub struct Values {
    /// Sections along the rod, which curves share where they are the same.
    pub profile: Arc<Profile>,
    /// Shape without stress.
    pub natural: Natural,
    /// One for each quadrature point.
    pub points: Vec<PointValues>,
    /// Smallest bending stiffness at the points, N·m².
    pub soft_bending: f64,
    /// Smallest stiffness against stretch at the points, N.
    pub soft_stretching: f64,
}

/// The shape without stress.
#[derive(Clone, Debug)]
pub struct Natural {
    /// As the model has it.
    pub shape: NaturalShape,
    /// Increments of its control poses; empty if it has none.
    increments: Vec<DualVector>,
    /// Full turns on the way from base to tip that a start has on top: about the tangent, and about y and z.
    pub turns: Vector3<f64>,
    /// Points of the line that a start lies on, in the frame of the base; none if it has the natural shape.
    pub laid: Vec<Vector3<f64>>,
}

impl Values {
    /// Reads a model at the points of its layout. What a curve that is known has in common with it is taken from there.
    pub fn read(rod: &Rod, layout: &Layout, known: Option<&Curve>) -> Self {
        let known_values = known.map(|known| &known.values);
        let shape = known_values.filter(|known| known.natural.shape == rod.natural);
        let profile = known_values.filter(|known| *known.profile == rod.profile);
        let natural = Natural::new(rod, shape.map(|known| &known.natural));
        // At the same points, the same sections and the same shape have the same values.
        let has_points = known.is_some_and(|known| known.layout.points_are_those_of(layout));
        let sections = profile.filter(|_| has_points).map(|known| &known.points);
        let strains = shape.filter(|_| has_points).map(|known| &known.points);
        let mut points = Vec::with_capacity(layout.points.len());
        // Most profiles are made of pieces along which nothing changes.
        let mut even: Option<(usize, Arc<Sectional>)> = None;
        for span in layout.spans.iter() {
            for q in span.points.clone() {
                let place = &layout.points[q];
                let section = || {
                    let piece = rod.profile.piece_at(place.s);
                    match &even {
                        Some((known, own)) if *known == piece => own.clone(),
                        _ => {
                            let own = Arc::new(Sectional::read(&rod.profile, place.s));
                            even = rod.profile.is_even(piece).then(|| (piece, own.clone()));
                            own
                        }
                    }
                };
                let strain = || natural.strain(layout.degree, span.first + layout.degree, place.s, &place.basis);
                points.push(PointValues {
                    natural: strains.map_or_else(strain, |known| known[q].natural),
                    section: sections.map_or_else(section, |known| known[q].section.clone()),
                });
            }
        }
        let bending = |q: &PointValues| q.section.elastic.stiffness[(1, 1)].min(q.section.elastic.stiffness[(2, 2)]);
        let soft_bending = points.iter().map(bending).fold(f64::INFINITY, f64::min);
        let stretching = points.iter().map(|q| q.section.elastic.stiffness[(3, 3)]);
        let soft_stretching = stretching.fold(f64::INFINITY, f64::min);
        let profile = profile.map_or_else(|| Arc::new(rod.profile.clone()), |known| known.profile.clone());
        Self { profile, natural, points, soft_bending, soft_stretching }
    }
}

impl Natural {
    /// Of a rod. One that is known may have the same shape.
    fn new(rod: &Rod, known: Option<&Self>) -> Self {
        let shape = &rod.natural;
        let increments = match (shape, known) {
            (_, Some(known)) => known.increments.clone(),
            (NaturalShape::ControlPoses(poses), _) => poses.windows(2).map(|w| w[1].boxminus(&w[0]).into()).collect(),
            (NaturalShape::Straight | NaturalShape::Curvature(_), _) => Vec::new(),
        };
        Self { shape: shape.clone(), increments, turns: rod.turns, laid: rod.laid.clone() }
    }

    /// ξ₀ at s, where the curve has this basis within a knot span.
    pub fn strain(&self, degree: usize, span: usize, s: f64, basis: &PointBasis) -> DualVector {
        match self.shape.strain_at(s) {
            Some(strain) => strain.into(),
            None => self.spline_strain(degree, span, basis),
        }
    }

    /// ξ₀ of a shape that is itself a spline.
    pub fn spline_strain(&self, degree: usize, span: usize, basis: &PointBasis) -> DualVector {
        spline_strain(&self.increments[span - degree..][..degree], basis)
    }
}

/// ξ of the spline with the given increments.
pub fn spline_strain(psi: &[DualVector], basis: &PointBasis) -> DualVector {
    let mut xi = psi[0] * basis.slope[0];
    for (i, psi) in psi.iter().enumerate().skip(1) {
        xi = ExpMap::at(*psi * basis.value[i]).transport(&xi) + *psi * basis.slope[i];
    }
    xi
}
