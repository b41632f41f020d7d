//! The shape of a rod from the poses of its ends, one pair per line of a table.

use crate::error::CaseError;
use crate::report::Row;
use crate::table::{Line, Table};
use crate::template;
use lissome::lie::{Pose, Rotation};
use lissome::shape::comparison::largest_distance;
use lissome::shape::{ElasticRod, Ends, Method, Options, Quadrature, Shape as Solved, Winding, solve};
use nalgebra::Vector3;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Bars on figures, each by its name.
type Bars = BTreeMap<Figure, f64>;

/// One shape per line of a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    scene: String,
    /// Columns: `name`; `turn_*`, the rotation vector from base to tip; `tip_*`; expected figures. `spatial` marks lines
    /// out of the plane.
    table: String,
    method: MethodName,
    /// |measured − expected|/|expected| at most.
    #[serde(default)]
    within_relative: Bars,
    #[serde(default)]
    at_most: Bars,
    /// At most so many times the expected figure.
    #[serde(default)]
    at_most_times_expected: Bars,
    /// On lines marked `spatial`.
    #[serde(default)]
    at_least_in_space: Bars,
}

/// How a shape is found, by name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum MethodName {
    PrintedThreePoint,
    Printed,
    Cubic,
    Quartic,
    Quintic,
    Exact,
}

impl MethodName {
    /// The method.
    pub fn method(self) -> Method {
        match self {
            Self::PrintedThreePoint => Method::Printed { quadrature: Quadrature::Printed },
            Self::Printed => Method::PRINTED,
            Self::Cubic => Method::Energy { degree: 3, segments: 0 },
            Self::Quartic => Method::Energy { degree: 4, segments: 0 },
            Self::Quintic => Method::QUINTIC,
            Self::Exact => Method::Exact,
        }
    }
}

/// What a shape is judged by.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
enum Figure {
    /// Largest distance from the exact rod, m.
    PositionError,
    /// Largest rotation against the exact rod, rad.
    RotationError,
    Iterations,
    /// J.
    Energy,
    /// Of the base moment against the table, relative.
    MomentError,
    /// Of the base force against the table, relative.
    ForceError,
    /// Largest distance from the table's points at a quarter, half and three quarters, m.
    PointError,
    /// Of the tip against where it must be, rad and m over the length.
    TipMisfit,
    /// How many times nearer to the exact rod than the printed method, in position and rotation.
    GainOverPrinted,
}

impl Figure {
    fn words(self) -> &'static str {
        match self {
            Self::PositionError => "largest position error / m",
            Self::RotationError => "largest rotation error / rad",
            Self::Iterations => "iterations",
            Self::Energy => "elastic energy / J",
            Self::MomentError => "moment at the base, relative error",
            Self::ForceError => "force at the base, relative error",
            Self::PointError => "points along the rod, error / m",
            Self::TipMisfit => "tip against its pose",
            Self::GainOverPrinted => "times nearer than the printed method",
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::PositionError => "position_error",
            Self::RotationError => "rotation_error",
            Self::Iterations => "iterations",
            Self::Energy => "energy",
            _ => "",
        }
    }
}

/// The rod of a scene and the pair of ends of a line, with the total turn to follow.
pub fn problem(rod: &ElasticRod, line: &Line<'_>) -> Result<(Ends, Options), CaseError> {
    let turn = vector(line, "turn")?;
    let tip = Pose::new(Rotation::exp(&turn), vector(line, "tip")?);
    let name = line.cell("name").unwrap_or_default();
    let ends = Ends::relative(tip).map_err(|error| CaseError::shape(name, &error))?;
    debug_assert!(rod.length() > 0.0, "an elastic rod has a length");
    Ok((ends, Options { winding: Winding::Given(turn), ..Options::default() }))
}

/// The first rod of a scene.
pub fn rod_of(folder: &str, scene: &str) -> Result<ElasticRod, CaseError> {
    let scene = template::scene(&format!("{folder}/{scene}"), &[])?;
    let rod = scene.rods.first().ok_or(CaseError::TooFew { what: "rods", found: 0, need: 1 })?;
    ElasticRod::from_rod(rod).map_err(|error| CaseError::shape(&rod.name, &error))
}

