//! What a scene says of contact, checked as a whole: pairs that can touch, and rods that fit into their bores.

use crate::invalid::{Invalid, Problem};
use crate::{Follow, Job, ObstacleShape, Rod, Scene, Scheme, Toucher};

impl Toucher {
    /// Its name in the scene.
    pub fn name(self, scene: &Scene) -> &str {
        match self {
            Self::Rod(index) => &scene.rods[index].name,
            Self::Body(index) => &scene.bodies[index].name,
            Self::Obstacle(index) => &scene.obstacles[index].name,
        }
    }

    /// Its dotted path, such as `rod.arm`.
    pub fn path(self, scene: &Scene) -> String {
        match self {
            Self::Rod(index) => scene.rods[index].path(),
            Self::Body(index) => format!("body.{}", scene.bodies[index].name),
            Self::Obstacle(index) => scene.obstacles[index].path(),
        }
    }

    fn exists(self, scene: &Scene) -> bool {
        match self {
            Self::Rod(index) => index < scene.rods.len(),
            Self::Body(index) => index < scene.bodies.len(),
            Self::Obstacle(index) => index < scene.obstacles.len(),
        }
    }
}

impl Scene {
    /// Every rod and body with every obstacle that it may touch: the pairs that answers speak of, in their order.
    pub fn contact_pairs(&self) -> impl Iterator<Item = (Toucher, usize)> + '_ {
        let rods = (0..self.rods.len()).map(Toucher::Rod);
        let bodies = self.bodies.iter().enumerate().filter(|(_, body)| !body.solids.is_empty());
        let touchers = rods.chain(bodies.map(|(index, _)| Toucher::Body(index)));
        touchers.flat_map(move |toucher| {
            let touches =
                move |obstacle: &usize| self.touching.friction_of(toucher, Toucher::Obstacle(*obstacle)).is_some();
            (0..self.obstacles.len()).filter(touches).map(move |obstacle| (toucher, obstacle))
        })
    }

    pub(crate) fn validate_contacts(&self) -> Result<(), Invalid> {
        self.validate_contact_pairs()?;
        self.validate_bores()?;
        match self.obstacles.is_empty() {
            true => Ok(()),
            false => self.validate_contact_job(),
        }
    }

    /// What obstacles are for: equilibria, paths along drives, and motions by the schemes that stop what runs in.
    fn validate_contact_job(&self) -> Result<(), Invalid> {
        let refuse = |path: &str, reason: &str| {
            Err(Invalid::new(path, Problem::Contradiction { reason: format!("{reason}; the scene has obstacles") }))
        };
        if let Some(rod) = self.rods.iter().find(|rod| rod.tubes.is_some()) {
            return refuse(&rod.path(), "tubes that slide in each other do not touch anything else yet");
        }
        match &self.job {
            // Classical methods and shapes say of each thing that they do not take it.
            Job::Statics(_) | Job::Shape(_) => Ok(()),
            Job::Path(job) if job.follow == Follow::Drives => Ok(()),
            Job::Path(_) => {
                refuse("job.follow", "a branch is followed by its length without contact only: follow the drives")
            }
            Job::Dynamics(job) if matches!(job.scheme, Scheme::Robust | Scheme::Euler) => Ok(()),
            Job::Dynamics(_) => refuse("job.scheme", "what touches is stepped by `robust` or `euler`"),
            Job::Modes(_) => refuse("job.kind", "frequencies are those of a robot that touches nothing"),
            Job::Buckling(_) => refuse("job.kind", "critical loads are those of a robot that touches nothing"),
            Job::FoldCurve(_) => refuse("job.kind", "folds are followed without contact only"),
        }
    }

    /// Of every pair one side is an obstacle and the other is not, and no pair stands twice.
    fn validate_contact_pairs(&self) -> Result<(), Invalid> {
        let pairs = &self.touching.pairs;
        for (index, pair) in pairs.iter().enumerate() {
            let path = format!("contact.pairs.{index}.of");
            if let Some(unknown) = pair.of.iter().find(|side| !side.exists(self)) {
                let (name, known) = (format!("{unknown:?}"), Vec::new());
                return Err(Invalid::new(path, Problem::UnknownName { name, known }));
            }
            let [a, b] = pair.of.map(|side| side.name(self));
            let refuse = |reason: String| Err(Invalid::new(&path, Problem::Contradiction { reason }));
            let obstacles = pair.of.iter().filter(|side| matches!(side, Toucher::Obstacle(_))).count();
            if obstacles != 1 {
                return refuse(format!("names {a} and {b}: a pair is a rod or body and an obstacle"));
            }
            let same = |other: &crate::TouchingPair| other.of == pair.of || other.of == [pair.of[1], pair.of[0]];
            if let Some(first) = pairs[..index].iter().position(same) {
                return refuse(format!("names {a} and {b}, as pair {first} does already: keep one of the two"));
            }
        }
        Ok(())
    }

    /// Some part of a rod fits into every bore that it may touch. That all of it does where it is inside shows at the start.
    fn validate_bores(&self) -> Result<(), Invalid> {
        for (toucher, obstacle) in self.contact_pairs() {
            let (Toucher::Rod(rod), obstacle) = (toucher, &self.obstacles[obstacle]) else { continue };
            let ObstacleShape::Bore { radius: inner, .. } = obstacle.shape else { continue };
            let radius = thinnest(&self.rods[rod]);
            if radius >= inner {
                let problem = Problem::TooThick { part: toucher.path(self), radius, inner };
                return Err(Invalid::new(format!("{}.bore.radius", obstacle.path()), problem));
            }
        }
        Ok(())
    }
}

