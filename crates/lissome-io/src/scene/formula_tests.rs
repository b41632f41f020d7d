//! Formulas that are read, and formulas that are refused where they are wrong.

#![allow(clippy::unwrap_used)]
use super::{Comparison, parse, parse_comparison};
use lissome_model::Rows;

fn value(text: &str, numbers: &[(&str, f64)]) -> f64 {
    let formula = parse(text).unwrap_or_else(|told| panic!("{text}: {told:?}"));
    let own = |path: &str| numbers.iter().find(|(name, _)| *name == path).unwrap().1;
    let values: Vec<Vec<f64>> = formula.names.iter().map(|name| vec![own(&name.path)]).collect();
    formula.evaluate(Rows::new(&values)).unwrap().value
}

#[test]
fn operations_bind_as_they_do_on_paper() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("-2^2", -4.0),
        ("2^3^2", 512.0),
        ("(1 + 2) * 3 - 4 / 2 / 2", 8.0),
        ("2 * -3", -6.0),
        ("10 - 4 - 3", 3.0),
        ("sqrt(16) + abs(-2) + min(3, 1, 2) + max(1, 5)", 12.0),
        ("norm(3, 4)", 5.0),
        ("cos(pi)", -1.0),
        ("3 mm * 2", 0.006),
        ("8 N/m / 2", 4.0),
        ("5e-2", 0.05),
        ("2 kN*m - 1500", 500.0),
        ("1 m^2", 1.0),
    ] {
        assert!((value(text, &[]) - expected).abs() < 1e-12, "{text}");
    }
}

#[test]
fn names_are_dotted_paths() {
    let numbers = [("arm.tip.position.z", 2.0), ("arm.at(0.5).curvature.y", 3.0), ("left-arm.length", 5.0)];
    assert_eq!(value("arm.tip.position.z * arm.at(0.5).curvature.y", &numbers), 6.0);
    assert_eq!(value("`left-arm.length` - arm.tip.position.z", &numbers), 3.0);
    let formula = parse("norm(arm.tip.position) + norm(a.x, a.x * 2)").unwrap();
    let vectors: Vec<bool> = formula.names.iter().map(|name| name.may_be_vector).collect();
    assert_eq!(vectors, [true, false], "only what stands alone in a norm may be a vector");
}

#[test]
fn comparisons_have_two_sides() {
    let (left, right, how) = parse_comparison("a.x <= 3 N").unwrap();
    assert_eq!((left.names.len(), right.names.len(), how), (1, 1, Comparison::AtMost));
    assert_eq!(parse_comparison("a.x >= b.x").unwrap().2, Comparison::AtLeast);
    assert_eq!(parse_comparison("a.x = b.x").unwrap().2, Comparison::Equal);
    assert!(parse_comparison("a.x").is_err() && parse_comparison("a.x <= 1 <= 2").is_err());
}

#[test]
fn mistakes_are_where_they_are() {
    for (text, place) in [
        ("1 + ", 4..4),
        ("1 + * 2", 4..5),
        ("(1 + 2", 0..1),
        ("1 + 2)", 5..6),
        ("3 parsec", 2..8),
        ("sqr(2)", 0..3),
        ("sqrt(1, 2)", 0..10),
        ("a b", 2..3),
        ("a.x <= 2", 4..5),
        ("`a.x", 0..1),
        ("", 0..0),
    ] {
        assert_eq!(parse(text).unwrap_err().place, place, "{text}");
    }
    assert!(parse(&"(".repeat(500)).is_err() && parse(&"-".repeat(500)).is_err());
    assert!(parse(&"1+".repeat(3000)).is_err());
    assert_eq!(parse("sqr(2)").unwrap_err().help, "did you mean `sqrt`?");
}
