//! `lissome validate [PATTERN]`.

use crate::args::ValidateArgs;
use crate::console::{complain, refuse, say, say_json};
use crate::exit::Exit;
use lissome::io::number::significant;
use lissome::io::{Diagnostic, Fault};
use lissome_cases::CaseReport;
use serde_json::{Value as Json, json};
use std::io::IsTerminal;

/// Runs the cases and compares; a failed one makes exit code 3.
pub fn run(args: &ValidateArgs) -> Exit {
    let names = lissome_cases::names();
    if let Some(pattern) = args.pattern.as_deref().filter(|p| !names.iter().any(|name| name.contains(p))) {
        let fault = Fault::UnknownCase { pattern: pattern.to_owned(), known: names };
        return refuse(&[Diagnostic::new(fault)], args.json);
    }
    let live = !args.json && std::io::stderr().is_terminal();
    let mut progress = |name: &str| {
        if live {
            complain(&format!("… {name}"));
        }
    };
    let cases = lissome_cases::validate(args.pattern.as_deref(), &mut progress);
    let failed = cases.iter().filter(|case| !passes(case)).count();
    if args.json {
        say_json(&to_json(&cases, failed));
    } else {
        table(&cases);
        say(&format!("{} of {} cases pass", cases.len() - failed, cases.len()));
    }
    if failed == 0 { Exit::Ok } else { Exit::NoAnswer }
}

fn passes(case: &CaseReport) -> bool {
    case.rows.iter().all(|row| row.pass)
}

fn to_json(cases: &[CaseReport], failed: usize) -> Json {
    let cases_json: Vec<Json> = cases
        .iter()
        .map(|case| {
            let rows: Vec<Json> = case
                .rows
                .iter()
                .map(|row| {
                    json!({
                        "quantity": row.quantity,
                        "expected": row.expected,
                        "measured": row.measured,
                        "error": row.error,
                        "tolerance": row.tolerance,
                        "pass": row.pass,
                    })
                })
                .collect();
            json!({ "case": case.case, "rows": rows })
        })
        .collect();
    json!({ "cases": cases_json, "passed": cases.len() - failed, "failed": failed })
}

fn table(cases: &[CaseReport]) {
    for case in cases {
        let widest = case.rows.iter().map(|row| row.quantity.chars().count()).max().unwrap_or(0).max(8);
        let word = if passes(case) { "pass" } else { "FAIL" };
        say(&format!("\n{} {word}", case.case));
        say(&format!(
            "       {:<widest$}  {:>14}  {:>14}  {:>10}  {:>10}",
            "quantity", "expected", "measured", "error", "tolerance"
        ));
        for row in &case.rows {
            say(&format!(
                "  {}   {:<widest$}  {:>14}  {:>14}  {:>10}  {:>10}",
                if row.pass { "ok" } else { "NO" },
                row.quantity,
                significant(row.expected, 8),
                significant(row.measured, 8),
                significant(row.error, 3),
                significant(row.tolerance, 3),
            ));
        }
    }
    if !cases.is_empty() {
        say("");
    }
}
