//! The scene format end to end: what every form lowers to, overrides, round trips, places of complaints.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::fault::Severity;
use lissome_model::{
    Discretization, LoadFrame, LoadKind, NaturalShape, Resolution, Section, Shape, StrainForm, StrainFunctions,
};
use nalgebra::Vector3;

const PLAIN: &str = r#"
schema = 1
title = "plain"
[world]
gravity = [0, 0, "-9.81 m/s^2"]
[material.steel]
young = "200 GPa"
poisson = 0.3
density = 7850
[material.rubber]
young = "1 MPa"
shear = "0.35 MPa"
density = "1.1 g/cm^3"
[rod.arm]
material = "steel"
length = "500 mm"
section = { shape = "circle", radius = "2 mm" }
base = { fixed_to = "world", position = [0, 0, "10 cm"], tangent = [0, 0, 2] }
[load.tip]
rod = "arm"
at = "tip"
force = [0, "1 N", 0]
"#;

fn scene(text: &str) -> Scene {
    parse("test.toml", text.to_owned(), &[]).unwrap_or_else(|d| panic!("{}", show(&d))).scene
}

/// `PLAIN` with one line of its text replaced.
fn with(old: &str, new: &str) -> String {
    assert!(PLAIN.contains(old), "{old}");
    PLAIN.replace(old, new)
}

fn show(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect()
}

fn refused(text: &str) -> Vec<Diagnostic> {
    match parse("test.toml", text.to_owned(), &[]) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(diagnostics) => diagnostics,
    }
}

fn first_code(text: &str) -> &'static str {
    refused(text)[0].fault.code()
}

/// Strain bases that cannot be are refused at the key that says so.
#[test]
fn strain_bases_that_cannot_be_are_refused() {
    let refused_at = |model: &str, more: &str| {
        let base = "base = { fixed_to = \"world\", position = [0, 0, \"10 cm\"], tangent = [0, 0, 2] }";
        let text = with(base, &format!("{base}\nmodel = {{ strain_basis = {model} }}\n{more}"));
        let found = refused(&text);
        format!("{}: {}", found[0].path.clone().unwrap_or_default(), show(&found[..1]))
    };
    let cases = [
        ("{ order = 17 }", "", "model.strain_basis.order"),
        ("{ order = 0 }", "", "model.strain_basis.order"),
        ("{ orders = { bending_y = 40 } }", "", "model.strain_basis.orders.bending_y"),
        ("{ functions = \"constant\", orders = { twist = 2 } }", "", "model.strain_basis.orders.twist"),
        ("{ functions = \"constant\", segments = 400 }", "", "model.strain_basis.segments"),
        ("{ functions = \"cubic\" }", "", "model.strain_basis.functions"),
        ("{ segments = 2, tolerance = 1e-3 }", "", "model.strain_basis"),
        (
            "{ functions = \"linear\", orders = { twist = 0, bending_y = 0, bending_z = 0, stretch = 0, shear_y = 0, shear_z = 0 } }",
            "",
            "model.strain_basis.orders",
        ),
        ("{ orders = { bending_z = 0 } }", "tip = { fixed_to = \"world\" }", "model.strain_basis.orders"),
    ];
    for (model, more, path) in cases {
        let told = refused_at(model, more);
        assert!(told.contains(path), "{model}: {told}");
    }
}

#[test]
fn lowers_units_to_si() {
    let scene = scene(PLAIN);
    assert_eq!(scene.gravity, Vector3::new(0.0, 0.0, -9.81));
    let rod = &scene.rods[0];
    assert_eq!(rod.length, 0.5);
    let base = rod.base.unwrap().pose;
    assert!((base.rotation.rotate(&Vector3::x()) - Vector3::z()).norm() < 1e-15);
    assert!((base.position.z - 0.1).abs() < 1e-16);
    let Section::Layers { layers, shear_factor } = rod.profile.at(0.0) else { panic!("layers") };
    assert_eq!((layers[0].material.young, layers[0].material.density, shear_factor), (200e9, Some(7850.0), 1.0));
    assert!((layers[0].material.poisson() - 0.3).abs() < 1e-15);
    let LoadKind::Point { at, wrench } = scene.loads[0].kind else { panic!("point") };
    assert_eq!((at, wrench.force, scene.loads[0].frame), (0.5, Vector3::y(), LoadFrame::World));
}

