//! The kinds of the table: a small scene for each, on the same soft rod.

use crate::jobs::Job;
use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::*;
use nalgebra::{Matrix3, Matrix6, Vector2, Vector3, Vector6};

/// Length of the rods, m.
pub const LENGTH: f64 = 0.3;

/// A rod model of the table.
pub struct Model {
    pub name: &'static str,
    discretization: Discretization,
}

const fn spline(form: StrainForm) -> Discretization {
    Discretization::Spline { degree: 3, resolution: Resolution::Spans(3), form }
}

pub const MODELS: [&Model; 4] = [
    &Model { name: "mixed", discretization: spline(StrainForm::Mixed) },
    &Model { name: "linear-strain", discretization: Discretization::LinearStrain { resolution: Resolution::Spans(6) } },
    &Model { name: "printed", discretization: spline(StrainForm::Printed) },
    &Model {
        name: "strain-basis",
        discretization: Discretization::StrainBasis {
            functions: StrainFunctions::Legendre { orders: [2, 4, 4, 2, 2, 2] },
            resolution: Resolution::Spans(1),
        },
    },
];

/// A row of the table.
pub struct Kind {
    pub group: &'static str,
    pub name: String,
    pub has_loops: bool,
    /// True if nothing holds it in statics, which must be said.
    loose: bool,
    /// True if a tube is moved in by the drive.
    slides: bool,
    build: Box<dyn Fn(&mut Scene)>,
}

impl Kind {
    fn new(group: &'static str, name: impl Into<String>, build: impl Fn(&mut Scene) + 'static) -> Self {
        Self { group, name: name.into(), has_loops: false, loose: false, slides: false, build: Box::new(build) }
    }

    fn with_loops(self) -> Self {
        Self { has_loops: true, ..self }
    }

    fn sliding(self) -> Self {
        Self { slides: true, ..self }
    }

    fn loose(self) -> Self {
        Self { loose: true, ..self }
    }

    pub fn scene(&self, model: &Model, loops: LoopMethod) -> Scene {
        let mut scene = Scene {
            gravity: Vector3::new(0.0, 0.0, -9.81),
            rods: vec![rod("rod", ground(), None)],
            loops,
            ..Scene::default()
        };
        (self.build)(&mut scene);
        for rod in &mut scene.rods {
            rod.discretization = model.discretization.clone();
        }
        scene
    }

    /// What changes along a path and in a motion: the driven joint or cable if there is one, else the first load, else
    /// gravity; each by a little.
    pub fn drives(&self, scene: &Scene) -> Vec<Drive> {
        let ramp = |path: &str, target: DriveTarget, from: f64, to: f64| Drive {
            path: path.into(),
            target,
            signal: Signal::SmoothRamp { from, to, start: 0.0, over: 1.0 },
        };
        for (joint, model) in scene.joints.iter().enumerate() {
            match &model.motion {
                JointMotion::Driven { value } => {
                    let target = DriveTarget::JointValue { joint, coordinate: 0 };
                    return vec![ramp("joint", target, value[0], value[0] + 0.2 * self.unit_of(model))];
                }
                JointMotion::Actuated { effort, .. } => {
                    let target = DriveTarget::JointEffort { joint, coordinate: 0 };
                    return vec![ramp("joint", target, effort[0], 1.5 * effort[0])];
                }
                JointMotion::Free { .. } => {}
            }
        }
        if let Some(tube) = scene.tube(0, 1).filter(|_| self.slides) {
            let target = DriveTarget::TubeInsertion { rod: 0, tube: 1 };
            return vec![ramp("tube", target, tube.insertion, 0.9 * tube.insertion)];
        }
        if let Some(tube) = scene.tube(0, 1) {
            let target = DriveTarget::TubeRotation { rod: 0, tube: 1 };
            return vec![ramp("tube", target, tube.rotation, tube.rotation + 0.3)];
        }
        let range = |drive: CableDrive| match drive {
            CableDrive::Tension(tension) => (tension, 1.3 * tension),
            CableDrive::Length(length) => (length, 0.98 * length),
            CableDrive::Pull(pull) => (pull, pull + 0.005),
        };
        if let Some(cable) = scene.cables.first() {
            let (from, to) = range(cable.drive);
            return vec![ramp("cable", DriveTarget::Cable(0), from, to)];
        }
        if let Some(tendon) = scene.tendons.first() {
            let (from, to) = range(tendon.drive);
            return vec![ramp("tendon", DriveTarget::Tendon(0), from, to)];
        }
        if !scene.loads.is_empty() {
            return vec![ramp("load", DriveTarget::Load(0), 1.0, 1.3)];
        }
        if !scene.frame_loads.is_empty() {
            return vec![ramp("load", DriveTarget::FrameLoad(0), 1.0, 1.3)];
        }
        vec![ramp("gravity", DriveTarget::Gravity, 1.0, 0.8)]
    }

