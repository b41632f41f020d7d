//! What derivatives are by: whatever can be driven, and the numbers of the scene file.

use super::neighbours::{Neighbours, Place};
use crate::robot::standing::{Standing, hold, with_drives};
use lissome_io::scene::dimension::Dimension;
use lissome_io::scene::{Beside, SceneNumber, Variants, known_drive_target};
use lissome_io::{DerivativeFault, Diagnostic, Fault, LoadedScene};
use lissome_mech::Input;
use lissome_model::{CableDrive, Coordinate, Invalid, JointMotion, Scene, ScenePart};
use lissome_solve::derivative::{CHANGE, Moved, Spacing};
use std::sync::Arc;

/// Part of the robot's length that a length counts for which is small or nothing.
const SMALL: f64 = 0.1;

/// Where numbers come from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source<'a> {
    /// The file of the scene; without it only what can be driven can be asked for.
    pub file: Option<&'a LoadedScene>,
    /// What is held at values (SI) by dotted paths, as [`with_drives`] does.
    pub drives: &'a [(&'a str, f64)],
    /// Where the drives of the scene are: their time, or the parameter of a path.
    pub at: f64,
}

impl<'a> Source<'a> {
    /// A file, at the beginning of its drives.
    pub fn of(file: &'a LoadedScene) -> Self {
        Self { file: Some(file), ..Self::default() }
    }
}

/// A number to differentiate by.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    /// Its dotted path.
    pub path: String,
    value: f64,
    /// Distance of neighbouring values.
    pub distance: f64,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    Drive(Input),
    Scene(SceneNumber),
    /// One of the numbers of variants, which have values of their own.
    Varied {
        variants: Arc<Variants>,
        values: Arc<[f64]>,
        index: usize,
        neighbours: Option<Arc<Neighbours>>,
    },
}

/// Why there is no neighbour.
pub(crate) enum Refused {
    Told(Box<Diagnostic>),
    Invalid(Invalid),
    OtherPlaces,
    OtherCorners,
}

/// What a motion has in the place of its scene where a number is a little different.
pub(crate) enum Changed {
    /// More of what is driven, all along.
    Offset(Input),
    /// Another scene.
    Scene(Box<Scene>),
}

impl From<Invalid> for Refused {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl Refused {
    /// In words, about a number.
    pub fn about(&self, path: &str) -> Box<Diagnostic> {
        let reason = match self {
            Self::Told(diagnostic) => format!("the scene is refused: {}", diagnostic.message()),
            Self::Invalid(invalid) => format!("the scene is refused: {invalid}"),
            Self::OtherPlaces => "loads, attachments or steps of a rod come to lie in another order".into(),
            Self::OtherCorners => "a drive changes its rate at another time, where the motion is not smooth".into(),
        };
        Box::new(Diagnostic::new(Fault::Derivative(DerivativeFault::NotSmooth { path: path.to_owned(), reason })))
    }
}

impl Number {
    /// The numbers that a path names: one, or the components of a vector.
    pub fn find(standing: &Standing<'_>, source: &Source<'_>, path: &str) -> Result<Vec<Self>, Box<Diagnostic>> {
        let plain = path.trim();
        let without_family = plain.split_once('.').map_or(plain, |(_, rest)| rest);
        for name in [plain, without_family] {
            if let Some(target) = known_drive_target(standing.scene, name) {
                let input = Input::from(target);
                let value = standing.inputs.get(input);
                let distance = CHANGE * scale_of_input(standing, input, value);
                return Ok(vec![Self { path: name.to_owned(), value, distance, of: Of::Drive(input) }]);
            }
        }
        let Some(file) = source.file else {
            let fault = DerivativeFault::UnknownInput { path: plain.chars().take(80).collect(), nearest: None };
            return Err(Box::new(Diagnostic::new(Fault::Derivative(fault))));
        };
        let numbers = file.numbers(plain)?.into_iter().map(|number| Self {
            path: number.path.clone(),
            value: number.value,
            distance: CHANGE * scale(standing, &number),
            of: Of::Scene(number),
        });
        Ok(numbers.collect())
    }

