//! Concentric tubes: nested pre-curved tubes on one centreline that slide and turn in each other.
//!
//! A tube set is a rod whose sections are tubes. The rod begins at the *entry*, where the guide ends (the frame of
//! [`crate::Rod::base`]), and its frame is that of the innermost tube. Behind the entry every tube is straight in its
//! guide; there its base turns and pushes it. Sections are round; between tubes there is neither play nor friction.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | L_j | length of tube j | [`Tube::length`] | m |
//! | β_j | place of its base, 0 at the entry and negative behind it | [`Tube::base_place`] | m |
//! | L_j + β_j | how far it reaches beyond the entry | [`Tube::insertion`] | m |
//! | α_j | turn of its base about the tangent at the entry | [`Tube::rotation`] | rad |
//! | z_j | natural curvature in the tube's own section axes | [`Tube::curvature_at`] | 1/m |

use crate::invalid::{Invalid, Problem, check};
use crate::{Material, Profile, Section, Shape, Station};
use nalgebra::{Matrix6, Vector2, Vector6};
use std::fmt::Display;

/// More tubes than this are refused: the angles of all but the innermost stand in one block of six unknowns.
pub const MAX_TUBES: usize = 7;
/// More tubes than this are refused where they may tilt.
pub const MAX_TILTING: usize = 3;
/// Places nearer than this part of the length are one.
pub(crate) const COINCIDENT: f64 = 1e-9;

/// The tubes of one robot, from the innermost outward.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TubeSet {
    /// The innermost first. It reaches farthest, in front and behind.
    pub tubes: Vec<Tube>,
    /// How they move against each other.
    pub relative: Relative,
}

/// How tubes move against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relative {
    /// They turn about the common tangent: sections stay parallel.
    #[default]
    Torsion,
    /// They turn in any way: sections may tilt, against the shear stiffness of the tube.
    General,
}

/// One tube.
#[derive(Clone, Debug, PartialEq)]
pub struct Tube {
    /// Name, unique in its set.
    pub name: String,
    /// Material.
    pub material: Material,
    /// Inner diameter, m; zero for a wire.
    pub inner_diameter: f64,
    /// Outer diameter, m.
    pub outer_diameter: f64,
    /// Measured bending stiffness EI, N·m²; `None` for that of material and diameters.
    pub bending_stiffness: Option<f64>,
    /// Measured torsional stiffness GJ, N·m²; `None` for that of material and diameters.
    pub torsion_stiffness: Option<f64>,
    /// Whole length, m: the straight transmission first, then the curved part up to the tip.
    pub length: f64,
    /// Length of the curved part, m; zero for a straight tube.
    pub curved_length: f64,
    /// Natural curvature about y and z of the tube's own section, 1/m, over the arc length from where the curved part
    /// begins: linear between the entries, a step where two have the same arc length, uniform if there is one alone.
    pub curvature: Vec<(f64, Vector2<f64>)>,
    /// How far the tube reaches beyond the entry, m. Drives may change it.
    pub insertion: f64,
    /// Turn of its base about the tangent at the entry, rad. Drives may change it.
    pub rotation: f64,
}

impl Default for Tube {
    /// A straight tube whose dimensions are still to be given: [`TubeSet::validate`] refuses it as it is.
    fn default() -> Self {
        Self {
            name: String::new(),
            material: Material::from_poisson(0.0, 0.3),
            inner_diameter: 0.0,
            outer_diameter: 0.0,
            bending_stiffness: None,
            torsion_stiffness: None,
            length: 0.0,
            curved_length: 0.0,
            curvature: Vec::new(),
            insertion: 0.0,
            rotation: 0.0,
        }
    }
}

impl Tube {
    /// β: place of its base, 0 at the entry and negative behind it, m.
    pub fn base_place(&self) -> f64 {
        self.insertion - self.length
    }

    /// Length of the straight transmission between its base and the entry, |β|, m.
    pub fn transmission(&self) -> f64 {
        self.length - self.insertion
    }

    /// Arc length from the entry where its natural curvature begins, m; negative while that is still in the guide.
    pub fn curvature_start(&self) -> f64 {
        self.insertion - self.curved_length
    }

    /// Its outline.
    pub fn shape(&self) -> Shape {
        match self.inner_diameter {
            0.0 => Shape::Circle { radius: 0.5 * self.outer_diameter },
            inner => Shape::Annulus { inner: 0.5 * inner, outer: 0.5 * self.outer_diameter },
        }
    }