#[test]
fn reads_every_form_of_section() {
    let section = |text: &str| {
        let line = "section = { shape = \"circle\", radius = \"2 mm\" }";
        scene(&with(line, &format!("section = {text}"))).rods[0].profile.clone()
    };
    let shape_at = |text: &str, s: f64| match section(text).at(s) {
        Section::Layers { layers, .. } => layers[0].shape,
        other => panic!("{other:?}"),
    };
    let close = |a: Shape, b: Shape| assert!((a.area() - b.area()).abs() < 1e-12 * b.area(), "{a:?} {b:?}");
    close(shape_at("{ shape = \"circle\", diameter = \"4 mm\" }", 0.0), Shape::Circle { radius: 2e-3 });
    close(shape_at("{ shape = \"circle\", taper = [\"4 mm\", \"2 mm\"] }", 0.25), Shape::Circle { radius: 3e-3 });
    close(
        shape_at("{ shape = \"annulus\", inner = [\"1 mm\", \"2 mm\"], outer = \"4 mm\" }", 0.5),
        Shape::Annulus { inner: 2e-3, outer: 4e-3 },
    );
    close(
        shape_at("{ shape = \"rectangle\", width = \"8 mm\", height = [\"2 mm\", \"1 mm\"] }", 0.25),
        Shape::Rectangle { width: 8e-3, height: 1.5e-3 },
    );
    let step = "{ shape = \"circle\", table = [{ at = \"base\", radius = \"3 mm\" }, { at = \"0.2 m\", radius = \"3 mm\" }, \
                { at = \"0.2 m\", radius = \"1 mm\", material = \"rubber\" }, { at = \"tip\", radius = \"1 mm\", material = \"rubber\" }] }";
    assert_eq!(section(step).steps(), [0.2]);
    close(shape_at(step, 0.1), Shape::Circle { radius: 3e-3 });
    close(shape_at(step, 0.3), Shape::Circle { radius: 1e-3 });
    let sheathed = "{ shape = \"circle\", radius = \"1 mm\", sheath = { outer = \"3 mm\", material = \"rubber\" } }";
    let Section::Layers { layers, .. } = section(sheathed).at(0.0) else { panic!("layers") };
    assert_eq!(layers.len(), 2);
    close(layers[1].shape, Shape::Annulus { inner: 1e-3, outer: 3e-3 });
    assert_eq!(layers[1].material.young, 1e6);
}

#[test]
fn reads_a_given_stiffness() {
    let line = "material = \"steel\"\nlength = \"500 mm\"\nsection = { shape = \"circle\", radius = \"2 mm\" }";
    let given = |stiffness: &str| {
        with(
            line,
            &format!(
                "length = 0.5\nsection = {{ stiffness = {stiffness}, radius = \"1 mm\", mass_per_length = \"10 g/m\" }}"
            ),
        )
    };
    let diagonal = scene(&given("[\"0.1 N*m^2\", 0.2, 0.3, \"1 kN\", 500, 500]"));
    let Section::Given { stiffness, mass, .. } = diagonal.rods[0].profile.at(0.1) else { panic!("given") };
    assert_eq!((stiffness[(0, 0)], stiffness[(3, 3)], stiffness[(0, 3)]), (0.1, 1000.0, 0.0));
    assert!((mass[(3, 3)] - 0.01).abs() < 1e-17);
    let row = |i: usize| {
        let entries: Vec<String> = (0..6).map(|j| if i == j { "2".into() } else { "0.1".to_owned() }).collect();
        format!("[{}]", entries.join(", "))
    };
    let full = format!("[{}]", (0..6).map(row).collect::<Vec<_>>().join(", "));
    let Section::Given { stiffness, .. } = scene(&given(&full)).rods[0].profile.at(0.1) else { panic!("given") };
    assert_eq!((stiffness[(1, 1)], stiffness[(4, 1)]), (2.0, 0.1));
    assert_eq!(first_code(&given("[1, 1, 1, 1, 1]")), "E0310");
    assert_eq!(first_code(&given("[1, 1, \"3 N\", 1, 1, 1]")), "E0306");
    assert_eq!(first_code(&full.replace("0.1", "3").lines().next().map(given).unwrap()), "E0402");
}

