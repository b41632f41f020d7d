//! `[job] kind = "optimise"` and its `[free]`: what is made least, under which constraints, and by which numbers.

use super::dimension::Dimension;
use super::document::Value;
use super::drive::{Drivable, Found};
use super::findings::Findings;
use super::formula::{self, Comparison, FormulaError};
use super::job_values::{given, max_iterations, positive_count};
use super::reader::{Reader, Sign, clip};
use super::{LoadedScene, free, keys};
use crate::fault::Fault;
use crate::optimise_fault::OptimiseFault;
use crate::source::Span;
use lissome_model::{Constraint, Formula, FreeNumber, FreeOf, Job, LoopWinding, Operation, Term, TermKind};

/// Rounds of a search.
const ROUNDS: usize = 200;

/// Reads the keys of the job; the free numbers are read when the scene is whole.
pub(super) fn read_job(reader: &Reader<'_>, winding: LoopWinding, findings: &mut Findings) -> Option<Job> {
    let alone = reader.not_both("minimise", "maximise", "one thing is made least or greatest", findings);
    let maximise = reader.has("maximise");
    let key = if maximise { "maximise" } else { "minimise" };
    if !reader.has(key) {
        let fault = Fault::Optimise(OptimiseFault::NoObjective);
        return findings.add(fault, "job.minimise", reader.span);
    }
    let text = reader.text(key, findings);
    let objective = text.and_then(|text| told(formula::parse(text), reader, key, None, findings));
    let constraints = read_constraints(reader, findings);
    let rounds = positive_count(reader, "rounds", ROUNDS, findings);
    let max_iterations = max_iterations(reader, findings);
    let stable = given(reader, "stable", true, |f| reader.flag("stable", f), findings);
    if !alone {
        return None;
    }
    Some(Job::Optimise(lissome_model::OptimiseJob {
        objective: objective?,
        maximise,
        constraints: constraints?,
        free: Vec::new(),
        rounds: rounds?,
        stable: stable?,
        max_iterations: max_iterations?,
        winding,
    }))
}

fn read_constraints(reader: &Reader<'_>, findings: &mut Findings) -> Option<Vec<Constraint>> {
    let Some(entry) = reader.entry("constraints") else { return Some(Vec::new()) };
    let example = "[\"arm.volume <= 2e-5\"]";
    let Value::Array(items) = &entry.node.value else {
        let fault = Fault::WrongType { expected: "an array of comparisons", found: entry.node.value.kind(), example };
        return reader.fault("constraints", fault, findings);
    };
    let mut all = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Value::Text(text) = &item.value else {
            let fault = Fault::WrongType { expected: "a comparison", found: item.value.kind(), example };
            return findings.add(fault, reader.join("constraints"), Some(item.span));
        };
        let (left, right, how) =
            told(formula::parse_comparison(text), reader, "constraints", Some((index, item.span)), findings)?;
        all.push(constraint(text, left, right, how));
    }
    Some(all)
}

fn constraint(text: &str, left: Formula, right: Formula, how: Comparison) -> Constraint {
    let at_least = how == Comparison::AtLeast;
    let (first, second) = if at_least { (&right, &left) } else { (&left, &right) };
    let place = 0..text.len();
    let less = Term { kind: TermKind::Apply(Operation::Negate, vec![second.tree.clone()]), place: place.clone() };
    let tree = Term { kind: TermKind::Apply(Operation::Add, vec![first.tree.clone(), less]), place };
    let difference = Formula { tree, ..left.clone() };
    Constraint { text: text.to_owned(), difference, right, equal: how == Comparison::Equal, at_least }
}

/// What was read, or the complaint at its place in the text.
fn told<T>(
    read: Result<T, FormulaError>,
    reader: &Reader<'_>,
    key: &str,
    item: Option<(usize, Span)>,
    findings: &mut Findings,
) -> Option<T> {
    let error = match read {
        Ok(found) => return Some(found),
        Err(error) => error,
    };
    let (path, span) = match item {
        Some((index, span)) => (format!("{}.{index}", reader.join(key)), Some(span)),
        None => (reader.join(key), reader.span_of(key)),
    };
    let FormulaError { place, reason, help } = error;
    let span = span.map(|span| inside(span, &place, None));
    findings.add(Fault::Optimise(OptimiseFault::Formula { reason, help }), path, span)
}

/// The span of a part of a text that stands between quotes, if there is room for it; where the text is known, only if it stands there
/// as it is, without escapes.
pub(super) fn inside(span: Span, place: &std::ops::Range<usize>, length: Option<usize>) -> Span {
    let whole = (span.end - span.start) as usize;
    let fits = length.is_none_or(|length| whole == length + 2) && place.end + 2 <= whole;
    if !fits {
        return span;
    }
    let start = span.start as usize + 1;
    // An end of the text is pointed at by its closing quote.
    Span::new(span.source as usize, start + place.start..start + place.end.max(place.start + 1))
}

