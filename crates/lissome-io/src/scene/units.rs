//! Numbers with units: `"60 GPa"`, `"6450 kg/m^3"`, `"0.2 N·m"`, `"10 1/m"`, `"30 deg"`, and vectors of them,
//! `"[0, 0, 1] N"`.
//!
//! ```text
//! quantity = number [ "/" ] [ product ]
//! product  = factor { [ "*" | "·" | "/" ] factor }        a blank is a product
//! factor   = ( unit | "1" | "(" product ")" ) [ "^" integer | superscript digits ]
//! unit     = [ prefix ] symbol
//! ```

use super::dimension::Dimension;
use crate::nearest::nearest;

/// A number in SI and what kind of quantity it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Value in SI units (angles in radians).
    pub value: f64,
    /// Its dimension.
    pub dimension: Dimension,
    /// False if no unit was written.
    pub has_unit: bool,
}

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnitError {
    /// It does not begin with a number.
    NoNumber,
    /// A symbol that is no unit.
    UnknownUnit { unit: String },
    /// Something that cannot stand where it stands.
    Unexpected { found: String },
    /// A power outside −9 to 9.
    Power,
}

/// Longest text read as a quantity.
const LONGEST: usize = 200;
/// Largest power of a unit.
const MAX_POWER: i32 = 9;
/// How deep parentheses may go.
const MAX_DEPTH: usize = 8;

/// Symbol, factor to SI, dimension, takes prefixes.
const UNITS: [(&str, f64, Dimension, bool); 17] = [
    ("m", 1.0, Dimension::LENGTH, true),
    ("g", 1e-3, Dimension::new(0, 1, 0), true),
    ("s", 1.0, Dimension::TIME, true),
    ("N", 1.0, Dimension::FORCE, true),
    ("Pa", 1.0, Dimension::PRESSURE, true),
    ("J", 1.0, Dimension::MOMENT, true),
    ("W", 1.0, Dimension::new(2, 1, -3), true),
    ("Hz", 1.0, Dimension::new(0, 0, -1), true),
    ("rad", 1.0, Dimension::ANGLE, true),
    ("deg", std::f64::consts::PI / 180.0, Dimension::ANGLE, false),
    ("°", std::f64::consts::PI / 180.0, Dimension::ANGLE, false),
    ("bar", 1e5, Dimension::PRESSURE, true),
    // International inch, avoirdupois pound-force (0.45359237 kg × 9.80665 m/s²), and their quotient.
    ("in", 0.0254, Dimension::LENGTH, false),
    ("lbf", 4.4482216152605, Dimension::FORCE, false),
    ("psi", 4.4482216152605 / (0.0254 * 0.0254), Dimension::PRESSURE, false),
    ("min", 60.0, Dimension::TIME, false),
    ("%", 0.01, Dimension::NONE, false),
];

/// The commoner first: ties between hints go to them.
const PREFIXES: [(&str, f64); 13] = [
    ("m", 1e-3),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("c", 1e-2),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("u", 1e-6),
    ("n", 1e-9),
    ("d", 1e-1),
    ("h", 1e2),
    ("p", 1e-12),
    ("T", 1e12),
];

/// Reads one quantity.
pub fn parse(text: &str) -> Result<Quantity, UnitError> {
    let mut cursor = Cursor::new(text)?;
    let value = cursor.number()?;
    let (factor, dimension, has_unit) = cursor.unit_to_end()?;
    Ok(Quantity { value: value * factor, dimension, has_unit })
}

/// Reads `[a, b, c] unit` (any number of components, each may instead carry its own unit).
pub fn parse_vector(text: &str) -> Result<Vec<Quantity>, UnitError> {
    let text = text.trim();
    let unexpected = || UnitError::Unexpected { found: clip(text) };
    let inside = text.strip_prefix('[').ok_or_else(unexpected)?;
    let (inside, unit) = inside.split_once(']').ok_or_else(unexpected)?;
    let (factor, dimension, has_unit) = Cursor::new(unit)?.unit_to_end()?;
    inside
        .split(',')
        .map(|part| {
            let part = part.trim();
            let part = part.strip_prefix(['"', '\'']).and_then(|p| p.strip_suffix(['"', '\''])).unwrap_or(part);
            let q = parse(part)?;
            if has_unit && q.has_unit {
                return Err(unexpected());
            }
            Ok(Quantity {
                value: q.value * factor,
                dimension: q.dimension.times(dimension, 1),
                has_unit: q.has_unit || has_unit,
            })
        })
        .collect()
}

struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Result<Self, UnitError> {
        if text.len() > LONGEST {
            return Err(UnitError::Unexpected { found: clip(text) });
        }
        Ok(Self { rest: text.trim() })
    }

    /// The longest leading decimal number; `nan` and `inf` are read so that they can be refused by name.
    fn number(&mut self) -> Result<f64, UnitError> {
        let bytes = self.rest.as_bytes();
        let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let digits = |mut i: usize| {
            while at(i).is_ascii_digit() {
                i += 1;
            }
            i
        };
        let sign = usize::from(matches!(at(0), b'+' | b'-'));
        for word in ["inf", "nan"] {
            if self.rest[sign..].get(..3).is_some_and(|w| w.eq_ignore_ascii_case(word)) {
                let value: f64 = self.rest[..sign + 3].parse().map_err(|_| UnitError::NoNumber)?;
                self.rest = self.rest[sign + 3..].trim_start();
                return Ok(value);
            }
        }
        let mut end = digits(sign);
        let mut seen = end - sign;
        if at(end) == b'.' {
            let fraction = digits(end + 1);
            seen += fraction - end - 1;
            end = fraction;
        }
        if seen == 0 {
            return Err(UnitError::NoNumber);
        }
        if matches!(at(end), b'e' | b'E') {
            let exponent = end + 1 + usize::from(matches!(at(end + 1), b'+' | b'-'));
            if digits(exponent) > exponent {
                end = digits(exponent);
            }
        }
        let value = self.rest[..end].parse().map_err(|_| UnitError::NoNumber)?;
        self.rest = self.rest[end..].trim_start();
        Ok(value)
    }

    fn unit_to_end(&mut self) -> Result<(f64, Dimension, bool), UnitError> {
        if self.rest.is_empty() {
            return Ok((1.0, Dimension::NONE, false));
        }
        let (factor, dimension) = self.product(0)?;
        if !self.rest.is_empty() {
            return Err(UnitError::Unexpected { found: clip(self.rest) });
        }
        Ok((factor, dimension, true))
    }

    fn product(&mut self, depth: usize) -> Result<(f64, Dimension), UnitError> {
        let (mut factor, mut dimension) = (1.0, Dimension::NONE);
        let mut first = true;
        loop {
            let mut sign = 1;
            if self.take('/') {
                sign = -1;
            } else if !(first || self.take('*') || self.take('·') || self.take('⋅') || self.at_factor()) {
                return Ok((factor, dimension));
            }
            first = false;
            let (f, d, power) = self.factor(depth)?;
            factor *= f.powi(power * sign);
            dimension = dimension.times(d, power * sign);
        }
    }

    fn at_factor(&self) -> bool {
        self.rest.chars().next().is_some_and(|c| c == '(' || is_symbol(c))
    }

    fn factor(&mut self, depth: usize) -> Result<(f64, Dimension, i32), UnitError> {
        let (factor, dimension) = if self.take('(') {
            if depth == MAX_DEPTH {
                return Err(UnitError::Unexpected { found: clip(self.rest) });
            }
            let inner = self.product(depth + 1)?;
            if !self.take(')') {
                return Err(UnitError::Unexpected { found: clip(self.rest) });
            }
            inner
        } else if self.take('1') {
            (1.0, Dimension::NONE)
        } else {
            let end = self.rest.find(|c| !is_symbol(c)).unwrap_or(self.rest.len());
            let (symbol, rest) = self.rest.split_at(end);
            if symbol.is_empty() {
                return Err(UnitError::Unexpected { found: clip(self.rest) });
            }
            self.rest = rest.trim_start();
            lookup(symbol)?
        };
        let power = self.power()?;
        if dimension.radian.abs().max(dimension.metre.abs()).max(dimension.second.abs()) > MAX_POWER {
            return Err(UnitError::Power);
        }
        Ok((factor, dimension, power))
    }

    fn power(&mut self) -> Result<i32, UnitError> {
        let negative;
        let digits: String;
        if self.take('^') || self.take_text("**") {
            negative = self.take('-');
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            digits = self.rest[..end].into();
            self.rest = self.rest[end..].trim_start();
        } else {
            let mut found = String::new();
            negative = self.take('⁻');
            while let Some(d) = self.rest.chars().next().and_then(superscript_digit) {
                found.push(d);
                self.rest = &self.rest[self.rest.chars().next().map_or(0, char::len_utf8)..];
            }
            self.rest = self.rest.trim_start();
            if found.is_empty() && !negative {
                return Ok(1);
            }
            digits = found;
        }
        let value: i32 = digits.parse().map_err(|_| UnitError::Power)?;
        if value > MAX_POWER {
            return Err(UnitError::Power);
        }
        Ok(if negative { -value } else { value })
    }

    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            // `**` is a power, not a product.
            Some(rest) if !(c == '*' && rest.starts_with('*')) => {
                self.rest = rest.trim_start();
                true
            }
            _ => false,
        }
    }

    fn take_text(&mut self, text: &str) -> bool {
        let found = self.rest.strip_prefix(text).map(str::trim_start);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }
}