fn vector(line: &Line<'_>, name: &str) -> Result<Vector3<f64>, CaseError> {
    Ok(Vector3::new(
        line.need(&format!("{name}_x"))?,
        line.need(&format!("{name}_y"))?,
        line.need(&format!("{name}_z"))?,
    ))
}

/// A line's shapes.
struct Measured {
    shape: Solved,
    exact: Solved,
    printed: Option<Solved>,
    ends: Ends,
}

impl Measured {
    fn new(rod: &ElasticRod, line: &Line<'_>, method: Method) -> Result<Self, CaseError> {
        let (ends, options) = problem(rod, line)?;
        let name = line.cell("name").unwrap_or_default();
        let with = |method: Method| {
            solve(rod, &ends, &Options { method, ..options }).map_err(|error| CaseError::shape(name, &error))
        };
        Ok(Self { shape: with(method)?, exact: with(Method::Exact)?, printed: with(Method::PRINTED).ok(), ends })
    }

    fn figure(&self, figure: Figure, line: &Line<'_>) -> Result<f64, CaseError> {
        let errors = |shape: &Solved| largest_distance(shape, &self.exact);
        Ok(match figure {
            Figure::PositionError => errors(&self.shape).position,
            Figure::RotationError => errors(&self.shape).rotation,
            Figure::Iterations => self.shape.iterations() as f64,
            Figure::Energy => self.shape.energy,
            Figure::MomentError => {
                let expected = vector(line, "moment")?;
                (self.shape.wrench_on_base().moment - expected).norm() / expected.norm()
            }
            Figure::ForceError => {
                let expected = vector(line, "force")?;
                (self.shape.wrench_on_base().force - expected).norm() / expected.norm()
            }
            Figure::PointError => {
                let mut worst = 0.0_f64;
                for (tau, name) in [(0.25, "quarter"), (0.5, "middle"), (0.75, "last")] {
                    worst = worst.max((self.shape.pose(tau).position - vector(line, name)?).norm());
                }
                worst
            }
            Figure::TipMisfit => {
                let gap = self.shape.pose(1.0).boxminus(&self.ends.tip);
                gap.angular.amax().max(gap.linear.amax() / self.shape.rod().length())
            }
            Figure::GainOverPrinted => self.printed.as_ref().map_or(f64::NAN, |printed| {
                let (printed, here) = (errors(printed), errors(&self.shape));
                (printed.position / here.position).min(printed.rotation / here.rotation)
            }),
        })
    }
}

impl Shape {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let rod = rod_of(folder, &self.scene)?;
        let table = Table::read(&format!("{folder}/{}", self.table))?;
        let mut rows = Vec::new();
        for line in table.lines() {
            self.line(&rod, &line, &mut rows)?;
        }
        Ok(rows)
    }

    fn line(&self, rod: &ElasticRod, line: &Line<'_>, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let measured = Measured::new(rod, line, self.method.method())?;
        let name = line.cell("name").unwrap_or_default();
        let title = |figure: Figure| format!("{name}, {}: {}", self.method.method().name(), figure.words());
        for (figure, tolerance) in &self.within_relative {
            let (value, expected) = (measured.figure(*figure, line)?, line.need(figure.column())?);
            let error = (value / expected - 1.0).abs();
            rows.push(Row::within(format!("{}, relative", title(*figure)), expected, value, error, *tolerance));
        }
        for (figure, bar) in &self.at_most {
            rows.push(Row::at_most(format!("{}, at most", title(*figure)), measured.figure(*figure, line)?, *bar));
        }
        for (figure, times) in &self.at_most_times_expected {
            let bar = times * line.need(figure.column())?;
            rows.push(Row::at_most(format!("{}, at most", title(*figure)), measured.figure(*figure, line)?, bar));
        }
        if line.cell("spatial").is_some() {
            for (figure, bar) in &self.at_least_in_space {
                rows.push(Row::at_least(
                    format!("{}, at least", title(*figure)),
                    measured.figure(*figure, line)?,
                    *bar,
                ));
            }
        }
        Ok(())
    }
}
