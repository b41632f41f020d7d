//! The nearest known name to a mistyped one, for hints.

/// The closest of `known` to `word`, if it is close enough to be what was meant: at most a third of the
/// letters differ (one for short words); ties go to a word of the same length, then to the first.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are pasted text, not typing mistakes.
    const LONGEST: usize = 64;
    let letters: Vec<char> = word.to_lowercase().chars().take(LONGEST + 1).collect();
    if letters.is_empty() || letters.len() > LONGEST {
        return None;
    }
    let mut best: Option<((usize, usize), &str)> = None;
    for candidate in known {
        let other: Vec<char> = candidate.to_lowercase().chars().take(LONGEST + 1).collect();
        let allowed = (letters.len().max(other.len()) / 3).max(1);
        let longer = letters.len().abs_diff(other.len());
        if longer > allowed {
            continue;
        }
        let distance = edit_distance(&letters, &other);
        if distance <= allowed && best.is_none_or(|(least, _)| (distance, longer) < least) {
            best = Some(((distance, longer), candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_typing_mistakes() {
        let keys = ["young", "poisson", "density", "damping"];
        assert_eq!(nearest("yung", keys), Some("young"));
        assert_eq!(nearest("yuong", keys), Some("young"));
        assert_eq!(nearest("Density", keys), Some("density"));
        assert_eq!(nearest("dampning", keys), Some("damping"));
    }

    #[test]
    fn stays_silent_when_nothing_is_near() {
        let keys = ["young", "poisson"];
        assert_eq!(nearest("temperature", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest(&"y".repeat(10_000), keys), None);
    }

    #[test]
    fn distance_is_a_metric_on_a_few_words() {
        let words: Vec<Vec<char>> =
            ["rod", "road", "load", "lo", "", "material"].iter().map(|w| w.chars().collect()).collect();
        for a in &words {
            assert_eq!(edit_distance(a, a), 0);
            for b in &words {
                assert_eq!(edit_distance(a, b), edit_distance(b, a));
            }
        }
    }
}
