//! Cross-sections: geometry and material in, stiffness and mass per length out.
//!
//! The rod's tangent is the section's x axis; y and z are principal axes of the layers.
//! Stiffness is K = diag(GJ, EI_y, EI_z, EA, kGA, kGA) on (κ − κ₀, ε − ε₀), shear factor k = 1 unless given.

use crate::Material;
use crate::invalid::{Invalid, Problem, check};
use nalgebra::{Matrix6, Vector6};
use std::fmt::Display;

/// The outline of one layer of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Shape {
    /// Full disc.
    Circle { radius: f64 },
    /// Ring.
    Annulus { inner: f64, outer: f64 },
    /// Full rectangle, `width` along y, `height` along z.
    Rectangle { width: f64, height: f64 },
}

/// One material within an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Outline.
    pub shape: Shape,
    /// Material.
    pub material: Material,
}

/// A cross-section.
// A scene holds a handful of sections: a box around the two matrices would save nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Section {
    /// One layer, or a core and its sheath: stiffnesses add, since every section turns as one.
    Layers {
        /// The layers; they must not overlap.
        layers: Vec<Layer>,
        /// Shear factor k on GA; 1 leaves GA as it is.
        shear_factor: f64,
    },
    /// A measured or designed stiffness.
    Given {
        /// Symmetric positive definite, (moment, force) per (curvature, stretch).
        stiffness: Matrix6<f64>,
        /// Mass matrix per length; zero if mass plays no part.
        mass: Matrix6<f64>,
        /// Kelvin–Voigt time constant, s.
        damping: f64,
        /// Radius for drawing and contact, m; 0 if it is not given.
        radius: f64,
    },
}

/// Scenes are compared with each other for every number that something is differentiated by, and matrices are most of them: as slices
/// they are compared several times as fast as by their iterators.
impl PartialEq for Section {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Layers { layers, shear_factor }, Self::Layers { layers: others, shear_factor: other_factor }) => {
                shear_factor == other_factor && layers == others
            }
            (
                Self::Given { stiffness, mass, damping, radius },
                Self::Given {
                    stiffness: other_stiffness,
                    mass: other_mass,
                    damping: other_damping,
                    radius: other_radius,
                },
            ) => {
                damping == other_damping
                    && radius == other_radius
                    && stiffness.as_slice() == other_stiffness.as_slice()
                    && mass.as_slice() == other_mass.as_slice()
            }
            (Self::Layers { .. }, Self::Given { .. }) | (Self::Given { .. }, Self::Layers { .. }) => false,
        }
    }
}

/// The section at one arc length.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Arc length, m.
    pub s: f64,
    /// Section there.
    pub section: Section,
}

/// How the section varies along the rod: dimensions are linear between stations; two stations at the
/// same arc length make a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// In increasing order of s, the first at 0 and the last at the rod's length; one station alone is uniform.
    pub stations: Vec<Station>,
}

impl Shape {
    /// Area A, m².
    pub fn area(&self) -> f64 {
        use std::f64::consts::PI;
        match *self {
            Self::Circle { radius } => PI * radius * radius,
            Self::Annulus { inner, outer } => PI * (outer * outer - inner * inner),
            Self::Rectangle { width, height } => width * height,
        }
    }

    /// Second moments about y and z, m⁴.
    pub fn second_moments(&self) -> (f64, f64) {
        use std::f64::consts::PI;
        match *self {
            Self::Circle { radius } => {
                let i = PI * radius.powi(4) / 4.0;
                (i, i)
            }
            Self::Annulus { inner, outer } => {
                let i = PI * (outer.powi(4) - inner.powi(4)) / 4.0;
                (i, i)
            }
            Self::Rectangle { width, height } => (width * height.powi(3) / 12.0, height * width.powi(3) / 12.0),
        }
    }

    /// Torsion constant J, m⁴: polar moment of a round section, Saint-Venant's series for a rectangle.
    pub fn torsion_constant(&self) -> f64 {
        match *self {
            Self::Rectangle { width, height } => rectangle_torsion_constant(width, height),
            _ => {
                let (iy, iz) = self.second_moments();
                iy + iz
            }
        }
    }

    /// Distance of the farthest point from the axis, m.
    pub fn outer_radius(&self) -> f64 {
        match *self {
            Self::Circle { radius } => radius,
            Self::Annulus { outer, .. } => outer,
            Self::Rectangle { width, height } => 0.5 * width.hypot(height),
        }
    }

