//! Tendons: where they run, where they divide their rods, and which are refused.

use lissome_lie::{Pose, Wrench};
use lissome_model::{
    Arclength, Body, BucklingJob, BucklingStart, CableDrive, Discretization, Disks, Drive, DriveTarget, DynamicsJob,
    FoldCurveJob, Follow, Frame, HolePath, Invalid, Job, Load, LoadFrame, LoadKind, Material, ModesJob, NaturalShape,
    PathJob, Problem, Profile, Resolution, Rod, Routing, Scene, Section, Signal, StaticsJob, StrainForm, Tendon,
    TendonMethod, TendonRun,
};
use nalgebra::{Vector2, Vector3};
use std::f64::consts::{PI, TAU};

const LENGTH: f64 = 0.3;

fn place(radius: f64, angle: f64) -> Vector2<f64> {
    Vector2::new(angle.cos(), angle.sin()) * radius
}

fn rod(name: &str, base: Frame) -> Rod {
    Rod {
        name: name.into(),
        length: LENGTH,
        profile: Profile::uniform(Section::circle(0.01, Material::from_poisson(1e9, 0.3))),
        base: Some(base),
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(4), form: StrainForm::Mixed },
        ..Rod::default()
    }
}

fn tendon(routing: Routing) -> Tendon {
    let run = TendonRun { rod: 0, from: routing.start(), to: routing.end(), routing };
    Tendon { name: "pull".into(), runs: vec![run], drive: CableDrive::Tension(1.0), ..Tendon::default() }
}

fn scene(tendons: Vec<Tendon>) -> Scene {
    let job = Job::Statics(StaticsJob { method: Some(TendonMethod::TotalStress), ..StaticsJob::default() });
    Scene { rods: vec![rod("arm", Frame::world(Pose::identity()))], tendons, job, ..Scene::default() }
}

fn refused(tendon: Tendon) -> Invalid {
    scene(vec![tendon]).validate().expect_err("no such tendon can be")
}

fn path_of(tendon: Tendon) -> String {
    refused(tendon).path
}

#[test]
fn derivatives_of_every_path_agree_with_differences() {
    let points = [(0.0, place(8e-3, 0.0)), (0.1, place(5e-3, 1.0)), (0.3, place(4e-3, -1.5))];
    let routings = [
        Routing::parallel(points[0].1, 0.0, LENGTH),
        Routing::linear(points[0].1, points[1].1, 0.0, LENGTH),
        Routing::helix([8e-3, 8e-3], 0.4, 1.5, 0.0, LENGTH),
        Routing::helix([8e-3, 3e-3], 0.4, -0.7, 0.0, LENGTH),
        Routing::table(&points),
    ];
    for routing in routings.iter().flat_map(|routing| [routing.clone(), routing.turned(0.8)]) {
        for s in [0.05, 0.15, 0.29] {
            let (below, here, above) = (routing.at(s - 1e-5), routing.at(s), routing.at(s + 1e-5));
            // Central differences err by the square of the step times the third derivative, below 1e3 here.
            assert!(((above.position - below.position) / 2e-5 - here.slope).amax() < 1e-7);
            assert!(((above.slope - below.slope) / 2e-5 - here.curvature).amax() < 1e-5);
            assert_eq!((here.position.x, here.slope.x, here.curvature.x), (0.0, 0.0, 0.0), "in the section");
        }
    }
}

#[test]
fn a_family_is_the_same_routing_turned() {
    let points = [(0.0, place(8e-3, 0.0)), (0.1, place(5e-3, 1.0)), (0.3, place(4e-3, -1.5))];
    let paths = [
        Routing::linear(points[0].1, points[1].1, 0.0, LENGTH),
        Routing::helix([8e-3, 3e-3], 0.4, -0.7, 0.0, LENGTH),
        Routing::table(&points),
    ];
    let turn = Pose::exp(&lissome_lie::Twist::new(Vector3::x() * (TAU / 3.0), Vector3::zeros()));
    for path in paths {
        let third = path.turned(TAU / 3.0);
        for s in [0.0, 0.07, 0.2, 0.3] {
            let (there, turned) = (third.at(s), path.at(s));
            assert!((there.position - turn.transform(&turned.position)).norm() < 1e-17);
            assert!((there.slope - turn.transform(&turned.slope)).norm() < 1e-15);
        }
    }
}

