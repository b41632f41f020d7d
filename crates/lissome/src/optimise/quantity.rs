//! What a formula of an optimisation may name: outputs of the equilibrium, free numbers, and what a designer asks of the scene itself.

use crate::robot::solved::Solved;
use lissome_io::optimise_fault::OptimiseFault;
use lissome_io::scene::SceneNumber;
use lissome_io::{DerivativeFault, Diagnostic, Fault, LoadedScene};
use lissome_model::{FreeNumber, Profile, Rod, Scene, Section, Shape};

/// The power of the mean that stands for a largest value: of n places it lies at most n^(1/p) above it.
const PEAK_POWER: f64 = 64.0;
/// Places along a rod at which stresses are looked at, both ends included.
const PEAK_PLACES: usize = 21;
/// Rows of the wrench at one place.
const WRENCH: usize = 6;

/// Part of a free number by which it is moved to see what moves with it.
const NUDGE: f64 = 1e-3;

/// Something that a formula names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Quantity {
    /// A free number, by its index.
    Free(usize),
    /// An output of the equilibrium.
    Output { path: String, rows: usize },
    /// What the scene itself tells.
    Scene(OfScene),
    /// A smooth largest value along a rod.
    Peak(Peak),
    /// A number of the file that is not free.
    Fixed(f64),
}

/// What the scene tells without its equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfScene {
    RodVolume(usize),
    RodMass(usize),
    BodyMass(usize),
    Volume,
    Mass,
}

/// The largest fibre strain or stress of a rod, smoothed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Peak {
    rod: usize,
    /// Stress in Pa rather than strain.
    stress: bool,
    /// Arc lengths.
    places: Vec<f64>,
    name: String,
}

impl Quantity {
    /// What a path names.
    pub fn find(
        path: &str,
        free: &[FreeNumber],
        loaded: &LoadedScene,
        solved: &Solved,
    ) -> Result<Self, Box<Diagnostic>> {
        let plain = path.trim();
        let identity = loaded.identity(plain);
        let without_family = plain.split_once('.').map_or(plain, |(_, rest)| rest);
        let is_free = |own: &FreeNumber| {
            own.path == plain || own.path == without_family || loaded.identity(&own.path) == identity
        };
        if let Some(index) = free.iter().position(is_free) {
            return Ok(Self::Free(index));
        }
        // A component may be called by its letter or its index, and what is like another part has its numbers.
        let number = loaded.numbers(plain).ok().filter(|numbers| numbers.len() == 1).map(|mut one| one.remove(0));
        if let Some(index) = number.as_ref().and_then(|number| free.iter().position(|own| own.path == number.path)) {
            return Ok(Self::Free(index));
        }
        let scene = &*solved.scene;
        for name in [plain, plain.strip_prefix("rod.").or(plain.strip_prefix("body.")).unwrap_or(plain)] {
            if let Some(found) = of_scene(scene, name) {
                return Ok(found);
            }
        }
        match solved.outputs(&[plain], None) {
            Ok(rows) => Ok(Self::Output { path: plain.to_owned(), rows: rows.len() }),
            Err(told) => match number {
                Some(number) => match moves_with(plain, number.value, free, loaded) {
                    Some(index) => Ok(Self::Free(index)),
                    None if is_overruled(&number, loaded) => {
                        let fault = OptimiseFault::Overruled { path: plain.to_owned() };
                        Err(Box::new(Diagnostic::new(Fault::Optimise(fault))))
                    }
                    None => Ok(Self::Fixed(number.value)),
                },
                None => Err(told),
            },
        }
    }

    /// Names of the outputs that it is made from.
    pub fn outputs(&self) -> Vec<String> {
        match self {
            Self::Output { path, .. } => vec![path.clone()],
            Self::Peak(peak) => peak.outputs(),
            Self::Free(_) | Self::Scene(_) | Self::Fixed(_) => Vec::new(),
        }
    }

    /// How many rows its outputs have.
    pub fn output_rows(&self) -> usize {
        match self {
            Self::Output { rows, .. } => *rows,
            Self::Peak(peak) => WRENCH * peak.places.len(),
            Self::Free(_) | Self::Scene(_) | Self::Fixed(_) => 0,
        }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        match self {
            Self::Output { rows, .. } => *rows,
            _ => 1,
        }
    }

    /// True if it depends on the scene beside its outputs.
    pub fn is_of_scene(&self) -> bool {
        matches!(self, Self::Scene(_) | Self::Peak(_))
    }

    /// Its rows.
    pub fn read(&self, scene: &Scene, free: &[f64], outputs: &[f64]) -> Vec<f64> {
        match self {
            Self::Free(index) => vec![free[*index]],
            Self::Output { .. } => outputs.to_vec(),
            Self::Scene(of) => vec![of.read(scene)],
            Self::Peak(peak) => vec![peak.read(scene, outputs)],
            Self::Fixed(value) => vec![*value],
        }
    }

    /// Derivatives of its only row by the rows of its outputs, for those that are made from outputs.
    pub fn by_outputs(&self, scene: &Scene, outputs: &[f64]) -> Vec<f64> {
        match self {
            Self::Peak(peak) => peak.by_outputs(scene, outputs),
            _ => Vec::new(),
        }
    }
}

