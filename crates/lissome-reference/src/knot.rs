//! Which knot a line is tied in, by its determinant: 1 for none, 3 for a trefoil, 5 for a figure eight. It does not change
//! while the line moves without passing through itself.
//!
//! From a projection of the closed line: each arc between two places where it passes below is an unknown, each crossing says
//! that twice the arc above is the sum of the two below, and the determinant is that of these equations without one of each.

use nalgebra::{DMatrix, Vector3};

/// How far an open line goes on beyond its ends, in sizes of its own, before it is closed.
const BEYOND: f64 = 100.0;
/// A direction that no line of a scene runs along.
const VIEW: [f64; 3] = [0.313_7, 0.871_1, 0.377_9];

/// A place where one part of the line is seen to cross another: how far along the line both are, and which one is nearer.
struct Crossing {
    at: [f64; 2],
    first_above: bool,
}

/// Determinant of an open polygon whose ends go straight on and meet far away.
pub fn determinant(line: &[Vector3<f64>]) -> u64 {
    let crossings = crossings(&projected(&closed(line)));
    let mut passes: Vec<(f64, usize, bool)> = Vec::new();
    for (k, crossing) in crossings.iter().enumerate() {
        passes.push((crossing.at[0], k, crossing.first_above));
        passes.push((crossing.at[1], k, !crossing.first_above));
    }
    passes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = crossings.len();
    let mut equations = DMatrix::<f64>::zeros(count, count);
    let mut arc = 0;
    for (_, crossing, above) in passes {
        match above {
            true => equations[(crossing, arc % count)] += 2.0,
            false => {
                equations[(crossing, arc % count)] -= 1.0;
                arc += 1;
                equations[(crossing, arc % count)] -= 1.0;
            }
        }
    }
    if count < 2 {
        return 1;
    }
    equations.view((0, 0), (count - 1, count - 1)).determinant().abs().round() as u64
}

fn closed(line: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let [Some((first, second)), Some((last, before))] =
        [line.first().zip(line.get(1)), line.last().zip(line.len().checked_sub(2).and_then(|k| line.get(k)))]
    else {
        return line.to_vec();
    };
    let size = line.iter().map(|point| (point - first).norm()).fold(0.0, f64::max);
    let on = |end: &Vector3<f64>, inner: &Vector3<f64>| end + (end - inner).normalize() * (BEYOND * size);
    let (before_first, after_last) = (on(first, second), on(last, before));
    // Farther away than both, where nothing else is.
    let away = Vector3::new(0.29, -0.41, 0.86) * (10.0 * BEYOND * size);
    let mut all = vec![away, before_first];
    all.extend(line);
    all.push(after_last);
    all
}

/// Seen along a direction, which becomes the third coordinate.
fn projected(line: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let view = Vector3::from(VIEW).normalize();
    let right = view.cross(&Vector3::x()).normalize();
    let up = view.cross(&right);
    line.iter().map(|point| Vector3::new(right.dot(point), up.dot(point), view.dot(point))).collect()
}

fn crossings(line: &[Vector3<f64>]) -> Vec<Crossing> {
    let count = line.len();
    let piece = |k: usize| (line[k], line[(k + 1) % count] - line[k]);
    let mut found = Vec::new();
    for i in 0..count {
        // Neighbours share an end; the last piece is a neighbour of the first.
        for j in i + 2..count - usize::from(i == 0) {
            let ((a, along_a), (b, along_b)) = (piece(i), piece(j));
            let cross = along_a.x * along_b.y - along_a.y * along_b.x;
            let apart = b - a;
            let on_a = (apart.x * along_b.y - apart.y * along_b.x) / cross;
            let on_b = (apart.x * along_a.y - apart.y * along_a.x) / cross;
            if (0.0..1.0).contains(&on_a) && (0.0..1.0).contains(&on_b) {
                let first_above = (a + along_a * on_a).z > (b + along_b * on_b).z;
                found.push(Crossing { at: [i as f64 + on_a, j as f64 + on_b], first_above });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// A closed line that is opened at a parameter, both ends led away.
    fn opened(at: impl Fn(f64) -> Vector3<f64>, from: f64) -> Vec<Vector3<f64>> {
        (0..=200).map(|k| at(from + 0.2 + (TAU - 0.4) * k as f64 / 200.0)).collect()
    }

    #[test]
    fn knots_are_told_apart() {
        let trefoil = |t: f64| {
            let (a, b) = (t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos());
            Vector3::new(a, b, -(3.0 * t).sin())
        };
        let eight = |t: f64| {
            let r = 2.0 + (2.0 * t).cos();
            Vector3::new(r * (3.0 * t).cos(), r * (3.0 * t).sin(), (4.0 * t).sin())
        };
        let ring = |t: f64| Vector3::new(t.cos(), t.sin(), 0.1 * (3.0 * t).sin());
        assert_eq!(determinant(&opened(trefoil, TAU / 6.0)), 3);
        assert_eq!(determinant(&opened(eight, 0.0)), 5);
        assert_eq!(determinant(&opened(ring, 0.0)), 1);
        assert_eq!(determinant(&[Vector3::zeros(), Vector3::x()]), 1);
    }

    /// Moved without passing through itself it stays the same; mirrored too.
    #[test]
    fn a_knot_that_is_turned_and_stretched_stays_what_it_is() {
        let stretched = |k: usize| {
            let angle = k as f64;
            move |t: f64| {
                let (a, b) = (t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos());
                let turned = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos());
                Vector3::new(3.0 * turned.0, (3.0 * t).sin(), turned.1)
            }
        };
        for k in 0..20 {
            assert_eq!(determinant(&opened(stretched(k), TAU / 6.0)), 3, "{k}");
        }
    }
}
