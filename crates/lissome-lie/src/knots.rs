//! Open knot vectors and the B-spline functions on them: plain, cumulative, and one degree lower.
//!
//! The knots are borrowed, so that whoever compiles a rod owns them and evaluation never allocates.
//! Corrected from [xun2025, section 3.4], which mixes degree and order and misprints the recursion.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | p | degree, 1 … 5 | `degree` | |
//! | n+1 | number of control poses | [`KnotVector::control_count`] | |
//! | U₀ … U_{n+p+1} | knots, first and last repeated p+1 times | `knots` | that of s |
//! | j | span: U_j ≤ s < U_{j+1}, p ≤ j ≤ n | `span` | |
//! | B_{i,p} | B-spline function, i = j−p … j live on span j | [`KnotVector::basis`] | |
//! | B̄_i | Σ_{k≥i} B_{k,p}: 1 for i ≤ j−p, 0 for i > j | [`KnotVector::cumulative`] | |
//! | φ_a | B_{a,p−1}, a = 1 … n: B̄_a′ = p φ_a/(U_{a+p} − U_a) | [`KnotVector::stress_basis`] | |
//!
//! Increments Ψ_i = g_i ⊟ g_{i−1} of span j have i = j−p+1 … j; their *local index* is 0 … p−1.

use std::fmt;
use std::iter::repeat_n;

/// The highest degree of a spline; beyond it the order of a rod no longer rises.
pub const MAX_DEGREE: usize = 5;

/// Two knots closer than this fraction of the whole length are taken for one when breaks are inserted.
const COINCIDENT: f64 = 1e-9;

/// Why a list of numbers is not an open knot vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KnotError {
    /// The degree is outside 1 … [`MAX_DEGREE`].
    Degree {
        /// The degree asked for.
        degree: usize,
    },
    /// Fewer than 2(p+1) knots.
    TooFew {
        /// How many were given.
        count: usize,
        /// How many the degree needs.
        least: usize,
    },
    /// A knot is NaN or infinite.
    NotFinite {
        /// Its index.
        index: usize,
    },
    /// A knot is smaller than the one before it.
    Decreasing {
        /// Index of the smaller one.
        index: usize,
        /// The knot before.
        before: f64,
        /// The knot itself.
        value: f64,
    },
    /// The first or the last knot is not repeated degree + 1 times.
    NotOpen {
        /// The end in question.
        knot: f64,
        /// How often it occurs.
        multiplicity: usize,
        /// degree + 1.
        needed: usize,
    },
    /// An interior knot is repeated more than `degree` times: the curve would tear.
    Torn {
        /// The knot.
        knot: f64,
        /// How often it occurs.
        multiplicity: usize,
        /// The most that is allowed.
        degree: usize,
    },
    /// A length or a number of spans from which no knots can be made.
    Extent {
        /// The length asked for.
        length: f64,
        /// The number of spans asked for.
        spans: usize,
    },
    /// A break is not strictly inside the curve, or not strictly after the break before it.
    BreakOutOfOrder {
        /// Index of the break.
        index: usize,
        /// Where it is.
        at: f64,
    },
}

impl fmt::Display for KnotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Degree { degree } => write!(f, "degree {degree} is outside 1..={MAX_DEGREE}"),
            Self::TooFew { count, least } => write!(f, "{count} knots, at least {least} are needed"),
            Self::NotFinite { index } => write!(f, "knot {index} is not finite"),
            Self::Decreasing { index, before, value } => {
                write!(f, "knot {index} is {value}, smaller than {before} before it")
            }
            Self::NotOpen { knot, multiplicity, needed } => {
                write!(f, "end knot {knot} occurs {multiplicity} times instead of {needed}")
            }
            Self::Torn { knot, multiplicity, degree } => {
                write!(f, "interior knot {knot} occurs {multiplicity} times, more than the degree {degree}")
            }
            Self::Extent { length, spans } => write!(f, "no knots can be laid on a length {length} with {spans} spans"),
            Self::BreakOutOfOrder { index, at } => {
                write!(f, "break {index} at {at} is not inside the curve or not after the break before it")
            }
        }
    }
}