    fn unit_of(&self, joint: &Joint) -> f64 {
        if matches!(joint.kind, JointKind::Prismatic { .. }) { 0.1 } else { 1.0 }
    }

    /// The refusals that are right.
    pub fn may_refuse(&self, job: &Job, model: &Model, why: &str) -> bool {
        let form = model.name == "printed" && (job.is_motion() || job.is_modes()) && why.contains("printed form");
        let falls = self.loose
            && !job.is_motion()
            && (why.contains("Loose") || why.contains("NotConverged") || why.contains("nothing connects"));
        let of_tubes = self.group == "tubes" && model.name != "mixed" && why.contains("tubes");
        let of_schemes = self.slides && job.is_motion() && why.contains("energy that this scheme keeps");
        let of_tendons = why.contains("explicit scheme does not know")
            || why.contains("give its EA")
            || (model.name == "strain-basis" && why.contains("rubs, which rods on strain bases"));
        // Stiff tilts and twists of tubes are beyond the step of this table for schemes that do not damp: told, not wrong.
        let too_stiff = self.group == "tubes"
            && ["explicit", "symplectic"].contains(&job.name)
            && why.contains("energy balance breaks");
        let of_obstacles = self.group == "obstacles" && why.contains("things touch in this scene");
        form || falls || of_tubes || of_schemes || of_tendons || of_obstacles || too_stiff
    }
}

fn ground() -> Option<Frame> {
    Some(Frame::world(Pose::identity()))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(Vector3::new(x, y, z))
}

fn rod(name: &str, base: Option<Frame>, tip: Option<Frame>) -> Rod {
    let material = Material { damping: 1e-4, ..Material::from_poisson(2e6, 0.45).with_density(1000.0) };
    Rod {
        name: name.into(),
        length: LENGTH,
        profile: Profile::uniform(Section::circle(0.01, material)),
        natural: NaturalShape::Straight,
        base,
        tip,
        discretization: Discretization::default(),
        turns: Vector3::zeros(),
        laid: Vec::new(),
        initial_velocity: None,
        tubes: None,
    }
}

fn body(name: &str, mount: Mount) -> Body {
    let about_centre = Matrix3::from_diagonal(&Vector3::new(2e-6, 3e-6, 4e-6));
    Body {
        name: name.into(),
        inertia: Inertia { mass: 0.01, centre: Vector3::new(0.0, 0.002, 0.0), about_centre },
        mount,
        ..Body::default()
    }
}

fn load(frame: LoadFrame, kind: LoadKind) -> Load {
    Load { name: "load".into(), rod: 0, frame, kind }
}

fn wrench(moment: [f64; 3], force: [f64; 3]) -> Wrench {
    Wrench::new(moment.into(), force.into())
}