fn is_symbol(c: char) -> bool {
    c.is_alphabetic() || c == '°' || c == '%' || c == 'µ'
}

fn superscript_digit(c: char) -> Option<char> {
    "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|d| d == c).and_then(|i| char::from_digit(i as u32, 10))
}

fn lookup(symbol: &str) -> Result<(f64, Dimension), UnitError> {
    if let Some((_, factor, dimension, _)) = UNITS.iter().find(|u| u.0 == symbol) {
        return Ok((*factor, *dimension));
    }
    for (prefix, scale) in PREFIXES {
        let base = symbol.strip_prefix(prefix).and_then(|rest| UNITS.iter().find(|u| u.3 && u.0 == rest));
        if let Some((_, factor, dimension, _)) = base {
            return Ok((scale * factor, *dimension));
        }
    }
    Err(UnitError::UnknownUnit { unit: clip(symbol) })
}

/// The unit that a symbol which is none probably stands for, in view of the dimension that is wanted.
pub fn suggest(symbol: &str, wanted: Dimension) -> Option<String> {
    // Long names are the usual mistake, and too far from their symbols for an edit distance.
    const SPELLED: [(&str, &str); 12] = [
        ("metre", "m"),
        ("meter", "m"),
        ("millimetre", "mm"),
        ("millimeter", "mm"),
        ("newton", "N"),
        ("degree", "deg"),
        ("pascal", "Pa"),
        ("second", "s"),
        ("sec", "s"),
        ("kilogram", "kg"),
        ("inch", "in"),
        ("inches", "in"),
    ];
    let lower = symbol.to_lowercase();
    let spelled = SPELLED.iter().find(|(name, _)| lower == *name || lower == format!("{name}s"));
    let of_dimension = |d: Option<Dimension>| {
        UNITS.iter().filter(move |u| d.is_none_or(|d| d == u.2)).flat_map(|(unit, _, _, prefixed)| {
            let count = if *prefixed { PREFIXES.len() } else { 0 };
            std::iter::once((*unit).to_string())
                .chain(PREFIXES.iter().take(count).map(move |(prefix, _)| format!("{prefix}{unit}")))
        })
    };
    let (fitting, all): (Vec<String>, Vec<String>) =
        (of_dimension(Some(wanted)).collect(), of_dimension(None).collect());
    // Letters alone do not tell milli from mega: of a stress nobody means the thousandth, of anything else the million.
    let prefix = if wanted == Dimension::PRESSURE { 'M' } else { 'm' };
    let same_letters = |list: &[String]| {
        let mut same = list.iter().filter(|known| known.to_lowercase() == lower);
        let first = same.clone().next();
        same.find(|known| known.starts_with(prefix)).or(first).cloned()
    };
    let near = |list: &[String]| nearest(symbol, list.iter().map(String::as_str)).map(str::to_owned);
    spelled
        .map(|(_, unit)| (*unit).to_owned())
        .or_else(|| same_letters(&fitting))
        .or_else(|| product_of_two(symbol))
        .or_else(|| near(&fitting))
        .or_else(|| same_letters(&all))
        .or_else(|| near(&all))
}

/// `N*m` for `Nm`: two units written as one.
fn product_of_two(symbol: &str) -> Option<String> {
    let known = |s: &str| {
        UNITS.iter().any(|u| u.0 == s)
            || PREFIXES.iter().any(|(p, _)| s.strip_prefix(p).is_some_and(|r| UNITS.iter().any(|u| u.3 && u.0 == r)))
    };
    symbol
        .char_indices()
        .skip(1)
        .map(|(i, _)| symbol.split_at(i))
        .find(|(a, b)| known(a) && known(b))
        .map(|(a, b)| format!("{a}*{b}"))
}

/// The first characters of a text, for messages.
fn clip(text: &str) -> String {
    const SHOWN: usize = 24;
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(SHOWN).collect::<String>())
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
