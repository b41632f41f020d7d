//! What the screen says of shapes between two ends.

use lissome::io::number;
use lissome::shape::comparison::largest_distance;
use lissome::shape::{RodShapes, Shape, Stability, Verdict};

/// The exact shape of each rod and how the approximations compare.
pub fn lines(shapes: &[RodShapes]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |line: String| lines.push(line);
    for RodShapes { rod, comparison } in shapes {
        let exact = &comparison.exact;
        let energy = number::with_unit(exact.energy, "J");
        say(format!(
            "  {rod:<8} exact in {} iterations, energy {energy}   {}",
            exact.iterations(),
            stability_words(&comparison.stability)
        ));
        for (end, wrench) in [("base", exact.wrench_on_base()), ("tip", exact.wrench_on_tip())] {
            let force = number::vector(wrench.force.as_slice(), "N");
            let moment = number::vector(wrench.moment.as_slice(), "N·m");
            say(format!("           on the {end:<4}  force {force}   moment {moment}   (its axes)"));
        }
        say("           method   iterations   estimated error        distance from exact".into());
        for shape in &comparison.approximations {
            let elsewhere = if comparison.is_elsewhere(shape) { "   on another branch" } else { "" };
            say(format!("{}{elsewhere}", method_line(shape, exact)));
        }
        for (method, error) in &comparison.failed {
            say(format!("           {:<8} failed: {error}", method.name()));
        }
        for (i, found) in comparison.all.iter().enumerate() {
            let energy = number::with_unit(found.shape.energy, "J");
            say(format!("           equilibrium {:<2} {energy:<12} {}", i + 1, stability_words(&found.stability)));
        }
    }
    lines
}

fn method_line(shape: &Shape, exact: &Shape) -> String {
    let pair = |position: f64, rotation: f64| {
        format!("{}, {}°", number::with_unit(position, "m"), number::significant(rotation.to_degrees(), 3))
    };
    let (error, distance) = (shape.error(), largest_distance(shape, exact));
    format!(
        "           {:<8} {:<12} {:<22} {}",
        shape.method.name(),
        shape.iterations(),
        pair(error.position, error.rotation),
        pair(distance.position, distance.rotation)
    )
}

fn stability_words(stability: &Stability) -> String {
    let margin =
        stability.fold_margin.map_or(String::new(), |m| format!(" (fold margin {})", number::significant(m, 3)));
    match stability.verdict {
        Verdict::Stable => format!("stable{margin}"),
        Verdict::Neutral => "neutral: it turns about its ends at no cost, or is at a fold".into(),
        Verdict::Unstable => {
            let count = stability.conjugate_points.len();
            format!("unstable in {count} direction{}{margin}", if count == 1 { "" } else { "s" })
        }
    }
}
