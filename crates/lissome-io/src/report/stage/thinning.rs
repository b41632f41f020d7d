//! How much of a run a page holds: so many frames and stations that the numbers fit, whatever the run.

/// Numbers that a station of a rod can be coloured by.
pub const FIELDS: usize = 7;
/// Bytes of numbers on a page, before base64 adds a third.
const BUDGET: usize = 2_000_000;
/// Bytes of a station of a rod in a frame: position, turn and fields.
const STATION: usize = 3 * 4 + 4 * 2 + 2 * FIELDS;
/// Bytes of a point of a cable, of a moving solid and of an arrow in a frame.
const POINT: usize = 12;
const SOLID: usize = 20;
/// What is tried, the finest first: frames, and stations of a rod.
const CHOICES: [(usize, usize); 12] = [
    (240, 49),
    (160, 49),
    (120, 33),
    (80, 33),
    (60, 25),
    (40, 25),
    (30, 17),
    (20, 17),
    (12, 13),
    (6, 9),
    (2, 9),
    (1, 7),
];

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thinning {
    /// At most so many frames.
    pub frames: usize,
    /// At most so many stations of a rod.
    pub stations: usize,
    /// At most so many rods.
    pub rods: usize,
}

/// How many parts of each kind a frame has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// Rods.
    pub rods: usize,
    /// Points of cables, tendons and springs.
    pub points: usize,
    /// Solids that move.
    pub solids: usize,
}

impl Thinning {
    /// The finest that fits; of more rods than fit at all only the first are shown.
    pub fn of(frames: usize, parts: Parts) -> Self {
        let size = |(most, stations): (usize, usize)| {
            frames.min(most) * (parts.rods * stations * STATION + parts.points * POINT + parts.solids * SOLID)
        };
        let (most, stations) = CHOICES.into_iter().find(|choice| size(*choice) <= BUDGET).unwrap_or((1, 7));
        Self { frames: most, ..Self::of_all(frames.min(most), parts, stations) }
    }

    /// The finest that fits if every frame is kept, with at most so many stations.
    pub fn of_all(frames: usize, parts: Parts, most: usize) -> Self {
        let size =
            |stations: usize| frames * (parts.rods * stations * STATION + parts.points * POINT + parts.solids * SOLID);
        let mut stations = CHOICES.into_iter().map(|choice| choice.1).filter(|stations| *stations <= most);
        let stations =
            stations.clone().find(|stations| size(*stations) <= BUDGET).or(stations.next_back()).unwrap_or(most);
        Self { frames, stations, rods: BUDGET / (frames.max(1) * stations * STATION) }
    }
}

/// At most `count` of `0..of`, both ends included.
pub fn evenly(of: usize, count: usize) -> Vec<usize> {
    match (of, count) {
        (0, _) | (_, 0) => Vec::new(),
        (of, count) if of <= count => (0..of).collect(),
        (of, 1) => vec![of - 1],
        (of, count) => (0..count).map(|i| (i * (of - 1) + (count - 1) / 2) / (count - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_bounded_whatever_the_run() {
        for rods in [0, 1, 20, 1500, 20_000] {
            for frames in [1, 500, 100_000] {
                let parts = Parts { rods, points: 3 * rods, solids: rods };
                let found = Thinning::of(frames, parts);
                let bytes = found.frames.min(frames) * rods.min(found.rods) * found.stations * STATION;
                assert!(bytes <= BUDGET, "{rods} rods, {frames} frames: {found:?} has {bytes} bytes");
            }
        }
        assert_eq!(Thinning::of(501, Parts { rods: 1, ..Parts::default() }).frames, 240);
        assert_eq!(Thinning::of(1, Parts { rods: 1500, ..Parts::default() }).stations, 33);
    }

    #[test]
    fn both_ends_are_kept() {
        assert_eq!(evenly(3, 7), [0, 1, 2]);
        assert_eq!(evenly(101, 3), [0, 50, 100]);
        assert_eq!(evenly(9, 1), [8]);
        assert!(evenly(0, 4).is_empty());
        let chosen = evenly(1001, 240);
        assert!(chosen.len() == 240 && chosen[239] == 1000 && chosen.windows(2).all(|w| w[1] > w[0]));
    }
}
