//! Every form of quantity a scene may hold, and what is refused.

#![allow(clippy::unwrap_used)]

use super::*;

/// Conversions are one or two multiplications: a few ulp.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

fn check(text: &str, value: f64, dimension: Dimension) {
    let q = parse(text).unwrap();
    assert!((q.value - value).abs() <= ROUNDING * value.abs(), "{text}: {} is not {value}", q.value);
    assert_eq!(q.dimension, dimension, "{text}");
}

#[test]
fn reads_the_quantities_of_the_reference_page() {
    check("60 GPa", 60e9, Dimension::PRESSURE);
    check("6450 kg/m^3", 6450.0, Dimension::DENSITY);
    check("6.45 g/cm³", 6450.0, Dimension::DENSITY);
    check("0.5 ms", 0.5e-3, Dimension::TIME);
    check("8mm", 8e-3, Dimension::LENGTH);
    check("0.2 N*m", 0.2, Dimension::MOMENT);
    check("0.2 N·m", 0.2, Dimension::MOMENT);
    check("0.2 N m", 0.2, Dimension::MOMENT);
    check("200 N mm", 0.2, Dimension::MOMENT);
    check("10 1/m", 10.0, Dimension::CURVATURE);
    check("10/m", 10.0, Dimension::CURVATURE);
    check("10 m^-1", 10.0, Dimension::CURVATURE);
    check("10 m⁻¹", 10.0, Dimension::CURVATURE);
    check("-9.81 m/s^2", -9.81, Dimension::ACCELERATION);
    check("-9.81 m/s/s", -9.81, Dimension::ACCELERATION);
    check("1e-3 N/(m*1)", 1e-3, Dimension::FORCE_PER_LENGTH);
    check("2 kg*m/s**2", 2.0, Dimension::FORCE);
    check("180 deg", std::f64::consts::PI, Dimension::ANGLE);
    check("180°", std::f64::consts::PI, Dimension::ANGLE);
    check("30 µm", 30e-6, Dimension::LENGTH);
    check("30 um", 30e-6, Dimension::LENGTH);
    check("1 in", 0.0254, Dimension::LENGTH);
    check("1 psi", 6894.757293168361, Dimension::PRESSURE);
    check("45 %", 0.45, Dimension::NONE);
    check("0.45", 0.45, Dimension::NONE);
}

#[test]
fn a_curvature_may_carry_the_radian_but_a_length_may_not() {
    assert!(Dimension::CURVATURE.accepts(parse("3 rad/m").unwrap().dimension));
    assert!(Dimension::CURVATURE.accepts(parse("3 1/m").unwrap().dimension));
    assert!(!Dimension::LENGTH.accepts(parse("30 deg").unwrap().dimension));
    assert!(!Dimension::NONE.accepts(parse("30 deg").unwrap().dimension));
}

#[test]
fn names_the_unit_that_was_meant() {
    assert_eq!(parse("3 gpa"), Err(UnitError::UnknownUnit { unit: "gpa".into() }));
    let hint = |symbol: &str, wanted| suggest(symbol, wanted);
    assert_eq!(hint("gpa", Dimension::PRESSURE).as_deref(), Some("GPa"));
    assert_eq!(hint("mn", Dimension::LENGTH).as_deref(), Some("mm"));
    assert_eq!(hint("mn", Dimension::FORCE).as_deref(), Some("mN"));
    assert_eq!(hint("Nm", Dimension::MOMENT).as_deref(), Some("N*m"));
    assert_eq!(hint("Nmm", Dimension::MOMENT).as_deref(), Some("N*mm"));
    assert_eq!(hint("metres", Dimension::LENGTH).as_deref(), Some("m"));
    assert_eq!(hint("degrees", Dimension::ANGLE).as_deref(), Some("deg"));
    assert_eq!(hint("furlong", Dimension::LENGTH), None);
}

#[test]
fn refuses_what_is_not_a_quantity() {
    assert_eq!(parse("mm"), Err(UnitError::NoNumber));
    assert_eq!(parse(""), Err(UnitError::NoNumber));
    assert_eq!(parse("."), Err(UnitError::NoNumber));
    assert_eq!(parse("-"), Err(UnitError::NoNumber));
    assert_eq!(parse("3 m^99"), Err(UnitError::Power));
    assert_eq!(parse("3 m^"), Err(UnitError::Power));
    for text in ["3 m)", "3 (m", "3 m/", "3 *", "3 m 4", "3,5 mm", "3 m^2.5"] {
        assert!(matches!(parse(text), Err(UnitError::Unexpected { .. })), "{text}: {:?}", parse(text));
    }
    assert!(parse(&format!("3 {}", "(".repeat(150))).is_err());
    assert!(parse(&"3".repeat(10_000)).is_err());
}

#[test]
fn reads_infinity_and_nan_so_that_they_can_be_refused_by_name() {
    assert!(parse("inf m").unwrap().value.is_infinite());
    assert!(parse("-inf").unwrap().value.is_infinite());
    assert!(parse("nan N").unwrap().value.is_nan());
    assert!(parse("1e999 m").unwrap().value.is_infinite());
}

#[test]
fn reads_vectors_with_one_unit_or_many() {
    let values = |text: &str| parse_vector(text).unwrap().iter().map(|q| q.value).collect::<Vec<_>>();
    assert_eq!(values("[0, 0, 1] N"), [0.0, 0.0, 1.0]);
    assert_eq!(values("[1 mm, 2 cm, 0.5]"), [1e-3, 2e-2, 0.5]);
    assert_eq!(values("['1 mm', \"2 m\"]"), [1e-3, 2.0]);
    for text in ["[1, 2", "1, 2] N", "[1 N, 2] N", "[1,,2] N", "[] N", ""] {
        assert!(parse_vector(text).is_err(), "{text}");
    }
}

#[test]
fn letters_of_the_wrong_case_mean_the_usual_unit() {
    for (written, wanted, meant) in [
        ("mpa", Dimension::PRESSURE, "MPa"),
        ("MPA", Dimension::PRESSURE, "MPa"),
        ("gpa", Dimension::PRESSURE, "GPa"),
        ("MM", Dimension::LENGTH, "mm"),
        ("mn", Dimension::FORCE, "mN"),
        ("MS", Dimension::TIME, "ms"),
    ] {
        assert_eq!(suggest(written, wanted).as_deref(), Some(meant), "{written}");
    }
}
