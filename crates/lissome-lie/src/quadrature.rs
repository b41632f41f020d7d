//! Gauss–Legendre quadrature on [0, 1].
//!
//! The rule with n points integrates polynomials of degree 2n−1 exactly. Roots of the Legendre polynomials
//! rounded to the nearest double; the tests prove the exactness degree.

/// One point of a rule: ∫₀¹ f ≈ Σ weight · f(abscissa).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussPoint {
    /// Where the integrand is sampled, in (0, 1).
    pub abscissa: f64,
    /// Its weight; the weights of a rule sum to one.
    pub weight: f64,
}

/// The largest rule tabulated.
pub const MAX_GAUSS_POINTS: usize = 8;

/// The rule with `points` points, in increasing order.
///
/// # Panics
/// If `points` is not in 1 ..= [`MAX_GAUSS_POINTS`].
pub fn gauss_legendre(points: usize) -> &'static [GaussPoint] {
    assert!((1..=MAX_GAUSS_POINTS).contains(&points), "a Gauss rule has 1..={MAX_GAUSS_POINTS} points, not {points}");
    // The rule with n points follows 1 + 2 + … + (n−1) points of the smaller ones.
    let first = points * (points - 1) / 2;
    &RULES[first..first + points]
}

const fn at(abscissa: f64, weight: f64) -> GaussPoint {
    GaussPoint { abscissa, weight }
}

/// The rules with 1, 2, … 8 points, one after the other.
#[rustfmt::skip]
const RULES: [GaussPoint; MAX_GAUSS_POINTS * (MAX_GAUSS_POINTS + 1) / 2] = [
    at(0.5, 1.0),
    at(0.2113248654051871, 0.5),
    at(0.7886751345948129, 0.5),
    at(0.11270166537925831, 0.2777777777777778),
    at(0.5, 0.4444444444444444),
    at(0.8872983346207417, 0.2777777777777778),
    at(0.06943184420297371, 0.17392742256872692),
    at(0.33000947820757187, 0.32607257743127305),
    at(0.6699905217924281, 0.32607257743127305),
    at(0.9305681557970263, 0.17392742256872692),
    at(0.046910077030668004, 0.11846344252809454),
    at(0.23076534494715845, 0.23931433524968324),
    at(0.5, 0.28444444444444444),
    at(0.7692346550528415, 0.23931433524968324),
    at(0.953089922969332, 0.11846344252809454),
    at(0.03376524289842399, 0.08566224618958518),
    at(0.16939530676686773, 0.1803807865240693),
    at(0.38069040695840156, 0.23395696728634552),
    at(0.6193095930415985, 0.23395696728634552),
    at(0.8306046932331322, 0.1803807865240693),
    at(0.966234757101576, 0.08566224618958518),
    at(0.025446043828620736, 0.06474248308443485),
    at(0.12923440720030277, 0.13985269574463832),
    at(0.2970774243113014, 0.19091502525255946),
    at(0.5, 0.2089795918367347),
    at(0.7029225756886985, 0.19091502525255946),
    at(0.8707655927996972, 0.13985269574463832),
    at(0.9745539561713793, 0.06474248308443485),
    at(0.019855071751231884, 0.05061426814518813),
    at(0.10166676129318664, 0.11119051722668724),
    at(0.2372337950418355, 0.15685332293894363),
    at(0.4082826787521751, 0.181341891689181),
    at(0.591717321247825, 0.181341891689181),
    at(0.7627662049581645, 0.15685332293894363),
    at(0.8983332387068134, 0.11119051722668724),
    at(0.9801449282487681, 0.05061426814518813),
];