impl std::error::Error for KnotError {}

/// A valid open knot vector of degree p over borrowed knots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnotVector<'a> {
    degree: usize,
    knots: &'a [f64],
}

/// A span of positive length: U_j < U_{j+1}.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The index j of its first knot.
    pub index: usize,
    /// U_j.
    pub start: f64,
    /// U_{j+1}.
    pub end: f64,
}

/// The cumulative functions of the p increments that live on one span, in local order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CumulativeBasis {
    /// The index j−p of the control pose the span's product starts from.
    pub first: usize,
    /// B̄_i(s); entries from p on are zero.
    pub value: [f64; MAX_DEGREE],
    /// B̄_i′(s).
    pub slope: [f64; MAX_DEGREE],
    /// B̄_i″(s).
    pub curvature: [f64; MAX_DEGREE],
}

/// B-spline functions of degrees p, p−1 and p−2 that live on one span; `[k]` is function j−d+k of degree d.
struct Triangle {
    degree_p: [f64; MAX_DEGREE + 1],
    one_lower: [f64; MAX_DEGREE + 1],
    two_lower: [f64; MAX_DEGREE + 1],
}

impl<'a> KnotVector<'a> {
    /// Checks the knots: p+1 equal ones at either end, interior ones at most p times, none decreasing.
    pub fn new(degree: usize, knots: &'a [f64]) -> Result<Self, KnotError> {
        if !(1..=MAX_DEGREE).contains(&degree) {
            return Err(KnotError::Degree { degree });
        }
        let (count, needed) = (knots.len(), degree + 1);
        if count < 2 * needed {
            return Err(KnotError::TooFew { count, least: 2 * needed });
        }
        if let Some(index) = knots.iter().position(|u| !u.is_finite()) {
            return Err(KnotError::NotFinite { index });
        }
        if let Some(index) = (1..count).find(|&i| knots[i] < knots[i - 1]) {
            return Err(KnotError::Decreasing { index, before: knots[index - 1], value: knots[index] });
        }
        let mut start = 0;
        while start < count {
            let knot = knots[start];
            let multiplicity = knots[start..].iter().take_while(|&&u| u == knot).count();
            let end = start == 0 || start + multiplicity == count;
            if end && multiplicity != needed {
                return Err(KnotError::NotOpen { knot, multiplicity, needed });
            }
            if !end && multiplicity > degree {
                return Err(KnotError::Torn { knot, multiplicity, degree });
            }
            start += multiplicity;
        }
        Ok(Self { degree, knots })
    }

    /// For knots that [`KnotVector::new`] has accepted before: takes them as they are, in constant time.
    pub fn accepted(degree: usize, knots: &'a [f64]) -> Self {
        debug_assert!(Self::new(degree, knots).is_ok(), "these knots were never accepted");
        Self { degree, knots }
    }