#[test]
fn reads_natural_shapes_and_models() {
    let rod = |extra: &str| {
        let text = with("base = {", &format!("{extra}\nbase = {{"));
        scene(&text).rods.remove(0)
    };
    let curved = rod("shape = { curvature = [0, 0, \"2 1/m\"] }");
    assert_eq!(curved.natural, NaturalShape::curved(Vector3::z() * 2.0));
    let table =
        rod("shape = { table = [{ at = \"base\", curvature = [0, 0, 0] }, { at = \"tip\", curvature = [0, 1, 0] }] }");
    assert_eq!(table.natural.strain_at(0.25).unwrap().curvature, Vector3::y() * 0.5);
    let poses = "{ position = [0, 0, 0] }, { position = [0.2, 0, 0] }, { position = [0.4, 0, 0] }, \
                 { position = [0.5, 0, 0], quat_wxyz = [1, 0, 0, 0] }";
    let drawn = rod(&format!("shape = {{ control_poses = [{poses}] }}"));
    assert_eq!(
        drawn.discretization,
        Discretization::Spline { degree: 3, resolution: Resolution::Spans(1), form: StrainForm::Mixed }
    );
    let model = |text: &str| rod(&format!("model = {{ spline = {text} }}")).discretization;
    assert_eq!(
        model("{ degree = 4, control_poses = 15, form = \"printed\" }"),
        Discretization::Spline { degree: 4, resolution: Resolution::Spans(11), form: StrainForm::Printed }
    );
    assert_eq!(
        rod("model = { linear_strain = { elements = 8 } }").discretization,
        Discretization::LinearStrain { resolution: Resolution::Spans(8) }
    );
    assert_eq!(
        rod("model = { linear_strain = { tolerance = 1e-5 } }").discretization,
        Discretization::LinearStrain { resolution: Resolution::Tolerance(1e-5) }
    );
    let basis = |text: &str| rod(&format!("model = {{ strain_basis = {text} }}")).discretization;
    let of = |functions, segments| Discretization::StrainBasis { functions, resolution: Resolution::Spans(segments) };
    assert_eq!(basis("{ segments = 3 }"), of(StrainFunctions::Legendre { orders: [4; 6] }, 3));
    assert_eq!(
        basis("{ order = 5, orders = { twist = 2, stretch = 1, shear_y = 0, shear_z = 0 }, segments = 1 }"),
        of(StrainFunctions::Legendre { orders: [2, 5, 5, 1, 0, 0] }, 1)
    );
    assert_eq!(
        basis("{ functions = \"constant\", segments = 8, orders = { shear_y = 0, shear_z = 0 } }"),
        of(StrainFunctions::Constant { on: [true, true, true, true, false, false] }, 8)
    );
    assert_eq!(basis("{ functions = \"linear\", segments = 8 }"), of(StrainFunctions::Linear { on: [true; 6] }, 8));
    assert_eq!(
        model("{ tolerance = 1e-6 }"),
        Discretization::Spline { degree: 3, resolution: Resolution::Tolerance(1e-6), form: StrainForm::Mixed }
    );
}

#[test]
fn roll_turns_about_the_rods_own_axis() {
    let text = with("tangent = [0, 0, 2] }", "tangent = [0, 0, 2], roll = \"90 deg\" }");
    let (plain, rolled) = (scene(PLAIN).rods[0].base.unwrap().pose, scene(&text).rods[0].base.unwrap().pose);
    let turned = plain.rotation.inverse() * rolled.rotation;
    assert!((turned.log() - Vector3::x() * std::f64::consts::FRAC_PI_2).norm() < 1e-12);
}

