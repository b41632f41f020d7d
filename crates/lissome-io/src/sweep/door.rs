//! What is refused before any case is solved: paths that lead nowhere, values of the wrong kind, a path given twice.

use super::fault::SweepFault;
use super::plan::Plan;
use crate::diagnostic::Diagnostic;
use crate::fault::{Fault, Severity};
use crate::scene::{self, LoadedScene};
use crate::source::Source;

/// Refuses a plan whose paths or kinds of values do not fit the scene. Numbers that the scene cannot have (a negative length)
/// are no reason: their cases get a row that says so.
pub fn check(base: &LoadedScene, text: &str, plan: &Plan, fixed: &[String]) -> Result<(), Vec<Diagnostic>> {
    check_once(base, plan, fixed)?;
    let mut wrong = Vec::new();
    for (column, assignment) in plan.assignments(0).into_iter().enumerate() {
        // Alone, so that the complaint is about this path and no other.
        let Err(complaints) = scene::parse("scene.toml", text.to_owned(), std::slice::from_ref(&assignment)) else {
            continue;
        };
        let errors = complaints.into_iter().filter(|complaint| complaint.severity() == Severity::Error);
        wrong.extend(errors.filter(is_of_kind).map(|complaint| placed(complaint, plan, column, &assignment)));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// True if no other value of the same kind could mend it: keys and names, types, units.
pub(crate) fn is_of_kind(complaint: &Diagnostic) -> bool {
    let code = complaint.fault.code();
    code.starts_with("E02") || ["E0301", "E0306", "E0307", "E0308", "E0309"].contains(&code)
}

/// The complaint at the place where the user wrote what it is about.
fn placed(mut complaint: Diagnostic, plan: &Plan, column: usize, assignment: &str) -> Diagnostic {
    let Some(place) = &complaint.place else { return complaint };
    if !place.file.starts_with("argument ") {
        return complaint;
    }
    let path_end = assignment.split_once('=').map_or(0, |(path, _)| path.chars().count());
    let is_value = place.column > path_end + 1;
    match plan {
        Plan::Table(table) => {
            if let Some(there) = table.place(column, is_value) {
                complaint.place = Some(there);
            }
        }
        Plan::Grid(axes) | Plan::Latin { axes, .. } => {
            let given = &axes[column].argument;
            let source = Source { name: format!("argument {}", axes[column].index + 1), text: given.clone() };
            // The path stands where it stood; the value is the whole range.
            let value = given.split_once('=').map_or(0, |(path, _)| path.len() + 1);
            let (from, to) = if is_value { (value, given.len()) } else { (place.column - 1, place.end_column - 1) };
            complaint.place = Some(source.place(from, to));
        }
    }
    complaint
}

/// Refuses two columns for one thing, or a column for what has a fixed value.
fn check_once(base: &LoadedScene, plan: &Plan, fixed: &[String]) -> Result<(), Vec<Diagnostic>> {
    let fixed = fixed.iter().map(|argument| argument.split_once('=').map_or(argument.as_str(), |(path, _)| path));
    let given = fixed.len();
    let mut seen: Vec<String> = fixed.map(|path| base.identity(path)).collect();
    for (column, path) in plan.paths().into_iter().enumerate() {
        let own = base.identity(path);
        // What all cases share comes first: a column may change a part of it.
        let clash = |(index, other): (usize, &String)| {
            scene::identity_holds(&own, other) || index >= given && scene::identity_holds(other, &own)
        };
        if seen.iter().enumerate().any(clash) {
            let path = base.canonical_path(path);
            let mut refused = Diagnostic::new(Fault::Sweep(SweepFault::SweptTwice { path }));
            refused.place = match plan {
                Plan::Table(table) => table.place(column, false),
                Plan::Grid(axes) | Plan::Latin { axes, .. } => {
                    let argument = axes[column].argument.clone();
                    let end = argument.find('=').unwrap_or(argument.len());
                    let name = format!("argument {}", axes[column].index + 1);
                    Some(Source { name, text: argument }.place(0, end))
                }
            };
            return Err(vec![refused]);
        }
        seen.push(own);
    }
    Ok(())
}
