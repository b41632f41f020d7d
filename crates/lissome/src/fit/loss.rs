//! How much what lies far out counts, by its name.

use lissome_solve::least_squares::Loss;

/// `square`, `huber` or `cauchy`, the last two perhaps with a width in standard deviations: `huber=2`.
pub fn loss_named(text: &str) -> Option<Loss> {
    let (name, width) = match text.split_once('=') {
        Some((name, width)) => {
            (name, Some(width.trim().parse::<f64>().ok().filter(|width| width.is_finite() && *width > 0.0)?))
        }
        None => (text, None),
    };
    match (name.trim(), width) {
        ("square", None) => Some(Loss::Square),
        ("huber", None) => Some(Loss::HUBER),
        ("cauchy", None) => Some(Loss::CAUCHY),
        ("huber", Some(width)) => Some(Loss::Huber(width)),
        ("cauchy", Some(width)) => Some(Loss::Cauchy(width)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_named_with_or_without_its_width() {
        assert_eq!(loss_named("square"), Some(Loss::Square));
        assert_eq!(loss_named("cauchy"), Some(Loss::CAUCHY));
        assert_eq!(loss_named("huber = 2"), Some(Loss::Huber(2.0)));
        for wrong in ["", "hubber", "square=1", "huber=", "huber=0", "huber=-1", "huber=nan", "huber=inf", "huber=2=3"]
        {
            assert_eq!(loss_named(wrong), None, "{wrong}");
        }
    }
}
