//! Formulas of named numbers: what an optimisation makes small, and what it keeps within limits.
//!
//! A formula is a tree; the file crate reads it from text. Its value comes with its derivatives by all that it names, by the chain
//! rule, term by term.

use std::ops::Range;

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// As it was written.
    pub text: String,
    /// What it names, each once.
    pub names: Vec<FormulaName>,
    /// The tree.
    pub tree: Term,
}

/// A name in a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaName {
    /// Dotted path of an output, or of a number that is free.
    pub path: String,
    /// Where it stands first, bytes of the text.
    pub place: Range<usize>,
    /// True if it is only used where a vector may stand.
    pub may_be_vector: bool,
}

/// A part of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it stands, bytes of the text.
    pub place: Range<usize>,
}

/// What a term is.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// A number, SI.
    Number(f64),
    /// A name, by its index.
    Name(usize),
    /// An operation on terms.
    Apply(Operation, Vec<Term>),
}

/// What is done with terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    Negate,
    /// Of any number of terms.
    Add,
    /// Of any number of terms.
    Multiply,
    Divide,
    Power,
    Sqrt,
    Abs,
    Exp,
    Ln,
    Sin,
    Cos,
    /// The least of any number of terms: its derivative is that of the least.
    Min,
    /// The greatest.
    Max,
    /// Root of the sum of squares of any number of terms; a name may be a vector.
    Norm,
}

/// Functions by the names that they are called by, with how many terms they take at least and at most.
pub const FUNCTIONS: [(&str, Operation, usize, usize); 9] = [
    ("sqrt", Operation::Sqrt, 1, 1),
    ("abs", Operation::Abs, 1, 1),
    ("exp", Operation::Exp, 1, 1),
    ("ln", Operation::Ln, 1, 1),
    ("sin", Operation::Sin, 1, 1),
    ("cos", Operation::Cos, 1, 1),
    ("min", Operation::Min, 2, usize::MAX),
    ("max", Operation::Max, 2, usize::MAX),
    ("norm", Operation::Norm, 1, usize::MAX),
];

/// A value and its derivatives by all rows of what a formula names.
#[derive(Clone, Debug, PartialEq)]
pub struct Slope {
    /// The value.
    pub value: f64,
    /// The derivatives.
    pub by: Vec<f64>,
}

/// Why a formula has no value or no derivative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// The term that has none, bytes of the text.
    pub place: Range<usize>,
    /// In words.
    pub reason: &'static str,
}

/// Rows of everything that a formula names, one list for each name.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    values: &'a [Vec<f64>],
}

impl<'a> Rows<'a> {
    /// Of lists in the order of the names.
    pub fn new(values: &'a [Vec<f64>]) -> Self {
        Self { values }
    }

    /// How many rows there are in all.
    fn count(&self) -> usize {
        self.values.iter().map(Vec::len).sum()
    }

    /// Rows of a name as slopes.
    fn slopes(&self, name: usize) -> Vec<Slope> {
        let first: usize = self.values[..name].iter().map(Vec::len).sum();
        let count = self.count();
        let one = |(row, value): (usize, &f64)| {
            let mut by = vec![0.0; count];
            by[first + row] = 1.0;
            Slope { value: *value, by }
        };
        self.values[name].iter().enumerate().map(one).collect()
    }
}

impl Formula {
    /// Its value and derivatives. A name that is no vector has one row.
    pub fn evaluate(&self, rows: Rows<'_>) -> Result<Slope, Undefined> {
        self.tree.evaluate(rows)
    }

    /// If it is a sum of squares with positive factors: the factors, and what is squared.
    pub fn squares(&self) -> Option<Vec<(f64, &Term)>> {
        let terms = match &self.tree.kind {
            TermKind::Apply(Operation::Add, terms) => terms.as_slice(),
            _ => std::slice::from_ref(&self.tree),
        };
        terms.iter().map(Term::square).collect()
    }
}