fn loads() -> Vec<Kind> {
    let point = |frame, wrench| load(frame, LoadKind::Point { at: LENGTH, wrench });
    let line = |frame, per_length| load(frame, LoadKind::Distributed { from: 0.1, to: LENGTH, per_length });
    let force = wrench([0.0; 3], [0.0, 0.02, 0.05]);
    let moment = wrench([0.002, 0.003, 0.0], [0.0; 3]);
    let kind = |name: &str, load: Load| Kind::new("loads", name, move |scene| scene.loads = vec![load.clone()]);
    vec![
        Kind::new("loads", "gravity alone", |_| {}),
        kind("dead force", point(LoadFrame::World, force)),
        kind("following force", point(LoadFrame::Body, force)),
        kind("dead moment", point(LoadFrame::World, moment)),
        kind("following moment", point(LoadFrame::Body, moment)),
        kind("dead force along the rod", line(LoadFrame::World, wrench([0.0; 3], [0.0, 0.2, 0.2]))),
        kind("following force along the rod", line(LoadFrame::Body, wrench([0.0; 3], [0.0, 0.2, 0.2]))),
    ]
}

fn bodies() -> Vec<Kind> {
    let on_tip = |scene: &mut Scene| {
        scene.bodies = vec![body("body", Mount::On(Frame::rod(0, LENGTH).at(at(0.01, 0.0, 0.005))))];
    };
    let frame_load = |kind: FrameLoadKind| {
        move |scene: &mut Scene| {
            scene.bodies = vec![body("body", Mount::On(Frame::rod(0, LENGTH)))];
            let on = Frame::body(0).at(at(0.0, 0.01, 0.0));
            scene.frame_loads = vec![FrameLoad { name: "push".into(), on, kind }];
        }
    };
    vec![
        Kind::new("bodies", "on a tip", on_tip),
        Kind::new("bodies", "in the middle of a rod", |scene: &mut Scene| {
            scene.bodies = vec![body("body", Mount::On(Frame::rod(0, 0.12).at(at(0.0, 0.0, 0.01))))];
        }),
        Kind::new("bodies", "between two rods", |scene: &mut Scene| {
            scene.bodies = vec![body("body", Mount::On(Frame::rod(0, LENGTH)))];
            scene.rods.push(rod("second", Some(Frame::body(0).at(at(0.01, 0.0, 0.0))), None));
        }),
        Kind::new(
            "bodies",
            "pushed",
            frame_load(FrameLoadKind::Wrench {
                axes: LoadFrame::World,
                wrench: wrench([0.0, 0.001, 0.0], [0.0, 0.0, 0.05]),
            }),
        ),
        Kind::new(
            "bodies",
            "pulled toward a point",
            frame_load(FrameLoadKind::Toward { point: Vector3::new(0.1, 0.2, 0.3), size: 0.05 }),
        ),
    ]
}

fn joint_kinds() -> Vec<(&'static str, JointKind)> {
    vec![
        ("revolute", JointKind::Revolute { axis: Vector3::y() }),
        ("prismatic", JointKind::Prismatic { axis: Vector3::x() }),
        ("cylindrical", JointKind::Cylindrical { axis: Vector3::x() }),
        ("universal", JointKind::Universal { first: Vector3::y(), second: Vector3::z() }),
        ("spherical", JointKind::Spherical),
        ("planar", JointKind::Planar { normal: Vector3::y() }),
        ("free", JointKind::Free),
    ]
}

/// A rod on a joint on the ground.
fn on_joint(kind: JointKind, motion: JointMotion, change: impl Fn(&mut Joint) + 'static) -> impl Fn(&mut Scene) {
    move |scene: &mut Scene| {
        let mut joint = Joint {
            name: "joint".into(),
            kind,
            parent: Frame::world(Pose::identity()),
            motion: motion.clone(),
            ..Joint::default()
        };
        change(&mut joint);
        scene.joints = vec![joint];
        scene.rods[0].base = Some(Frame::joint(0));
    }
}

