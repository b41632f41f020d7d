//! Friction of two things by the places where they touch: pairs of a scene may name stretches of rods.

use lissome_model::{Scene, Toucher};

/// Coefficients of friction of two things, by arc lengths of both where they are rods.
#[derive(Clone, Debug, PartialEq)]
pub struct Roughness {
    /// Arc lengths at which the surface of each changes, m, in order.
    borders: [Vec<f64>; 2],
    /// Of every piece of the first with every piece of the second, row by row.
    coefficients: Vec<f64>,
}

impl Roughness {
    /// Of two things of a scene; `None` if they do not touch.
    pub fn between(scene: &Scene, of: [Toucher; 2]) -> Option<Self> {
        let edges = of.map(|side| edges(scene, side));
        let middles = |side: usize| edges[side].windows(2).map(|piece| 0.5 * (piece[0] + piece[1]));
        let mut coefficients = Vec::new();
        for first in middles(0) {
            for second in middles(1) {
                coefficients.push(scene.friction_at(of, [first, second])?);
            }
        }
        let borders = edges.map(|edges| edges[1..edges.len() - 1].to_vec());
        Some(Self { borders, coefficients })
    }

    /// Where the first is touched at one place and the second at another.
    pub fn at(&self, [first, second]: [f64; 2]) -> f64 {
        self.of_pieces([self.piece(0, first), self.piece(1, second)])
    }

    /// Over a stretch of the first that one point stands for, which may reach over borders: the mean by length.
    pub fn over(&self, [from, to]: [f64; 2], second: f64) -> f64 {
        let (first, last) = (self.piece(0, from), self.piece(0, to));
        if first == last {
            return self.at([from, second]);
        }
        let other = self.piece(1, second);
        let share = |piece: usize| {
            let begin = if piece == first { from } else { self.borders[0][piece - 1] };
            let end = if piece == last { to } else { self.borders[0][piece] };
            (end - begin) / (to - from)
        };
        (first..=last).map(|piece| share(piece) * self.of_pieces([piece, other])).sum()
    }

    /// The largest anywhere.
    pub fn most(&self) -> f64 {
        self.coefficients.iter().copied().fold(0.0, f64::max)
    }

    fn piece(&self, side: usize, s: f64) -> usize {
        self.borders[side].partition_point(|border| *border <= s)
    }

    fn of_pieces(&self, [first, second]: [usize; 2]) -> f64 {
        self.coefficients[first * (self.borders[1].len() + 1) + second]
    }
}

/// Where pieces of a side begin and end: both ends, and those of the stretches between them. What is no rod has one piece.
fn edges(scene: &Scene, side: Toucher) -> Vec<f64> {
    let Toucher::Rod(rod) = side else { return vec![0.0, 1.0] };
    let length = scene.rods[rod].length;
    let own = scene.touching.stretches.iter().filter(|stretch| stretch.rod == rod);
    let inner = own.flat_map(|stretch| [stretch.from, stretch.to]).filter(|s| *s > 0.0 && *s < length);
    let mut edges: Vec<f64> = [0.0, length].into_iter().chain(inner).collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::Roughness;

    #[test]
    fn a_span_over_a_border_has_the_mean_by_length() {
        let rough = Roughness { borders: [vec![0.1, 0.2], vec![]], coefficients: vec![0.5, 0.1, 0.3] };
        assert_eq!([0.0, 0.15, 0.2, 0.3].map(|s| rough.at([s, 0.7])), [0.5, 0.1, 0.3, 0.3]);
        assert_eq!(rough.over([0.11, 0.19], 0.0), 0.1);
        assert_eq!(rough.over([0.3, 0.3], 0.0), 0.3);
        assert!((rough.over([0.05, 0.15], 0.0) - 0.3).abs() < 1e-15);
        assert!((rough.over([0.0, 0.3], 0.0) - 0.3).abs() < 1e-15);
        assert_eq!(rough.most(), 0.5);
    }

    #[test]
    fn both_sides_count() {
        let rough = Roughness { borders: [vec![1.0], vec![2.0]], coefficients: vec![0.1, 0.2, 0.3, 0.4] };
        let found = [[0.0, 0.0], [0.0, 3.0], [1.5, 0.0], [1.5, 3.0]].map(|places| rough.at(places));
        assert_eq!(found, [0.1, 0.2, 0.3, 0.4]);
        assert!((rough.over([0.5, 1.5], 3.0) - 0.3).abs() < 1e-15);
    }
}
