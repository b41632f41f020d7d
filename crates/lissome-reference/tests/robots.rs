//! Networks against the robots of the papers.
#![allow(clippy::unwrap_used)]

use lissome_reference::network::robots::{PLATFORM, cable_arm, motor_angles, six_rod_robot};
use lissome_reference::network::solve;

#[test]
fn probe() {
    let t = std::time::Instant::now();
    for sample in 1..=4 {
        for pull in [0.0, 0.5] {
            let solved = solve(&six_rod_robot(motor_angles(sample), pull)).unwrap();
            let pose = solved.body_pose(PLATFORM);
            println!("{sample} {pull} {:?} {:?} {:e} {:?}", pose.position * 1e3, pose.rotation.quat_wxyz(), solved.residual, t.elapsed());
        }
    }
    for tension in [5.0, 10.0, 20.0] {
        let solved = solve(&cable_arm(tension)).unwrap();
        let pose = solved.body_pose(9);
        let x = pose.rotation.matrix();
        println!("{tension} {:?} {} {:e} {:?}", pose.position, x[(2, 0)].atan2(x[(0, 0)]), solved.residual, t.elapsed());
    }
}
