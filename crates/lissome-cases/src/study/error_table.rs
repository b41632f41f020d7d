//! Errors against the oracle over degree and control poses, held against a published-grade table.

use crate::error::CaseError;
use crate::report::Row;
use crate::solved::Solved;
use crate::table::Table;
use crate::template;
use crate::truth::{self, TruePoses};
use lissome::lie::gauss_legendre;
use lissome::solve::StaticOptions;
use serde::Deserialize;

/// Errors over degree and control poses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorTable {
    scene: String,
    /// Columns: `degree`, `control_poses`, `integral_error` (∫‖g ⊟ g_t‖ ds), `tip_error` (m).
    table: String,
    /// Settings `path=value` of the scene with `{degree}` and `{control_poses}` to fill.
    set: Vec<String>,
    /// Words for the form that is tested.
    form: String,
    /// How many times the table's error is still good.
    times: f64,
}

/// Cells of the composite Gauss rule on which ∫‖g ⊟ g_t‖ ds is taken: the integrand has kinks where a component of the
/// error changes sign, about once a span, and the finest rod has 58 spans.
const CELLS: usize = 200;
const POINTS_PER_CELL: usize = 3;

impl ErrorTable {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let table = Table::read(&format!("{folder}/{}", self.table))?;
        let mut truth: Option<(TruePoses, Vec<f64>)> = None;
        let mut rows = Vec::new();
        for line in table.lines() {
            let settings = template::fill_all(&self.set, &|column| line.cell(column).map(str::to_owned))?;
            let scene = template::scene(&format!("{folder}/{}", self.scene), &settings)?;
            let (degree, poses) = (line.need("degree")?, line.need("control_poses")?);
            let name = format!("{}, degree {degree}, {poses} poses", self.form);
            let (truth, weights) = match &mut truth {
                Some(truth) => truth,
                // The exact rod does not depend on how ours is discretised.
                empty => empty.insert(quadrature_truth(&scene)?),
            };
            let solved = Solved::new(scene, &StaticOptions::default())?.converged(&name)?;
            let deviations = truth.deviations(&solved);
            let integral: f64 = deviations.iter().zip(weights.iter()).map(|(e, w)| e * w).sum();
            let tip = truth.poses.last().copied().unwrap_or_default();
            let tip_error = (solved.tip().position - tip.position).norm();
            for (column, words, figure) in
                [("integral_error", "∫‖g⊟g_t‖ds", integral), ("tip_error", "tip error, m", tip_error)]
            {
                let expected = line.need(column)?;
                let quantity = format!("{name}: {words}, times the table's");
                rows.push(Row::within(quantity, expected, figure, figure / expected, self.times));
            }
        }
        Ok(rows)
    }
}

/// The oracle at the points of the composite rule, with the weights; the tip comes last with none.
fn quadrature_truth(scene: &lissome::model::Scene) -> Result<(TruePoses, Vec<f64>), CaseError> {
    let length = scene.rods[0].length;
    let cell = length / CELLS as f64;
    let (mut arc, mut weights) = (Vec::new(), Vec::new());
    for k in 0..CELLS {
        for point in gauss_legendre(POINTS_PER_CELL) {
            arc.push(cell * (k as f64 + point.abscissa));
            weights.push(cell * point.weight);
        }
    }
    arc.push(length);
    weights.push(0.0);
    let exact = truth::follow_from_natural(scene)?;
    Ok((TruePoses::from_oracle_at(&exact, arc), weights))
}
