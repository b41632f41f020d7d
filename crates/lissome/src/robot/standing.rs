//! A robot in an equilibrium, as whoever asks something of it sees it; and scenes whose drives are held.

use lissome_io::fault::PathReason;
use lissome_io::nearest::nearest;
use lissome_io::scene::drive_target;
use lissome_io::{Diagnostic, Fault};
use lissome_mech::index::RodIndex;
use lissome_mech::{CurvatureOf, Input, Inputs, State, System};
use lissome_model::{Drive, DriveTarget, Job, Scene, Signal, StaticsJob};
use nalgebra::{DMatrix, Vector6};

/// The equations of a robot, and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub scene: &'a Scene,
    pub system: &'a System,
    pub state: &'a State,
    pub inputs: &'a Inputs,
}

/// A scene with quantities held at values (SI), each by its dotted path such as `a.tension`, and statics as its job. Drives
/// that are not named stand at their beginning.
pub fn with_drives(scene: &Scene, drives: &[(&str, f64)]) -> Result<Scene, Box<Diagnostic>> {
    let mut held = scene.clone();
    if !matches!(held.job, Job::Statics(_)) {
        let (max_iterations, winding) = match &held.job {
            Job::Path(job) => (job.max_iterations, job.winding),
            _ => (StaticsJob::default().max_iterations, StaticsJob::default().winding),
        };
        held.job = Job::Statics(StaticsJob { max_iterations, winding, ..StaticsJob::default() });
    }
    for (path, value) in drives {
        hold(&mut held, path, *value)?;
    }
    Ok(held)
}

/// Holds one quantity of a scene at a value.
pub(crate) fn hold(scene: &mut Scene, path: &str, value: f64) -> Result<Input, Box<Diagnostic>> {
    let target = drive_target(scene, path, Some(value))?;
    match scene.drives.iter_mut().find(|drive| drive.target == target) {
        Some(drive) => drive.signal = Signal::Constant(value),
        None => scene.drives.push(Drive { path: path.to_owned(), target, signal: Signal::Constant(value) }),
    }
    if let DriveTarget::TubeInsertion { rod, tube } = target {
        // Where tubes end is a matter of the equations, not of what acts on them.
        scene.insert_tube(rod, tube, value);
    }
    Ok(target.into())
}

impl Standing<'_> {
    pub(crate) fn jacobian(&self, of: &[&str], by: &[&str]) -> Result<Option<DMatrix<f64>>, Box<Diagnostic>> {
        let slots = of.iter().map(|path| self.slot(path)).collect::<Result<Vec<usize>, _>>()?;
        let inputs = by.iter().map(|path| drive_target(self.scene, path, None).map(Input::from));
        let inputs = inputs.collect::<Result<Vec<Input>, _>>()?;
        let (system, state) = (self.system, self.state);
        let mut work = system.workspace();
        system.assemble(state, self.inputs, CurvatureOf::Poses, &mut work);
        if system.factor(&mut work).is_err() {
            return Ok(None);
        }
        let mut found = DMatrix::zeros(6 * slots.len(), inputs.len());
        for (column, input) in inputs.iter().enumerate() {
            system.assemble_input_column(state, self.inputs, *input, &mut work);
            let step = system.solve_input_column(state, &mut work);
            for (index, slot) in slots.iter().enumerate() {
                let (axes, twist) = (&state.poses[*slot].rotation, step.poses[*slot]);
                let (turn, shift) = (axes.rotate(&twist.angular), axes.rotate(&twist.linear));
                let six = Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z);
                found.fixed_view_mut::<6, 1>(6 * index, column).copy_from(&six);
            }
        }
        Ok(Some(found))
    }

    /// Number of the pose that a path names.
    fn slot(&self, path: &str) -> Result<usize, Box<Diagnostic>> {
        let Scene { rods, bodies, joints, .. } = self.scene;
        let tips = (0..rods.len()).map(|rod| {
            let slot = self.system.tip(RodIndex::new(rod)).index();
            (format!("{}.tip", rods[rod].name), slot)
        });
        let compiled = bodies.iter().zip(self.system.bodies());
        let bodies = compiled.map(|(body, own)| (body.name.clone(), own.slot.index()));
        let joints = joints.iter().enumerate();
        let joints =
            joints.map(|(index, joint)| (format!("{}.frame", joint.name), self.system.joint_slot(index).index()));
        let all: Vec<(String, usize)> = tips.chain(bodies).chain(joints).collect();
        all.iter().find(|(name, _)| name == path).map(|(_, slot)| *slot).ok_or_else(|| {
            let known: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
            let nearest = nearest(path, known.iter().map(String::as_str)).map(str::to_owned);
            let (path, reason) = (path.to_owned(), PathReason::NoSuchThing);
            Box::new(Diagnostic::new(Fault::NoSuchPath { path, nearest, reason }))
        })
    }
}