fn joints() -> Vec<Kind> {
    let mut all = Vec::new();
    for (name, kind) in joint_kinds() {
        let n = kind.coordinates().len();
        let zero = move || vec![0.0; n];
        let stiff = move |joint: &mut Joint| {
            joint.stiffness =
                kind.coordinates().iter().map(|c| if c.1 == Coordinate::Angle { 0.3 } else { 30.0 }).collect();
            joint.damping =
                kind.coordinates().iter().map(|c| if c.1 == Coordinate::Angle { 1e-3 } else { 0.1 }).collect();
        };
        // A hinge hangs down like a pendulum; what can slide, or turn about its own axis only, falls for ever.
        let hangs = matches!(kind, JointKind::Revolute { .. } | JointKind::Universal { .. });
        let free = Kind::new("joints, free", name, on_joint(kind, JointMotion::Free { start: zero() }, |_| {}));
        all.push(if hangs { free } else { free.loose() });
        let mut value = zero();
        value[0] = 0.02;
        all.push(Kind::new("joints, driven", name, on_joint(kind, JointMotion::Driven { value }, |_| {})));
        let mut effort = zero();
        effort[0] = 0.02;
        let pushed = JointMotion::Actuated { start: zero(), effort };
        all.push(Kind::new("joints, pushed", name, on_joint(kind, pushed, stiff)));
        all.push(Kind::new(
            "joints, with springs and dampers",
            name,
            on_joint(kind, JointMotion::Free { start: zero() }, stiff),
        ));
        let limited = move |joint: &mut Joint| {
            joint.limits = kind
                .coordinates()
                .iter()
                .map(|c| Some(if c.1 == Coordinate::Angle { (-0.05, 0.05) } else { (-0.002, 0.002) }))
                .collect();
            // Stiff enough that only gravity reaches the limits, and the robot does not fold aside.
            joint.stiffness =
                kind.coordinates().iter().map(|c| if c.1 == Coordinate::Angle { 0.3 } else { 30.0 }).collect();
        };
        all.push(Kind::new("joints, with limits", name, on_joint(kind, JointMotion::Free { start: zero() }, limited)));
    }
    all
}

fn closures() -> Vec<Kind> {
    let far = |_: &Scene| {
        let turn = Rotation::exp(&Vector3::new(0.0, 0.2, 0.3));
        Frame::world(Pose::new(turn, Vector3::new(0.25, 0.03, 0.02)))
    };
    let mut all = vec![
        Kind::new("closures", "rod held at both ends", move |scene| scene.rods[0].tip = Some(far(scene))).with_loops(),
        Kind::new("closures", "tied to a body that a rod holds", |scene: &mut Scene| {
            scene.bodies = vec![body("body", Mount::Free(at(0.29, 0.0, -0.01)))];
            scene.rods[0].tip = Some(Frame::body(0));
            scene.rods.push(rod(
                "second",
                Some(Frame::world(at(0.0, 0.1, 0.0))),
                Some(Frame::body(0).at(at(0.0, 0.08, 0.0))),
            ));
        })
        .with_loops(),
        Kind::new("closures", "two frames", move |scene| {
            let far = far(scene);
            scene.closures = vec![Closure { name: "closure".into(), a: far, b: Frame::rod(0, LENGTH) }];
        }),
    ];
    for (name, kind) in joint_kinds() {
        all.push(
            Kind::new("closures", format!("through a {name} joint"), move |scene: &mut Scene| {
                let zero = vec![0.0; kind.coordinates().len()];
                let parent = Frame::world(at(0.28, 0.02, 0.0));
                let motion = JointMotion::Free { start: zero };
                scene.joints = vec![Joint { name: "joint".into(), kind, parent, motion, ..Joint::default() }];
                scene.rods[0].tip = Some(Frame::joint(0));
            })
            .with_loops(),
        );
    }
    all
}

fn cables() -> Vec<Kind> {
    let cable = |drive: CableDrive, stiffness: Option<f64>| {
        move |scene: &mut Scene| {
            let points = vec![Frame::world(at(0.05, 0.0, 0.15)), Frame::rod(0, 0.15), Frame::rod(0, LENGTH)];
            scene.cables = vec![Cable { name: "cable".into(), points, drive, stiffness }];
        }
    };
    // The path in the beginning: from the anchor to the middle, and on to the tip.
    let natural = (0.1f64 * 0.1 + 0.15 * 0.15).sqrt() + 0.15;
    vec![
        Kind::new("cables", "given tension", cable(CableDrive::Tension(0.2), None)),
        Kind::new("cables", "given length", cable(CableDrive::Length(natural), None)),
        Kind::new("cables", "pulled in", cable(CableDrive::Pull(0.0), None)),
        Kind::new("cables", "elastic, given length", cable(CableDrive::Length(natural), Some(20.0))),
        Kind::new("cables", "slack", cable(CableDrive::Length(2.0 * natural), None)),
    ]
}

