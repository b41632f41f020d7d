//! An optimisation on the screen: how it ended, the numbers that were found, the constraints with their prices.

use lissome::io::number::significant;
use lissome::io::optimum::{end_words, goal, of};
use lissome::io::summary::Summary;
use lissome::solve::optimise::CONSTRAINT_TOLERANCE;

/// Numbers and constraints that are shown.
const SHOWN: usize = 24;

/// Nothing for another job.
pub fn lines(summary: &Summary<'_>) -> Vec<String> {
    let Some((job, record)) = of(summary.scene, summary.equilibrium) else { return Vec::new() };
    let rounds = record.rounds.len().saturating_sub(1);
    let start = record.rounds.first().map_or(f64::NAN, |first| first.objective);
    let mut lines = vec![format!(
        "  {:<8} {} = {} (from {}): {} after {rounds} round{}, conditions of a minimum to {}",
        "sought",
        goal(job),
        significant(record.objective, 7),
        significant(start, 5),
        end_words(record),
        if rounds == 1 { "" } else { "s" },
        significant(record.kkt, 2)
    )];
    let free = record.free.iter().map(|own| {
        let held = match own.at_limit {
            0 => "",
            1 => "   at its greatest",
            _ => "   at its least",
        };
        let unit = if own.unit == "1" { String::new() } else { format!(" {}", own.unit) };
        format!("{} = {}{unit}{held}", own.path, significant(own.value, 7))
    });
    lines.extend(all_lines("numbers", free.collect()));
    let constraints = record.constraints.iter().map(|own| {
        let state = match (own.violation > CONSTRAINT_TOLERANCE, own.price == 0.0) {
            (true, _) => format!("VIOLATED by {} of its size", significant(own.violation, 3)),
            (false, true) => "holds".to_owned(),
            (false, false) => format!("holds, price {}", significant(own.price, 4)),
        };
        format!("{}   {state}", own.text.trim())
    });
    lines.extend(all_lines("limits", constraints.collect()));
    lines
}

/// A line for each of them: they are what was asked for.
fn all_lines(family: &str, all: Vec<String>) -> impl Iterator<Item = String> {
    let more = all.len().saturating_sub(SHOWN);
    let head = family.to_owned();
    let shown = all.into_iter().take(SHOWN).enumerate();
    let shown =
        shown.map(move |(index, words)| format!("  {:<8} {words}", if index == 0 { head.as_str() } else { "" }));
    shown.chain((more > 0).then(|| format!("           and {more} more, in optimised.toml")))
}