#[test]
fn a_table_has_a_kink_where_an_arc_length_stands_twice() {
    let (start, middle, end) = (place(8e-3, 0.0), place(4e-3, 0.0), place(4e-3, 1.0));
    let routing = Routing::table(&[(0.0, start), (0.1, middle), (0.1, middle), (0.2, end), (0.3, end)]);
    assert_eq!(routing.kinks(), [0.1]);
    let (before, after) = (routing.at(0.1 - 1e-12), routing.at(0.1));
    assert!((before.position - after.position).norm() < 1e-12);
    assert!((before.slope - after.slope).norm() > 1e-2, "the slope jumps");
    assert!(scene(vec![tendon(routing)]).validate().is_ok());
}

#[test]
fn knots_of_full_multiplicity_stand_where_a_tendon_begins_kinks_and_ends() {
    let outer = place(8e-3, 0.0);
    let routing =
        Routing::parallel(outer, 0.05, 0.11).then(0.21, HolePath::Linear { start: outer, end: Vector2::zeros() });
    let scene = scene(vec![tendon(routing)]);
    assert!(scene.validate().is_ok());
    assert_eq!(scene.rod_jumps(0), [0.05, 0.11, 0.21]);
    let knots = scene.rod_knots(0).expect("the rod has knots").knots;
    for s in [0.05, 0.11, 0.21] {
        assert_eq!(knots.iter().filter(|knot| **knot == s).count(), 3, "{s}");
    }
    // A kink beyond the end of the tendon is none.
    let mut shorter = scene;
    shorter.tendons[0].runs[0].to = 0.08;
    assert_eq!(shorter.rod_jumps(0), [0.05, 0.08]);
}

#[test]
fn tendons_that_cannot_be_are_refused_with_their_place() {
    let outer = place(8e-3, 0.0);
    let parallel = || tendon(Routing::parallel(outer, 0.0, LENGTH));
    let with = |change: fn(&mut Tendon)| {
        let mut changed = parallel();
        change(&mut changed);
        changed
    };
    assert_eq!(path_of(with(|t| t.runs.clear())), "tendon.pull.rod");
    assert_eq!(path_of(with(|t| t.runs[0].rod = 7)), "tendon.pull.rod");
    assert_eq!(path_of(with(|t| t.runs[0].to = 0.31)), "tendon.pull.to");
    assert_eq!(path_of(with(|t| t.runs[0].from = -0.01)), "tendon.pull.from");
    assert_eq!(path_of(with(|t| t.runs[0].from = f64::NAN)), "tendon.pull.from");
    assert_eq!(path_of(with(|t| t.runs[0].to = 0.0)), "tendon.pull.to");
    assert_eq!(path_of(with(|t| t.drive = CableDrive::Tension(-1.0))), "tendon.pull.tension");
    assert_eq!(path_of(with(|t| t.drive = CableDrive::Length(0.0))), "tendon.pull.length");
    assert_eq!(path_of(with(|t| t.drive = CableDrive::Pull(f64::NAN))), "tendon.pull.pull");
    assert_eq!(path_of(with(|t| t.friction = -0.1)), "tendon.pull.friction");
    assert_eq!(path_of(with(|t| t.stiffness = Some(0.0))), "tendon.pull.stiffness");
    let disks = |count, radius| {
        let mut scene = scene(vec![parallel()]);
        scene.disks = vec![Disks::along("pull", &scene.tendons[0].runs[0], count, radius)];
        scene.validate().expect_err("no such disks can be").path
    };
    assert_eq!(disks(0, 0.01), "tendon.pull.disks");
    assert_eq!(disks(3, 0.005), "tendon.pull.disk_radius");
    assert_eq!(disks(3, f64::NAN), "tendon.pull.disk_radius");

    let routing = |routing: Routing| {
        let mut changed = parallel();
        changed.runs[0].routing = routing;
        refused(changed)
    };
    assert_eq!(routing(Routing::default()).path, "tendon.pull.routing");
    let uncovered = routing(Routing::parallel(outer, 0.0, 0.2));
    assert!(uncovered.to_string().contains("nothing between 0.2 m and 0.3 m"), "{uncovered}");
    let late = routing(Routing::parallel(outer, 0.1, 0.3));
    assert!(late.to_string().contains("nothing between 0 m and 0.1 m"), "{late}");
    let mut gap = Routing::parallel(outer, 0.0, 0.1).then(0.3, HolePath::Parallel { position: outer });
    gap.pieces[1].from = 0.15;
    assert!(routing(gap).to_string().contains("nothing between 0.1 m and 0.15 m"));
    let jumps = Routing::parallel(outer, 0.0, 0.1).then(0.3, HolePath::Parallel { position: -outer });
    assert!(routing(jumps).to_string().contains("sideways by 0.016 m"));
    let helix = routing(Routing::helix([0.0, 0.0], 0.0, 1.0, 0.0, LENGTH));
    assert_eq!(
        (helix.path.as_str(), helix.problem),
        ("tendon.pull.routing.radius", Problem::NotPositive { value: 0.0 })
    );
    assert_eq!(routing(Routing::helix([-1e-3, 1e-3], 0.0, 1.0, 0.0, LENGTH)).path, "tendon.pull.routing.radius");
    assert_eq!(
        routing(Routing::helix([1e-3, 1e-3], 0.0, f64::INFINITY, 0.0, LENGTH)).path,
        "tendon.pull.routing.turns"
    );
    assert_eq!(routing(Routing::table(&[(0.0, outer), (0.2, outer), (0.1, outer)])).path, "tendon.pull.routing.table");
    let back = [(0.0, outer), (0.2, outer), (0.1, outer), (0.3, outer)];
    assert_eq!(routing(Routing::table(&back)).path, "tendon.pull.routing.table");
    assert_eq!(routing(Routing::parallel(Vector2::new(f64::NAN, 0.0), 0.0, LENGTH)).path, "tendon.pull.routing");
}

