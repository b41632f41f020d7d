//! Tube sets: what they are as rods, and which are refused.

use lissome_lie::Pose;
use lissome_model::{
    Discretization, Drive, DriveTarget, Frame, Invalid, Job, Material, PathJob, Problem, Resolution, Rod, Scene,
    Signal, StrainForm, StrainFunctions, Tube, TubeSet,
};
use nalgebra::Vector2;

fn tube(name: &str, inner: f64, outer: f64, length: f64, insertion: f64) -> Tube {
    Tube {
        name: name.into(),
        material: Material::from_poisson(58e9, 0.3).with_density(6450.0),
        inner_diameter: inner,
        outer_diameter: outer,
        length,
        curved_length: 0.4 * length,
        curvature: vec![(0.0, Vector2::new(0.0, 10.0))],
        insertion,
        ..Tube::default()
    }
}

fn pair() -> TubeSet {
    let tubes = vec![tube("inner", 1e-3, 1.2e-3, 0.4, 0.2), tube("outer", 1.4e-3, 1.7e-3, 0.3, 0.15)];
    TubeSet { tubes, ..TubeSet::default() }
}

fn spline() -> Discretization {
    Discretization::Spline { degree: 3, resolution: Resolution::Spans(4), form: StrainForm::Mixed }
}

fn scene(tubes: TubeSet) -> Scene {
    let rod = tubes.rod("robot", Frame::world(Pose::identity()), spline());
    Scene { rods: vec![rod], ..Scene::default() }
}

fn refused(change: impl FnOnce(&mut TubeSet)) -> Invalid {
    let mut tubes = pair();
    change(&mut tubes);
    scene(tubes).validate().expect_err("no such tubes exist")
}

fn reason(invalid: &Invalid) -> String {
    invalid.problem.to_string()
}

#[test]
fn tubes_are_a_rod_with_jumps_where_they_end_and_where_they_begin_to_curve() {
    let tubes = pair();
    // The inner tube curves over its last 0.16 m, the outer one over its last 0.12 m.
    let breaks = tubes.breaks();
    let expected = [0.2 - 0.16, 0.15 - 0.12, 0.15];
    assert_eq!(breaks.len(), 3);
    for place in expected {
        assert!(breaks.iter().any(|s| (s - place).abs() < 1e-15), "{place} in {breaks:?}");
    }
    let rod: Rod = tubes.rod("robot", Frame::world(Pose::identity()), spline());
    assert_eq!(rod.validate("tubes.robot"), Ok(()));
    assert_eq!(rod.jumps(&[]), breaks);
    let (both, alone) = (rod.profile.at(0.1).stiffness(), rod.profile.at(0.18).stiffness());
    let Some(tubes) = &rod.tubes else { unreachable!() };
    let [inner, outer] = [&tubes.tubes[0], &tubes.tubes[1]];
    assert_eq!(alone[(1, 1)], inner.bending());
    assert_eq!(both[(1, 1)], inner.bending() + outer.bending());
    assert_eq!((both[(0, 0)], alone[(0, 0)]), (inner.torsion(), inner.torsion()), "the frame is the innermost tube's");
    assert_eq!(inner.curvature_at(0.03), Vector2::zeros());
    assert_eq!(inner.curvature_at(0.05), Vector2::new(0.0, 10.0));
}

#[test]
fn measured_stiffness_replaces_that_of_material_and_diameters() {
    let mut tube = tube("a", 1e-3, 1.2e-3, 0.4, 0.2);
    let ratio = tube.torsion() / tube.bending();
    assert!((ratio - 1.0 / 1.3).abs() < 1e-14, "GJ/EI of a round tube is 1/(1 + ν)");
    (tube.bending_stiffness, tube.torsion_stiffness) = (Some(2.0), Some(3.0));
    assert_eq!((tube.bending(), tube.torsion()), (2.0, 3.0));
}

#[test]
fn tubes_that_cannot_be_nested_or_inserted_are_refused_at_their_place() {
    assert_eq!(scene(pair()).validate(), Ok(()));
    let tight = refused(|set| set.tubes[1].inner_diameter = 1.1e-3);
    assert_eq!(tight.path, "tubes.robot.tube.outer.inner_diameter");
    assert!(reason(&tight).contains("does not fit around `inner`") && reason(&tight).contains("clearance of -1"));
    let swapped = refused(|set| set.tubes.swap(0, 1));
    assert!(reason(&swapped).contains("wrong order") && reason(&swapped).contains("inner, outer"));
    let past = refused(|set| set.tubes[1].insertion = 0.31);
    assert_eq!(past.path, "tubes.robot.tube.outer.insertion");
    assert!(matches!(past.problem, Problem::OutOfRange { value: 0.31, .. }));
    let behind = refused(|set| set.tubes[1].insertion = 0.0);
    assert_eq!(behind.path, "tubes.robot.tube.outer.insertion");
    let curved = refused(|set| set.tubes[0].curved_length = 0.41);
    assert_eq!(curved.path, "tubes.robot.tube.inner.curved_length");
    assert!(reason(&curved).contains("longer than the tube"));
    let farther = refused(|set| set.tubes[1].insertion = 0.25);
    assert!(reason(&farther).contains("farther than the innermost"));
    let longer = refused(|set| set.tubes[1].length = 0.4);
    assert!(reason(&longer).contains("behind that of the innermost"));
    let twins = refused(|set| set.tubes[1].name = "inner".into());
    assert!(reason(&twins).contains("two tubes"));
    let table = refused(|set| set.tubes[0].curvature.push((0.2, Vector2::zeros())));
    assert_eq!(table.path, "tubes.robot.tube.inner.curvature");
}

