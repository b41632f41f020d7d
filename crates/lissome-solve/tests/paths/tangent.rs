//! Columns of the inputs: the tangent of a branch against neighbouring equilibria.

use crate::strip::strip;
use lissome_lie::Pose;
use lissome_mech::{CurvatureOf, Input, Inputs, State, System};
use lissome_model::*;
use lissome_solve::{StaticOptions, statics};
use nalgebra::Vector3;

fn equilibrium(system: &System, start: &State, inputs: &Inputs) -> State {
    let mut start = start.clone();
    system.drive(inputs, &mut start);
    let solution =
        statics::solve(system, &start, inputs, &StaticOptions::default(), &mut system.workspace(), &mut |_| true);
    assert!(solution.outcome.converged());
    solution.state
}

/// ds/du against (s(u + h) − s(u − h))/2h, whose error is h² of the third derivative, and 1e-9/h of the solves.
fn check(scene: &Scene, input: Input, h: f64) {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let inputs = system.inputs_at(0.3);
    let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    let state = equilibrium(&system, &solution.state, &inputs);
    system.assemble(&state, &inputs, CurvatureOf::Increments, &mut work);
    system.factor(&mut work).unwrap();
    system.assemble_input_column(&state, &inputs, input, &mut work);
    let step = system.solve_input_column(&state, &mut work);
    let near = |side: f64| {
        let mut moved = inputs.clone();
        moved.set(input, inputs.get(input) + side * h);
        equilibrium(&system, &state, &moved)
    };
    let (a, b) = (near(1.0), near(-1.0));
    let size = step.poses.iter().map(|x| x.to_vector().amax()).fold(0.0, f64::max);
    assert!(size > 1e-3, "{input:?} moves nothing: {size}");
    for (i, (own, (a, b))) in step.poses.iter().zip(a.poses.iter().zip(&b.poses)).enumerate() {
        let difference = a.boxminus(b).to_vector() / (2.0 * h);
        let error = (own.to_vector() - difference).amax() / size;
        assert!(error < 1e-4, "{input:?}, slot {i}: {} against {difference}", own.to_vector());
    }
    let size = step.linear.iter().map(|x| x.amax()).fold(0.0, f64::max);
    for (i, (own, (a, b))) in step.linear.iter().zip(a.linear.iter().zip(&b.linear)).enumerate() {
        let error = (own - (a - b) / (2.0 * h)).amax() / size;
        assert!(error < 1e-3, "{input:?}, block {i}: {own} against {}", (a - b) / (2.0 * h));
    }
}

#[test]
fn of_a_driven_clamp() {
    let clamp = Input::Joint { joint: 0, coordinate: 0 };
    for loops in [LoopMethod::Embedding, LoopMethod::Constraints] {
        check(&Scene { loops, ..strip(0.26) }, clamp, 1e-4);
    }
}

#[test]
fn of_loads_and_cables() {
    let mut scene = strip(0.26);
    scene.joints.clear();
    scene.drives.clear();
    scene.rods[0].base = Some(Pose::identity().into());
    scene.rods[0].tip = None;
    scene.gravity = Vector3::new(0.0, 0.0, -9.81);
    scene.rods[0].profile =
        Profile::uniform(Section::circle(2e-3, Material::from_poisson(1e9, 0.3).with_density(1200.0)));
    let cable = |drive| Cable {
        name: "rope".into(),
        points: vec![Frame::rod(0, 1.0), Frame::world(Pose::at(Vector3::new(0.2, 0.1, 0.8)))],
        drive,
        stiffness: Some(20.0),
    };
    for drive in [CableDrive::Tension(0.05), CableDrive::Length(0.9)] {
        let scene = Scene { cables: vec![cable(drive)], ..scene.clone() };
        for input in [Input::Factor, Input::Gravity, Input::Cable(0)] {
            check(&scene, input, 1e-4);
        }
    }
}
