//! Numbers for people: a few digits and an SI prefix.

/// Prefix symbols and their powers of ten, in steps of a thousand.
const PREFIXES: [(&str, i32); 9] =
    [("p", -12), ("n", -9), ("µ", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12)];

/// A unit with a prefix, and the factor from SI to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// Prefix and unit, such as `mm`.
    pub unit: String,
    /// Multiply SI values by this.
    pub factor: f64,
}

/// The prefix that brings `magnitude` between 1 and 1000; the plain unit for zero and for what no prefix serves.
pub fn scale(magnitude: f64, unit: &str) -> Scaled {
    let power = if magnitude > 0.0 && magnitude.is_finite() { magnitude.log10() } else { 0.0 };
    // A value of exactly 1000 mm is shown as 1 m; rounding of the logarithm must not decide.
    let wanted = ((power + 1e-9).floor() as i32).div_euclid(3) * 3;
    let (prefix, power) = PREFIXES.into_iter().find(|(_, p)| *p == wanted).unwrap_or(("", 0));
    Scaled { unit: format!("{prefix}{unit}"), factor: 10f64.powi(-power) }
}

/// `digits` significant digits, without trailing zeros; an exponent beyond a million or below a ten-thousandth.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return if value.is_nan() { "–".into() } else { value.to_string() };
    }
    let power = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&power) {
        let text = format!("{value:.*e}", digits.saturating_sub(1));
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(mantissa)).replace('-', "−");
    }
    let decimals = (digits as i32 - 1 - power).max(0) as usize;
    trimmed(&format!("{value:.decimals$}")).replace('-', "−")
}

/// Without zeros at the end of a fraction, nor a sign before zero.
fn trimmed(text: &str) -> &str {
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    if text == "-0" { "0" } else { text }
}

/// Value and unit with a fitting prefix, four digits.
pub fn with_unit(value: f64, unit: &str) -> String {
    let scaled = scale(value.abs(), unit);
    format!("{} {}", significant(value * scaled.factor, 4), scaled.unit)
}

/// A length such as `118 mm`.
pub fn length(metres: f64) -> String {
    with_unit(metres, "m")
}

/// A vector with one prefix for all components, such as `(61.3, −12, 214.7) mm`.
pub fn vector(v: &[f64], unit: &str) -> String {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let scaled = scale(largest, unit);
    // Digits of the largest component decide: no component shows more than it.
    let decimals = (3 - (largest * scaled.factor).max(1e-300).log10().floor() as i32).clamp(0, 6) as usize;
    let parts: Vec<String> =
        v.iter().map(|x| trimmed(&format!("{:.decimals$}", x * scaled.factor)).replace('-', "−")).collect();
    format!("({}) {}", parts.join(", "), scaled.unit).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_the_prefix_people_use() {
        assert_eq!(length(0.118), "118 mm");
        assert_eq!(length(1.0), "1 m");
        assert_eq!(length(0.9999999999), "1 m");
        assert_eq!(length(0.0), "0 m");
        assert_eq!(with_unit(-2.5e-7, "N"), "−250 nN");
        assert_eq!(with_unit(6e10, "Pa"), "60 GPa");
    }

    #[test]
    fn shows_a_vector_in_one_unit() {
        assert_eq!(vector(&[0.0613, -0.012, 0.2147], "m"), "(61.3, −12, 214.7) mm");
        assert_eq!(vector(&[0.0, -1e-20, 0.0], "m"), "(0, 0, 0) m");
    }

    #[test]
    fn keeps_significant_digits() {
        assert_eq!(significant(0.0012345, 3), "0.00123");
        assert_eq!(significant(1.5e-11, 2), "1.5e−11");
        assert_eq!(significant(2e-5, 8), "2e−5");
        assert_eq!(significant(f64::NAN, 3), "–");
    }
}