/// The free number that a number of the file follows, since its part is like another one.
fn moves_with(path: &str, value: f64, free: &[FreeNumber], loaded: &LoadedScene) -> Option<usize> {
    let start: Vec<f64> = free.iter().map(|own| own.start).collect();
    (0..free.len()).find(|index| {
        let mut moved = start.clone();
        let (low, high) = free[*index].limits;
        let ahead = start[*index] + NUDGE * start[*index].abs().max(NUDGE);
        moved[*index] = if ahead <= high { ahead } else { (start[*index] - NUDGE * start[*index].abs()).max(low) };
        let there = loaded.with_values(free, &moved, true).ok();
        let seen = there.and_then(|there| there.numbers(path).ok()).and_then(|numbers| Some(numbers.first()?.value));
        seen.is_some_and(|seen| seen != value)
    })
}

/// True if another value of the number would change nothing: something else, such as a drive, stands in its place.
fn is_overruled(number: &SceneNumber, loaded: &LoadedScene) -> bool {
    let by = NUDGE * if number.value == 0.0 { 1.0 } else { number.value };
    loaded.with_number(number, number.value + by).is_ok_and(|scene| scene == loaded.scene)
}

fn of_scene(scene: &Scene, name: &str) -> Option<Quantity> {
    match name {
        "volume" => return Some(Quantity::Scene(OfScene::Volume)),
        "mass" => return Some(Quantity::Scene(OfScene::Mass)),
        _ => {}
    }
    let (part, what) = name.rsplit_once('.')?;
    if let Some(rod) = scene.rods.iter().position(|rod| rod.name == part) {
        return match what {
            "volume" => Some(Quantity::Scene(OfScene::RodVolume(rod))),
            "mass" => Some(Quantity::Scene(OfScene::RodMass(rod))),
            // Tubes share their curvature and turn against each other: their stresses are not those of one section.
            "peak_strain" | "peak_stress" if scene.rods[rod].tubes.is_none() => {
                let own = &scene.rods[rod];
                let stress = what == "peak_stress";
                let given = own.profile.stations.iter().any(|at| matches!(at.section, Section::Given { .. }));
                if stress && given {
                    return None;
                }
                let places = (0..PEAK_PLACES).map(|k| own.length * k as f64 / (PEAK_PLACES - 1) as f64).collect();
                Some(Quantity::Peak(Peak { rod, stress, places, name: own.name.clone() }))
            }
            _ => None,
        };
    }
    let body = scene.bodies.iter().position(|body| body.name == part)?;
    (what == "mass").then_some(Quantity::Scene(OfScene::BodyMass(body)))
}

/// Names that a designer may use beside the outputs, for hints.
pub(super) fn names(scene: &Scene) -> Vec<String> {
    let rods = scene.rods.iter().flat_map(|rod| {
        let peaks = if rod.tubes.is_none() {
            &["volume", "mass", "peak_strain", "peak_stress"][..]
        } else {
            &["volume", "mass"]
        };
        peaks.iter().map(|what| format!("{}.{what}", rod.name))
    });
    let bodies = scene.bodies.iter().map(|body| format!("{}.mass", body.name));
    rods.chain(bodies).chain(["mass".to_owned(), "volume".to_owned()]).collect()
}

/// A complaint about a name with the nearest of all names.
pub(super) fn with_nearest(told: Diagnostic, path: &str, scene: &Scene) -> Diagnostic {
    let Fault::Derivative(DerivativeFault::UnknownOutput { path: unknown, nearest }) = told.fault else { return told };
    let own = names(scene);
    let other = lissome_io::nearest::nearest(path, own.iter().map(String::as_str)).map(str::to_owned);
    let fault = DerivativeFault::UnknownOutput { path: unknown, nearest: nearest.or(other) };
    Diagnostic { fault: Fault::Derivative(fault), ..told }
}

impl OfScene {
    fn read(self, scene: &Scene) -> f64 {
        match self {
            Self::RodVolume(rod) => volume(&scene.rods[rod]),
            Self::RodMass(rod) => mass(&scene.rods[rod]),
            Self::BodyMass(body) => scene.bodies[body].inertia.mass,
            Self::Volume => scene.rods.iter().map(volume).sum(),
            Self::Mass => {
                let bodies: f64 = scene.bodies.iter().map(|body| body.inertia.mass).sum();
                bodies + scene.rods.iter().map(mass).sum::<f64>()
            }
        }
    }
}

/// Volume of a rod, m³; of tubes what reaches beyond the entry.
fn volume(rod: &Rod) -> f64 {
    if let Some(set) = &rod.tubes {
        return set.tubes.iter().map(|tube| tube.shape().area() * tube.insertion).sum();
    }
    let area = |section: &Section| match section {
        Section::Layers { layers, .. } => layers.iter().map(|layer| layer.shape.area()).sum(),
        Section::Given { .. } => std::f64::consts::PI * section.outer_radius().powi(2),
    };
    integral(&rod.profile, rod.length, area)
}