    /// The knots of a Bernstein (Bézier) curve on [0, 1]: no interior knot, p+1 control poses.
    pub fn bernstein(degree: usize) -> Result<KnotVector<'static>, KnotError> {
        const UNIT: [f64; 2 * (MAX_DEGREE + 1)] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        const KNOTS: &[f64] = &UNIT;
        if !(1..=MAX_DEGREE).contains(&degree) {
            return Err(KnotError::Degree { degree });
        }
        KnotVector::new(degree, &KNOTS[MAX_DEGREE - degree..=MAX_DEGREE + 1 + degree])
    }

    /// The degree p.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// All knots.
    pub fn knots(&self) -> &'a [f64] {
        self.knots
    }

    /// The number n+1 of control poses.
    pub fn control_count(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// Where the curve starts.
    pub fn start(&self) -> f64 {
        self.knots[0]
    }

    /// Where the curve ends.
    pub fn end(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    /// The spans of positive length, in order.
    pub fn spans(&self) -> impl Iterator<Item = Span> + use<'a> {
        let knots = self.knots;
        (self.degree..self.control_count()).filter(move |&j| knots[j] < knots[j + 1]).map(move |j| Span {
            index: j,
            start: knots[j],
            end: knots[j + 1],
        })
    }

    /// The span j with U_j ≤ s < U_{j+1}; the last span is closed, and s outside the curve is taken to its end.
    pub fn find_span(&self, s: f64) -> usize {
        let interior = &self.knots[self.degree + 1..self.control_count()];
        let after_last = self.degree + interior.partition_point(|&u| u <= s);
        debug_assert!(self.knots[after_last] < self.knots[after_last + 1], "interior knots are inside the ends");
        after_last
    }

    /// The Greville abscissa of control pose i, where it lies on a straight rod: mean of U_{i+1} … U_{i+p}.
    pub fn greville(&self, i: usize) -> f64 {
        self.knots[i + 1..=i + self.degree].iter().sum::<f64>() / self.degree as f64
    }

    /// B_{j−p} … B_j at s; entries beyond p are zero. Curves need only their sums; the tests compare both.
    pub fn basis(&self, span: usize, s: f64) -> [f64; MAX_DEGREE + 1] {
        self.triangle(span, s).degree_p
    }

    /// B̄, B̄′ and B̄″ of the span's increments i = j−p+1 … j, and the pose g_{j−p} they start from.
    pub fn cumulative(&self, span: usize, s: f64) -> CumulativeBasis {
        self.cumulative_of(span, &self.triangle(span, s))
    }

    /// [`Self::cumulative`] and [`Self::stress_basis`] for the price of one.
    pub fn cumulative_and_stress(&self, span: usize, s: f64) -> (CumulativeBasis, [f64; MAX_DEGREE]) {
        let t = self.triangle(span, s);
        (self.cumulative_of(span, &t), self.stress_of(&t))
    }

    fn cumulative_of(&self, span: usize, t: &Triangle) -> CumulativeBasis {
        let (p, u) = (self.degree, self.knots);
        let mut c = CumulativeBasis { first: span - p, ..Default::default() };
        let mut sum = 0.0;
        for k in (0..p).rev() {
            let i = span - p + 1 + k;
            let rate = p as f64 / (u[i + p] - u[i]);
            sum += t.degree_p[k + 1];
            c.value[k] = sum;
            c.slope[k] = rate * t.one_lower[k];
            // B′_{i,p−1}; its first and its last term are absent at the two sides of the span.
            let mut bend = 0.0;
            if k > 0 {
                bend += t.two_lower[k - 1] / (u[i + p - 1] - u[i]);
            }
            if k + 1 < p {
                bend -= t.two_lower[k] / (u[i + p] - u[i + 1]);
            }
            c.curvature[k] = rate * (p as f64 - 1.0) * bend;
        }
        c
    }

    /// φ_a = B_{a,p−1}(s) for a = j−p+1 … j, in the local order of the increments. They sum to one.
    pub fn stress_basis(&self, span: usize, s: f64) -> [f64; MAX_DEGREE] {
        let mut phi = [0.0; MAX_DEGREE];
        phi[0] = 1.0;
        for d in 1..self.degree {
            self.raise(&mut phi, d, span, s);
        }
        phi
    }

    fn stress_of(&self, t: &Triangle) -> [f64; MAX_DEGREE] {
        let mut phi = [0.0; MAX_DEGREE];
        phi[..self.degree].copy_from_slice(&t.one_lower[..self.degree]);
        phi
    }

    /// Cox–de Boor on one span: B_{i,d} = (s−U_i)/(U_{i+d}−U_i) B_{i,d−1} + (U_{i+d+1}−s)/(U_{i+d+1}−U_{i+1}) B_{i+1,d−1}.
    #[inline]
    fn triangle(&self, span: usize, s: f64) -> Triangle {
        let p = self.degree;
        debug_assert!(
            span >= p && span < self.control_count() && self.knots[span] < self.knots[span + 1],
            "span {span} is empty"
        );
        let mut row = [0.0; MAX_DEGREE + 1];
        let (mut one_lower, mut two_lower) = (row, row);
        row[0] = 1.0;
        for d in 1..=p {
            two_lower = one_lower;
            one_lower = row;
            self.raise(&mut row, d, span, s);
        }
        Triangle { degree_p: row, one_lower, two_lower }
    }

    /// From the d functions of degree d−1 to the d+1 of degree d.
    #[inline]
    fn raise(&self, row: &mut [f64], d: usize, span: usize, s: f64) {
        // Function j−d+1+r of degree d−1 rises from `from` and falls to `to`; the span lies between.
        let (rising, falling) = (&self.knots[span + 1 - d..][..d], &self.knots[span + 1..][..d]);
        let mut carried = 0.0;
        for ((own, from), to) in row[..d].iter_mut().zip(rising).zip(falling) {
            let share = *own / (to - from);
            *own = carried + (to - s) * share;
            carried = (s - from) * share;
        }
        row[d] = carried;
    }
}

