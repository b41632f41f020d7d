//! The course of a driven quantity: a constant, a ramp, a sine, a table.

use super::dimension::Dimension;
use super::document::{Node, Table, Value};
use super::driven_quantity::Quantity;
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::{CubicTable, Follow, Job, Signal};

/// Reads a course: a value, or a table that says how it changes.
pub fn read(node: &Node, place: &str, quantity: &Quantity, job: &Job, findings: &mut Findings) -> Option<Signal> {
    let Quantity { dimension, sign, .. } = *quantity;
    let Value::Table(table) = &node.value else {
        // A value instead of a table: read as if the table itself were it.
        let empty = Table::default();
        let reader = Reader::open(&empty, keys::SIGNAL, place, Some(node.span), findings);
        return reader.quantity_of("", node, dimension, sign, findings).map(Signal::Constant);
    };
    let reader = Reader::open(table, keys::SIGNAL, place, Some(node.span), findings);
    if reader.has("smooth") {
        for form in ["sine", "values"] {
            if !reader.not_both(form, "smooth", "only a ramp and a table can be smooth", findings) {
                return None;
            }
        }
    }
    let forms = ["ramp", "sine", "table", "values"];
    for (i, first) in forms.iter().enumerate() {
        for second in &forms[i + 1..] {
            if !reader.not_both(first, second, "each gives the whole course", findings) {
                return None;
            }
        }
    }
    if !reader.has("ramp") {
        for key in ["start", "over"] {
            if reader.has(key) {
                let fault = Fault::MissingKey { owner: reader.owner(), key: "ramp", example: "[0, 1]" };
                return reader.fault(key, fault, findings);
            }
        }
    }
    if reader.has("ramp") {
        return read_ramp(&reader, quantity, job, findings);
    }
    if reader.has("sine") {
        return read_sine(&reader, quantity, findings);
    }
    if reader.has("table") {
        return read_table(&reader, quantity, job, findings);
    }
    if reader.has("values") {
        return read_values(&reader, quantity, job, findings);
    }
    let fault = Fault::NoneGiven { owner: reader.owner(), choices: &["ramp", "sine", "table", "values"] };
    findings.add(fault, reader.path.clone(), reader.span)
}

fn array<'d>(reader: &Reader<'d>, key: &str, findings: &mut Findings) -> Option<&'d [Node]> {
    let node = &reader.entry(key)?.node;
    match &node.value {
        Value::Array(items) => Some(items),
        other => {
            let fault = Fault::WrongType { expected: "an array", found: other.kind(), example: "[0, 1]" };
            reader.fault(key, fault, findings)
        }
    }
}

fn read_ramp(reader: &Reader<'_>, quantity: &Quantity, job: &Job, findings: &mut Findings) -> Option<Signal> {
    let items = array(reader, "ramp", findings)?;
    let [from, to] = items else {
        let fault = Fault::WrongCount { found: items.len(), expected: "two values, from and to" };
        return reader.fault("ramp", fault, findings);
    };
    let from = reader.quantity_of("ramp", from, quantity.dimension, quantity.sign, findings);
    let to = reader.quantity_of("ramp", to, quantity.dimension, quantity.sign, findings);
    let start = match reader.has("start") {
        true => reader.quantity("start", Dimension::TIME, Sign::NotNegative, findings)?,
        false => 0.0,
    };
    let end = job.end();
    if end > 0.0 && start >= end {
        let fault = Fault::OutOfRange { value: start, interval: format!("[0, {end}) s, the run") };
        return reader.fault("start", fault, findings);
    }
    let over = match reader.has("over") {
        true => reader.quantity("over", Dimension::TIME, Sign::NotNegative, findings)?,
        // Where nothing moves, the ramp waits at its beginning.
        false if end == 0.0 => 1.0,
        false => end - start,
    };
    let (from, to) = (from?, to?);
    match read_smooth(reader, findings)? {
        true => Some(Signal::SmoothRamp { from, to, start, over }),
        false => Some(Signal::Ramp { from, to, start, over }),
    }
}

fn read_sine(reader: &Reader<'_>, quantity: &Quantity, findings: &mut Findings) -> Option<Signal> {
    let sine = reader.table("sine", keys::SINE, findings)?;
    let mean = match sine.has("mean") {
        true => sine.quantity("mean", quantity.dimension, quantity.sign, findings),
        false => Some(0.0),
    };
    let amplitude = sine.required("amplitude", quantity.dimension, Sign::Any, findings);
    let frequency = sine.required("frequency", Dimension::FREQUENCY, Sign::Positive, findings);
    let phase = match sine.has("phase") {
        true => sine.quantity("phase", Dimension::ANGLE, Sign::Any, findings),
        false => Some(0.0),
    };
    let signal = Signal::Sine { mean: mean?, amplitude: amplitude?, frequency: frequency?, phase: phase? };
    within_sign(&sine, "amplitude", signal, quantity, findings)
}