#[test]
fn a_tendon_beyond_the_centre_of_curvature_is_refused() {
    // κ = 100/m about z bends towards y: its centre lies 10 mm off the axis.
    let bent = |distance: f64| {
        let mut scene = scene(vec![tendon(Routing::parallel(Vector2::new(distance, 0.0), 0.0, LENGTH))]);
        scene.rods[0].natural = NaturalShape::curved(Vector3::z() * 100.0);
        scene.validate()
    };
    assert!(bent(9e-3).is_ok() && bent(-20e-3).is_ok());
    assert_eq!(bent(11e-3).expect_err("it would run backwards").path, "tendon.pull.routing");
}

fn two_rods(angle: f64) -> Scene {
    let turned = Pose::exp(&lissome_lie::Twist::new(Vector3::x() * angle, Vector3::zeros()));
    let mut scene = scene(vec![tendon(Routing::parallel(place(8e-3, 0.5), 0.0, LENGTH))]);
    scene.rods.push(rod("forearm", Frame::rod(0, LENGTH).at(turned)));
    let routing = Routing::parallel(place(8e-3, 0.5 - angle), 0.0, LENGTH);
    scene.tendons[0].runs.push(TendonRun { rod: 1, from: 0.0, to: 0.2, routing });
    scene
}

#[test]
fn a_tendon_goes_on_from_rod_to_rod_in_its_hole() {
    // What the classical methods say of two rods comes later: here the tendon is refused or not.
    let refusal = |scene: &Scene| scene.validate().expect_err("classical methods take one rod").path;
    assert_eq!(refusal(&two_rods(0.7)), "rod.forearm", "the tendon itself is right");
    assert_eq!(two_rods(0.7).rod_jumps(1), [0.2]);

    let mut beside = two_rods(0.7);
    beside.tendons[0].runs[1].routing = Routing::parallel(place(8e-3, 0.5), 0.0, LENGTH);
    assert_eq!(refusal(&beside), "tendon.pull.run.2");
    let mut late = two_rods(0.7);
    late.tendons[0].runs[1].from = 0.1;
    assert_eq!(refusal(&late), "tendon.pull.run.2");
    let mut elsewhere = two_rods(0.7);
    elsewhere.rods[1].base = Some(Frame::world(Pose::identity()));
    assert_eq!(refusal(&elsewhere), "tendon.pull.run.2");

    // Through a plate 1 cm thick the thread would have a leg that nobody counts.
    let mut plate = two_rods(0.0);
    plate.bodies.push(Body {
        name: "plate".into(),
        mount: lissome_model::Mount::On(Frame::rod(0, LENGTH)),
        ..Body::default()
    });
    plate.rods[1].base = Some(Frame::body(0));
    assert_eq!(refusal(&plate), "rod.forearm", "a plate without thickness is none in the way");
    plate.rods[1].base = Some(Frame::body(0).at(Pose::new(lissome_lie::Rotation::identity(), Vector3::x() * 0.01)));
    assert_eq!(refusal(&plate), "tendon.pull.run.2");
}

