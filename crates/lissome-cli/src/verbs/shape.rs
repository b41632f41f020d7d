//! `lissome shape FILE`: the scene's rods between their ends, whatever its job says; and what is shown of any such job.

use crate::args::RunArgs;
use crate::console::say;
use crate::exit::Exit;
use lissome::io::report::number;
use lissome::shape::comparison::largest_distance;
use lissome::shape::{RodShapes, Shape, Stability, Verdict};

/// Runs the scene as a job for shapes.
pub fn run(mut args: RunArgs) -> Exit {
    args.overrides.push("job.kind=shape".into());
    super::run::run(&args)
}

/// The exact shape of each rod and how the approximations compare.
pub fn say_shapes(shapes: &[RodShapes]) {
    for RodShapes { rod, comparison } in shapes {
        let exact = &comparison.exact;
        let energy = number::with_unit(exact.energy, "J");
        say(&format!(
            "  {rod:<8} exact in {} iterations, energy {energy}   {}",
            exact.iterations(),
            stability_words(&comparison.stability)
        ));
        for (end, wrench) in [("base", exact.wrench_on_base()), ("tip", exact.wrench_on_tip())] {
            let force = number::vector(wrench.force.as_slice(), "N");
            let moment = number::vector(wrench.moment.as_slice(), "N·m");
            say(&format!("           on the {end:<4}  force {force}   moment {moment}   (its axes)"));
        }
        say("           method   iterations   estimated error        distance from exact");
        comparison.approximations.iter().for_each(|shape| say(&method_line(shape, exact)));
        for (i, found) in comparison.all.iter().enumerate() {
            let energy = number::with_unit(found.shape.energy, "J");
            say(&format!("           equilibrium {:<2} {energy:<12} {}", i + 1, stability_words(&found.stability)));
        }
    }
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
        Verdict::Unstable => format!("unstable in {} directions{margin}", stability.conjugate_points.len()),
    }
}