    /// EI, N·m².
    pub fn bending(&self) -> f64 {
        self.bending_stiffness.unwrap_or_else(|| self.material.young * self.shape().second_moments().0)
    }

    /// GJ, N·m².
    pub fn torsion(&self) -> f64 {
        self.torsion_stiffness.unwrap_or_else(|| self.material.shear * self.shape().torsion_constant())
    }

    /// EA, N.
    pub fn axial(&self) -> f64 {
        self.material.young * self.shape().area()
    }

    /// GA, N.
    pub fn shearing(&self) -> f64 {
        self.material.shear * self.shape().area()
    }

    /// Polar inertia per length ρJ, kg·m; zero without a density.
    pub fn polar_inertia(&self) -> f64 {
        self.material.density.unwrap_or(0.0) * self.shape().torsion_constant()
    }

    /// Rotary inertia per length about a diameter ρI, kg·m; zero without a density.
    pub fn rotary_inertia(&self) -> f64 {
        self.material.density.unwrap_or(0.0) * self.shape().second_moments().0
    }

    /// Natural curvature about y and z of its own section at arc length s from the entry, 1/m; zero beyond its tip and
    /// where it is straight.
    pub fn curvature_at(&self, s: f64) -> Vector2<f64> {
        let along = s - self.curvature_start();
        if along < 0.0 || s > self.insertion {
            return Vector2::zeros();
        }
        let table = &self.curvature;
        let after = table.partition_point(|(at, _)| *at <= along);
        match (after.checked_sub(1).and_then(|i| table.get(i)), table.get(after)) {
            (Some(a), Some(b)) if b.0 > a.0 => a.1 + (b.1 - a.1) * ((along - a.0) / (b.0 - a.0)),
            (Some(a), _) => a.1,
            (None, Some(b)) => b.1,
            (None, None) => Vector2::zeros(),
        }
    }

    /// Arc lengths from the entry where it ends, where its curvature begins, and where its table steps, in this order; those
    /// that are still in the guide are negative.
    pub fn breaks(&self) -> Vec<f64> {
        let start = self.curvature_start();
        let steps = self.curvature.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| start + w[0].0);
        [self.insertion, start].into_iter().chain(steps).collect()
    }

    /// Slope of its natural curvature along the tube at arc length s from the entry, 1/m²; zero where that is uniform.
    pub fn curvature_slope(&self, s: f64) -> Vector2<f64> {
        let along = s - self.curvature_start();
        if along < 0.0 || s > self.insertion {
            return Vector2::zeros();
        }
        let after = self.curvature.partition_point(|(at, _)| *at <= along);
        match (after.checked_sub(1).and_then(|i| self.curvature.get(i)), self.curvature.get(after)) {
            (Some(a), Some(b)) if b.0 > a.0 => (b.1 - a.1) / (b.0 - a.0),
            _ => Vector2::zeros(),
        }
    }

    fn validate(&self, path: impl Display) -> Result<(), Invalid> {
        let contradiction =
            |key: &str, reason: String| Err(Invalid::new(format!("{path}.{key}"), Problem::Contradiction { reason }));
        self.material.validate(format_args!("{path}.material"))?;
        check::positive(format_args!("{path}.outer_diameter"), self.outer_diameter)?;
        check::not_negative(format_args!("{path}.inner_diameter"), self.inner_diameter)?;
        if self.inner_diameter >= self.outer_diameter {
            let reason =
                format!("is {} m, not inside the outer diameter {} m", self.inner_diameter, self.outer_diameter);
            return contradiction("inner_diameter", reason);
        }
        for (key, given) in
            [("bending_stiffness", self.bending_stiffness), ("torsion_stiffness", self.torsion_stiffness)]
        {
            given.map_or(Ok(()), |value| check::positive(format_args!("{path}.{key}"), value))?;
        }
        check::positive(format_args!("{path}.length"), self.length)?;
        check::finite(format_args!("{path}.rotation"), self.rotation)?;
        self.validate_insertion(format_args!("{path}.insertion"), self.insertion)?;
        check::not_negative(format_args!("{path}.curved_length"), self.curved_length)?;
        if self.curved_length > self.length * (1.0 + COINCIDENT) {
            let reason = format!("is {} m, longer than the tube itself, {} m", self.curved_length, self.length);
            return contradiction("curved_length", reason);
        }
        if self.curvature.is_empty() != (self.curved_length == 0.0) {
            let need = "a curved part has a length and a curvature: give both or none".into();
            let key = if self.curvature.is_empty() { "curvature" } else { "curved_length" };
            return Err(Invalid::new(format!("{path}.{key}"), Problem::Missing { need }));
        }
        for (s, curvature) in &self.curvature {
            check::finite(format_args!("{path}.curvature"), *s)?;
            if curvature.iter().any(|x| !x.is_finite()) {
                return Err(Invalid::new(format!("{path}.curvature"), Problem::NotFinite));
            }
            if *s < 0.0 || *s > self.curved_length * (1.0 + COINCIDENT) {
                let interval = format!("[0, {}] m, the curved part", self.curved_length);
                return Err(Invalid::new(format!("{path}.curvature"), Problem::OutOfRange { value: *s, interval }));
            }
        }
        if self.curvature.windows(2).any(|w| w[1].0 < w[0].0) {
            return contradiction("curvature", "arc lengths are not in order".into());
        }
        Ok(())
    }

    /// Refuses an insertion that pulls the tube behind the entry or pushes its base beyond it.
    pub fn validate_insertion(&self, path: impl Display, insertion: f64) -> Result<(), Invalid> {
        check::finite(&path, insertion)?;
        if insertion > 0.0 && insertion <= self.length * (1.0 + COINCIDENT) {
            return Ok(());
        }
        let interval = format!("(0, {}] m: the tube is no longer, and it must leave its guide", self.length);
        Err(Invalid::new(path.to_string(), Problem::OutOfRange { value: insertion, interval }))
    }
}