#[test]
fn tendons_in_one_hole_and_outside_their_rod_are_noticed() {
    let at = |angle: f64, name: &str| Tendon {
        name: name.into(),
        ..tendon(Routing::parallel(place(8e-3, angle), 0.0, LENGTH))
    };
    let scene_of = |tendons: Vec<Tendon>| scene(tendons);
    assert!(scene_of(vec![at(0.0, "a"), at(PI, "b")]).shared_holes().is_empty());
    let shared = scene_of(vec![at(0.0, "a"), at(1.0, "b"), at(1.0, "c")]).shared_holes();
    assert_eq!(shared.iter().map(|(a, b, _)| (*a, *b)).collect::<Vec<_>>(), [(1, 2)]);
    // Tendons that converge to one point of the axis meet there and share nothing.
    let cone = |angle: f64| tendon(Routing::linear(place(8e-3, angle), Vector2::zeros(), 0.0, LENGTH));
    assert!(scene_of(vec![cone(0.0), cone(PI)]).shared_holes().is_empty());

    assert!(scene_of(vec![at(0.0, "a")]).unguided_tendons().is_empty(), "8 mm in a rod of 10 mm");
    let outside = || tendon(Routing::parallel(place(12e-3, 0.0), 0.0, LENGTH));
    let (index, far, radius, _) = scene_of(vec![outside()]).unguided_tendons()[0];
    assert!(index == 0 && (far - 12e-3).abs() < 1e-15 && radius == 0.01);
    let mut guided = scene_of(vec![outside()]);
    guided.disks = vec![Disks::along("pull", &guided.tendons[0].runs[0], 5, 15e-3)];
    assert_eq!(guided.disks[0].places, [0.06, 0.12, 0.18, 0.24, 0.3]);
    assert!(guided.unguided_tendons().is_empty() && guided.validate().is_ok());
}

#[test]
fn classical_methods_refuse_what_they_cannot_do() {
    let good = || scene(vec![tendon(Routing::parallel(place(8e-3, 0.0), 0.0, LENGTH))]);
    let refused = |change: &dyn Fn(&mut Scene)| {
        let mut scene = good();
        change(&mut scene);
        scene.validate().expect_err("no classical method does this").path
    };
    let load = |frame, kind| Load { name: "push".into(), rod: 0, frame, kind };
    let wrench = Wrench::new(Vector3::x(), Vector3::y());
    assert!(good().validate().is_ok());
    assert_eq!(refused(&|s| s.tendons[0].drive = CableDrive::Pull(0.01)), "tendon.pull.pull");
    assert_eq!(refused(&|s| s.tendons[0].friction = 0.1), "tendon.pull.friction");
    assert_eq!(refused(&|s| s.rods[0].tip = Some(Frame::world(Pose::identity()))), "rod.arm.tip");
    let point = |at| LoadKind::Point { at, wrench };
    assert_eq!(refused(&|s| s.loads = vec![load(LoadFrame::Body, point(LENGTH))]), "load.push");
    assert_eq!(refused(&|s| s.loads = vec![load(LoadFrame::World, point(0.1))]), "load.push.at");
    let line = LoadKind::Distributed { from: 0.0, to: 0.1, per_length: wrench };
    assert_eq!(refused(&|s| s.loads = vec![load(LoadFrame::World, line)]), "load.push");
    let steel = Material::from_poisson(1e9, 0.3);
    let taper = Profile::taper(Section::circle(0.01, steel), Section::circle(0.009, steel), LENGTH);
    assert_eq!(refused(&|s| s.rods[0].profile = taper.clone()), "rod.arm.section");
    let ramp = NaturalShape::Curvature(vec![(0.0, Vector3::zeros()), (LENGTH, Vector3::z())]);
    assert_eq!(refused(&|s| s.rods[0].natural = ramp.clone()), "rod.arm.shape");
    let lagrangian = |functions, nodes| {
        let method = Some(TendonMethod::Lagrangian { functions, nodes });
        Job::Statics(StaticsJob { method, ..StaticsJob::default() })
    };
    assert_eq!(refused(&|s| s.job = lagrangian([10; 6], 10)), "job.nodes");
    assert_eq!(refused(&|s| s.job = lagrangian([0; 6], 10)), "job.functions");
}

