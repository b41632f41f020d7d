//! The files under `cases/`, in the program itself, so that an installed program can check the machine it is on.

use crate::error::CaseError;

macro_rules! embed {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../cases/", $path)))),*]
    };
}

/// Path below `cases/`, and text.
const FILES: &[(&str, &str)] = embed![
    "agreement/case.toml",
    "classic/arch/case.toml",
    "classic/arch/deep.toml",
    "classic/arch/half-circle.toml",
    "classic/arch/shallow.toml",
    "classic/beck/case.toml",
    "classic/beck/frequencies.csv",
    "classic/beck/scene.toml",
    "classic/bend45/case.toml",
    "classic/bend45/loads.csv",
    "classic/bend45/scene.toml",
    "classic/buckling/case.toml",
    "classic/buckling/clamped-clamped.toml",
    "classic/buckling/clamped-free.toml",
    "classic/buckling/clamped-pinned.toml",
    "classic/buckling/pinned-pinned.toml",
    "classic/buckling/round.toml",
    "classic/buckling/strip.toml",
    "classic/circle/case.toml",
    "classic/circle/load.csv",
    "classic/circle/scene.toml",
    "classic/columns/case.toml",
    "classic/columns/clamped-clamped.toml",
    "classic/columns/clamped-free.toml",
    "classic/columns/clamped-pinned.toml",
    "classic/columns/pinned-pinned.toml",
    "classic/columns/strip.toml",
    "classic/derivatives/case.toml",
    "classic/derivatives/oscillator.toml",
    "classic/derivatives/scene.toml",
    "classic/elastica/case.toml",
    "classic/elastica/loads.csv",
    "classic/elastica/scene.toml",
    "classic/elbow/case.toml",
    "classic/elbow/scene.toml",
    "classic/frame/case.toml",
    "classic/frame/scene.toml",
    "classic/greenhill/case.toml",
    "classic/greenhill/scene.toml",
    "classic/helix/case.toml",
    "classic/linkages/case.toml",
    "classic/linkages/four-bar.toml",
    "classic/linkages/slider-crank.toml",
    "classic/ring/case.toml",
    "classic/ring/folded.toml",
    "classic/ring/twisted.toml",
    "classic/slender/case.toml",
    "classic/slender/locking.csv",
    "classic/slender/rods.csv",
    "classic/slender/round.toml",
    "classic/slender/spatial.csv",
    "classic/slender/spatial.toml",
    "classic/snap/case.toml",
    "classic/snap/scene.toml",
    "classic/spaghetti/case.toml",
    "classic/spaghetti/plane.toml",
    "classic/spaghetti/space.toml",
    "classic/spinup/case.toml",
    "classic/spinup/scene.toml",
    "classic/vibration/case.toml",
    "classic/vibration/scene.toml",
    "classic/writhe/case.toml",
    "classic/writhe/scene.toml",
    "contact/capstan/case.toml",
    "contact/capstan/scene.toml",
    "contact/drop/case.toml",
    "contact/drop/pile.toml",
    "contact/drop/pile.txt",
    "contact/drop/scene.toml",
    "contact/impact/case.toml",
    "contact/impact/scene.toml",
    "contact/impact/sphere.toml",
    "contact/impact/thin.toml",
    "contact/incline/case.toml",
    "contact/incline/scene.toml",
    "contact/incline/sliding.toml",
    "contact/knot/case.toml",
    "contact/knot/scene.toml",
    "contact/random/case.toml",
    "contact/trefoil/case.toml",
    "contact/trefoil/scene.toml",
    "inverse/case.toml",
    "inverse/six-rods.toml",
    "inverse/tendon-arm.toml",
    "inverse/tubes.toml",
    "joints/case.toml",
    "joints/loop.toml",
    "joints/tree.toml",
    "loops/case.toml",
    "loops/column.toml",
    "loops/robot.toml",
    "objectivity/case.toml",
    "objectivity/hook.toml",
    "objectivity/strip.toml",
    "objectivity/taper.toml",
    "objectivity/twisted.toml",
    "optimise/case.toml",
    "optimise/column.toml",
    "optimise/tendon.toml",
    "optimise/tubes.toml",
    "paper0/accuracy/case.toml",
    "paper0/accuracy/force-0.25.csv",
    "paper0/accuracy/force-0.5.csv",
    "paper0/accuracy/force-1.0.csv",
    "paper0/accuracy/forces.csv",
    "paper0/accuracy/moment-0.05.csv",
    "paper0/accuracy/moment-0.2.csv",
    "paper0/accuracy/moments.csv",
    "paper0/accuracy/scene.toml",
    "paper0/cable/case.toml",
    "paper0/cable/tips.csv",
    "paper0/chiral/case.toml",
    "paper0/chiral/free-rod.toml",
    "paper0/chiral/half-rod.toml",
    "paper0/chiral/layer.txt",
    "paper0/chiral/rod.toml",
    "paper0/chiral/tower.toml",
    "paper0/convergence/case.toml",
    "paper0/convergence/printed.csv",
    "paper0/convergence/scene.toml",
    "paper0/energy/case.toml",
    "paper0/energy/scene.toml",
    "paper0/finger/case.toml",
    "paper0/finger/joint.toml",
    "paper0/finger/stiffness.csv",
    "paper0/newton/battery.toml",
    "paper0/newton/case.toml",
    "paper0/newton/loads.csv",
    "paper0/newton/scene.toml",
    "paper0/newton/single.csv",
    "paper0/period/case.toml",
    "paper0/period/modes.toml",
    "paper0/period/places.csv",
    "paper0/period/swing.toml",
    "paper0/snap/case.toml",
    "paper0/snap/scene.toml",
    "paper0/swing-start/case.toml",
    "paper0/swing-start/load.csv",
    "paper0/swing-start/points.csv",
    "paper0/swing-start/scene.toml",
    "paper0/tubes/case.toml",
    "paper0/tubes/pair.toml",
    "paper1/identification/case.toml",
    "paper1/order/case.toml",
    "paper1/order/hanging.toml",
    "paper1/order/helical.toml",
    "paper1/order/planar.csv",
    "paper1/order/planar.toml",
    "paper1/parallel/case.toml",
    "paper1/parallel/loaded.csv",
    "paper1/parallel/unloaded.csv",
    "paper2/A/case.toml",
    "paper2/A/scene.toml",
    "paper2/A/tips.csv",
    "paper2/B/case.toml",
    "paper2/B/scene.toml",
    "paper2/B/tips.csv",
    "paper2/C/case.toml",
    "paper2/C/scene.toml",
    "paper2/C/tips.csv",
    "paper2/D/case.toml",
    "paper2/D/scene.toml",
    "paper2/D/tips.csv",
    "paper2/E/case.toml",
    "paper2/E/scene.toml",
    "paper2/E/tips.csv",
    "paper2/jump/case.toml",
    "paper2/table3/case.toml",
    "paper3/energy/case.toml",
    "paper3/energy/poses.csv",
    "paper3/energy/scene.toml",
    "paper3/exact/case.toml",
    "paper3/exact/poses.csv",
    "paper3/exact/scene.toml",
    "paper3/printed/case.toml",
    "paper3/printed/poses.csv",
    "paper3/printed/scene.toml",
    "paper3/random/case.toml",
    "paper3/random/scene.toml",
    "paper4/crossed/case.toml",
    "paper4/crossed/scene.toml",
    "paper4/droop/case.toml",
    "paper4/droop/scene.toml",
    "paper4/heavy/case.toml",
    "paper4/heavy/scene.toml",
    "paper4/insertion/case.toml",
    "paper4/insertion/motion.toml",
    "paper4/insertion/scene.toml",
    "paper4/insertion/unguided.toml",
    "paper4/observer/case.toml",
    "paper4/observer/scene.toml",
    "paper4/press/case.toml",
    "paper4/press/scene.toml",
    "paper4/thrown/case.toml",
    "paper4/thrown/scene.toml",
    "paper4/twist/case.toml",
    "paper4/twist/scene.toml",
    "random/motion/case.toml",
    "random/statics/case.toml",
    "random/tendons/case.toml",
    "rods/strain-bases/case.toml",
    "rods/strain-bases/flight.toml",
    "rods/strain-bases/hanging.toml",
    "rods/strain-bases/helical.toml",
    "rods/strain-bases/swing.toml",
    "tendons/discs/bodies.toml",
    "tendons/discs/case.toml",
    "tendons/discs/scene.toml",
    "tendons/friction/arc.toml",
    "tendons/friction/case.toml",
    "tendons/friction/cycle.toml",
    "tendons/length/case.toml",
    "tubes/fold-curve/case.toml",
    "tubes/fold-curve/scene.toml",
    "tubes/insertion/case.toml",
    "tubes/insertion/motion.toml",
    "tubes/insertion/scene.toml",
    "tubes/limits/case.toml",
    "tubes/limits/opposite.toml",
    "tubes/limits/rod.toml",
    "tubes/limits/sheath.toml",
    "tubes/limits/tilt.toml",
    "tubes/limits/tube.toml",
    "tubes/oracle/arclength.toml",
    "tubes/oracle/case.toml",
    "tubes/oracle/nitinol.toml",
    "tubes/oracle/table7.toml",
];

