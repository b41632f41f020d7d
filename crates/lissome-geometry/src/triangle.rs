//! The nearest place of a triangle.

use nalgebra::Vector3;

/// The part of a triangle that a place belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Its inside.
    Face,
    /// The edge from this corner to the next.
    Edge(usize),
    /// This corner.
    Corner(usize),
}

/// The nearest place of a triangle and the part it belongs to, by the regions of the plane that its corners and edges
/// divide [ericson2005, 5.1.5].
pub fn nearest_on_triangle(at: &Vector3<f64>, [a, b, c]: &[Vector3<f64>; 3]) -> (Vector3<f64>, Feature) {
    let (ab, ac, ap) = (b - a, c - a, at - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, Feature::Corner(0));
    }
    let bp = at - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, Feature::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Feature::Edge(0));
    }
    let cp = at - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, Feature::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let part = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * part, Feature::Edge(1));
    }
    let sum = va + vb + vc;
    (a + ab * (vb / sum) + ac * (vc / sum), Feature::Face)
}