    /// Diagonal of K of this outline alone.
    fn stiffness(&self, material: &Material, shear_factor: f64) -> Vector6<f64> {
        let (iy, iz) = self.second_moments();
        let (a, j) = (self.area(), self.torsion_constant());
        let (e, g) = (material.young, material.shear);
        Vector6::new(g * j, e * iy, e * iz, e * a, shear_factor * g * a, shear_factor * g * a)
    }

    fn validate(&self, path: impl Display) -> Result<(), Invalid> {
        match *self {
            Self::Circle { radius } => check::positive(format_args!("{path}.radius"), radius),
            Self::Annulus { inner, outer } => {
                check::positive(format_args!("{path}.outer"), outer)?;
                check::positive(format_args!("{path}.inner"), inner)?;
                if inner >= outer {
                    return Err(Invalid::new(
                        format!("{path}.inner"),
                        Problem::Contradiction {
                            reason: format!("is {inner} m, not inside the outer radius {outer} m"),
                        },
                    ));
                }
                Ok(())
            }
            Self::Rectangle { width, height } => {
                check::positive(format_args!("{path}.width"), width)?;
                check::positive(format_args!("{path}.height"), height)
            }
        }
    }

    /// The diagonal of the mass per length; without a density there is none.
    fn mass(&self, material: &Material) -> Vector6<f64> {
        let ((iy, iz), area) = (self.second_moments(), self.area());
        Vector6::new(iy + iz, iy, iz, area, area, area) * material.density.unwrap_or(0.0)
    }

    fn blend(&self, other: &Self, u: f64) -> Option<Self> {
        let mix = |a: f64, b: f64| a + (b - a) * u;
        match (*self, *other) {
            (Self::Circle { radius: a }, Self::Circle { radius: b }) => Some(Self::Circle { radius: mix(a, b) }),
            (Self::Annulus { inner: a, outer: b }, Self::Annulus { inner: c, outer: d }) => {
                Some(Self::Annulus { inner: mix(a, c), outer: mix(b, d) })
            }
            (Self::Rectangle { width: a, height: b }, Self::Rectangle { width: c, height: d }) => {
                Some(Self::Rectangle { width: mix(a, c), height: mix(b, d) })
            }
            _ => None,
        }
    }
}

/// Σ n⁻⁵ over odd n: 31/32 ζ(5).
const ODD_FIFTH_POWERS: f64 = 1.004_523_762_795_139_6;

/// Saint-Venant: J = a b³ [1/3 − (64/π⁵)(b/a) Σ_{n odd} tanh(nπa/2b)/n⁵] with a ≥ b the full sides. The sum is the one
/// without tanh less Σ (1 − tanh)/n⁵, whose terms fall as e^(−nπ): twelve reach the last digit.
fn rectangle_torsion_constant(width: f64, height: f64) -> f64 {
    use std::f64::consts::PI;
    let (a, b) = (width.max(height), width.min(height));
    let missing: f64 = (0..12)
        .map(|k| {
            let n = f64::from(2 * k + 1);
            2.0 / ((n * PI * a / b).exp() + 1.0) / n.powi(5)
        })
        .sum();
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * (ODD_FIFTH_POWERS - missing))
}

impl Section {
    /// One layer of one material.
    pub fn plain(shape: Shape, material: Material) -> Self {
        Self::Layers { layers: vec![Layer { shape, material }], shear_factor: 1.0 }
    }

    /// A round section.
    pub fn circle(radius: f64, material: Material) -> Self {
        Self::plain(Shape::Circle { radius }, material)
    }

    /// K, (moment, force) per (curvature, stretch).
    pub fn stiffness(&self) -> Matrix6<f64> {
        match self {
            Self::Given { stiffness, .. } => *stiffness,
            Self::Layers { layers, shear_factor } => {
                let stiffness = |layer: &Layer| layer.shape.stiffness(&layer.material, *shear_factor);
                Matrix6::from_diagonal(&layers.iter().map(stiffness).sum())
            }
        }
    }

    /// The smaller of the two bending stiffnesses, N·m².
    pub fn soft_bending(&self) -> f64 {
        match self {
            Self::Given { stiffness, .. } => stiffness[(1, 1)].min(stiffness[(2, 2)]),
            Self::Layers { layers, .. } => {
                let (about_y, about_z) = layers.iter().fold((0.0, 0.0), |sum, Layer { shape, material }| {
                    let (iy, iz) = shape.second_moments();
                    (sum.0 + material.young * iy, sum.1 + material.young * iz)
                });
                about_y.min(about_z)
            }
        }
    }

