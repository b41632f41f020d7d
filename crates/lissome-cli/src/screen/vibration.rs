//! Modes and critical loads on the screen.

use lissome::io::equilibrium_json::critical_kind;
use lissome::io::number;
use lissome::io::report::modes::remarks;
use lissome::solve::{BucklingAnswer, ModeRecord};

/// All frequencies in a line where every mode is a lasting swing, else a line for each.
pub fn modes(modes: &[ModeRecord]) -> Vec<String> {
    let plain = |mode: &ModeRecord| mode.word().is_none() && mode.growth == 0.0;
    if modes.iter().all(plain) {
        let all: Vec<String> = modes.iter().map(|mode| number::significant(mode.frequency, 6)).collect();
        let error = modes.iter().map(|mode| mode.error).fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
        let trust =
            if error > 0.0 { format!("   to about {} of each", number::significant(error, 1)) } else { String::new() };
        return vec![format!("  modes    {} Hz{trust}", all.join(", "))];
    }
    let line = |(index, mode): (usize, &ModeRecord)| {
        let frequency = match mode.frequency > 0.0 {
            true => format!("{} Hz", number::significant(mode.frequency, 6)),
            false => "no swing".into(),
        };
        let growth = match mode.growth == 0.0 {
            true => String::new(),
            false => format!(
                "growth {} 1/s, damping ratio {}",
                number::significant(mode.growth, 4),
                number::significant(mode.damping_ratio, 3)
            ),
        };
        let head = if index == 0 { "modes" } else { "" };
        let word = mode.word().unwrap_or_default();
        format!("  {head:<8} {frequency:<14} {growth:<44} {word}").trim_end().to_owned()
    };
    modes.iter().enumerate().map(line).collect()
}

/// A line for each critical load, and what the numbers alone do not say.
pub fn critical_loads(buckling: &BucklingAnswer) -> Vec<String> {
    let loads = buckling.loads.iter().map(|load| {
        let (factor, kind) = (number::significant(load.factor, 7), critical_kind(load.kind));
        format!("load factor {factor:<12} {kind:<12} linear estimate {}", number::significant(load.estimate, 5))
    });
    let lines: Vec<String> = loads.chain(remarks(buckling)).collect();
    let head = |index: usize| if index == 0 { "buckling" } else { "" };
    lines.iter().enumerate().map(|(index, words)| format!("  {:<8} {words}", head(index))).collect()
}
