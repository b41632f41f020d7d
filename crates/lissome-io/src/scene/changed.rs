//! A scene file with some of its numbers changed, read anew; and complaints about parts of its formulas.

use super::LoadedScene;
use super::document::{Node, Value};
use super::optimise::inside;
use super::write::inline;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use lissome_model::{FreeNumber, FreeOf, Job};
use lissome_solve::Equilibrium;
use std::borrow::Cow;
use std::ops::Range;

impl LoadedScene {
    /// The file with free numbers at these values (SI), as overrides would change it; with `for_statics` its job is the equilibrium.
    pub fn with_values(&self, free: &[FreeNumber], values: &[f64], for_statics: bool) -> Result<Self, Vec<Diagnostic>> {
        let (file, earlier) = match self.document.sources.split_first() {
            Some((file, earlier)) => (file, earlier),
            None => return Ok(self.clone()),
        };
        let mut arguments: Vec<String> = earlier.iter().map(|argument| argument.text.clone()).collect();
        // Components of one vector change together.
        let mut changed: Vec<(Vec<String>, Node)> = Vec::new();
        for (free, value) in free.iter().zip(values) {
            match free.of {
                FreeOf::Drive => {
                    arguments.push(format!("drive.\"{}\"={value:?}", free.path));
                    continue;
                }
                FreeOf::Formulas => {
                    arguments.push(format!("free.{}.start={value:?}", free.path));
                    continue;
                }
                FreeOf::File => {}
            }
            let found = self.numbers(&free.path).map_err(|told| vec![*told])?;
            for number in found {
                let (key, node) = self.place_of(&number).ok_or_else(Vec::new)?;
                let index = match changed.iter().position(|(other, _)| *other == key) {
                    Some(index) => index,
                    None => {
                        arguments.extend(self.taken_from_another(&key));
                        changed.push((key, node));
                        changed.len() - 1
                    }
                };
                let entry = &mut changed[index];
                entry.1 = number.replaced_in(&entry.1, *value);
            }
        }
        arguments.extend(changed.iter().map(|(key, node)| format!("{}={}", key.join("."), inline(node))));
        if for_statics {
            arguments.push("job.kind=statics".into());
        }
        super::read(super::with_arguments(&file.name, file.text.clone(), &arguments)?)
    }

    /// The file with the numbers that an optimisation found; itself for any other answer.
    pub fn at_optimum(&self, equilibrium: Option<&Equilibrium>) -> Cow<'_, Self> {
        let record = equilibrium.and_then(|equilibrium| equilibrium.optimum.as_ref());
        match (&self.scene.job, record) {
            (Job::Optimise(job), Some(record)) => {
                let values: Vec<f64> = record.free.iter().map(|own| own.value).collect();
                self.with_values(&job.free, &values, false).map_or(Cow::Borrowed(self), Cow::Owned)
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// A complaint about a part of the text that stands at a dotted path.
    pub fn blame(&self, fault: Fault, path: &str, text: &str, place: &Range<usize>) -> Diagnostic {
        let span = self.document.locate(path).map(|span| inside(span, place, Some(text.len())));
        Diagnostic::at(fault, Some(path.to_owned()), span, &self.document.sources)
    }

    /// Where a part takes a key from another that it is like: the key written out, so that a part of it can change.
    fn taken_from_another(&self, key: &[String]) -> Option<String> {
        let [family, name, own, ..] = key else { return None };
        let written = self.written();
        let below = |table: &super::Table, names: &[&String]| -> Option<Node> {
            let (first, rest) = names.split_first()?;
            let mut node = table.get(first)?.clone();
            for name in rest {
                let Value::Table(inner) = &node.value else { return None };
                node = inner.get(name)?.clone();
            }
            Some(node)
        };
        if below(&written, &[family, name, own]).is_some() {
            return None;
        }
        let node = below(&self.document.root, &[family, name, own])?;
        Some(format!("{family}.{name}.{own}={}", inline(&node)))
    }
}
