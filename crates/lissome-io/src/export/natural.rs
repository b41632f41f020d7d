//! The shapes that control poses of the scene draw, given back: the poses themselves and the curve through them.

use crate::columns::{POSE, header};
use crate::report::undeformed;
use crate::run_folder::table::{pose_row, push_row};
use lissome_model::{NaturalShape, Scene};

/// Pieces into which the curve is divided, as the samples of a rod are.
const PIECES: usize = 100;

/// `natural_control_poses.csv` and `natural.csv`; none if no shape is drawn by control poses. Poses stand in the frame in
/// which the scene gives them.
pub fn tables(scene: &Scene) -> Vec<(&'static str, String)> {
    let mut control = header("rod", &POSE) + "\n";
    let mut curve = header("rod,s", &POSE) + "\n";
    let mut any = false;
    for rod in &scene.rods {
        let NaturalShape::ControlPoses(poses) = &rod.natural else { continue };
        any = true;
        poses.iter().for_each(|pose| push_row(&mut control, &rod.name, &pose_row(pose)));
        for (s, pose) in undeformed::designed(rod, PIECES) {
            push_row(&mut curve, &format!("{},{s:?}", rod.name), &pose_row(&pose));
        }
    }
    if any { vec![("natural_control_poses.csv", control), ("natural.csv", curve)] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::run_folder::table::read_control_poses;

    /// A designed hook: the numbers of the scene, not of any solve, must come back.
    const HOOK: &str = "schema = 1\n[material.m]\nyoung = 1e6\npoisson = 0.4\n[rod.hook]\nmaterial = \"m\"\nlength = 0.3\n\
        section = { shape = \"circle\", radius = 0.01 }\nbase = {}\nmodel = { spline = { degree = 3 } }\n\
        shape = { control_poses = [\n{ position = [0, 0, 0] },\n{ position = [0.0333, 0, 0] },\n\
        { position = [0.1, 0.01, 0.02], quat_wxyz = [0.98, 0.0, 0.1, 0.17] },\n\
        { position = [0.19, 0.03, 0.0], quat_wxyz = [0.9, 0.1, 0.2, 0.38] },\n{ position = [0.27, 0.06, -0.03] },\n\
        { position = [0.3, 0.07, -0.05] } ] }\n";

    #[test]
    fn the_designed_shape_comes_back_with_the_scenes_numbers() {
        let text = HOOK.replace("[0.98, 0.0, 0.1, 0.17]", &unit([0.98, 0.0, 0.1, 0.17]));
        let text = text.replace("[0.9, 0.1, 0.2, 0.38]", &unit([0.9, 0.1, 0.2, 0.38]));
        let scene = crate::scene::parse("hook.toml", text, &[]).unwrap().scene;
        let NaturalShape::ControlPoses(drawn) = &scene.rods[0].natural else { panic!("drawn") };
        let files = tables(&scene);
        let back = read_control_poses("natural_control_poses.csv", &files[0].1).unwrap();
        assert_eq!(back.len(), 6);
        for ((_, back), drawn) in back.iter().zip(drawn) {
            let gap = back.boxminus(drawn);
            assert!(gap.linear.norm() < 1e-12 && gap.angular.norm() < 1e-12);
        }
        assert_eq!(back[4].1.position.x, 0.27, "the number that stands in the scene");
        // The curve begins and ends on the first and last control pose, and is smooth in between.
        let rows: Vec<Vec<f64>> =
            files[1].1.lines().skip(1).map(|l| l.split(',').skip(1).map(|x| x.parse().unwrap()).collect()).collect();
        assert_eq!(rows.len(), PIECES + 1);
        assert!((rows[PIECES][0] - 0.3).abs() < 1e-15);
        for (row, pose) in [(&rows[0], &drawn[0]), (&rows[PIECES], &drawn[5])] {
            assert!((0..3).all(|i| (row[1 + i] - pose.position[i]).abs() < 1e-12));
        }
    }

    fn unit(q: [f64; 4]) -> String {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        format!("{:?}", q.map(|x| x / norm))
    }
}
