//! Small linear complementarity problems: y ≥ 0, b + M y ≥ 0, and of each pair one is zero.
//!
//! Whoever poses the problem stands at a guess of which variable of each pair is zero; y are those, b the others. Where the
//! guess is right, b ≥ 0 and nothing is asked of M. Otherwise variables that are negative are exchanged for their partners:
//! all of them at once while that makes them fewer, which takes two or three rounds as a rule, and the last one alone where
//! it does not \[judice1994\]. If every principal minor of M is positive, as where M comes from a stiffness that is positive
//! definite, this ends; where it does not, or a minor is not positive, the guess stays as it was and that is told.
//!
//! Only columns of rows that are exchanged are ever asked for.

/// Numbers above minus this are not negative; the caller scales its rows so that one is a size worth speaking of.
const NEGLIGIBLE: f64 = 1e-12;
/// Rounds in which all negative variables are exchanged though they do not get fewer.
const PATIENCE: usize = 3;
/// Rounds at most: a few, and some for each row.
const ROUNDS: usize = 50;
const ROUNDS_PER_ROW: usize = 10;
/// A pivot this much smaller than the entries it came from is zero.
const VANISHED: f64 = 1e-13;

/// A problem, its solution and their memory.
#[derive(Clone, Debug, Default)]
pub struct Complementarity {
    /// b: for each row the variable that the guess does not set to zero.
    pub value: Vec<f64>,
    /// Rows whose variables are exchanged.
    exchanged: Vec<bool>,
    before: Vec<bool>,
    /// y of the exchanged rows.
    partner: Vec<f64>,
    /// Where the column of a row is kept.
    place: Vec<Option<usize>>,
    columns: Vec<f64>,
    kept: usize,
    /// For each row the variable that is not zero by the exchanges that stand.
    present: Vec<f64>,
    /// Rows that are exchanged, their matrix and right-hand side.
    rows: Vec<usize>,
    dense: Vec<f64>,
    right: Vec<f64>,
}

impl Complementarity {
    /// Forgets the last problem; rows are pushed to `value`.
    pub fn clear(&mut self) {
        self.value.clear();
        self.partner.clear();
        self.exchanged.clear();
        self.place.clear();
        self.columns.clear();
        self.kept = 0;
    }

    /// True if the guess is right: no column is asked for then.
    pub fn is_settled(&self) -> bool {
        self.value.iter().all(|value| *value >= -NEGLIGIBLE)
    }

    /// Solves; `column(row, out)` fills a column of M, and is asked once for each that is needed. False if there is no
    /// solution, or none was found: then nothing is exchanged.
    pub fn solve(&mut self, mut column: impl FnMut(usize, &mut [f64])) -> bool {
        let m = self.value.len();
        self.exchanged.resize(m, false);
        self.partner.resize(m, 0.0);
        self.place.resize(m, None);
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..ROUNDS + ROUNDS_PER_ROW * m {
            if !self.exchange(&mut column) {
                // More than one row too many: back, and one at a time.
                if patience == 0 || fewest == usize::MAX {
                    break;
                }
                self.exchanged.copy_from_slice(&self.before);
                patience = 0;
                self.exchange(&mut column);
            }
            self.fill_present();
            let negative = (0..m).filter(|row| self.is_negative(*row)).count();
            if negative == 0 {
                return true;
            }
            self.before.clone_from(&self.exchanged);
            let fewer = negative < fewest;
            if fewer {
                (fewest, patience) = (negative, PATIENCE);
            }
            let all = fewer || patience > 0;
            patience = if fewer { patience } else { patience.saturating_sub(1) };
            for row in (0..m).rev() {
                if self.is_negative(row) {
                    self.exchanged[row] = !self.exchanged[row];
                    if !all {
                        break;
                    }
                }
            }
        }
        self.exchanged.fill(false);
        self.partner.fill(0.0);
        false
    }

    /// True if the row's variables are exchanged in the solution.
    pub fn is_exchanged(&self, row: usize) -> bool {
        self.exchanged[row]
    }

    /// y of a row.
    pub fn partner(&self, row: usize) -> f64 {
        self.partner[row]
    }

    /// The exchanged rows, the place of each among the columns that were asked for, and y.
    pub fn exchanges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let placed = self.place.iter().enumerate().filter_map(|(row, place)| Some((row, (*place)?)));
        placed.filter(|(row, _)| self.exchanged[*row]).map(|(row, place)| (row, place, self.partner[row]))
    }

    /// Finds the variable of every row that is not zero by the exchanges that stand.
    fn fill_present(&mut self) {
        let Self { value, exchanged, partner, place, columns, present, .. } = self;
        let m = value.len();
        present.clear();
        present.resize(m, 0.0);
        for (row, place) in place.iter().enumerate() {
            if let Some(place) = place.filter(|_| exchanged[row]) {
                let column = &columns[place * m..][..m];
                present.iter_mut().zip(column).for_each(|(sum, entry)| *sum += entry * partner[row]);
            }
        }
        for (row, sum) in present.iter_mut().enumerate() {
            *sum = if exchanged[row] { partner[row] } else { value[row] + *sum };
        }
    }

    fn is_negative(&self, row: usize) -> bool {
        self.present[row] < -NEGLIGIBLE
    }

    /// y of the rows that are exchanged, b + M y = 0 there; false if their minor is not positive.
    fn exchange(&mut self, column: &mut impl FnMut(usize, &mut [f64])) -> bool {
        let m = self.value.len();
        self.rows.clear();
        self.rows.extend((0..m).filter(|row| self.exchanged[*row]));
        for row in &self.rows {
            if self.place[*row].is_none() {
                self.place[*row] = Some(self.kept);
                self.columns.resize((self.kept + 1) * m, 0.0);
                column(*row, &mut self.columns[self.kept * m..]);
                self.kept += 1;
            }
        }
        let n = self.rows.len();
        self.dense.clear();
        self.right.clear();
        for row in &self.rows {
            for other in &self.rows {
                let place = self.place[*other].expect("columns of exchanged rows are kept");
                self.dense.push(self.columns[place * m + row]);
            }
            self.right.push(-self.value[*row]);
        }
        let positive = solve_with_positive_minor(n, &mut self.dense, &mut self.right);
        self.partner.fill(0.0);
        for (row, y) in self.rows.iter().zip(&self.right) {
            self.partner[*row] = *y;
        }
        positive
    }
}