fn routed(name: &str, runs: Vec<(usize, Routing)>, drive: CableDrive) -> Tendon {
    let run = |(rod, routing): (usize, Routing)| TendonRun { rod, from: routing.start(), to: routing.end(), routing };
    Tendon { name: name.into(), runs: runs.into_iter().map(run).collect(), drive, ..Tendon::default() }
}

fn tendons() -> Vec<Kind> {
    let at_angle = |angle: f64| Vector2::new(angle.cos(), angle.sin()) * 0.008;
    let tendon = |routing: Routing, drive: CableDrive| {
        let run = TendonRun { rod: 0, from: routing.start(), to: routing.end(), routing };
        Tendon { name: "tendon".into(), runs: vec![run], drive, ..Tendon::default() }
    };
    let one = move |routing: Routing, drive: CableDrive| {
        move |scene: &mut Scene| scene.tendons = vec![tendon(routing.clone(), drive)]
    };
    let parallel = move || Routing::parallel(at_angle(1.0), 0.0, LENGTH);
    let kinked = Routing::parallel(at_angle(1.0), 0.05, 0.15)
        .then(0.25, HolePath::Linear { start: at_angle(1.0), end: Vector2::zeros() });
    vec![
        Kind::new("tendons", "given tension", one(parallel(), CableDrive::Tension(0.5))),
        Kind::new("tendons", "given length", one(parallel(), CableDrive::Length(0.995 * LENGTH))),
        Kind::new("tendons", "pulled in", one(parallel(), CableDrive::Pull(0.002))),
        Kind::new("tendons", "slack", one(parallel(), CableDrive::Length(1.1 * LENGTH))),
        Kind::new("tendons", "elastic, pulled in", move |scene: &mut Scene| {
            let pulled = tendon(parallel(), CableDrive::Pull(0.003));
            scene.tendons = vec![Tendon { stiffness: Some(50.0), ..pulled }];
        }),
        Kind::new(
            "tendons",
            "helical",
            one(Routing::helix([0.008; 2], 0.5, 1.0, 0.0, LENGTH), CableDrive::Tension(0.5)),
        ),
        Kind::new("tendons", "kinked, tied inside", one(kinked, CableDrive::Tension(0.5))),
        Kind::new("tendons", "with friction", move |scene: &mut Scene| {
            let pulled = tendon(parallel(), CableDrive::Tension(0.5));
            scene.tendons = vec![Tendon { friction: 0.2, ..pulled }];
        }),
        Kind::new("tendons", "three, with a body on the tip", move |scene: &mut Scene| {
            let turned = |k: usize| Tendon {
                name: format!("tendon.{k}"),
                ..tendon(parallel().turned(2.0 * k as f64), CableDrive::Tension(0.2 * k as f64))
            };
            scene.tendons = (1..=3).map(turned).collect();
            scene.bodies = vec![body("body", Mount::On(Frame::rod(0, LENGTH)))];
        }),
        Kind::new("tendons", "on a rod held at both ends", move |scene: &mut Scene| {
            scene.tendons = vec![tendon(parallel(), CableDrive::Tension(0.5))];
            scene.rods[0].tip = Some(Frame::world(at(0.28, 0.0, 0.02)));
        })
        .with_loops(),
        Kind::new("tendons", "two of given length", |scene: &mut Scene| {
            let straight = |y: f64, z: f64, to: f64| vec![(0, Routing::parallel(Vector2::new(y, z), 0.0, to))];
            let pulled = |name: &str, runs, pull| Tendon {
                stiffness: Some(200.0),
                ..routed(name, runs, CableDrive::Pull(pull))
            };
            scene.tendons = vec![
                pulled("first", straight(0.007, 0.002, LENGTH), 0.004),
                pulled("second", straight(-0.004, 0.007, 0.2), 0.003),
            ];
        }),
        Kind::new("tendons", "along two rods", |scene: &mut Scene| {
            scene.rods.push(rod("second", Some(Frame::rod(0, LENGTH)), None));
            let straight = |rod: usize, to: f64| (rod, Routing::parallel(Vector2::new(0.007, 0.0), 0.0, to));
            scene.tendons =
                vec![routed("tendon", vec![straight(0, LENGTH), straight(1, 0.2)], CableDrive::Tension(0.8))];
        }),
    ]
}

