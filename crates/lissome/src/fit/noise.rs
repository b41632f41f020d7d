//! Noise that is stated: `position=0.1mm`, `arm.tip.rotation=0.1deg`.

use lissome_io::fit::FitFault;
use lissome_io::scene::dimension::Dimension;
use lissome_io::scene::units::{self, Quantity};
use lissome_io::{Diagnostic, Fault};

/// A standard deviation for some outputs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stated {
    /// A word of the outputs' names, or the beginning of one.
    key: String,
    quantity: Quantity,
}

fn refuse(reason: String) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Fault::Fit(FitFault::BadNoise { reason }))]
}

impl Stated {
    /// Reads arguments.
    pub fn read(arguments: &[String]) -> Result<Vec<Self>, Vec<Diagnostic>> {
        let one = |argument: &String| {
            let Some((key, value)) = argument.split_once('=') else {
                return Err(refuse(format!("`{argument}` has no `=`")));
            };
            let (key, value) = (key.trim().to_owned(), value.trim());
            let Ok(quantity) = units::parse(value) else {
                return Err(refuse(format!("`{value}` is no number with a unit")));
            };
            if !(quantity.value.is_finite() && quantity.value > 0.0) {
                return Err(refuse(format!("the noise of `{key}` must be positive, not {value}")));
            }
            Ok(Self { key, quantity })
        };
        arguments.iter().map(one).collect()
    }

    /// How well it fits a name: whole names before beginnings, those before words.
    fn fits(&self, name: &str) -> Option<usize> {
        let begins = name.strip_prefix(self.key.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let is_word = name.split('.').any(|word| word == self.key);
        match (begins, is_word) {
            (true, _) => Some(1 + self.key.len()),
            (false, true) => Some(0),
            _ => None,
        }
    }

    /// What is stated for an output, by the entry that fits it best.
    pub fn of(all: &[Self], name: &str, dimension: Dimension) -> Result<Option<f64>, Vec<Diagnostic>> {
        let best = all.iter().filter_map(|own| Some((own.fits(name)?, own))).max_by_key(|(fit, _)| *fit);
        let Some((_, own)) = best else { return Ok(None) };
        let Quantity { value, dimension: found, has_unit } = own.quantity;
        if has_unit && !dimension.accepts(found) {
            let (key, found, wanted) = (&own.key, found.name(), dimension.name());
            return Err(refuse(format!("`{key}` is stated as {found}, and `{name}` is {wanted}")));
        }
        Ok(Some(value))
    }

    /// Refuses what no output is called like.
    pub fn check_used<'n>(all: &[Self], names: impl Iterator<Item = &'n str> + Clone) -> Result<(), Vec<Diagnostic>> {
        match all.iter().find(|own| !names.clone().any(|name| own.fits(name).is_some())) {
            Some(unused) => {
                let known: Vec<&str> = names.collect();
                Err(refuse(format!("nothing measured is called `{}`; there are: {}", unused.key, known.join(", "))))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_nearest_statement_holds() {
        let arguments: Vec<String> =
            ["position=0.1mm", "arm.tip=0.2 mm", "rotation=0.1deg"].map(str::to_owned).to_vec();
        let all = Stated::read(&arguments).unwrap();
        let of = |name: &str, dimension| Stated::of(&all, name, dimension).unwrap();
        assert_eq!(of("plate.position.x", Dimension::LENGTH), Some(1e-4));
        assert_eq!(of("arm.tip.position.x", Dimension::LENGTH), Some(2e-4));
        assert_eq!(of("a.tension", Dimension::FORCE), None);
        assert!(Stated::of(&all, "arm.tip.rotation.x", Dimension::ANGLE).is_err(), "a length for a turn");
        assert!(Stated::check_used(&all, ["plate.position.x"].into_iter()).is_err());
        for bad in ["position", "position=", "position=-1 mm", "position=x"] {
            assert!(Stated::read(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }
}
