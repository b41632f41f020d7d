//! Axes: a range widened to round numbers, and where its ticks stand.

/// Data may reach this part of a tick beyond the last tick: a hair below zero is not worth another one.
const BEYOND: f64 = 0.02;
/// Ticks at most, should a step not fit its range.
const MOST_TICKS: i64 = 100;

/// An axis from data to ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Least value shown.
    pub low: f64,
    /// Greatest value shown.
    pub high: f64,
    /// Values and labels of the ticks.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Linear, with about `count` ticks at multiples of 1, 2 or 5 × 10ⁿ. The range is widened to whole ticks if
    /// `widen`, else kept.
    pub fn linear(low: f64, high: f64, count: usize, widen: bool) -> Self {
        let (mut low, mut high) = usable(low, high);
        let step = nice_step((high - low) / count.max(1) as f64);
        if widen {
            low = (low / step + BEYOND).floor() * step;
            high = (high / step - BEYOND).ceil() * step;
        }
        Self::stepped(low, high, step)
    }

    /// Linear, with a tick at every multiple of `step` in the range.
    pub fn stepped(low: f64, high: f64, step: f64) -> Self {
        let first = (low / step - 1e-6).ceil() as i64;
        let last = ((high / step + 1e-6).floor() as i64).min(first.saturating_add(MOST_TICKS));
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let ticks = (first..=last)
            .map(|i| {
                let value = i as f64 * step;
                (value, tick_label(value, decimals))
            })
            .collect();
        Self { low, high, ticks }
    }

    /// Whole numbers from `low` to `high`, with about `count` ticks.
    pub fn counted(low: f64, high: f64, count: usize) -> Self {
        let (low, high) = usable(low, high);
        let step = nice_step((high - low) / count.max(1) as f64).max(1.0).round();
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        let ticks = (first..=last).map(|i| (i as f64 * step, tick_label(i as f64 * step, 0))).collect();
        Self { low, high, ticks }
    }

    /// Powers of ten that cover positive values, at most about eight labelled.
    pub fn logarithmic(low: f64, high: f64) -> Self {
        let usable = SHOWN.contains(&low) && SHOWN.contains(&high) && high >= low;
        let (low, high) = if usable { (low, high) } else { (1e-3, 1.0) };
        let first = low.log10().floor() as i32;
        let last = (high.log10().ceil() as i32).max(first + 1);
        let every = ((last - first) as usize).div_ceil(8).max(1);
        let ticks = (first..=last)
            .step_by(every)
            .map(|power| (10f64.powi(power), format!("10{}", superscript(power))))
            .collect();
        Self { low: 10f64.powi(first), high: 10f64.powi(last), ticks }
    }
}

/// A range with room in it: around a single value, or 0 to 1 if there is none.
fn usable(low: f64, high: f64) -> (f64, f64) {
    if !(low.is_finite() && high.is_finite() && low <= high) {
        return (0.0, 1.0);
    }
    // Numbers that are zero but for what is left of an underflow, and ranges that overflow, have no round ticks.
    let (low, high) = (settled(low), settled(high));
    let room = 1e-9 * low.abs().max(high.abs());
    if high - low > room {
        (low, high)
    } else if low == 0.0 {
        (-1.0, 1.0)
    } else {
        (low - 0.5 * low.abs(), high + 0.5 * high.abs())
    }
}

/// Within the magnitudes that axes can show; what is nearer to zero is zero.
const SHOWN: std::ops::Range<f64> = 1e-290..1e290;

fn settled(x: f64) -> f64 {
    if x.abs() < SHOWN.start { 0.0 } else { x.clamp(-SHOWN.end, SHOWN.end) }
}

/// 1, 2 or 5 × 10ⁿ, whichever is nearest to `raw`; 1 for what is no length of an axis.
pub fn nice_step(raw: f64) -> f64 {
    if !SHOWN.contains(&raw) {
        return 1.0;
    }
    let decade = 10f64.powf(raw.log10().floor());
    let mantissa = raw / decade;
    let nice = [(1.5, 1.0), (3.5, 2.0), (7.5, 5.0)].into_iter().find(|(below, _)| mantissa < *below);
    let nice = nice.map_or(10.0, |(_, step)| step);
    nice * decade
}

fn tick_label(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        return "0".into();
    }
    text.replace('-', "−")
}

fn superscript(power: i32) -> String {
    power
        .to_string()
        .chars()
        .map(|c| match c.to_digit(10) {
            Some(d) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize],
            None => '⁻',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::linear(-0.13, 0.97, 5, true);
        assert_eq!(axis.ticks.first().map(|t| t.1.as_str()), Some("−0.2"));
        assert!(axis.low <= -0.13 && axis.high >= 0.97 && axis.high < 1.01);
        // A hair below zero does not cost a tick.
        assert_eq!(Axis::linear(-1e-9, 1.0, 5, true).low, 0.0);
        let labels: Vec<String> = Axis::counted(1.0, 5.0, 8).ticks.into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["1", "2", "3", "4", "5"]);
        for (value, _) in &axis.ticks {
            assert!((axis.low - 1e-9..=axis.high + 1e-9).contains(value));
        }
    }

    #[test]
    fn degenerate_data_still_gives_an_axis() {
        for (low, high) in
            [(0.0, 0.0), (3.0, 3.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (2.0, -2.0), (1e-300, 1e-300)]
        {
            let axis = Axis::linear(low, high, 5, true);
            assert!(axis.high > axis.low && !axis.ticks.is_empty(), "{low} {high}: {axis:?}");
            assert!(axis.ticks.len() < 20);
        }
    }

    #[test]
    fn powers_of_ten_cover_the_data() {
        let axis = Axis::logarithmic(3e-13, 0.7);
        assert_eq!((axis.low, axis.high), (1e-13, 1.0));
        assert!(axis.ticks.len() <= 9);
        assert_eq!(axis.ticks[0].1, "10⁻¹³");
    }

    #[test]
    fn any_numbers_make_an_axis() {
        let odd = [
            0.0,
            5e-324,
            -5e-324,
            f64::MIN_POSITIVE,
            1e-300,
            1e-9,
            1.0,
            1e300,
            f64::MAX,
            -f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        for a in odd {
            for b in odd {
                let axes = [
                    Axis::linear(a, b, 6, true),
                    Axis::linear(a, b, 6, false),
                    Axis::logarithmic(a, b),
                    Axis::stepped(a, b, nice_step(b - a)),
                ];
                for axis in axes {
                    assert!(axis.ticks.len() <= 102, "{a} {b}: {} ticks", axis.ticks.len());
                    assert!(axis.ticks.iter().all(|(_, label)| label.len() < 400), "{a} {b}");
                }
            }
        }
    }
}
