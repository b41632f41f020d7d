//! Whoever watches a sweep is asked whether to go on however fast the rows come.
#![allow(clippy::unwrap_used)]

use lissome::sweep;
use lissome_io::scene;
use lissome_io::sweep::{Plan, Sweep};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

const ROD: &str = "
schema = 1
[material.steel]
density = 7800
young = \"200 GPa\"
poisson = 0.3
[rod.arm]
material = \"steel\"
length = \"1 m\"
section = { shape = \"circle\", radius = \"1 mm\" }
base = { fixed_to = \"world\" }
";

#[test]
fn a_watcher_slower_than_the_rows_is_asked_all_the_same() {
    let base = scene::parse("rod.toml", ROD.into(), &[]).unwrap();
    let arguments = [(0, "rod.arm.length=0.5..1 m:2000".to_owned())];
    let plan = Plan::grid(&arguments, Sweep::columns_of(&base)).unwrap();
    let of = plan.len();
    let sweep = Arc::new(Sweep::new(base, plan, &[], &[]).unwrap());
    let cases: Vec<usize> = (0..of).collect();
    let (mut rows, mut asked, mut stop) = (0, 0, false);
    sweep::run(&sweep, &cases, 2, &mut |row| {
        match row {
            // Slow enough for the next row to wait, so that there is never a moment without one.
            Some(_) if !stop => std::thread::sleep(Duration::from_millis(4)),
            Some(_) => {}
            None => asked += 1,
        }
        rows += usize::from(asked == 0);
        stop |= asked > 2;
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(asked > 2, "asked {asked} times");
    // A hundred times a second is one in three rows.
    assert!(rows < of / 4, "{rows} of {of} rows before the first question");
}