#[test]
fn models_without_splines_and_stresses_are_refused_with_a_reason() {
    let with = |discretization: Discretization| {
        let mut scene = scene(pair());
        scene.rods[0].discretization = discretization;
        scene.validate().expect_err("tubes need splines with stresses")
    };
    let linear = with(Discretization::LinearStrain { resolution: Resolution::Spans(4) });
    assert_eq!(linear.path, "tubes.robot.model.linear_strain");
    let functions = StrainFunctions::Legendre { orders: [3; 6] };
    let basis = with(Discretization::StrainBasis { functions, resolution: Resolution::Spans(1) });
    assert_eq!(basis.path, "tubes.robot.model.strain_basis");
    let resolution = Resolution::Spans(4);
    let printed = with(Discretization::Spline { degree: 3, resolution, form: StrainForm::Printed });
    assert_eq!(printed.path, "tubes.robot.model.spline.form");
}

#[test]
fn drives_of_tubes_that_are_not_there_or_leave_their_range_are_refused() {
    let driven = |target: DriveTarget, to: f64| {
        let mut scene = scene(pair());
        let signal = Signal::Ramp { from: 0.1, to, start: 0.0, over: 1.0 };
        scene.drives.push(Drive { path: "robot.outer.insertion".into(), target, signal });
        scene.job = Job::Path(PathJob::default());
        scene.validate()
    };
    let insertion = |tube: usize| DriveTarget::TubeInsertion { rod: 0, tube };
    assert_eq!(driven(insertion(1), 0.15), Ok(()));
    assert_eq!(driven(DriveTarget::TubeRotation { rod: 0, tube: 1 }, 6.0), Ok(()));
    assert!(driven(insertion(2), 0.15).is_err(), "there is no third tube");
    let farther = driven(insertion(1), 0.25).expect_err("the inner tube reaches 0.2 m");
    assert!(reason(&farther).contains("farther than the innermost"));
    let past = driven(insertion(1), 0.35).expect_err("the tube is 0.3 m long");
    assert_eq!(past.path, "drive.robot.outer.insertion");
}

#[test]
fn what_is_attached_moves_with_the_innermost_tube() {
    let mut scene = scene(pair());
    scene.closures = vec![lissome_model::Closure { name: "c".into(), a: Frame::rod(0, 0.2), b: Frame::rod(0, 0.0) }];
    scene.insert_tube(0, 1, 0.12);
    assert_eq!(scene.closures[0].a, Frame::rod(0, 0.2), "the outer tube carries nothing");
    scene.insert_tube(0, 0, 0.21);
    assert_eq!(scene.rods[0].length, 0.21);
    assert_eq!((scene.closures[0].a, scene.closures[0].b), (Frame::rod(0, 0.21), Frame::rod(0, 0.0)));
    assert_eq!(scene.rods[0].validate("tubes.robot"), Ok(()));
}

#[test]
fn sections_lengthen_with_the_tubes_whose_places_they_lie_between() {
    let scene = scene(pair());
    let sections = scene.sections(0).expect("a rod of tubes has sections");
    // Entry, the start of the outer tube's curvature at 30 mm, of the inner one's at 40 mm, the outer end at 150 mm, the tip.
    let owners: Vec<_> = sections.boundaries.iter().map(|boundary| boundary.tube).collect();
    assert_eq!(owners, [None, Some(1), Some(0), Some(1), Some(0)]);
    for (s, tube) in [(0.01, 0), (0.01, 1), (0.035, 0), (0.035, 1), (0.1, 0), (0.1, 1), (0.18, 0), (0.18, 1)] {
        let mut pushed = scene.clone();
        let step = 1e-4;
        let before = scene.tube(0, tube).map_or(0.0, |own| own.insertion);
        pushed.insert_tube(0, tube, before + step);
        let after = pushed.sections(0).expect("a rod of tubes has sections");
        assert!(after.is_alike(&sections));
        let k = sections.of(s);
        let ends = |own: &lissome_model::Sections| [own.boundaries[k].s, own.boundaries[k + 1].s];
        let ([a, b], [c, d]) = (ends(&sections), ends(&after));
        let part = (s - a) / (b - a);
        let moved = (c + part * (d - c) - s) / step;
        let grown = ((d - c) / (b - a) - 1.0) / step;
        assert!((sections.rate(s, tube) - moved).abs() < 1e-9, "{s} {tube}");
        assert!((sections.stretch(s, tube) - grown).abs() < 1e-6, "{s} {tube}");
    }
    let mut passed = scene.clone();
    passed.insert_tube(0, 1, 0.165);
    assert!(!passed.sections(0).expect("a rod of tubes has sections").is_alike(&sections));
}

#[test]
fn more_than_three_tubes_do_not_tilt() {
    let many = refused(|set| {
        set.relative = lissome_model::Relative::General;
        for k in 0..2 {
            let (name, inner) = (format!("more{k}"), 2e-3 + 1e-3 * f64::from(k));
            set.tubes.push(tube(&name, inner, inner + 0.5e-3, 0.3, 0.15));
        }
    });
    assert_eq!(many.path, "tubes.robot.relative");
    assert!(reason(&many).contains("torsion"));
}
