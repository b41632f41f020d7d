//! What a fit found, for the terminal.

use lissome::io::Ending;
use lissome::io::fit::{FitAnswer, FittedNumber};
use lissome::io::number::{scale, significant};

/// Strong correlations are shown.
const STRONG: f64 = 0.9;

/// A value in the prefix that suits another.
fn shown(value: f64, own: &FittedNumber) -> String {
    let unit = own.unit.as_str();
    if !["m", "N", "Pa", "N·m", "Hz"].contains(&unit) {
        return format!("{} {unit}", significant(value, 6)).trim_end().to_owned();
    }
    let scaled = scale(own.value.abs(), unit);
    format!("{} {}", significant(value * scaled.factor, 6), scaled.unit)
}

/// The screen.
pub fn lines(answer: &FitAnswer, ending: Ending, seconds: f64) -> Vec<String> {
    let estimate = &answer.estimate;
    let mut lines = vec![format!(
        "  fit      {} in {} rounds, {} s   chi² {} of {} degrees of freedom",
        answer.status(ending).replace('_', " "),
        answer.rounds,
        significant(seconds, 3),
        significant(estimate.chi_squared, 4),
        estimate.degrees
    )];
    let width = answer.numbers.iter().map(|own| own.path.len()).max().unwrap_or(0);
    for own in &answer.numbers {
        let how = match (own.at_limit, own.half_width.is_finite()) {
            (true, _) => "at its limit".to_owned(),
            (false, false) => "which the data do not tell".to_owned(),
            (false, true) => format!(
                "± {}   95 % from {} to {}",
                shown(own.standard_error, own),
                shown(own.value - own.half_width, own),
                shown(own.value + own.half_width, own)
            ),
        };
        lines.push(format!("  number   {:width$}   {}   {how}", own.path, shown(own.value, own)));
    }
    for (i, one) in answer.numbers.iter().enumerate() {
        for (j, other) in answer.numbers.iter().enumerate().skip(i + 1) {
            let correlation = estimate.correlations[(i, j)];
            if correlation.abs() > STRONG {
                let correlation = significant(correlation, 3);
                lines.push(format!("  together {} and {}   correlation {correlation}", one.path, other.path));
            }
        }
    }
    for own in &answer.outputs {
        let of = |value: f64| {
            let scaled = scale(own.rms.max(own.noise), &own.unit);
            format!("{} {}", significant(value * scaled.factor, 3), scaled.unit)
        };
        let (count, rms, noise) = (own.count, of(own.rms), of(own.noise));
        lines.push(format!("  left     {}   {count} values, rms {rms}, noise {noise}", own.name));
    }
    lines
}
