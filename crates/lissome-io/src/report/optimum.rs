//! What an optimisation found: the way of its objective, the numbers with their limits, the constraints with their prices.

use super::html;
use super::picture::Picture;
use super::plot::{Curve, Plot};
use super::svg::escape;
use super::tables::table;
use crate::number::significant;
use crate::optimum::{end_words, goal, of};
use crate::summary::Summary;
use lissome_solve::OptimumRecord;
use lissome_solve::optimise::CONSTRAINT_TOLERANCE;
use std::fmt::Write as _;

/// The section; nothing for another job.
pub(super) fn section(summary: &Summary<'_>) -> String {
    let Some((job, record)) = of(summary.scene, summary.equilibrium) else { return String::new() };
    let mut out = String::from("<h2>What was sought</h2>");
    let rounds = record.rounds.len().saturating_sub(1);
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "<p>{}: {} after {rounds} round{}, {}; conditions of a minimum hold to {}.</p>",
        escape(&goal(job)),
        significant(record.objective, 8),
        if rounds == 1 { "" } else { "s" },
        end_words(record),
        significant(record.kkt, 2)
    );
    let rows = record.free.iter().map(|own| {
        let end = |limit: f64| if limit.is_finite() { significant(limit, 6) } else { "–".to_owned() };
        let first = record.rounds.first().and_then(|round| {
            let index = record.free.iter().position(|other| other.path == own.path)?;
            round.values.get(index)
        });
        vec![
            escape(&own.path),
            first.map_or("–".to_owned(), |value| significant(*value, 6)),
            significant(own.value, 8),
            escape(&own.unit),
            end(own.limits.0),
            end(own.limits.1),
            if own.at_limit == 0 {
                String::new()
            } else {
                format!("at its limit, price {}", significant(own.price, 4))
            },
        ]
    });
    out.push_str(&table(&["number", "at the start", "found", "unit", "least", "greatest", ""], rows.collect()));
    if !record.constraints.is_empty() {
        let rows = record.constraints.iter().map(|own| {
            let state = match (own.violation > CONSTRAINT_TOLERANCE, own.price == 0.0) {
                (true, _) => format!("violated by {} of its size", significant(own.violation, 3)),
                (false, true) => "holds".to_owned(),
                (false, false) => "holds, active".to_owned(),
            };
            vec![escape(&own.text), significant(own.gap, 4), state, significant(own.price, 5)]
        });
        out.push_str(&table(&["constraint", "left less right", "", "price"], rows.collect()));
        out.push_str(
            "<p>A price is how much the best objective changes when the right side of the constraint grows by one.</p>",
        );
    }
    out.push_str(&html::cards(&pictures(record, &goal(job))));
    out
}

/// Objective and violation by round.
fn pictures(record: &OptimumRecord, goal: &str) -> Vec<Picture> {
    if record.rounds.len() < 2 {
        return Vec::new();
    }
    let over = |value: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        let all = (0..record.rounds.len()).map(|round| (round as f64, value(round)));
        all.filter(|(_, value)| value.is_finite()).collect()
    };
    let plot = Plot {
        title: "Objective".into(),
        x_label: "round".into(),
        y_label: "objective".into(),
        curves: vec![Curve { name: goal.to_owned(), points: over(&|round| record.rounds[round].objective) }],
        counted: true,
        dotted: true,
        ..Plot::default()
    };
    let mut all = vec![Picture { name: "objective".into(), svg: plot.draw() }];
    let least = 1e-16;
    let rest = Plot {
        title: "What is left of the conditions of a minimum".into(),
        x_label: "round".into(),
        y_label: "scaled".into(),
        curves: vec![
            Curve { name: "stationarity".into(), points: over(&|round| record.rounds[round].kkt.max(least)) },
            Curve { name: "violation".into(), points: over(&|round| record.rounds[round].violation.max(least)) },
        ],
        logarithmic: true,
        counted: true,
        ..Plot::default()
    };
    all.push(Picture { name: "conditions".into(), svg: rest.draw() });
    all
}