/// Mass of a rod, kg; of tubes what reaches beyond the entry.
fn mass(rod: &Rod) -> f64 {
    if let Some(set) = &rod.tubes {
        let of =
            |tube: &lissome_model::Tube| tube.material.density.unwrap_or(0.0) * tube.shape().area() * tube.insertion;
        return set.tubes.iter().map(of).sum();
    }
    integral(&rod.profile, rod.length, |section| section.mass()[(3, 3)])
}

/// ∫ f ds. Sizes are linear between stations, so that areas are polynomials of the second degree: Simpson's rule is exact.
fn integral(profile: &Profile, length: f64, f: impl Fn(&Section) -> f64) -> f64 {
    if let [alone] = profile.stations.as_slice() {
        return f(&alone.section) * length;
    }
    let piece = |pair: &[lissome_model::Station]| {
        let (a, b) = (pair[0].s, pair[1].s);
        let middle = if b > a { f(&profile.at(0.5 * (a + b))) } else { 0.0 };
        (b - a) / 6.0 * (f(&pair[0].section) + 4.0 * middle + f(&pair[1].section))
    };
    profile.stations.windows(2).map(piece).sum()
}

/// Modulus (1 for strain) and farthest distances along z and y of one layer; round ones have the same everywhere.
struct Fibre {
    modulus: f64,
    round: bool,
    across: [f64; 2],
}

impl Peak {
    fn outputs(&self) -> Vec<String> {
        let of = |s: &f64| ["moment", "force"].map(|field| format!("{}.at({s:?}).{field}", self.name));
        self.places.iter().flat_map(of).collect()
    }

    fn fibres(&self, section: &Section) -> Vec<Fibre> {
        match section {
            Section::Given { .. } => {
                let radius = section.outer_radius();
                vec![Fibre { modulus: 1.0, round: true, across: [radius; 2] }]
            }
            Section::Layers { layers, .. } => (layers.iter())
                .map(|layer| {
                    let modulus = if self.stress { layer.material.young } else { 1.0 };
                    match layer.shape {
                        Shape::Rectangle { width, height } => {
                            Fibre { modulus, round: false, across: [0.5 * height, 0.5 * width] }
                        }
                        _ => Fibre { modulus, round: true, across: [layer.shape.outer_radius(); 2] },
                    }
                })
                .collect(),
        }
    }

    /// Largest value in each layer at each place: stretch and bending at the farthest fibre, E(|N|/EA + r|κ|); with its derivatives
    /// by the wrench there.
    fn values(&self, scene: &Scene, outputs: &[f64]) -> Vec<(usize, f64, [f64; WRENCH])> {
        let mut all = Vec::new();
        for (place, s) in self.places.iter().enumerate() {
            let wrench = &outputs[WRENCH * place..WRENCH * (place + 1)];
            let section = scene.rods[self.rod].profile.at(*s);
            let stiffness = section.stiffness();
            let (about_y, about_z, axial) = (stiffness[(1, 1)], stiffness[(2, 2)], stiffness[(3, 3)]);
            let (y, z, stretch) = (wrench[1] / about_y, wrench[2] / about_z, wrench[3] / axial);
            let bend = y.hypot(z);
            for Fibre { modulus, round, across } in self.fibres(&section) {
                let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
                let (value, by_y, by_z) = match round {
                    true if bend > 0.0 => (across[0] * bend, across[0] * y / bend, across[0] * z / bend),
                    true => (0.0, 0.0, 0.0),
                    false => (across[0] * y.abs() + across[1] * z.abs(), across[0] * sign(y), across[1] * sign(z)),
                };
                let mut by = [0.0; WRENCH];
                by[1] = modulus * by_y / about_y;
                by[2] = modulus * by_z / about_z;
                by[3] = modulus * sign(stretch) / axial;
                all.push((place, modulus * (stretch.abs() + value), by));
            }
        }
        all
    }

    fn read(&self, scene: &Scene, outputs: &[f64]) -> f64 {
        power_mean(&self.values(scene, outputs)).0
    }

    fn by_outputs(&self, scene: &Scene, outputs: &[f64]) -> Vec<f64> {
        let values = self.values(scene, outputs);
        let (mean, _) = power_mean(&values);
        let mut by = vec![0.0; outputs.len()];
        for (place, value, slopes) in &values {
            let part = if mean > 0.0 { (value / mean).powf(PEAK_POWER - 1.0) } else { 0.0 };
            for (row, slope) in slopes.iter().enumerate() {
                by[WRENCH * place + row] += part * slope;
            }
        }
        by
    }
}

/// (Σ v^p)^(1/p), and the largest.
fn power_mean(values: &[(usize, f64, [f64; WRENCH])]) -> (f64, f64) {
    let largest = values.iter().fold(0.0f64, |most, (_, value, _)| most.max(*value));
    if largest == 0.0 {
        return (0.0, 0.0);
    }
    let sum: f64 = values.iter().map(|(_, value, _)| (value / largest).powf(PEAK_POWER)).sum();
    (largest * sum.powf(1.0 / PEAK_POWER), largest)
}