/// Least outer radius of a rod, m.
fn thinnest(rod: &Rod) -> f64 {
    rod.profile.stations.iter().map(|station| station.section.outer_radius()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BoreAxis, BorePiece, Frame, Job, Material, NaturalShape, Obstacle, Profile, Section, ShapeJob, StaticsJob,
        TendonMethod, Touching, TouchingPair,
    };
    use lissome_lie::Pose;
    use nalgebra::Vector3;

    fn scene(bore: f64) -> Scene {
        let section = Section::circle(2e-3, Material::from_poisson(1e6, 0.3));
        let rod = Rod {
            name: "wire".into(),
            length: 0.1,
            profile: Profile::uniform(section),
            natural: NaturalShape::Straight,
            base: Some(Frame::world(Pose::identity())),
            tip: None,
            discretization: crate::Discretization::default(),
            turns: Vector3::zeros(),
            initial_velocity: None,
            tubes: None,
        };
        let axis = BoreAxis { pieces: vec![BorePiece::Straight { length: 0.05 }] };
        let obstacle = |name: &str, shape| Obstacle { name: name.into(), shape, frame: Frame::world(Pose::identity()) };
        Scene {
            rods: vec![rod],
            obstacles: vec![
                obstacle("vessel", ObstacleShape::Bore { axis, radius: bore }),
                obstacle("floor", ObstacleShape::Plane),
            ],
            ..Scene::default()
        }
    }

    fn pair(of: [Toucher; 2], touches: bool) -> TouchingPair {
        TouchingPair { of, friction: None, touches }
    }

    fn refused(scene: &Scene) -> Option<(String, Problem)> {
        scene.validate().err().map(|invalid| (invalid.path, invalid.problem))
    }

    #[test]
    fn a_rod_thicker_than_its_bore_is_refused_unless_it_passes_through() {
        assert_eq!(refused(&scene(2.1e-3)), None);
        let problem = Problem::TooThick { part: "rod.wire".into(), radius: 2e-3, inner: 1.9e-3 };
        assert_eq!(refused(&scene(1.9e-3)), Some(("obstacle.vessel.bore.radius".into(), problem)));
        let mut apart = scene(1.9e-3);
        apart.touching.pairs = vec![pair([Toucher::Obstacle(0), Toucher::Rod(0)], false)];
        assert_eq!(refused(&apart), None);
        assert_eq!(apart.contact_pairs().collect::<Vec<_>>(), [(Toucher::Rod(0), 1)]);
    }

    #[test]
    fn pairs_are_of_a_part_and_an_obstacle_and_stand_once() {
        let with = |pairs| Scene { touching: Touching { pairs, ..Touching::default() }, ..scene(0.01) };
        let (rod, floor, vessel) = (Toucher::Rod(0), Toucher::Obstacle(1), Toucher::Obstacle(0));
        assert_eq!(refused(&with(vec![pair([rod, floor], true), pair([vessel, rod], true)])), None);
        for (pairs, place) in [
            (vec![pair([floor, vessel], true)], "contact.pairs.0.of"),
            (vec![pair([rod, rod], true)], "contact.pairs.0.of"),
            (vec![pair([rod, Toucher::Obstacle(2)], true)], "contact.pairs.0.of"),
            (vec![pair([rod, floor], true), pair([floor, rod], false)], "contact.pairs.1.of"),
        ] {
            assert_eq!(refused(&with(pairs)).map(|(path, _)| path).as_deref(), Some(place));
        }
    }

    #[test]
    fn methods_that_know_no_obstacles_refuse_them() {
        let statics = StaticsJob { method: Some(TendonMethod::Newtonian), ..StaticsJob::default() };
        for job in [Job::Statics(statics), Job::Shape(ShapeJob::default())] {
            let (path, problem) = refused(&Scene { job, ..scene(0.01) }).expect("refused");
            assert_eq!(path, "obstacle.vessel", "{problem:?}");
        }
    }
}