/// Reads the free numbers of an optimisation into its job.
pub(super) fn complete(loaded: &mut LoadedScene, findings: &mut Findings) -> Option<()> {
    if !matches!(loaded.scene.job, Job::Optimise(_)) {
        return Some(());
    }
    let root = loaded.document.root.clone();
    let file = Reader::open(&root, keys::SCENE, "", None, &mut Findings::default());
    let entry = file.entry("free");
    let table = match entry.map(|entry| &entry.node.value) {
        Some(Value::Table(table)) if !table.entries.is_empty() => table,
        Some(Value::Table(_)) | None => {
            let fault = Fault::Optimise(OptimiseFault::NothingFree);
            return findings.add(fault, "free", entry.map(|entry| entry.name_span).or(file.span_of("job")));
        }
        Some(other) => {
            let example = "[free]\n\"rod.arm.section.radius\" = { min = \"1 mm\", max = \"5 mm\" }";
            let fault = Fault::WrongType { expected: "a table", found: other.kind(), example };
            return file.fault("free", fault, findings);
        }
    };
    let mut all: Vec<FreeNumber> = Vec::new();
    for entry in &table.entries {
        let place = format!("free.{}", clip(&entry.name));
        let Some(reader) = Reader::open_node(&entry.node, keys::FREE, &place, Some(entry.name_span), findings) else {
            continue;
        };
        if let Some(key) = ["rest", "weight"].into_iter().find(|key| reader.has(key)) {
            let reason = "it belongs to `kind = \"inverse\"`";
            let fault = Fault::Clash { first: "kind".into(), second: key.into(), reason };
            reader.fault::<()>(key, fault, findings);
            continue;
        }
        if let Some(own) = read_one(loaded, &entry.name, entry.name_span, &reader, findings) {
            let same = |other: &&FreeNumber| loaded.identity(&other.path) == loaded.identity(&own.path);
            if let Some(other) = all.iter().find(same) {
                let fault = Fault::DrivenTwice { path: clip(&entry.name), other: other.path.clone() };
                findings.add::<()>(fault, place, Some(entry.name_span));
                continue;
            }
            all.push(own);
        }
    }
    if let Job::Optimise(job) = &mut loaded.scene.job {
        job.free = all;
    }
    Some(())
}

/// What a path names: where it begins, what it measures, and between what it can be at all.
struct Named {
    path: String,
    of: FreeOf,
    start: f64,
    dimension: Dimension,
    usual: (f64, f64),
}

fn named(loaded: &LoadedScene, path: &str, span: Span, findings: &mut Findings) -> Option<Named> {
    let scene = &loaded.scene;
    let plain = path.trim();
    let without_family = plain.split_once('.').map_or(plain, |(_, rest)| rest);
    for name in [plain, without_family] {
        if let Found::Quantity(quantity) = Drivable::of(scene).find(name) {
            let driven = scene.drives.iter().find(|drive| drive.target == quantity.target);
            let start = driven.map_or_else(|| free::present(scene, quantity.target), |drive| drive.signal.at(0.0));
            let usual = free::usual_limits(scene, quantity.target, start);
            return Some(Named {
                path: name.to_owned(),
                of: FreeOf::Drive,
                start,
                dimension: quantity.dimension,
                usual,
            });
        }
    }
    let place = format!("free.{}", clip(path));
    let found = match loaded.numbers(plain) {
        Ok(found) => found,
        Err(told) => return findings.add(told.fault, place, Some(span)),
    };
    let [number] = found.as_slice() else {
        let parts: Vec<String> = found.iter().map(|number| number.path.clone()).collect();
        return findings.add(
            Fault::Optimise(OptimiseFault::SeveralNumbers { path: clip(path), parts }),
            place,
            Some(span),
        );
    };
    let usual = (f64::NEG_INFINITY, f64::INFINITY);
    let (path, start, dimension) = (number.path.clone(), number.value, number.dimension);
    Some(Named { path, of: FreeOf::File, start, dimension, usual })
}

/// A number that only formulas have.
fn of_formulas(path: &str, reader: &Reader<'_>, findings: &mut Findings) -> Option<Named> {
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && path.starts_with(char::is_alphabetic);
    if !plain || path == "pi" {
        let reason =
            "a number of the file or a drive begins where they say; one of the formulas has letters, digits and _";
        let fault = Fault::Clash { first: clip(path), second: "start".into(), reason };
        return reader.fault("start", fault, findings);
    }
    let start = reader.quantity("start", Dimension::NONE, Sign::Any, findings)?;
    let usual = (f64::NEG_INFINITY, f64::INFINITY);
    Some(Named { path: path.to_owned(), of: FreeOf::Formulas, start, dimension: Dimension::NONE, usual })
}

fn read_one(
    loaded: &LoadedScene,
    path: &str,
    span: Span,
    reader: &Reader<'_>,
    findings: &mut Findings,
) -> Option<FreeNumber> {
    let named = match reader.has("start") {
        true => of_formulas(path, reader, findings),
        false => named(loaded, path, span, findings),
    };
    let Named { path, of, start, dimension, usual } = named?;
    let number = |key: &str, default: f64, findings: &mut Findings| match reader.has(key) {
        true => reader.quantity(key, dimension, Sign::Any, findings),
        false => Some(default),
    };
    let (low, high) = (number("min", usual.0, findings)?, number("max", usual.1, findings)?);
    let beyond = |value: &f64| value.is_finite() && (*value < usual.0 || *value > usual.1);
    if let Some((key, value)) = [("min", low), ("max", high)].into_iter().find(|(_, value)| beyond(value)) {
        let interval = format!("[{}, {}], what it can be", usual.0, usual.1);
        return reader.fault(key, Fault::OutOfRange { value, interval }, findings);
    }
    if low >= high {
        let fault = Fault::OutOfRange { value: high, interval: format!("above {low}, its least value") };
        return reader.fault("max", fault, findings);
    }
    if !(low..=high).contains(&start) {
        let reason = format!("`{path}` begins at {start}, outside of [{low}, {high}]");
        let help = "widen `min` and `max`, or begin between them";
        return findings.add(Fault::Contradiction { reason, help }, reader.path.clone(), Some(span));
    }
    Some(FreeNumber { path, of, start, limits: (low, high), unit: dimension.to_string() })
}