    /// True if it acts through what friction leaves of tensions alone, which derivatives hold.
    pub fn is_held(&self) -> bool {
        !matches!(self.of, Of::Drive(_)) && self.path.starts_with("tendon.") && self.path.ends_with(".friction")
    }

    /// The number of the file that it is.
    pub fn of_file(&self) -> Option<&SceneNumber> {
        match &self.of {
            Of::Scene(number) => Some(number),
            _ => None,
        }
    }

    /// Where its neighbours lie.
    pub fn spacing(&self) -> Spacing {
        Spacing { value: self.value, distance: self.distance }
    }

    /// All numbers of variants of a file, at values of their own.
    pub fn varied(
        standing: &Standing<'_>,
        variants: &Arc<Variants>,
        neighbours: Option<&Arc<Neighbours>>,
        values: &[f64],
    ) -> Vec<Self> {
        let values: Arc<[f64]> = values.into();
        let number = |(index, own): (usize, &SceneNumber)| {
            let mut own = own.clone();
            own.value = values[index];
            let distance = CHANGE * scale(standing, &own);
            let (variants, values, neighbours) = (variants.clone(), values.clone(), neighbours.cloned());
            let of = Of::Varied { variants, values, index, neighbours };
            Self { path: own.path, value: own.value, distance, of }
        };
        variants.numbers().iter().enumerate().map(number).collect()
    }

    /// What stands in the place of the scene where the number is so much larger; with scenes beside that of the file.
    pub fn moved(
        &self,
        standing: &Standing<'_>,
        source: &Source<'_>,
        by: f64,
        beside: &mut Option<Beside<'_>>,
    ) -> Result<Moved, Refused> {
        let value = self.value + by;
        if let Of::Varied { variants, values, index, neighbours: Some(neighbours) } = &self.of {
            let place = Place { values, moved: Some((*index, by)) };
            let known = (standing.scene, standing.system);
            let found = neighbours.get(known, place, || {
                let scene = variant(variants, values, *index, value)?;
                let mut scene = with_drives(&scene, source.drives).map_err(Refused::Told)?;
                if scene.divide_like(standing.scene) { Ok(scene) } else { Err(Refused::OtherPlaces) }
            })?;
            let inputs = found.system.inputs_driven_by(&standing.scene.drives, 0.0);
            return Ok(Moved::Neighbour(found, inputs));
        }
        let mut scene = match &self.of {
            Of::Drive(Input::TubeInsertion { .. }) => {
                let mut scene: Scene = standing.scene.clone();
                hold(&mut scene, &self.path, value).map_err(Refused::Told)?;
                scene
            }
            Of::Drive(input) => {
                let mut inputs = standing.inputs.clone();
                inputs.set(*input, value);
                return Ok(Moved::Inputs(inputs));
            }
            Of::Scene(number) => {
                let Some(beside) = beside else { return Err(Refused::OtherPlaces) };
                let (scene, changed) = beside.at(number, value).map_err(Refused::Told)?;
                if source.drives.is_empty() {
                    return match Arc::make_mut(scene).divide_beside(standing.scene, changed) {
                        true => Ok(Moved::Scene(scene.clone(), source.at, changed.map(<[ScenePart]>::to_vec))),
                        false => Err(Refused::OtherPlaces),
                    };
                }
                with_drives(scene, source.drives).map_err(Refused::Told)?
            }
            Of::Varied { variants, values, index, .. } => driven_by(variant(variants, values, *index, value)?, source)?,
        };
        if !scene.divide_like(standing.scene) {
            return Err(Refused::OtherPlaces);
        }
        Ok(Moved::Scene(Arc::new(scene), source.at, None))
    }

