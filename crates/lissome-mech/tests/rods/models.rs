//! The rod models, and what the tests need to try them: random numbers, shapes, a dense matrix that takes blocks.

use lissome_lie::{Pose, Rotation, Twist};
use lissome_mech::index::Node;
use lissome_mech::rod::{MovingRod, Rod, RodNodes};
use lissome_mech::sink::BlockSink;
use lissome_model::*;
use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};

/// Small deterministic generator: tests must not depend on a library's stream.
pub struct Random(pub u64);
impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
    pub fn twist(&mut self, size: f64) -> Twist {
        Twist::new(self.vector(), self.vector()) * size
    }
    pub fn pose(&mut self) -> Pose {
        Pose::new(Rotation::exp(&self.vector()), self.vector())
    }
    /// Symmetric positive definite, nothing zero: no formula may rely on a diagonal matrix.
    pub fn definite(&mut self, diagonal: [f64; 6]) -> Matrix6<f64> {
        let x = Matrix6::from_fn(|_, _| 0.2 * self.next());
        Matrix6::from_diagonal(&Vector6::from(diagonal)) + x * x.transpose()
    }
}

/// A rod model under test.
pub struct Model {
    pub name: String,
    /// How it becomes unknowns, with this many pieces.
    pub with: fn(usize, usize) -> Discretization,
    pub degree: usize,
    /// α of its sections.
    pub stiffening: f64,
}

/// Every rod model.
pub fn models() -> Vec<Model> {
    let model = |name: &str, with, degree, stiffening| Model {
        name: format!("{name} of degree {degree}"),
        with,
        degree,
        stiffening,
    };
    let mut all: Vec<Model> = (1..=5).map(|degree| model("mixed spline", mixed, degree, 0.0)).collect();
    all.extend((1..=5).map(|degree| model("displacement form", displacement, degree, 0.0)));
    all.push(model("linear-strain elements", linear_strain, 1, 0.0));
    all.push(model("mixed spline of stiffening sections", mixed, 3, 0.4));
    all
}

/// These and rods on strain bases, whose poses follow: for what is asked of any rod. Their tangents and motions are tested where
/// poses have something to follow (`tests/tangent.rs`, `tests/columns.rs`, `tests/strain_bases.rs` of `lissome-solve`).
pub fn all_models() -> Vec<Model> {
    let basis = |name: &str, with| Model { name: name.into(), with, degree: 1, stiffening: 0.0 };
    let mut all = models();
    all.push(basis("constant strains", constant));
    all.push(basis("continuous linear strains", linear));
    all.push(basis("Legendre strains", legendre));
    all.push(basis("Legendre strains of other orders", other_legendre));
    all
}

fn constant(_: usize, pieces: usize) -> Discretization {
    let functions = StrainFunctions::Constant { on: [true; 6] };
    Discretization::StrainBasis { functions, resolution: Resolution::Spans(pieces) }
}

fn linear(_: usize, pieces: usize) -> Discretization {
    let functions = StrainFunctions::Linear { on: [true; 6] };
    Discretization::StrainBasis { functions, resolution: Resolution::Spans(pieces) }
}

fn legendre(_: usize, pieces: usize) -> Discretization {
    let functions = StrainFunctions::Legendre { orders: [3; 6] };
    Discretization::StrainBasis { functions, resolution: Resolution::Spans(pieces) }
}

fn other_legendre(_: usize, pieces: usize) -> Discretization {
    let functions = StrainFunctions::Legendre { orders: [3, 2, 3, 1, 0, 3] };
    Discretization::StrainBasis { functions, resolution: Resolution::Spans(pieces) }
}

/// Those that move in time.
pub fn moving_models() -> Vec<Model> {
    models().into_iter().filter(|model| model.rod(2, &mut Random(1)).moving().is_some()).collect()
}

fn mixed(degree: usize, pieces: usize) -> Discretization {
    Discretization::Spline { degree, resolution: Resolution::Spans(pieces), form: StrainForm::Mixed }
}

fn displacement(degree: usize, pieces: usize) -> Discretization {
    Discretization::Spline { degree, resolution: Resolution::Spans(pieces), form: StrainForm::Printed }
}

