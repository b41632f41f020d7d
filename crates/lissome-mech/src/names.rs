//! Names of a system's parts, for messages.

use crate::contribution::Part;
use crate::kind::closure::Closure;
use lissome_model::Scene;

/// Dotted paths of the parts that have unknowns, or of which messages speak.
#[derive(Clone, Debug, Default)]
pub struct Names {
    rods: Vec<String>,
    bodies: Vec<String>,
    joints: Vec<String>,
    closures: Vec<String>,
    cables: Vec<String>,
    tendons: Vec<String>,
    frame_loads: Vec<String>,
    obstacles: Vec<String>,
}

impl Names {
    /// Of a scene.
    pub(crate) fn of(scene: &Scene) -> Self {
        let path = |kind: &str, name: &str| format!("{kind}.{name}");
        Self {
            rods: scene.rods.iter().map(|rod| rod.path()).collect(),
            bodies: scene.bodies.iter().map(|body| path("body", &body.name)).collect(),
            joints: scene.joints.iter().map(|joint| path("joint", &joint.name)).collect(),
            closures: Closure::paths(scene),
            cables: scene.cables.iter().map(|cable| path("cable", &cable.name)).collect(),
            tendons: scene.tendons.iter().map(|tendon| tendon.path()).collect(),
            frame_loads: scene.frame_loads.iter().map(|load| path("load", &load.name)).collect(),
            obstacles: scene.obstacles.iter().map(|obstacle| obstacle.path()).collect(),
        }
    }

    /// Dotted path of a part; its kind and number where no name is known.
    pub fn path(&self, part: Part) -> String {
        let list = match part.kind {
            "rod" => &self.rods,
            "body" => &self.bodies,
            "joint" => &self.joints,
            "closure" => &self.closures,
            "cable" => &self.cables,
            "tendon" => &self.tendons,
            "frame load" => &self.frame_loads,
            "obstacle" => &self.obstacles,
            _ => return format!("{}.{}", part.kind, part.index),
        };
        list.get(part.index).cloned().unwrap_or_default()
    }
}