    /// Mass matrix per length, (angular, linear) momentum per (angular, linear) velocity; a layer
    /// without density counts as massless.
    pub fn mass(&self) -> Matrix6<f64> {
        match self {
            Self::Given { mass, .. } => *mass,
            Self::Layers { layers, .. } => {
                let mass = layers.iter().fold(Vector6::zeros(), |sum, layer| sum + layer.shape.mass(&layer.material));
                Matrix6::from_diagonal(&mass)
            }
        }
    }

    /// Kelvin–Voigt stiffness: Σ damping × elastic stiffness of each layer.
    pub fn viscosity(&self) -> Matrix6<f64> {
        match self {
            Self::Given { stiffness, damping, .. } => stiffness * *damping,
            Self::Layers { layers, shear_factor } => layers
                .iter()
                .map(|l| {
                    Self::Layers { layers: vec![*l], shear_factor: *shear_factor }.stiffness() * l.material.damping
                })
                .sum(),
        }
    }

    /// Distance of the farthest point from the axis, m; of a given stiffness without radius, that of a round section with
    /// the same ratio of stiffnesses.
    pub fn outer_radius(&self) -> f64 {
        match self {
            // A full disc whose stiffnesses are in the same ratio has r² = 4 EI/EA.
            Self::Given { radius: 0.0, stiffness, .. } => {
                2.0 * (stiffness[(1, 1)].max(stiffness[(2, 2)]) / stiffness[(3, 3)]).sqrt()
            }
            Self::Given { radius, .. } => *radius,
            Self::Layers { layers, .. } => layers.iter().map(|l| l.shape.outer_radius()).fold(0.0, f64::max),
        }
    }

    /// True if a density (or a mass matrix) is given.
    pub fn has_mass(&self) -> bool {
        self.mass()[(3, 3)] > 0.0
    }

    /// True if it is known how a turning section resists: rotary inertia about all axes.
    pub fn has_rotary_inertia(&self) -> bool {
        let mass = self.mass();
        (0..3).all(|axis| mass[(axis, axis)] > 0.0)
    }

    /// Refuses impossible geometry and stiffness.
    pub fn validate(&self, path: impl Display) -> Result<(), Invalid> {
        match self {
            Self::Layers { layers, shear_factor } => {
                if layers.is_empty() {
                    return Err(Invalid::new(
                        path.to_string(),
                        Problem::Count { found: 0, need: "a section needs a layer".into() },
                    ));
                }
                check::positive(format_args!("{path}.shear_factor"), *shear_factor)?;
                for layer in layers {
                    layer.shape.validate(&path)?;
                    layer.material.validate(format_args!("{path}.material"))?;
                }
                Ok(())
            }
            Self::Given { stiffness, mass, damping, radius } => {
                let path_k = || format!("{path}.stiffness");
                if stiffness.iter().chain(mass.iter()).any(|x| !x.is_finite()) {
                    return Err(Invalid::new(path_k(), Problem::NotFinite));
                }
                let asymmetry = (stiffness - stiffness.transpose()).amax();
                if asymmetry > 1e-9 * stiffness.amax() || stiffness.cholesky().is_none() {
                    return Err(Invalid::new(path_k(), Problem::NotPositiveDefinite));
                }
                check::not_negative(format_args!("{path}.damping"), *damping)?;
                check::not_negative(format_args!("{path}.radius"), *radius)
            }
        }
    }

    fn blend(&self, other: &Self, u: f64) -> Option<Self> {
        match (self, other) {
            (Self::Layers { layers: a, shear_factor: ka }, Self::Layers { layers: b, shear_factor: kb }) => {
                if a.len() != b.len() {
                    return None;
                }
                let layers = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| Some(Layer { shape: a.shape.blend(&b.shape, u)?, material: a.material }))
                    .collect::<Option<Vec<_>>>()?;
                Some(Self::Layers { layers, shear_factor: ka + (kb - ka) * u })
            }
            (
                Self::Given { stiffness: k0, mass: m0, damping: d0, radius: r0 },
                Self::Given { stiffness: k1, mass: m1, damping: d1, radius: r1 },
            ) => Some(Self::Given {
                stiffness: k0 + (k1 - k0) * u,
                mass: m0 + (m1 - m0) * u,
                damping: d0 + (d1 - d0) * u,
                radius: r0 + (r1 - r0) * u,
            }),
            _ => None,
        }
    }
}

impl Profile {
    /// The same section everywhere.
    pub fn uniform(section: Section) -> Self {
        Self { stations: vec![Station { s: 0.0, section }] }
    }

    /// Dimensions linear from the root to the tip.
    pub fn taper(root: Section, tip: Section, length: f64) -> Self {
        Self { stations: vec![Station { s: 0.0, section: root }, Station { s: length, section: tip }] }
    }