fn linear_strain(_: usize, pieces: usize) -> Discretization {
    Discretization::LinearStrain { resolution: Resolution::Spans(pieces) }
}

impl Model {
    /// A rod of full, coupled stiffness and mass that tapers and is curved without stress.
    pub fn scene_rod(&self, pieces: usize, random: &mut Random) -> lissome_model::Rod {
        let section = |random: &mut Random, scale: f64| Section::Given {
            stiffness: random.definite([1.3, 2.0, 3.0, 50.0, 30.0, 20.0]) * scale,
            mass: random.definite([0.3, 0.2, 0.25, 1.0, 1.0, 1.0]) * scale,
            damping: 0.1,
            radius: 0.01,
        };
        let length = 1.7;
        lissome_model::Rod {
            name: "rod".into(),
            length,
            profile: Profile::taper(section(random, 1.0), section(random, 0.7), length),
            natural: NaturalShape::curved(random.vector()),
            base: Some(random.pose().into()),
            tip: None,
            turns: Vector3::zeros(),
            laid: Vec::new(),
            initial_velocity: None,
            tubes: None,
            discretization: (self.with)(self.degree, pieces),
        }
    }

    pub fn compile(&self, model: &lissome_model::Rod) -> Rod {
        // A break inside, so that knots of multiplicity p are among them.
        match Rod::compile(model, "rod.rod", &[0.6], Vec::new()).unwrap() {
            Rod::Mixed(rod) => Rod::Mixed(rod.stiffened(self.stiffening).unwrap()),
            other => other,
        }
    }

    pub fn rod(&self, pieces: usize, random: &mut Random) -> Rod {
        self.compile(&self.scene_rod(pieces, random))
    }
}

pub fn moving(rod: &Rod) -> MovingRod<'_> {
    rod.moving().unwrap()
}

/// Control poses near a bent rod.
pub fn poses(rod: &Rod, random: &mut Random) -> Vec<Pose> {
    let knots = rod.curve().knot_vector();
    let bend = lissome_lie::Strain::new(random.vector(), Vector3::x() + random.vector() * 0.1);
    let base = random.pose();
    (0..rod.curve().pose_count()).map(|i| base.advance(&bend, knots.greville(i)).boxplus(&random.twist(0.1))).collect()
}

/// Every pose moved along its part of x, times h.
pub fn moved(poses: &[Pose], x: &DVector<f64>, h: f64) -> Vec<Pose> {
    poses.iter().zip(twists(x)).map(|(g, z)| g.boxplus(&(z * h))).collect()
}

pub fn twists(x: &DVector<f64>) -> Vec<Twist> {
    x.as_slice().chunks_exact(6).map(|c| Twist::from_vector(&Vector6::from_column_slice(c))).collect()
}

/// Nodes of a rod by itself: its poses, then its stresses.
pub struct OwnNodes {
    pose: Vec<Option<Node>>,
    stress: Vec<Node>,
}

impl OwnNodes {
    pub fn new(rod: &Rod) -> Self {
        let poses = rod.curve().pose_count();
        let stresses = if rod.has_independent_stress() { rod.stress_count() } else { 0 };
        Self {
            pose: (0..poses).map(|m| Some(Node::new(m))).collect(),
            stress: (poses..poses + stresses).map(Node::new).collect(),
        }
    }
    pub fn view(&self) -> RodNodes<'_> {
        RodNodes { pose: &self.pose, stress: &self.stress }
    }
    pub fn rows(&self) -> usize {
        6 * (self.pose.len() + self.stress.len())
    }
}

/// A dense matrix that takes blocks.
pub struct Dense(pub DMatrix<f64>);
impl Dense {
    pub fn new(rows: usize) -> Self {
        Self(DMatrix::zeros(rows, rows))
    }
}
impl BlockSink for Dense {
    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        self.add_general(row, column, block);
        if row != column {
            self.add_general(column, row, &block.transpose());
        }
    }
    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        let mut view = self.0.fixed_view_mut::<6, 6>(6 * row.index(), 6 * column.index());
        view += block;
    }
}

/// Central differences over h: h² truncation and 1e-16/h round-off leave about 1e-9.
pub const H: f64 = 1e-5;
pub const DIFFERENCES: f64 = 1e-7;