#[test]
fn overrides_change_add_and_index() {
    let load = |overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
        parse("test.toml", PLAIN.to_owned(), &overrides)
    };
    let changed = load(&[
        "rod.arm.length=0.25",
        "load.tip.force=[0, 0, 2] N",
        "rod.arm.base.position.2=30 cm",
        "load.tip.frame=body",
        "job.kind=\"statics\"",
        "world.gravity=[0,0,0]",
    ])
    .unwrap();
    let scene = &changed.scene;
    assert_eq!((scene.rods[0].length, scene.gravity), (0.25, Vector3::zeros()));
    assert!((scene.rods[0].base.unwrap().pose.position.z - 0.3).abs() < 1e-16);
    let LoadKind::Point { at, wrench } = scene.loads[0].kind else { panic!("point") };
    assert_eq!((at, wrench.force, scene.loads[0].frame), (0.25, Vector3::z() * 2.0, LoadFrame::Body));

    let code = |argument: &str| {
        let diagnostics = load(&[argument]).map(|_| ()).unwrap_err();
        assert_eq!(diagnostics[0].place.as_ref().unwrap().file, "argument 1", "{argument}");
        (diagnostics[0].fault.code(), diagnostics[0].fault.text().help)
    };
    assert_eq!(code("rod.amr.length=1"), ("E0210", "did you mean `rod.arm.length`?".into()));
    assert_eq!(code("rod.arm.lenght=1"), ("E0203", "did you mean `length`?".into()));
    assert_eq!(code("lod.tip.at=1").0, "E0203");
    assert_eq!(code("rod.arm.length").0, "E0209");
    assert_eq!(code("rod.arm.length=").0, "E0209");
    assert_eq!(code("rod.arm=1").0, "E0210");
    assert_eq!(code("rod.arm.length.deep=1").0, "E0210");
    assert_eq!(code("rod.arm.base.position.7=1").0, "E0210");
    assert_eq!(code("rod..length=1").0, "E0210");
    assert_eq!(code("rod.arm.length=-1").0, "E0303");
    assert_eq!(code("rod.arm.length=3 kg").0, "E0306");
    assert_eq!(code("load.tip.force=[0, 0, 1] m").0, "E0306");
    assert_eq!(code("rod.arm.length=nan").0, "E0302");
}

#[test]
fn the_resolved_scene_reads_back_the_same() {
    let overrides = ["rod.arm.length=0.75".to_owned(), "load.tip.force=[0, 0, 2] N".to_owned()];
    let first = parse("test.toml", PLAIN.to_owned(), &overrides).unwrap();
    let text = first.to_toml();
    let second = parse("again.toml", text.clone(), &[]).unwrap_or_else(|d| panic!("{text}\n{}", show(&d)));
    assert_eq!(first.scene, second.scene);
    assert_eq!(text, second.to_toml(), "a fixed point");
}

#[test]
fn several_mistakes_are_told_at_once_in_the_order_of_the_file() {
    let text = with("young = \"200 GPa\"", "yung = \"200 GPa\"").replace("length = \"500 mm\"", "length = \"-500 mm\"");
    let text = text.replace("force = [0, \"1 N\", 0]", "force = [0, \"1 Nm\", 0]");
    let found: Vec<_> = refused(&text).into_iter().filter(|d| d.severity() == Severity::Error).collect();
    let codes: Vec<_> = found.iter().map(|d| d.fault.code()).collect();
    assert_eq!(codes, ["E0203", "E0303", "E0308"], "{}", show(&found));
    let lines: Vec<_> = found.iter().map(|d| d.place.as_ref().unwrap().line).collect();
    assert!(lines.is_sorted(), "{lines:?}");
}

#[test]
fn refusals_of_the_model_are_placed() {
    let found = refused(&with("density = 7850\n", ""));
    assert_eq!(found[0].fault.code(), "E0404");
    assert_eq!(found[0].place.as_ref().unwrap().excerpt, "material = \"steel\"");
}