/// A branch that is followed by its length, a curve of folds and critical loads hold friction as it was without load: refused.
/// Every other job renews it.
#[test]
fn friction_is_refused_where_branches_are_followed() {
    let rough = |job: Job| {
        let smooth = tendon(Routing::parallel(place(8e-3, 0.0), 0.0, LENGTH));
        let mut scene = scene(vec![Tendon { friction: 0.2, ..smooth }]);
        scene.rods[0].profile =
            Profile::uniform(Section::circle(0.01, Material::from_poisson(1e9, 0.3).with_density(1000.0)));
        let signal = || Signal::Ramp { from: 1.0, to: 2.0, start: 0.0, over: 1.0 };
        scene.drives = vec![
            Drive { path: "pull.tension".into(), target: DriveTarget::Tendon(0), signal: signal() },
            Drive { path: "world.gravity".into(), target: DriveTarget::Gravity, signal: signal() },
        ];
        scene.gravity = Vector3::new(0.0, 0.0, -9.81);
        scene.job = job;
        scene
    };
    let by_length = PathJob { follow: Follow::Arclength(Arclength::default()), ..PathJob::default() };
    let folds = FoldCurveJob::over(1);
    let loaded = BucklingJob { from: BucklingStart::Loaded, ..BucklingJob::default() };
    let held =
        [Job::Path(by_length), Job::FoldCurve(folds), Job::Buckling(BucklingJob::default()), Job::Buckling(loaded)];
    for job in held {
        let mut scene = rough(job);
        let refused = scene.validate().expect_err("friction would be left out");
        assert_eq!(refused.path, "tendon.pull.friction", "{:?}", scene.job);
        assert!(matches!(&refused.problem, Problem::Contradiction { reason } if reason.contains("leave it out")));
        scene.tendons[0].friction = 0.0;
        assert_eq!(scene.validate(), Ok(()), "{:?}", scene.job);
    }
    let statics = Job::Statics(StaticsJob::default());
    let path = Job::Path(PathJob::default());
    for job in [statics, path, Job::Dynamics(DynamicsJob::default()), Job::Modes(ModesJob::default())] {
        assert_eq!(rough(job).validate(), Ok(()));
    }
}

#[test]
fn a_drive_of_negative_tension_is_refused() {
    let mut scene = scene(vec![tendon(Routing::parallel(place(8e-3, 0.0), 0.0, LENGTH))]);
    scene.job = Job::Path(PathJob::default());
    let signal = Signal::Ramp { from: 1.0, to: -0.5, start: 0.0, over: 1.0 };
    scene.drives = vec![Drive { path: "pull.tension".into(), target: DriveTarget::Tendon(0), signal }];
    let refused = scene.validate().expect_err("no tendon pushes");
    assert_eq!((refused.path.as_str(), refused.problem), ("drive.pull.tension", Problem::Negative { value: -0.5 }));
    scene.drives[0].target = DriveTarget::Tendon(3);
    assert_eq!(scene.validate().expect_err("there is one tendon").path, "drive.pull.tension");
}