fn springs() -> Vec<Kind> {
    let spring = |law: SpringLaw| {
        move |scene: &mut Scene| {
            scene.bodies = vec![body("body", Mount::On(Frame::rod(0, LENGTH)))];
            let (a, b) = (Frame::world(at(0.3, 0.02, 0.1)), Frame::body(0));
            scene.springs = vec![Spring { name: "spring".into(), a, b, law }];
        }
    };
    let k = Matrix6::from_diagonal(&Vector6::new(0.01, 0.01, 0.01, 1.0, 1.0, 2.0));
    vec![
        Kind::new("springs", "line", spring(SpringLaw::Line { stiffness: 2.0, rest_length: None, damping: 0.0 })),
        Kind::new(
            "springs",
            "line with damper",
            spring(SpringLaw::Line { stiffness: 2.0, rest_length: Some(0.05), damping: 0.1 }),
        ),
        Kind::new("springs", "bushing", spring(SpringLaw::Bushing { stiffness: k, damping: k * 0.01 })),
        Kind::new("springs", "free body on a bushing", move |scene: &mut Scene| {
            scene.bodies = vec![body("body", Mount::Free(at(0.3, 0.0, 0.0)))];
            let (a, b) = (Frame::rod(0, LENGTH), Frame::body(0));
            scene.springs = vec![Spring {
                name: "spring".into(),
                a,
                b,
                law: SpringLaw::Bushing { stiffness: k * 5.0, damping: k * 0.05 },
            }];
        }),
    ]
}

/// Two soft tubes of which the outer ends before the tip.
fn tubes() -> Vec<Kind> {
    let tube = |name: &str, inner: f64, outer: f64, insertion: f64, curvature: f64| Tube {
        name: name.into(),
        material: Material { damping: 1e-4, ..Material::from_poisson(2e6, 0.45).with_density(1000.0) },
        inner_diameter: inner,
        outer_diameter: outer,
        length: insertion + 0.05,
        curved_length: 0.6 * insertion,
        curvature: vec![(0.0, nalgebra::Vector2::new(0.0, curvature))],
        insertion,
        ..Tube::default()
    };
    let set = move || TubeSet {
        tubes: vec![
            tube("inner", 0.012, 0.018, LENGTH, 2.0),
            Tube { rotation: 0.8, length: 0.2, ..tube("outer", 0.02, 0.024, 0.18, 3.0) },
        ],
        ..TubeSet::default()
    };
    let robot = move |scene: &mut Scene| {
        scene.rods[0] = set().rod("robot", Frame::world(Pose::identity()), Discretization::default());
    };
    vec![
        Kind::new("tubes", "two tubes", robot),
        Kind::new("tubes", "with a body on the tip", move |scene: &mut Scene| {
            robot(scene);
            scene.bodies = vec![body("body", Mount::On(Frame::rod(0, LENGTH)))];
        }),
        Kind::new("tubes", "moved in", robot).sliding(),
        Kind::new("tubes", "with a tendon", move |scene: &mut Scene| {
            robot(scene);
            let routing = Routing::parallel(nalgebra::Vector2::new(0.007, 0.0), 0.0, LENGTH);
            scene.tendons = vec![routed("tendon", vec![(0, routing)], CableDrive::Tension(1.0))];
        }),
        Kind::new("tubes", "that may tilt", move |scene: &mut Scene| {
            let tubes = TubeSet { relative: Relative::General, ..set() };
            scene.rods[0] = tubes.rod("robot", Frame::world(Pose::identity()), Discretization::default());
        }),
        Kind::new("tubes", "in a sheath at the entry", move |scene: &mut Scene| {
            let mut tubes = set();
            tubes.tubes[1].length = tubes.tubes[1].insertion;
            scene.rods[0] = tubes.rod("robot", Frame::world(Pose::identity()), Discretization::default());
        }),
        Kind::new("tubes", "held at both ends", move |scene: &mut Scene| {
            robot(scene);
            scene.rods[0].tip = Some(Frame::world(at(0.27, 0.03, 0.02)));
        })
        .with_loops(),
    ]
}