fn read_table(reader: &Reader<'_>, quantity: &Quantity, job: &Job, findings: &mut Findings) -> Option<Signal> {
    let rows = array(reader, "table", findings)?;
    let mut table: Vec<(f64, f64)> = Vec::new();
    for row in rows {
        let pair = match &row.value {
            Value::Array(pair) => pair.as_slice(),
            _ => &[],
        };
        let [time, value] = pair else {
            let fault = Fault::WrongCount { found: pair.len(), expected: "[time, value] in each row" };
            return findings.add(fault, reader.join("table"), Some(row.span));
        };
        let after = reader.quantity_of("table", time, Dimension::TIME, Sign::Any, findings);
        let value = reader.quantity_of("table", value, quantity.dimension, quantity.sign, findings);
        let (after, value) = (after?, value?);
        if let Some((before, _)) = table.last().filter(|(before, _)| *before >= after) {
            let fault = Fault::TimesNotInOrder { before: *before, after };
            return findings.add(fault, reader.join("table"), Some(row.span));
        }
        table.push((after, value));
    }
    let (Some((first, _)), Some((last, _))) = (table.first(), table.last()) else {
        return reader.fault("table", Fault::WrongCount { found: 0, expected: "at least one row" }, findings);
    };
    // Times come from sums of decimal fractions: allow their rounding.
    let (first, last, end, slack) = (*first, *last, job.end(), 1e-9 * job.end());
    if first > slack || last < end - slack {
        return reader.fault("table", Fault::RunNotCovered { first, last, end }, findings);
    }
    match read_smooth(reader, findings)? {
        // A cubic may go beyond the values of its points.
        true => {
            let signal = Signal::CubicTable(CubicTable::new(table));
            within_sign(reader, "table", signal, quantity, findings)
        }
        false => Some(Signal::Table(table)),
    }
}

/// The flag, false by default.
fn read_smooth(reader: &Reader<'_>, findings: &mut Findings) -> Option<bool> {
    if reader.has("smooth") { reader.flag("smooth", findings) } else { Some(false) }
}

/// The signal, unless it takes values that its quantity cannot have.
fn within_sign(
    reader: &Reader<'_>,
    key: &str,
    signal: Signal,
    quantity: &Quantity,
    findings: &mut Findings,
) -> Option<Signal> {
    let (value, _) = signal.range();
    match quantity.sign {
        Sign::Positive if value <= 0.0 => reader.fault(key, Fault::NotPositive { value }, findings),
        Sign::NotNegative if value < 0.0 => reader.fault(key, Fault::Negative { value }, findings),
        _ => Some(signal),
    }
}

/// One value for each sample of a path: a table at the samples' own times.
fn read_values(reader: &Reader<'_>, quantity: &Quantity, job: &Job, findings: &mut Findings) -> Option<Signal> {
    let items = array(reader, "values", findings)?;
    let values: Vec<Option<f64>> = items
        .iter()
        .map(|item| reader.quantity_of("values", item, quantity.dimension, quantity.sign, findings))
        .collect();
    let values: Vec<f64> = values.into_iter().collect::<Option<_>>()?;
    if job.end() == 0.0 && !values.is_empty() {
        // One state is computed: that of the first sample.
        return Some(Signal::Table(values.into_iter().enumerate().map(|(i, v)| (i as f64, v)).collect()));
    }
    let (follow, samples, end) = match job {
        Job::Path(path) => (path.follow == Follow::Drives, path.samples, path.end),
        Job::Inverse(job) => (true, job.samples, job.end),
        _ => (true, 0, 0.0),
    };
    if samples == 0 {
        let reason = "`values` gives one for each sample of a path, and this job is none".into();
        let help = "write `kind = \"path\"`, or a `table` of times and values";
        return reader.fault("values", Fault::Contradiction { reason, help }, findings);
    }
    if !follow {
        let reason = "`values` gives one for each sample, and a path by arclength chooses its samples itself".into();
        let help = "write a `ramp`, or a `table` of times and values";
        return reader.fault("values", Fault::Contradiction { reason, help }, findings);
    }
    if values.len() != samples || values.len() < 2 {
        let reason = format!("{} values, but the path has {} samples", values.len(), samples);
        let help = "give one value for each of `job.samples`";
        return reader.fault("values", Fault::Contradiction { reason, help }, findings);
    }
    let last = (values.len() - 1) as f64;
    Some(Signal::Table(values.into_iter().enumerate().map(|(i, v)| (end * (i as f64 / last), v)).collect()))
}
