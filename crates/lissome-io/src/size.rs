//! How large the equations of a scene become, before they are made.

use lissome_lie::{Break, open_uniform_knots};
use lissome_model::{Discretization, LoadKind, NaturalShape, Resolution, Scene};

/// How large the equations of a rod are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// True for a chain of linear-strain elements, which its spans then are.
    pub linear_strain: bool,
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
        let rod = &scene.rods[rod_index];
        let (degree, resolution) = (rod.discretization.degree(), rod.discretization.resolution());
        let linear_strain = matches!(rod.discretization, Discretization::LinearStrain { .. });
        let mixed = rod.discretization.has_independent_stress();
        let half_bandwidth = if mixed { 2 * degree } else { degree };
        let spans = match (&rod.natural, resolution) {
            (NaturalShape::ControlPoses(poses), _) => poses.len().saturating_sub(degree),
            (_, Resolution::Spans(spans)) => spans,
            (_, Resolution::Tolerance { .. }) => {
                return Self { linear_strain, degree, spans: None, control_poses: None, half_bandwidth };
            }
        };
        let mut knots = Vec::new();
        let made = open_uniform_knots(degree, rod.length, spans, &breaks(scene, rod_index, degree), &mut knots);
        let control_poses = made.is_ok().then(|| knots.len().saturating_sub(degree + 1));
        knots.dedup();
        let spans = made.is_ok().then(|| knots.len() - 1);
        Self { linear_strain, degree, spans, control_poses, half_bandwidth }
    }

    /// In words, such as `cubic spline, 15 control poses`.
    pub fn words(&self) -> String {
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

/// Arc lengths inside a rod where its stress or strain is not smooth: steps of section or natural shape, what is attached
/// there, point loads, and the ends of distributed ones.
pub fn jumps(scene: &Scene, rod_index: usize) -> Vec<f64> {
    let rod = &scene.rods[rod_index];
    let loads = scene.loads.iter().filter(|load| load.rod == rod_index).flat_map(|load| match load.kind {
        LoadKind::Point { at, .. } => vec![at],
        LoadKind::Distributed { from, to, .. } => vec![from, to],
    });
    // Jumps nearer than this to an end or to each other are one.
    let near = 1e-8 * rod.length;
    let attached = scene.stations(rod_index);
    let mut at: Vec<f64> = loads.chain(attached).chain(rod.profile.steps()).chain(rod.natural.steps()).collect();
    at.retain(|s| *s > near && *s < rod.length - near);
    at.sort_by(f64::total_cmp);
    at.dedup_by(|a, b| *a - *b < near);
    at
}

fn breaks(scene: &Scene, rod_index: usize, degree: usize) -> Vec<Break> {
    jumps(scene, rod_index).into_iter().map(|at| Break { at, multiplicity: degree }).collect()
}
