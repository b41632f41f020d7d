//! The unstressed shape of a rod, standing where the rod is held, for the grey picture behind the deformed one.

use lissome_lie::{CumulativeCurve, KnotVector, Pose, open_uniform_knots};
use lissome_model::{NaturalShape, Rod};

/// Pieces into which the rod is divided; the picture shows no more.
const PIECES: usize = 160;

/// Arc lengths and poses of the unstressed rod, relative to its base.
pub fn relative(rod: &Rod) -> Vec<(f64, Pose)> {
    let at = |i: usize| rod.length * i as f64 / PIECES as f64;
    let poses: Vec<Pose> = match &rod.natural {
        NaturalShape::ControlPoses(_) => {
            let designed = designed(rod, PIECES);
            let base = designed.first().map_or(Pose::identity(), |(_, pose)| pose.inverse());
            designed.into_iter().map(|(_, pose)| base * pose).collect()
        }
        natural => {
            let mut pose = Pose::identity();
            let mut poses = vec![pose];
            for i in 0..PIECES {
                // The midpoint rule on SE(3) is exact for the constant curvature of most shapes.
                if let Some(strain) = natural.strain_at(0.5 * (at(i) + at(i + 1))) {
                    pose = pose.advance(&strain, at(i + 1) - at(i));
                }
                poses.push(pose);
            }
            poses
        }
    };
    poses.into_iter().enumerate().map(|(i, pose)| (at(i), pose)).collect()
}

/// Arc lengths and world poses of the unstressed rod; empty if nothing in the world holds it.
pub fn poses(rod: &Rod) -> Vec<(f64, Pose)> {
    let relative = relative(rod);
    let anchor = match (&rod.base, &rod.tip, relative.last()) {
        (Some(base), _, Some(_)) => base.world_pose(),
        (None, Some(tip), Some((_, own))) => tip.world_pose().map(|pose| pose * own.inverse()),
        _ => None,
    };
    let Some(anchor) = anchor else { return Vec::new() };
    relative.into_iter().map(|(s, pose)| (s, anchor * pose)).collect()
}

/// Arc lengths and poses of the shape that a rod's control poses draw, in the frame they are given in; empty if its shape
/// is not drawn so.
pub fn designed(rod: &Rod, pieces: usize) -> Vec<(f64, Pose)> {
    let NaturalShape::ControlPoses(control) = &rod.natural else { return Vec::new() };
    let degree = rod.discretization.degree();
    let mut knots = Vec::new();
    let spans = control.len().saturating_sub(degree);
    if open_uniform_knots(degree, rod.length, spans, &[], &mut knots).is_err() {
        return Vec::new();
    }
    let Ok(knots) = KnotVector::new(degree, &knots) else { return Vec::new() };
    let curve: Result<CumulativeCurve<'_, Pose>, _> = CumulativeCurve::new(knots, control);
    let at = |i: usize| rod.length * i as f64 / pieces as f64;
    curve.map_or(Vec::new(), |curve| (0..=pieces).map(|i| (at(i), curve.pose(at(i)))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_model::{Discretization, Material, Profile, Section};
    use nalgebra::Vector3;

    fn rod(natural: NaturalShape) -> Rod {
        let section = Section::circle(0.01, Material::from_poisson(1e6, 0.4));
        Rod {
            name: "arm".into(),
            length: 1.0,
            profile: Profile::uniform(section),
            natural,
            base: None,
            tip: Some(Pose::at(Vector3::new(1.0, 2.0, 3.0)).into()),
            discretization: Discretization::default(),
            ..Rod::default()
        }
    }

    #[test]
    fn a_straight_rod_stands_on_its_held_tip() {
        let poses = poses(&rod(NaturalShape::Straight));
        assert_eq!(poses.len(), PIECES + 1);
        assert!((poses[0].1.position - Vector3::new(0.0, 2.0, 3.0)).norm() < 1e-12);
    }

    #[test]
    fn a_full_circle_closes() {
        let poses = poses(&rod(NaturalShape::curved(Vector3::z() * std::f64::consts::TAU)));
        assert!((poses[0].1.position - poses[PIECES].1.position).norm() < 1e-12);
    }

    #[test]
    fn control_poses_draw_their_spline() {
        let control: Vec<Pose> = (0..5).map(|i| Pose::at(Vector3::x() * (0.25 * i as f64))).collect();
        let poses = poses(&rod(NaturalShape::ControlPoses(control)));
        assert!((poses[0].1.position - Vector3::new(0.0, 2.0, 3.0)).norm() < 1e-12);
    }
}