impl TubeSet {
    /// Length beyond the entry, m: that of the innermost tube.
    pub fn length(&self) -> f64 {
        self.tubes.first().map_or(0.0, |tube| tube.insertion)
    }

    /// Number of a tube by its name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.tubes.iter().position(|tube| tube.name == name)
    }

    /// The tubes that are there at arc length s from the entry, with their numbers.
    pub fn present(&self, s: f64) -> impl Iterator<Item = (usize, &Tube)> {
        self.tubes.iter().enumerate().filter(move |(_, tube)| s < tube.insertion)
    }

    /// Arc lengths from the entry where a tube ends, its curvature begins, or a table of curvature steps: the strain may
    /// jump there. In order; those at the ends of the robot and behind the entry are left out.
    pub fn breaks(&self) -> Vec<f64> {
        let length = self.length();
        let near = COINCIDENT * length;
        let mut breaks: Vec<f64> = self.tubes.iter().flat_map(Tube::breaks).collect();
        breaks.retain(|s| *s > near && *s < length - near);
        breaks.sort_by(f64::total_cmp);
        breaks.dedup_by(|a, b| *a - *b < near);
        breaks
    }

    /// The section at one place: bending, stretch and mass of all tubes that are there, and the torsion of the innermost
    /// alone, whose frame the rod has. Further tubes turn by themselves.
    fn section_at(&self, s: f64) -> Section {
        let (mut stiffness, mut mass) = (Vector6::zeros(), Vector6::zeros());
        let (mut radius, mut damping): (f64, f64) = (0.0, 0.0);
        for (j, tube) in self.present(s) {
            let (shape, density) = (tube.shape(), tube.material.density.unwrap_or(0.0));
            let (first, (iy, iz), area) = (f64::from(u8::from(j == 0)), shape.second_moments(), shape.area());
            let (bend, stretch, shear) = (tube.bending(), tube.axial(), tube.shearing());
            stiffness += Vector6::new(first * tube.torsion(), bend, bend, stretch, shear, shear);
            // Sections that tilt have their rotary inertia at their tilts.
            let parallel = if self.relative == Relative::General { first } else { 1.0 };
            let rotary = [first * shape.torsion_constant(), parallel * iy, parallel * iz];
            mass += Vector6::new(rotary[0], rotary[1], rotary[2], area, area, area) * density;
            damping += bend * tube.material.damping;
            radius = radius.max(0.5 * tube.outer_diameter);
        }
        Section::Given {
            stiffness: Matrix6::from_diagonal(&stiffness),
            mass: Matrix6::from_diagonal(&mass),
            // One time constant for all: the mean over the bending stiffness.
            damping: damping / stiffness[1],
            radius,
        }
    }

    /// Sections along the rod, with a step where a tube ends.
    pub fn profile(&self) -> Profile {
        let length = self.length();
        let near = COINCIDENT * length;
        let mut ends: Vec<f64> = self.tubes.iter().map(|tube| tube.insertion.min(length)).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup_by(|a, b| *a - *b < near);
        let mut stations = Vec::with_capacity(2 * ends.len());
        let mut from = 0.0;
        for to in ends {
            let section = self.section_at(0.5 * (from + to));
            stations.push(Station { s: from, section: section.clone() });
            stations.push(Station { s: to, section });
            from = to;
        }
        if let Some(last) = stations.last_mut() {
            last.s = length;
        }
        Profile { stations }
    }

    /// Largest natural curvature that the tubes can have together between two places, 1/m: for the starting division.
    pub(crate) fn largest_curvature(&self, from: f64, to: f64) -> f64 {
        let places = [1e-6, 0.5, 1.0 - 1e-6].map(|part| from + part * (to - from));
        let at = |s: f64| self.present(s).map(|(_, tube)| tube.curvature_at(s).norm()).fold(0.0, f64::max);
        places.into_iter().map(at).fold(0.0, f64::max)
    }

    /// Refuses tubes that cannot be nested or inserted like that.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        if self.tubes.is_empty() || self.tubes.len() > MAX_TUBES {
            let need = format!("a set has 1 to {MAX_TUBES} tubes");
            return Err(Invalid::new(path, Problem::Count { found: self.tubes.len(), need }));
        }
        if self.relative == Relative::General && self.tubes.len() > MAX_TILTING {
            let reason = format!(
                "is `general`, which is offered for up to {MAX_TILTING} tubes, and there are {}: use `torsion`, which differs by \
                 a few (radius/length)²",
                self.tubes.len()
            );
            return Err(Invalid::new(format!("{path}.relative"), Problem::Contradiction { reason }));
        }
        for (index, tube) in self.tubes.iter().enumerate() {
            tube.validate(format_args!("{path}.tube.{}", tube.name))?;
            if self.index_of(&tube.name) != Some(index) {
                let reason = "is the name of two tubes of this set".into();
                return Err(Invalid::new(format!("{path}.tube.{}", tube.name), Problem::Contradiction { reason }));
            }
        }
        self.validate_nesting(path)?;
        self.validate_reach(path)
    }

    /// Every tube fits around the one before it.
    fn validate_nesting(&self, path: &str) -> Result<(), Invalid> {
        let mut sorted: Vec<&Tube> = self.tubes.iter().collect();
        sorted.sort_by(|a, b| a.outer_diameter.total_cmp(&b.outer_diameter));
        let fits = |inner: &Tube, outer: &Tube| outer.inner_diameter >= inner.outer_diameter;
        let any_order = sorted.windows(2).all(|w| fits(w[0], w[1]));
        if let Some(w) = self.tubes.windows(2).find(|w| !fits(&w[0], &w[1])) {
            let (inner, outer) = (&w[0], &w[1]);
            let reason = if any_order {
                let names: Vec<&str> = sorted.iter().map(|tube| tube.name.as_str()).collect();
                format!("is in the wrong order: from the innermost outward the tubes are {}", names.join(", "))
            } else {
                format!(
                    "does not fit around `{}`: its inner diameter {} m is below the outer diameter {} m, a clearance of {:.3e} m",
                    inner.name,
                    outer.inner_diameter,
                    inner.outer_diameter,
                    outer.inner_diameter - inner.outer_diameter
                )
            };
            let place = format!("{path}.tube.{}.inner_diameter", outer.name);
            return Err(Invalid::new(place, Problem::Contradiction { reason }));
        }
        Ok(())
    }

    /// The innermost tube reaches farthest in both directions: the frame of the rod is its own.
    pub(crate) fn validate_reach(&self, path: &str) -> Result<(), Invalid> {
        let Some((first, further)) = self.tubes.split_first() else { return Ok(()) };
        let near = COINCIDENT * first.length;
        for tube in further {
            let refuse = |reason: String| {
                let place = format!("{path}.tube.{}.insertion", tube.name);
                Err(Invalid::new(place, Problem::Contradiction { reason }))
            };
            if tube.insertion > first.insertion + near {
                let (own, most) = (tube.insertion, first.insertion);
                return refuse(format!("is {own} m, farther than the innermost tube `{}`, {most} m", first.name));
            }
            if tube.base_place() < first.base_place() - near {
                let (own, most) = (-tube.base_place(), -first.base_place());
                return refuse(format!(
                    "puts its base {own} m behind the entry, behind that of the innermost tube `{}`, {most} m",
                    first.name
                ));
            }
        }
        Ok(())
    }
}