    /// The same in a motion, whose drives go on.
    pub fn changed(&self, standing: &Standing<'_>, file: Option<&LoadedScene>, by: f64) -> Result<Changed, Refused> {
        let mut scene = match (&self.of, file) {
            (Of::Drive(Input::TubeInsertion { .. }), _) => {
                let mut scene: Scene = standing.scene.clone();
                hold(&mut scene, &self.path, self.value + by).map_err(Refused::Told)?;
                scene
            }
            (Of::Drive(input), _) => return Ok(Changed::Offset(*input)),
            (Of::Scene(number), Some(file)) => file.with_number(number, self.value + by).map_err(Refused::Told)?,
            (Of::Varied { variants, values, index, .. }, _) => variant(variants, values, *index, self.value + by)?,
            (Of::Scene(_), None) => return Err(Refused::OtherPlaces),
        };
        if !scene.divide_like(standing.scene) {
            return Err(Refused::OtherPlaces);
        }
        Ok(Changed::Scene(Box::new(scene)))
    }
}

/// A scene with what its source holds.
fn driven_by(scene: Scene, source: &Source<'_>) -> Result<Scene, Refused> {
    match source.drives.is_empty() {
        true => Ok(scene),
        false => with_drives(&scene, source.drives).map_err(Refused::Told),
    }
}

/// The scene of variants where one of their numbers has another value.
fn variant(variants: &Variants, values: &[f64], index: usize, value: f64) -> Result<Scene, Refused> {
    let mut values = values.to_vec();
    values[index] = value;
    variants.scene(&values).map_err(Refused::Told)
}

/// The size that a change of a driven quantity is a part of.
fn scale_of_input(standing: &Standing<'_>, input: Input, value: f64) -> f64 {
    let (scales, scene) = (standing.system.scales(), standing.scene);
    let size = value.abs();
    let thread = |drive: CableDrive| match drive {
        CableDrive::Tension(_) => size.max(scales.force),
        _ => size.clamp(SMALL * scales.length, scales.length),
    };
    match input {
        Input::Factor | Input::Gravity | Input::Load(_) | Input::FrameLoad(_) => size.max(1.0),
        Input::TubeRotation { .. } => 1.0,
        Input::TubeInsertion { .. } => size,
        Input::Cable(cable) => thread(scene.cables[cable].drive),
        Input::Tendon(tendon) => thread(scene.tendons[tendon].drive),
        Input::Joint { joint, coordinate } => {
            let joint = &scene.joints[joint];
            let driven = matches!(joint.motion, JointMotion::Driven { .. });
            match (driven, joint.kind.coordinates()[coordinate].1) {
                (true, Coordinate::Angle) => 1.0,
                (true, Coordinate::Distance) => size.clamp(SMALL * scales.length, scales.length),
                (false, Coordinate::Angle) => size.max(scales.force * scales.length),
                (false, Coordinate::Distance) => size.max(scales.force),
            }
        }
    }
}

/// The same of a number of the file.
fn scale(standing: &Standing<'_>, number: &SceneNumber) -> f64 {
    let scales = standing.system.scales();
    let (force, length) = (scales.force, scales.length);
    let own = if number.is_component { number.beside } else { number.value.abs() };
    let Dimension { metre, kilogram, second, radian } = number.dimension;
    match (metre, kilogram, second, radian) {
        (0, 0, 0, 1) => 1.0,
        (1, 0, 0, 0) if number.is_component => own.clamp(SMALL * length, length),
        (1, 0, 0, 0) if own > 0.0 => own,
        (1, 0, 0, 0) => SMALL * length,
        (-1, 0, 0, _) => own.max(1.0 / length),
        // Forces, moments, and what they are per length: what is small beside the forces of the robot is lost in rounding.
        (_, 1, -2, _) if number.is_component || own == 0.0 => own.max(force * length.powi(metre - 1)),
        _ if own > 0.0 => own,
        _ => number.beside.max(1e-2),
    }
}