/// A place where the curve is allowed less smoothness: p − `multiplicity` continuous derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// The parameter s of the break.
    pub at: f64,
    /// How often the knot is repeated, 1 … p.
    pub multiplicity: usize,
}

/// Appends to `knots` an open knot vector over [0, length], uniform between the breaks.
///
/// Every piece between two breaks is divided evenly into the fewest spans no longer than `length/spans`,
/// so a break on a uniform knot just raises its multiplicity, and no break leaves a sliver beside it.
/// Without breaks there are exactly `spans` spans and `spans + degree` control poses.
pub fn open_uniform_knots(
    degree: usize,
    length: f64,
    spans: usize,
    breaks: &[Break],
    knots: &mut impl Extend<f64>,
) -> Result<(), KnotError> {
    if !(1..=MAX_DEGREE).contains(&degree) {
        return Err(KnotError::Degree { degree });
    }
    if !(length > 0.0 && length.is_finite()) || spans == 0 {
        return Err(KnotError::Extent { length, spans });
    }
    let mut before = 0.0;
    for (index, b) in breaks.iter().enumerate() {
        if !(b.at - before > COINCIDENT * length && length - b.at > COINCIDENT * length) {
            return Err(KnotError::BreakOutOfOrder { index, at: b.at });
        }
        if !(1..=degree).contains(&b.multiplicity) {
            return Err(KnotError::Torn { knot: b.at, multiplicity: b.multiplicity, degree });
        }
        before = b.at;
    }

    let last = Break { at: length, multiplicity: degree + 1 };
    let pieces_of = |from: f64, to: f64| {
        let share = (to - from) / length * spans as f64;
        let pieces = ((share - spans as f64 * COINCIDENT).ceil() as usize).max(1);
        (pieces, (to - from) / pieces as f64)
    };
    let mut from = 0.0;
    for b in breaks.iter().chain([&last]) {
        // Too many spans for the digits that the length has, as near the smallest number there is.
        let (pieces, step) = pieces_of(from, b.at);
        if !(from + step > from && b.at > from + step * (pieces - 1) as f64) {
            return Err(KnotError::Extent { length, spans });
        }
        from = b.at;
    }

    knots.extend(repeat_n(0.0, degree + 1));
    from = 0.0;
    for b in breaks.iter().chain([&last]) {
        let (pieces, step) = pieces_of(from, b.at);
        knots.extend((1..pieces).map(|k| from + step * k as f64));
        knots.extend(repeat_n(b.at, b.multiplicity));
        from = b.at;
    }
    Ok(())
}