/// Obstacles that the tip reaches when it falls.
fn obstacles() -> Vec<Kind> {
    let obstacle =
        |shape: ObstacleShape, pose: Pose| Obstacle { name: "obstacle".into(), shape, frame: Frame::world(pose) };
    // What touches is where the models have their points: at the tip all have one.
    let tip_alone = |scene: &mut Scene| {
        let ball = Solid { pose: Pose::identity(), outline: Outline::Sphere { radius: 0.01 } };
        scene.bodies = vec![Body { solids: vec![ball], ..body("body", Mount::On(Frame::rod(0, LENGTH))) }];
        let of = [Toucher::Rod(0), Toucher::Obstacle(0)];
        scene.touching.pairs =
            vec![TouchingPair { of, stretches: [None; 2], friction: None, touches: false, bore: None }];
    };
    let floor = move |friction: f64| {
        move |scene: &mut Scene| {
            tip_alone(scene);
            scene.obstacles = vec![obstacle(ObstacleShape::Plane, at(0.0, 0.0, -0.014))];
            scene.touching.friction = friction;
        }
    };
    vec![
        Kind::new("obstacles", "floor under a ball on the tip", floor(0.0)),
        Kind::new("obstacles", "rough floor under a ball on the tip", floor(0.4)),
        Kind::new("obstacles", "ball on a ball", move |scene: &mut Scene| {
            tip_alone(scene);
            scene.obstacles = vec![obstacle(ObstacleShape::Sphere { radius: 0.05 }, at(LENGTH, 0.0, -0.064))];
        }),
        Kind::new("obstacles", "floor that a joint holds", move |scene: &mut Scene| {
            tip_alone(scene);
            scene.joints = vec![Joint {
                name: "joint".into(),
                kind: JointKind::Prismatic { axis: Vector3::z() },
                parent: Frame::world(at(LENGTH, 0.0, -0.014)),
                motion: JointMotion::Driven { value: vec![0.0] },
                ..Joint::default()
            }];
            scene.obstacles =
                vec![Obstacle { frame: Frame::joint(0), ..obstacle(ObstacleShape::Plane, Pose::identity()) }];
        }),
        Kind::new("obstacles", "bore around a rod", move |scene: &mut Scene| {
            let axis = BoreAxis { pieces: vec![BorePiece::Straight { length: 2.0 * LENGTH }] };
            scene.obstacles = vec![obstacle(ObstacleShape::Bore { axis, radius: 0.014 }, at(-0.1, 0.0, 0.0))];
        }),
        Kind::new("obstacles", "rod in a rod", move |scene: &mut Scene| {
            // It reaches out, so that the mouth holds it: the one place that all models have.
            let material = Material { damping: 1e-4, ..Material::from_poisson(2e6, 0.45).with_density(1000.0) };
            let profile = Profile::uniform(Section::circle(0.02, material));
            scene.rods.push(Rod { length: 0.6 * LENGTH, profile, ..rod("sheath", ground(), None) });
            let of = [Toucher::Rod(0), Toucher::Rod(1)];
            scene.touching.pairs =
                vec![TouchingPair { of, stretches: [None; 2], friction: None, touches: true, bore: Some(0.0102) }];
        }),
    ]
}

pub fn all() -> Vec<Kind> {
    let mut all: Vec<Kind> =
        [loads(), bodies(), joints(), closures(), cables(), tendons()].into_iter().flatten().collect();
    all.extend([springs(), tubes(), obstacles()].into_iter().flatten());
    all
}
