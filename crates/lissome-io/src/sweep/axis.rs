//! An axis of a sweep: `rod.arm.length="200..400 mm:21"`.

use super::fault::SweepFault;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::source::{Source, Span};

/// Values between two ends, both included.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Dotted path of what it changes.
    pub path: String,
    /// First value, in the axis' unit.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Unit of both; empty for SI.
    pub unit: String,
    /// How many values; `None` where a Latin hypercube decides.
    pub count: Option<usize>,
    /// As it was given.
    pub argument: String,
    /// Its number among the arguments, from 0.
    pub index: usize,
}

impl Axis {
    /// True if an argument is meant as an axis and not as one value: `PATH=NUMBER..`. Names of files may have two dots too.
    pub fn is_meant(argument: &str) -> bool {
        let Some((_, value)) = argument.split_once('=') else { return false };
        let value = value.trim().to_ascii_lowercase();
        let number = value.trim_start_matches(['+', '-']);
        let begins = number.starts_with(|c: char| c.is_ascii_digit())
            || number.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            || number.starts_with("inf")
            || number.starts_with("nan");
        begins && value.contains("..")
    }

    /// Reads an argument, the `index`-th from 0. With `counted` it must say how many values, else it must not.
    pub fn read(argument: &str, index: usize, counted: bool) -> Result<Self, Box<Diagnostic>> {
        let (path, value) = argument.split_once('=').unwrap_or((argument, ""));
        let refuse = |reason: &str, part: &str| Err(Box::new(at(argument, index, part, reason.into())));
        let Some((from, rest)) = value.split_once("..") else { return refuse("two dots are missing", value) };
        let (to, count) = match rest.rsplit_once(':') {
            Some((to, count)) => (to, Some(count)),
            None => (rest, None),
        };
        let count = match count.map(str::trim) {
            Some(text) if counted => match text.parse::<usize>() {
                Ok(0) => return refuse("an axis of no values has no cases", text),
                Ok(count) => Some(count),
                Err(_) => return refuse("after the colon stands how many values there are", text),
            },
            Some(text) => return refuse("a Latin hypercube decides how many values there are", text),
            None if counted => return refuse("it does not say how many values there are: add :11 for eleven", value),
            None => None,
        };
        let (low, low_unit) = number(from);
        let (high, unit) = number(to);
        let (Some(from_value), Some(to_value)) = (low, high) else {
            return refuse("both ends must be numbers", if low.is_none() { from } else { to });
        };
        if !(from_value.is_finite() && to_value.is_finite() && (to_value - from_value).is_finite()) {
            return refuse("both ends must be finite", value);
        }
        if !(low_unit.is_empty() || low_unit == unit) {
            return refuse("both ends have the unit that stands after the second", from);
        }
        if from_value == to_value && count != Some(1) {
            return refuse("both ends are the same; give a single value without dots", value);
        }
        let path = path.trim().to_owned();
        let (unit, argument) = (unit.to_owned(), argument.to_owned());
        Ok(Self { path, from: from_value, to: to_value, unit, count, argument, index })
    }

    /// The value at a part of the way, in the axis' unit.
    pub fn at(&self, part: f64) -> f64 {
        if part == 1.0 { self.to } else { self.from + (self.to - self.from) * part }
    }

    /// The value of that number of the axis, from 0.
    pub fn nth(&self, index: usize) -> f64 {
        match self.count {
            Some(count) if count > 1 => self.at(index as f64 / (count - 1) as f64),
            _ => self.from,
        }
    }

    /// A value as a scene is told it: whole numbers without a point, so that they may count something.
    pub fn text(&self, value: f64) -> String {
        const EXACT: f64 = 9e15;
        let number =
            if value.fract() == 0.0 && value.abs() < EXACT { format!("{value:.0}") } else { format!("{value:?}") };
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }
}

/// A complaint about a piece of an argument.
pub(super) fn at(argument: &str, index: usize, part: &str, reason: String) -> Diagnostic {
    let source = Source { name: format!("argument {}", index + 1), text: argument.to_owned() };
    let part = part.trim();
    // The piece was cut out of the argument, so it is found in it; the last of its kind is meant.
    let start = argument.rfind(part).unwrap_or(0);
    let span = Span::new(0, start..start + part.len());
    Diagnostic::at(Fault::Sweep(SweepFault::BadAxis { reason }), None, Some(span), &[source])
}

/// A number and the unit after it.
fn number(text: &str) -> (Option<f64>, &str) {
    let text = text.trim();
    let word = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    if word.starts_with("inf") || word.starts_with("nan") {
        return (Some(f64::NAN), "");
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(text.len());
    (text[..end].parse().ok(), text[end..].trim())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_go_evenly_from_end_to_end() {
        let axis = Axis::read("rod.arm.length=200..400 mm:21", 0, true).unwrap();
        assert_eq!((axis.path.as_str(), axis.unit.as_str(), axis.count), ("rod.arm.length", "mm", Some(21)));
        assert_eq!(axis.text(axis.nth(0)), "200 mm");
        assert_eq!(axis.text(axis.nth(1)), "210 mm");
        assert_eq!(axis.nth(20), 400.0);
        let down = Axis::read("a=1e-3 .. -2.5:3", 0, true).unwrap();
        assert_eq!((down.nth(0), down.nth(2)), (1e-3, -2.5));
        assert_eq!(down.text(down.nth(0)), "0.001");
        assert_eq!(Axis::read("a=3 N..3 N:1", 0, true).unwrap().text(3.0), "3 N");
    }

    #[test]
    fn only_numbers_and_dots_make_an_axis() {
        for axis in ["a=0..1:3", "a=-.5..1", "a = nan..1:2", "a=+1 mm..2 mm:4"] {
            assert!(Axis::is_meant(axis), "{axis}");
        }
        for value in ["a=1.5", "a=../mesh.stl", "a=240 mm", "a=\"x..y\"", "0..1"] {
            assert!(!Axis::is_meant(value), "{value}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (argument, counted, part) in [
            ("a=0..1", true, "0..1"),
            ("a=0..1:0", true, "0"),
            ("a=0..1:x", true, "x"),
            ("a=0..1:-3", true, "-3"),
            ("a=0..inf:3", true, "0..inf:3"),
            ("a=nan..1:3", true, "nan..1:3"),
            ("a=0..1e999:3", true, "0..1e999:3"),
            ("a=-1.7e308..1.7e308:3", true, "-1.7e308..1.7e308:3"),
            ("a=1 m..2 mm:3", true, "1 m"),
            ("a=2..2:3", true, "2..2:3"),
            ("a=1..mm:3", true, "mm"),
            ("a=0..1:3", false, "3"),
        ] {
            let refused = Axis::read(argument, 1, counted).unwrap_err();
            let place = refused.place.clone().unwrap();
            assert_eq!((refused.fault.code(), place.file.as_str()), ("E0701", "argument 2"), "{argument}");
            let marked: String = argument.chars().skip(place.underline_start).take(place.underline_length).collect();
            assert_eq!(marked, part, "{argument}");
        }
    }
}
