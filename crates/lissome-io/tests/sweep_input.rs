//! Whatever is given as an axis, a table of cases or a plan: it is read or refused with a place, and never a panic.

use lissome_io::sweep::{Axis, CasesTable, Plan};
use proptest::prelude::*;

/// Texts made of what axes and tables are made of, and of what they are not.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("..".to_owned()),
        Just(":".to_owned()),
        Just("=".to_owned()),
        Just(",".to_owned()),
        Just("\"".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just(" mm".to_owned()),
        Just("µ°²€".to_owned()),
        Just("nan".to_owned()),
        Just("1e999".to_owned()),
        Just("99999999999999999999".to_owned()),
        "[a-z.]{1,6}",
        "-?[0-9]{1,3}(\\.[0-9]{1,2})?",
        any::<char>().prop_map(|c| c.to_string()),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn axes(argument in text(), counted: bool) {
        let _ = Axis::is_meant(&argument);
        match Axis::read(&argument, 0, counted) {
            Ok(axis) => {
                prop_assert!(axis.from.is_finite() && axis.to.is_finite());
                prop_assert_eq!(axis.count.is_some(), counted);
                // The last value is the end itself, without rounding.
                let last = axis.count.map_or(axis.at(1.0), |count| axis.nth(count - 1));
                prop_assert!(axis.count == Some(1) || last == axis.to);
            }
            Err(refused) => prop_assert!(refused.place.is_some() && refused.fault.code() == "E0701"),
        }
    }

    #[test]
    fn tables(text in text()) {
        match CasesTable::parse("cases.csv", text) {
            Ok(table) => {
                prop_assert!(!table.rows.is_empty());
                prop_assert!(table.rows.iter().all(|row| row.len() == table.paths.len()));
            }
            Err(refused) => prop_assert!(refused.place.is_some() && refused.fault.code() == "E0703"),
        }
    }

    #[test]
    fn plans(axes in proptest::collection::vec(text(), 0..3), samples: u16, seed: u64, kind in "grid|latin|table|[a-z]{3}") {
        let json = serde_json::json!({ "kind": kind, "axes": axes, "samples": samples, "seed": seed, "paths": axes, "rows": [axes] });
        if let Some(plan) = Plan::from_json(&json) {
            prop_assert!(!plan.is_empty());
            prop_assert_eq!(plan.values(plan.len() - 1).len(), plan.paths().len());
            prop_assert_eq!(Plan::from_json(&plan.to_json()), Some(plan));
        }
    }
}