/// Solves a dense system by rows in place; false if its determinant is not positive or not a number.
fn solve_with_positive_minor(n: usize, matrix: &mut [f64], right: &mut [f64]) -> bool {
    // Rows may be in different units: pivots are compared with what their own rows held.
    let size = |row: &[f64]| row.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    for i in 0..n {
        let row = &mut matrix[i * n..(i + 1) * n];
        let largest = size(row);
        if largest > 0.0 {
            row.iter_mut().for_each(|x| *x /= largest);
            right[i] /= largest;
        }
    }
    let mut positive = true;
    for k in 0..n {
        let entry = |i: usize| matrix[i * n + k].abs();
        let pivot = (k..n).fold(k, |best, i| if entry(i) > entry(best) { i } else { best });
        let larger = entry(pivot) > VANISHED;
        if !larger {
            return false;
        }
        if pivot != k {
            positive = !positive;
            right.swap(pivot, k);
            (0..n).for_each(|j| matrix.swap(pivot * n + j, k * n + j));
        }
        positive ^= matrix[k * n + k] < 0.0;
        for i in k + 1..n {
            let factor = matrix[i * n + k] / matrix[k * n + k];
            (k..n).for_each(|j| matrix[i * n + j] -= factor * matrix[k * n + j]);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[k * n + j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k * n + k];
    }
    positive && right.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in −1 … 1 that look random.
    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn solve(m: usize, matrix: &[f64], b: &[f64]) -> Option<Vec<f64>> {
        let mut problem = Complementarity::default();
        problem.clear();
        problem.value.extend(b);
        let found = problem.solve(|j, out| (0..m).for_each(|i| out[i] = matrix[i * m + j]));
        found.then(|| problem.partner.clone())
    }

    fn assert_solved(m: usize, matrix: &[f64], b: &[f64], y: &[f64]) {
        for i in 0..m {
            let w = b[i] + (0..m).map(|j| matrix[i * m + j] * y[j]).sum::<f64>();
            assert!(y[i] > -1e-9 && w > -1e-9 && (y[i] * w).abs() < 1e-9, "{m} {i}: {} {w}", y[i]);
        }
    }

    /// Gram matrices, nearly singular ones among them, with skew parts as exchanged problems have them.
    #[test]
    fn positive_definite_problems_are_solved() {
        let mut seed = 7;
        for case in 0..2000 {
            let m = 1 + case % 12;
            let rank = 1 + case % (m + 3);
            let a: Vec<f64> = (0..rank * m).map(|_| random(&mut seed)).collect();
            let skew: Vec<f64> = (0..m * m).map(|_| random(&mut seed)).collect();
            let weight = if case % 2 == 0 { 0.0 } else { 1.0 };
            let mut matrix = vec![0.0; m * m];
            for i in 0..m {
                for j in 0..m {
                    matrix[i * m + j] = (0..rank).map(|k| a[k * m + i] * a[k * m + j]).sum::<f64>()
                        + weight * (skew[i * m + j] - skew[j * m + i])
                        + if i == j { 1e-6 } else { 0.0 };
                }
            }
            let b: Vec<f64> = (0..m).map(|_| random(&mut seed)).collect();
            let y = solve(m, &matrix, &b).expect("a positive definite problem has a solution");
            let scale = y.iter().fold(1.0f64, |largest, y| largest.max(y.abs()));
            let (y, b): (Vec<f64>, Vec<f64>) =
                (y.iter().map(|y| y / scale).collect(), b.iter().map(|b| b / scale).collect());
            assert_solved(m, &matrix, &b, &y);
        }
    }

    /// Positive minors without being positive definite: exchanging every negative row at once goes round for ever on some
    /// of these.
    #[test]
    fn matrices_with_positive_minors_are_solved() {
        let matrix = [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0];
        let mut seed = 3;
        for _ in 0..1000 {
            let b: Vec<f64> = (0..3).map(|_| random(&mut seed)).collect();
            let y = solve(3, &matrix, &b).expect("every minor is positive");
            assert_solved(3, &matrix, &b, &y);
        }
    }

    #[test]
    fn what_has_no_solution_says_so_and_changes_nothing() {
        assert_eq!(solve(1, &[0.0], &[-1.0]), None);
        assert_eq!(solve(2, &[-1.0, 0.0, 0.0, -1.0], &[-1.0, -1.0]), None);
        assert_eq!(solve(1, &[f64::NAN], &[-1.0]), None);
        assert_eq!(solve(2, &[0.0, 0.0, 0.0, 0.0], &[1.0, 0.0]), Some(vec![0.0, 0.0]));
    }
}
