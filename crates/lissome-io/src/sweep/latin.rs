//! Latin hypercubes: of N cases, each has another of the N equal parts of every axis, at a random place in it.

/// A generator of 64-bit numbers (splitmix64): the same on every machine and in every version.
#[derive(Clone, Copy, Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `most`: the high half of a product, whose bias is below `most` over 2⁶⁴.
    fn below(&mut self, most: usize) -> usize {
        ((u128::from(self.next()) * most as u128) >> 64) as usize
    }

    /// A number from 0 to 1, without 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Where each of `samples` cases stands on each of `axes` axes, from 0 to 1: one list an axis.
pub fn hypercube(axes: usize, samples: usize, seed: u64) -> Vec<Vec<f64>> {
    (0..axes as u64)
        .map(|axis| {
            // Axes draw from streams of their own, so that a further axis leaves the others where they are.
            let mut random = Random(seed ^ axis.wrapping_mul(0xD1B5_4A32_D192_ED03));
            let mut parts: Vec<usize> = (0..samples).collect();
            for last in (1..samples).rev() {
                parts.swap(last, random.below(last + 1));
            }
            parts.into_iter().map(|part| (part as f64 + random.part()) / samples as f64).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_every_axis_has_one_case() {
        for (samples, seed) in [(1, 0), (7, 1), (500, u64::MAX)] {
            for axis in hypercube(3, samples, seed) {
                let mut parts: Vec<usize> = axis.iter().map(|x| (x * samples as f64) as usize).collect();
                parts.sort_unstable();
                assert_eq!(parts, (0..samples).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_seed_decides_and_axes_differ() {
        assert_eq!(hypercube(2, 50, 7), hypercube(2, 50, 7));
        assert_ne!(hypercube(2, 50, 7), hypercube(2, 50, 8));
        let cube = hypercube(3, 50, 7);
        assert_ne!(cube[0], cube[1]);
        assert_eq!(cube[..2], hypercube(2, 50, 7)[..]);
    }
}