/// The recipes under `examples/scenes/`, which cases name `recipe:NAME`.
const RECIPES: &[(&str, &str)] = &[
    ("cable-arm", include_str!("../../../examples/scenes/cable-arm.toml")),
    ("chiral-column", include_str!("../../../examples/scenes/chiral-column.toml")),
    ("finger", include_str!("../../../examples/scenes/finger.toml")),
    ("six-rod-robot", include_str!("../../../examples/scenes/six-rod-robot.toml")),
];

/// Text of a file, by its path below `cases/`; a path that ends in `recipe:NAME` is a shipped scene.
pub fn text(path: &str) -> Result<&'static str, CaseError> {
    let (files, path) = path.split_once("recipe:").map_or((FILES, path), |(_, name)| (RECIPES, name));
    let found = files.iter().find(|(known, _)| *known == path);
    found.map(|(_, text)| *text).ok_or_else(|| CaseError::NoSuchFile { path: path.to_owned() })
}

/// Names of the cases: the folders that hold a `case.toml`.
pub fn case_names() -> impl Iterator<Item = &'static str> {
    FILES.iter().filter_map(|(path, _)| path.strip_suffix("/case.toml"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::path::Path;

    fn walk(folder: &Path, found: &mut Vec<String>, root: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found, root);
            } else if !path.ends_with("README.md") {
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }

    #[test]
    fn every_file_of_the_cases_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
        let mut on_disk = Vec::new();
        walk(&root, &mut on_disk, &root);
        on_disk.sort();
        let embedded: Vec<_> = FILES.iter().map(|(path, _)| *path).collect();
        assert_eq!(on_disk, embedded);
    }
}
