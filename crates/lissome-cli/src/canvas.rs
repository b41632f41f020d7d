//! A side view for terminals: braille dots, two by four to a character, which are very nearly square.

use lissome::io::number;
use lissome::io::report::undeformed;
use lissome::model::Scene;
use lissome::solve::Equilibrium;

/// Characters across and down.
const COLUMNS: usize = 68;
const ROWS: usize = 13;
/// Dots across and down.
const WIDTH: usize = 2 * COLUMNS;
const HEIGHT: usize = 4 * ROWS;

/// The x–z view of the rods and tendons; the unstressed shape is dotted. Empty if there is nothing to see.
pub fn side_view(scene: &Scene, equilibrium: &Equilibrium) -> String {
    let rods =
        equilibrium.rods.iter().map(|rod| rod.samples.iter().map(|s| s.pose.position).map(|p| (p.x, p.z)).collect());
    let runs = equilibrium.tendons.iter().flat_map(|tendon| &tendon.runs);
    let threads = runs.map(|run| run.points.iter().map(|p| (p.x, p.z)).collect());
    let bent: Vec<Vec<(f64, f64)>> = rods.chain(threads).collect();
    let straight: Vec<Vec<(f64, f64)>> = scene
        .rods
        .iter()
        .map(|rod| undeformed::poses(rod).iter().map(|(_, p)| (p.position.x, p.position.z)).collect())
        .collect();
    let all = || bent.iter().chain(&straight).flatten().filter(|p| p.0.is_finite() && p.1.is_finite());
    if bent.iter().all(Vec::is_empty) {
        return String::new();
    }
    let low = all().fold((f64::INFINITY, f64::INFINITY), |m, p| (m.0.min(p.0), m.1.min(p.1)));
    let high = all().fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |m, p| (m.0.max(p.0), m.1.max(p.1)));
    let (wide, tall) = (high.0 - low.0, high.1 - low.1);
    let scale = ((WIDTH - 1) as f64 / wide.max(1e-12)).min((HEIGHT - 1) as f64 / tall.max(1e-12));
    if !(scale.is_finite() && scale > 0.0) {
        return String::new();
    }
    let rows = ((tall * scale) as usize / 4 + 1).min(ROWS);
    let mut canvas = Canvas::new(rows);
    let place = |p: &(f64, f64)| ((p.0 - low.0) * scale, (high.1 - p.1) * scale);
    for curve in &straight {
        canvas.dotted(&curve.iter().map(place).collect::<Vec<_>>());
    }
    for curve in &bent {
        canvas.curve(&curve.iter().map(place).collect::<Vec<_>>());
    }
    let unit = number::scale(wide.max(tall), "m");
    let shown = |x: f64| {
        // A thousandth of the picture is a quarter of a dot.
        let x = if x.abs() < 1e-3 * wide.max(tall) { 0.0 } else { x };
        number::significant(x * unit.factor, 3)
    };
    let (x0, x1, z0, z1) = (shown(low.0), shown(high.0), shown(low.1), shown(high.1));
    let caption = format!("x from {x0} to {x1} {u}, z from {z0} to {z1} {u}; dotted: unstressed", u = unit.unit);
    format!("{}{caption}", canvas.render())
}

struct Canvas {
    /// Bits of each character's eight dots.
    cells: Vec<u8>,
    rows: usize,
}

impl Canvas {
    fn new(rows: usize) -> Self {
        Self { cells: vec![0; COLUMNS * rows], rows }
    }

    /// Unicode numbers the dots 1-2-3 and 7 down the left, 4-5-6 and 8 down the right.
    fn dot(&mut self, x: f64, y: f64) {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        if !(x >= 0.0 && y >= 0.0) {
            return;
        }
        let (x, y) = (x.round() as usize, y.round() as usize);
        if x < WIDTH && y < 4 * self.rows {
            self.cells[(y / 4) * COLUMNS + x / 2] |= BITS[y % 4][x % 2];
        }
    }

    fn curve(&mut self, points: &[(f64, f64)]) {
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().clamp(1.0, 1e4) as usize;
            for i in 0..=steps {
                let u = i as f64 / steps as f64;
                self.dot(x0 + u * (x1 - x0), y0 + u * (y1 - y0));
            }
        }
    }

    /// A dot every few dots of length.
    fn dotted(&mut self, points: &[(f64, f64)]) {
        const APART: f64 = 4.0;
        let mut since = APART;
        for pair in points.windows(2) {
            let length = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
            since += length;
            if since >= APART {
                self.dot(pair[1].0, pair[1].1);
                since = 0.0;
            }
        }
    }

    fn render(&self) -> String {
        let mut out = String::new();
        for row in self.cells.chunks(COLUMNS) {
            let line: String =
                row.iter().map(|bits| char::from_u32(0x2800 + u32::from(*bits)).unwrap_or(' ')).collect();
            out.push_str(line.trim_end_matches('\u{2800}'));
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_diagonal_touches_both_corners() {
        let mut canvas = Canvas::new(ROWS);
        canvas.curve(&[(0.0, 0.0), ((WIDTH - 1) as f64, (HEIGHT - 1) as f64)]);
        assert_eq!(canvas.cells[0] & 0x01, 0x01);
        assert_eq!(canvas.cells[COLUMNS * ROWS - 1] & 0x80, 0x80);
    }

    #[test]
    fn points_off_the_canvas_or_not_finite_are_left_out() {
        let mut canvas = Canvas::new(2);
        for (x, y) in [(-1.0, 0.0), (0.0, 1e9), (f64::NAN, 0.0), (f64::INFINITY, f64::INFINITY)] {
            canvas.dot(x, y);
        }
        assert!(canvas.cells.iter().all(|c| *c == 0));
    }
}