impl Term {
    fn number(&self) -> Option<f64> {
        match self.kind {
            TermKind::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The factor and what is squared, if it is a square.
    fn square(&self) -> Option<(f64, &Term)> {
        let TermKind::Apply(operation, terms) = &self.kind else { return None };
        match (operation, terms.as_slice()) {
            (Operation::Power, [base, exponent]) if exponent.number() == Some(2.0) => Some((1.0, base)),
            (Operation::Multiply, [first, second]) => {
                let (factor, square) = match first.number() {
                    Some(factor) => (factor, second.square()?),
                    None => (second.number()?, first.square()?),
                };
                (factor > 0.0).then_some((factor * square.0, square.1))
            }
            (Operation::Divide, [above, below]) => {
                let (factor, square) = (below.number()?, above.square()?);
                (factor > 0.0).then_some((square.0 / factor, square.1))
            }
            _ => None,
        }
    }

    /// Its value and derivatives.
    pub fn evaluate(&self, rows: Rows<'_>) -> Result<Slope, Undefined> {
        let found = match &self.kind {
            TermKind::Number(value) => Slope { value: *value, by: vec![0.0; rows.count()] },
            TermKind::Name(name) => {
                rows.slopes(*name).into_iter().next().ok_or_else(|| self.undefined("it has no value"))?
            }
            TermKind::Apply(Operation::Norm, terms) => {
                let mut all = Vec::new();
                for term in terms {
                    match term.kind {
                        TermKind::Name(name) => all.extend(rows.slopes(name)),
                        _ => all.push(term.evaluate(rows)?),
                    }
                }
                norm(&all, rows.count())
            }
            TermKind::Apply(operation, terms) => {
                let values = terms.iter().map(|term| term.evaluate(rows)).collect::<Result<Vec<_>, _>>()?;
                self.apply(*operation, &values)?
            }
        };
        match found.value.is_finite() && found.by.iter().all(|slope| slope.is_finite()) {
            true => Ok(found),
            false => Err(self.undefined("it is too large for a number, or grows without limit here")),
        }
    }

    fn undefined(&self, reason: &'static str) -> Undefined {
        Undefined { place: self.place.clone(), reason }
    }

    fn apply(&self, operation: Operation, all: &[Slope]) -> Result<Slope, Undefined> {
        let first = &all[0];
        let by_first = |value: f64, slope: f64| Slope { value, by: first.by.iter().map(|own| slope * own).collect() };
        Ok(match operation {
            Operation::Negate => by_first(-first.value, -1.0),
            Operation::Add => all[1..].iter().fold(first.clone(), |sum, next| Slope {
                value: sum.value + next.value,
                by: sum.by.iter().zip(&next.by).map(|(a, b)| a + b).collect(),
            }),
            Operation::Multiply => all[1..].iter().fold(first.clone(), |product, next| Slope {
                value: product.value * next.value,
                by: product.by.iter().zip(&next.by).map(|(a, b)| a * next.value + b * product.value).collect(),
            }),
            Operation::Divide => {
                let below = &all[1];
                if below.value == 0.0 {
                    return Err(self.undefined("it divides by zero"));
                }
                let value = first.value / below.value;
                let by = first.by.iter().zip(&below.by).map(|(a, b)| (a - value * b) / below.value).collect();
                Slope { value, by }
            }
            Operation::Power => return self.power(first, &all[1]),
            Operation::Sqrt if first.value < 0.0 => {
                return Err(self.undefined("it is the root of a negative number"));
            }
            Operation::Sqrt => {
                let root = first.value.sqrt();
                if root == 0.0 && first.by.iter().any(|slope| *slope != 0.0) {
                    return Err(self.undefined("a root has no slope at zero"));
                }
                by_first(root, if root > 0.0 { 0.5 / root } else { 0.0 })
            }
            Operation::Abs => by_first(first.value.abs(), if first.value < 0.0 { -1.0 } else { 1.0 }),
            Operation::Exp => by_first(first.value.exp(), first.value.exp()),
            Operation::Ln if first.value <= 0.0 => {
                return Err(self.undefined("it is the logarithm of a number that is not positive"));
            }
            Operation::Ln => by_first(first.value.ln(), 1.0 / first.value),
            Operation::Sin => by_first(first.value.sin(), first.value.cos()),
            Operation::Cos => by_first(first.value.cos(), -first.value.sin()),
            Operation::Min => all[1..].iter().fold(first, |a, b| if b.value < a.value { b } else { a }).clone(),
            Operation::Max => all[1..].iter().fold(first, |a, b| if b.value > a.value { b } else { a }).clone(),
            Operation::Norm => norm(all, first.by.len()),
        })
    }

    fn power(&self, base: &Slope, exponent: &Slope) -> Result<Slope, Undefined> {
        let (a, b) = (base.value, exponent.value);
        if a < 0.0 && b.fract() != 0.0 {
            return Err(self.undefined("it is a broken power of a negative number"));
        }
        if a == 0.0 && b < 0.0 {
            return Err(self.undefined("it divides by zero"));
        }
        let value = a.powf(b);
        // 0⁰ and 0¹ have the slopes of their limits.
        let by_base = if b == 0.0 { 0.0 } else { b * a.powf(b - 1.0) };
        let varies = exponent.by.iter().any(|slope| *slope != 0.0);
        if varies && a <= 0.0 {
            return Err(self.undefined("a power that varies needs a positive base"));
        }
        let by_exponent = if varies { value * a.ln() } else { 0.0 };
        let by = base.by.iter().zip(&exponent.by).map(|(da, db)| by_base * da + by_exponent * db).collect();
        Ok(Slope { value, by })
    }
}

/// √Σx²; where it is zero, zero is one of its slopes.
fn norm(all: &[Slope], rows: usize) -> Slope {
    let value = all.iter().map(|own| own.value * own.value).sum::<f64>().sqrt();
    let mut by = vec![0.0; rows];
    if value > 0.0 {
        for own in all {
            by.iter_mut().zip(&own.by).for_each(|(sum, slope)| *sum += own.value / value * slope);
        }
    }
    Slope { value, by }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn term(kind: TermKind) -> Term {
        Term { kind, place: 0..1 }
    }

    fn apply(operation: Operation, terms: Vec<Term>) -> Term {
        term(TermKind::Apply(operation, terms))
    }

    /// Every operation on two names, smooth where they are 0.7 and 1.3.
    fn all() -> Vec<Term> {
        let name = |index| term(TermKind::Name(index));
        let number = |value| term(TermKind::Number(value));
        use Operation::*;
        let mut terms: Vec<Term> = [Negate, Sqrt, Abs, Exp, Ln, Sin, Cos].map(|one| apply(one, vec![name(0)])).to_vec();
        terms.extend([Add, Multiply, Divide, Power, Min, Max, Norm].map(|two| apply(two, vec![name(0), name(1)])));
        terms.push(apply(Power, vec![name(1), number(2.0)]));
        terms.push(apply(Power, vec![apply(Negate, vec![name(1)]), number(3.0)]));
        terms
    }

    #[test]
    fn slopes_are_those_of_differences() {
        let at = |x: f64, y: f64, term: &Term| {
            let values = [vec![x], vec![y]];
            term.evaluate(Rows::new(&values)).unwrap()
        };
        const H: f64 = 1e-5;
        for own in all() {
            let found = at(0.7, 1.3, &own);
            let by_x = (at(0.7 + H, 1.3, &own).value - at(0.7 - H, 1.3, &own).value) / (2.0 * H);
            let by_y = (at(0.7, 1.3 + H, &own).value - at(0.7, 1.3 - H, &own).value) / (2.0 * H);
            // Of the second order, with third derivatives below ten.
            assert!((found.by[0] - by_x).abs() < 10.0 * H * H, "{own:?}");
            assert!((found.by[1] - by_y).abs() < 10.0 * H * H, "{own:?}");
        }
    }

    #[test]
    fn what_has_no_value_is_told() {
        let name = || term(TermKind::Name(0));
        let none = |term: &Term, value: f64| term.evaluate(Rows::new(&[vec![value]])).is_err();
        assert!(none(&apply(Operation::Divide, vec![name(), name()]), 0.0));
        assert!(none(&apply(Operation::Sqrt, vec![name()]), -1.0) && none(&apply(Operation::Sqrt, vec![name()]), 0.0));
        assert!(none(&apply(Operation::Ln, vec![name()]), 0.0));
        assert!(none(&apply(Operation::Exp, vec![name()]), 1e6));
        assert!(none(&apply(Operation::Power, vec![name(), term(TermKind::Number(0.5))]), -1.0));
    }
}
