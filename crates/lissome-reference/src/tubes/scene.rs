//! The robot of tubes that a scene holds.

use super::description::{CurvedPart, ElasticTube, Stretch, TubeLoad, TubeRobot};
use crate::OracleError;
use crate::network::driven;
use lissome_model::{Scene, Tube};

impl TubeRobot {
    /// Reads rod `rod` of a scene whose drives are at `time`. Its entry must stand in the world, and loads on it are the only
    /// ones that are read: bodies, cables and springs on tubes are not.
    pub fn from_scene(scene: &Scene, rod: usize, time: f64) -> Result<Self, OracleError> {
        scene.validate()?;
        let now = driven(scene, time);
        let count = now.rods.len();
        let rod_now = now.rods.get(rod).ok_or(OracleError::NoSuchRod { rod, count })?;
        let not_tubes = || OracleError::NotTubes { rod: rod_now.name.clone() };
        let set = rod_now.tubes.as_ref().ok_or_else(not_tubes)?;
        let entry = rod_now.base.and_then(|frame| frame.world_pose()).ok_or_else(not_tubes)?;
        let loads = now.loads.iter().filter(|load| load.rod == rod);
        Ok(Self {
            entry,
            tubes: set.tubes.iter().map(read).collect(),
            gravity: now.gravity,
            loads: loads.map(|load| TubeLoad { frame: load.frame, kind: load.kind }).collect(),
            stretch: Stretch::SumOfTubes,
        })
    }
}

/// A tube whose table of curvature becomes parts of linear curvature; the first and the last value hold up to the ends.
fn read(tube: &Tube) -> ElasticTube {
    let straight = tube.length - tube.curved_length;
    let mut knots = tube.curvature.clone();
    if let (Some(first), Some(last)) = (knots.first().copied(), knots.last().copied()) {
        knots.insert(0, (0.0, first.1));
        knots.push((tube.curved_length, last.1));
    }
    let part = |pair: &[(f64, nalgebra::Vector2<f64>)]| CurvedPart {
        from: straight + pair[0].0,
        to: straight + pair[1].0,
        start: pair[0].1,
        end: pair[1].1,
    };
    ElasticTube {
        length: tube.length,
        behind: tube.transmission().max(0.0),
        angle: tube.rotation,
        bending: tube.bending(),
        torsion: tube.torsion(),
        axial: tube.axial(),
        shear: tube.shearing(),
        mass_per_length: tube.material.density.unwrap_or(0.0) * tube.shape().area(),
        curved: knots.windows(2).filter(|pair| pair[1].0 > pair[0].0).map(part).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use nalgebra::Vector2;

    #[test]
    fn a_table_of_curvature_is_read_as_the_tube_itself_reads_it() {
        let value = |y: f64, z: f64| Vector2::new(y, z);
        let tube = Tube {
            length: 0.5,
            curved_length: 0.3,
            insertion: 0.4,
            // Uniform up to 0.05, linear to 0.1, a step there, linear to 0.2, uniform to the tip.
            curvature: vec![
                (0.05, value(1.0, 2.0)),
                (0.1, value(3.0, -1.0)),
                (0.1, value(8.0, 0.0)),
                (0.2, value(5.0, 4.0)),
            ],
            ..Tube::default()
        };
        let read = read(&tube);
        assert_eq!(read.curved.len(), 4);
        for s in [0.01, 0.05, 0.11, 0.14, 0.17, 0.19, 0.21, 0.29, 0.31, 0.39] {
            assert!((read.curvature(s, s) - tube.curvature_at(s)).norm() < 1e-12, "{s}");
        }
    }
}