#[test]
fn implausible_values_warn() {
    let warnings = |old: &str, new: &str| -> Vec<&'static str> {
        let loaded = parse("test.toml", with(old, new), &[]).unwrap_or_else(|d| panic!("{}", show(&d)));
        loaded.warnings.iter().map(|w| w.fault.code()).filter(|c| *c != "W0201").collect()
    };
    assert_eq!(warnings("\"200 GPa\"", "200"), ["W0301"]);
    assert_eq!(warnings("density = 7850", "density = 78500"), ["W0302"]);
    assert_eq!(warnings("radius = \"2 mm\"", "radius = \"2 m\""), ["W0401"]);
    assert_eq!(warnings("\"-9.81 m/s^2\"", "-9810"), ["W0303"]);
    assert_eq!(warnings("force = [0, \"1 N\", 0]", "force = [0, 0, 0]"), ["W0405"]);
    assert_eq!(warnings("base = {", "shape = { curvature = [0, 0, 900] }\nbase = {"), ["W0402"]);
}

#[test]
fn an_unused_material_warns_with_its_place() {
    let loaded = parse("test.toml", PLAIN.to_owned(), &[]).unwrap();
    assert_eq!(loaded.warnings.len(), 1);
    assert_eq!(loaded.warnings[0].fault.code(), "W0201");
    assert_eq!(loaded.warnings[0].place.as_ref().unwrap().excerpt, "[material.rubber]");
}

/// A rod held at both ends, with this job.
fn held(job: &str) -> String {
    format!(
        "schema = 1\n[rod.r]\nlength = 1\nsection = {{ stiffness = [1, 1, 1, 1e6, 1e6, 1e6], radius = 0.01 }}\n\
         base = {{ fixed_to = \"world\" }}\ntip = {{ fixed_to = \"world\", position = [0.8, 0.2, 0] }}\n[job]\n{job}\n"
    )
}

#[test]
fn a_job_for_shapes_is_read() {
    use lissome_model::{Job, ShapeJob, ShapeMethod, ShapeWinding};
    assert_eq!(scene(&held("kind = \"shape\"")).job, Job::Shape(ShapeJob::default()));
    let job =
        "kind = \"shape\"\nmethod = \"quintic\"\nsegments = 3\nstretching = true\nwinding = \"unwrapped\"\nall = true";
    let asked = ShapeJob {
        method: ShapeMethod::Quintic,
        segments: 3,
        stretching: true,
        winding: ShapeWinding::Unwrapped,
        all: true,
    };
    assert_eq!(scene(&held(job)).job, Job::Shape(asked));
}

#[test]
fn keys_of_another_job_and_what_a_shape_cannot_have_are_refused() {
    let codes = |text: &str| -> Vec<&'static str> {
        parse("scene.toml", text.to_owned(), &[]).unwrap_err().iter().map(|d| d.fault.code()).collect()
    };
    assert_eq!(codes(&held("kind = \"shape\"\nmax_iterations = 5")), ["E0207"]);
    assert_eq!(codes(&held("kind = \"statics\"\nall = true")), ["E0207"]);
    assert_eq!(codes(&held("kind = \"shape\"\nall = 1")).len(), 1);
    let gravity = held("kind = \"shape\"\n[world]\ngravity = [0, 0, -9.81]")
        .replace("radius = 0.01 }", "radius = 0.01, mass_per_length = \"1 g/m\" }");
    assert_eq!(codes(&gravity).len(), 1);
    let free = held("kind = \"shape\"").replace("tip = { fixed_to = \"world\", position = [0.8, 0.2, 0] }\n", "");
    assert_eq!(codes(&free).len(), 1);
}

#[test]
fn a_fault_is_placed_at_the_value_in_force() {
    let text = include_str!("../../../../examples/scenes/two-grippers.toml");
    let far = ["rod.rod.tip.position=[0.7, 0, 0]".to_owned()];
    let loaded = parse("held.toml", text.to_owned(), &far).unwrap();
    let problem = lissome_model::Problem::Contradiction { reason: "is too far away".into() };
    let told = loaded.diagnose(&lissome_model::Invalid::new("rod.rod.tip", problem));
    let place = told.place.unwrap();
    assert_eq!((place.file.as_str(), place.excerpt.as_str()), ("argument 1", far[0].as_str()));
}