    /// The section at arc length s; at a step, the side that `s` approaches from inside is up to the caller
    /// (s exactly on the step gives the far side).
    pub fn at(&self, s: f64) -> Section {
        let after = self.stations.partition_point(|station| station.s <= s);
        match (after.checked_sub(1).and_then(|i| self.stations.get(i)), self.stations.get(after)) {
            (Some(a), Some(b)) if b.s > a.s => {
                a.section.blend(&b.section, (s - a.s) / (b.s - a.s)).unwrap_or_else(|| a.section.clone())
            }
            (Some(a), _) => a.section.clone(),
            (None, Some(b)) => b.section.clone(),
            (None, None) => unreachable!("a validated profile has a station"),
        }
    }

    /// Number of the piece between stations that arc length s lies in, as [`Self::at`] takes it.
    pub fn piece_at(&self, s: f64) -> usize {
        self.stations.partition_point(|station| station.s <= s)
    }

    /// True if the section is the same all along a piece.
    pub fn is_even(&self, piece: usize) -> bool {
        let ends = self.stations[..piece].last().zip(self.stations.get(piece));
        ends.is_none_or(|(from, to)| from.section == to.section)
    }

    /// The diagonal of the stiffness at arc length s where the layers between two stations couple no strains with each
    /// other, and `None` elsewhere: what [`Self::at`] answers, without a section in between.
    pub fn layered_stiffness(&self, s: f64) -> Option<Vector6<f64>> {
        self.layered(s, |shape, material, shear_factor| shape.stiffness(material, shear_factor))
    }

    /// The same of the mass.
    pub fn layered_mass(&self, s: f64) -> Option<Vector6<f64>> {
        self.layered(s, |shape, material, _| shape.mass(material))
    }

    /// The sum over the layers between two stations.
    fn layered(&self, s: f64, of: impl Fn(&Shape, &Material, f64) -> Vector6<f64>) -> Option<Vector6<f64>> {
        let after = self.stations.partition_point(|station| station.s <= s);
        let (a, b) = (self.stations.get(after.checked_sub(1)?)?, self.stations.get(after)?);
        let Section::Layers { layers: first, shear_factor: from } = &a.section else { return None };
        let Section::Layers { layers: second, shear_factor: to } = &b.section else { return None };
        if first.len() != second.len() {
            return None;
        }
        let u = (s - a.s) / (b.s - a.s);
        let shear_factor = from + (to - from) * u;
        let mut sum = Vector6::zeros();
        for (own, other) in first.iter().zip(second) {
            sum += of(&own.shape.blend(&other.shape, u)?, &own.material, shear_factor);
        }
        Some(sum)
    }

    /// Interior arc lengths where the section steps.
    pub fn steps(&self) -> Vec<f64> {
        self.stations.windows(2).filter(|w| w[0].s == w[1].s).map(|w| w[0].s).collect()
    }

    /// True if every station has mass.
    pub fn has_mass(&self) -> bool {
        self.stations.iter().all(|station| station.section.has_mass())
    }

    /// Refuses impossible sections and tables that do not cover the rod.
    pub fn validate(&self, path: impl Display, length: f64) -> Result<(), Invalid> {
        let (Some(first), Some(last)) = (self.stations.first(), self.stations.last()) else {
            return Err(Invalid::new(
                path.to_string(),
                Problem::Count { found: 0, need: "a rod needs at least one section".into() },
            ));
        };
        for station in &self.stations {
            check::finite(format_args!("{path}.s"), station.s)?;
            station.section.validate(&path)?;
        }
        if self.stations.len() == 1 {
            return Ok(());
        }
        let tolerance = 1e-9 * length;
        if first.s.abs() > tolerance || (last.s - length).abs() > tolerance {
            return Err(Invalid::new(
                path.to_string(),
                Problem::Contradiction {
                    reason: format!("covers s = {} to {} m, but the rod is {length} m long", first.s, last.s),
                },
            ));
        }
        for w in self.stations.windows(2) {
            if w[1].s < w[0].s {
                return Err(Invalid::new(
                    path.to_string(),
                    Problem::Contradiction {
                        reason: format!("stations are not in order: {} m comes after {} m", w[1].s, w[0].s),
                    },
                ));
            }
            if w[1].s > w[0].s && w[0].section.blend(&w[1].section, 0.5).is_none() {
                return Err(Invalid::new(
                    path.to_string(),
                    Problem::Contradiction {
                        reason: format!(
                            "changes shape between s = {} and {} m: give two stations at the same s for a step",
                            w[0].s, w[1].s
                        ),
                    },
                ));
            }
        }
        Ok(())
    }
}
