//! `lissome bench [NAME]`.

use crate::args::BenchArgs;
use crate::console::{refuse, say, say_json};
use crate::exit::Exit;
use lissome::io::number::with_unit;
use lissome::io::{Diagnostic, Fault};
use lissome_cases::BenchReport;
use serde_json::{Value as Json, json};

/// Times the solver, beside one million 6×6 products on the same core. A bar that is missed makes exit code 3.
pub fn run(args: &BenchArgs) -> Exit {
    let known = lissome_cases::benchmark_names();
    if let Some(pattern) = args.name.clone().filter(|pattern| !known.iter().any(|name| name.contains(pattern))) {
        return refuse(&[Diagnostic::new(Fault::UnknownCase { pattern, known })], args.json);
    }
    let reports = lissome_cases::bench(args.name.as_deref());
    if args.json {
        let all: Vec<Json> = reports.iter().map(to_json).collect();
        say_json(&json!({ "benchmarks": all }));
    } else {
        table(&reports);
    }
    if reports.iter().all(within_bar) { Exit::Ok } else { Exit::NoAnswer }
}

fn within_bar(report: &BenchReport) -> bool {
    report.bar.is_none_or(|bar| report.products <= bar)
}

fn to_json(report: &BenchReport) -> Json {
    json!({
        "name": report.name,
        "median_seconds": report.median_seconds,
        "calibration_seconds": report.calibration_seconds,
        "products": report.products,
        "unit": if report.unit.is_empty() { "products" } else { "ratio" },
        "bar": report.bar,
        "pass": within_bar(report),
        "note": report.note,
    })
}

fn table(reports: &[BenchReport]) {
    let widest = reports.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max(4);
    say(&format!("  {:<widest$}  {:>12}  {:>14}  {:>12}", "name", "median", "6x6 products", "at most"));
    for report in reports {
        let digits = if report.unit.is_empty() { 0 } else { 2 };
        let number = |value: f64| format!("{value:.digits$}{}", report.unit);
        let bar = report.bar.map_or("-".into(), number);
        let word = if within_bar(report) { "" } else { "  TOO SLOW" };
        say(&format!(
            "  {:<widest$}  {:>12}  {:>14}  {bar:>12}{word}  {}",
            report.name,
            with_unit(report.median_seconds, "s"),
            number(report.products),
            report.note
        ));
    }
    if let Some(first) = reports.first() {
        say(&format!("  one million 6x6 products: {}", with_unit(first.calibration_seconds, "s")));
    }
}
