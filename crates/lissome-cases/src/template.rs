//! `{name}`, `{name*2.5}` and `{name*2.5+1}` in the settings of a case, filled from a table or by a draw.

use crate::error::CaseError;
use lissome::model::Scene;

/// Fills every `{…}` of a template. `value` gives the text of a name.
pub fn fill(template: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, CaseError> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        let token = &rest[open + 1..open + length];
        if !is_token(token) {
            // A brace of TOML's own.
            filled.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
            continue;
        }
        filled.push_str(&rest[..open]);
        filled.push_str(&evaluate(token, template, value)?);
        rest = &rest[open + length + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Fills the settings `path=value` of a case.
pub fn fill_all(templates: &[String], value: &dyn Fn(&str) -> Option<String>) -> Result<Vec<String>, CaseError> {
    templates.iter().map(|template| fill(template, value)).collect()
}

/// A number that reads back as itself.
pub fn exact(number: f64) -> String {
    format!("{number:e}")
}

fn is_token(token: &str) -> bool {
    !token.is_empty() && token.chars().all(|c| c.is_ascii_alphanumeric() || "_*.-+".contains(c))
}

fn evaluate(token: &str, template: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, CaseError> {
    let missing = || CaseError::NoValue { template: template.to_owned(), name: token.to_owned() };
    match token.split_once('*') {
        None => value(token).ok_or_else(missing),
        Some((name, line)) => {
            let number = value(name).and_then(|text| text.parse::<f64>().ok()).ok_or_else(missing)?;
            let (factor, shift) = line.split_once('+').unwrap_or((line, "0"));
            let [factor, shift] = [factor, shift].map(str::parse::<f64>);
            let (factor, shift) = (factor.map_err(|_| missing())?, shift.map_err(|_| missing())?);
            Ok(exact(number * factor + shift))
        }
    }
}

/// Reads an embedded scene with settings applied.
pub fn scene(path: &str, settings: &[String]) -> Result<Scene, CaseError> {
    parse(path, crate::embedded::text(path)?.to_owned(), settings)
}

/// Reads an embedded scene to which a text is added for each layer, `{i}` and `{next}` filled with its numbers.
pub fn layered(path: &str, layer: &str, layers: usize, settings: &[String]) -> Result<Scene, CaseError> {
    let mut text = crate::embedded::text(path)?.to_owned();
    let layer = crate::embedded::text(layer)?;
    for i in 0..layers {
        let number = |name: &str| match name {
            "i" => Some(i.to_string()),
            "next" => Some((i + 1).to_string()),
            _ => None,
        };
        text.push_str(&fill(layer, &number)?);
    }
    parse(path, text, settings)
}

/// Reads the text of a scene with settings applied; `path` is for complaints.
pub fn parse(path: &str, text: String, settings: &[String]) -> Result<Scene, CaseError> {
    lissome::io::scene::parse(path, text, settings).map(|loaded| loaded.scene).map_err(|complaints| {
        let message = complaints.first().map_or_else(String::new, ToString::to_string);
        CaseError::Scene { path: path.to_owned(), message }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fills_names_and_products_and_leaves_other_braces() {
        let value = |name: &str| (name == "r").then(|| "0.5".to_owned());
        assert_eq!(fill("a=[{r}, {r*4}, {r*4+1.5}]", &value).unwrap(), "a=[0.5, 2e0, 3.5e0]");
        assert_eq!(fill("a={ x = {r} }", &value).unwrap(), "a={ x = 0.5 }");
        assert!(matches!(fill("{q}", &value), Err(CaseError::NoValue { .. })));
    }

    #[test]
    fn exact_numbers_read_back() {
        for x in [0.1, 1.0 / 3.0, 1e-300, -7.25e11] {
            assert_eq!(exact(x).parse::<f64>().unwrap(), x);
        }
    }
}
