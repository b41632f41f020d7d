//! The derivatives of an equilibrium by the names of its scene.

use lissome_mech::{Input, Inputs, State, System};
use lissome_model::{CableDrive, Scene};
use lissome_solve::sensitivity::{self, Tip};
use lissome_solve::{SensitivityRecord, TipRecord};

/// How tips, tensions and lengths change with what drives and loads the robot; nothing without tips.
pub(crate) fn record(scene: &Scene, system: &System, state: &State, inputs: &Inputs) -> Option<SensitivityRecord> {
    let found = sensitivity::examine(system, state, inputs, &mut system.workspace())?;
    let tips = found.tips.iter().map(|tip| TipRecord {
        part: match tip.of {
            Tip::Rod(index) => scene.rods[index].name.clone(),
            Tip::Body(index) => scene.bodies[index].name.clone(),
        },
        by_inputs: tip.by_inputs.clone(),
        by_lengths: tip.by_lengths.clone(),
        compliance: tip.compliance,
    });
    Some(SensitivityRecord {
        inputs: found.inputs.iter().map(|input| name_of(scene, *input)).collect(),
        tendons: scene.tendons.iter().map(|tendon| tendon.name.clone()).collect(),
        tips: tips.collect(),
        tensions: found.tensions.row_iter().map(|row| row.iter().copied().collect()).collect(),
        lengths: found.lengths.row_iter().map(|row| row.iter().copied().collect()).collect(),
    })
}

/// The dotted path of a number of the inputs.
fn name_of(scene: &Scene, input: Input) -> String {
    let driven = |drive: &CableDrive| drive.name().to_owned();
    match input {
        Input::Tendon(index) => format!("{}.{}", scene.tendons[index].path(), driven(&scene.tendons[index].drive)),
        Input::Cable(index) => format!("cable.{}.{}", scene.cables[index].name, driven(&scene.cables[index].drive)),
        Input::Load(index) => format!("load.{}", scene.loads[index].name),
        Input::FrameLoad(index) => format!("load.{}", scene.frame_loads[index].name),
        other => format!("{other:?}"),
    }
}
