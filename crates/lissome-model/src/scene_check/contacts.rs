//! What a scene says of contact, checked as a whole: pairs that can touch, and rods that fit into their bores.

use crate::invalid::{Invalid, Problem, check};
use crate::{Follow, Frame, FrameOf, Job, Mount, ObstacleShape, Rod, Scene, Scheme, Toucher};

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
    /// Coefficient of friction of two things that may touch; `None` if they do not. A rod may touch itself.
    pub fn friction_between(&self, a: Toucher, b: Toucher) -> Option<f64> {
        let has_shape = |side: Toucher| match side {
            Toucher::Body(index) => !self.bodies[index].solids.is_empty(),
            Toucher::Rod(_) | Toucher::Obstacle(_) => true,
        };
        if !has_shape(a) || !has_shape(b) || matches!((a, b), (Toucher::Body(one), Toucher::Body(two)) if one == two) {
            return None;
        }
        match self.touching.pair(a, b) {
            Some(pair) => pair.touches.then(|| pair.friction.unwrap_or(self.touching.friction)),
            None => {
                let obstacle = matches!(a, Toucher::Obstacle(_)) || matches!(b, Toucher::Obstacle(_));
                let touches = obstacle || self.touching.among && !self.are_attached(a, b);
                touches.then_some(self.touching.friction)
            }
        }
    }

    /// The same where the two touch at places of theirs, arc lengths of rods: there a pair may give friction to stretches.
    pub fn friction_at(&self, of: [Toucher; 2], places: [f64; 2]) -> Option<f64> {
        let whole = self.friction_between(of[0], of[1])?;
        Some(self.touching.friction_of_stretches(of, places).unwrap_or(whole))
    }

    /// True if one of two parts stands on the other, directly or through joints, or is tied to it.
    fn are_attached(&self, a: Toucher, b: Toucher) -> bool {
        let tied = |one: &Frame, two: &Frame| {
            let ends = [self.carried_by(one), self.carried_by(two)];
            a != b && (ends == [Some(a), Some(b)] || ends == [Some(b), Some(a)])
        };
        let stands = |part: Toucher, on: Toucher| {
            let frames: Vec<Frame> = match part {
                Toucher::Rod(index) => self.rods[index].base.into_iter().chain(self.rods[index].tip).collect(),
                Toucher::Body(index) => match self.bodies[index].mount {
                    Mount::On(frame) => vec![frame],
                    Mount::Free(_) => Vec::new(),
                },
                Toucher::Obstacle(_) => Vec::new(),
            };
            part != on && frames.iter().any(|frame| self.carried_by(frame) == Some(on))
        };
        stands(a, b) || stands(b, a) || self.closures.iter().any(|closure| tied(&closure.a, &closure.b))
    }

    /// The rod or body that carries a frame, directly or through joints.
    fn carried_by(&self, frame: &Frame) -> Option<Toucher> {
        match frame.of {
            FrameOf::World => None,
            FrameOf::Rod { rod, .. } => Some(Toucher::Rod(rod)),
            FrameOf::Body(body) => Some(Toucher::Body(body)),
            FrameOf::Joint(joint) => self.carried_by(&self.joints[joint].parent),
        }
    }

    /// Every two things that may touch, the lower in the order of rods, bodies and obstacles first: the pairs that answers
    /// speak of, in their order.
    pub fn contact_pairs(&self) -> impl Iterator<Item = (Toucher, Toucher)> + '_ {
        let rods = (0..self.rods.len()).map(Toucher::Rod);
        let bodies = (0..self.bodies.len()).map(Toucher::Body);
        let parts: Vec<Toucher> = rods.chain(bodies).collect();
        let all = if self.touching.among { parts.clone() } else { Vec::new() };
        // Where parts do not touch among themselves, those that are named do: a robot of many parts has few of them.
        let mut named: Vec<(Toucher, Toucher)> = match self.touching.among {
            true => Vec::new(),
            false => (self.touching.pairs.iter().flat_map(|pair| [(pair.of[0], pair.of[1]), (pair.of[1], pair.of[0])]))
                .filter(|(_, other)| !matches!(other, Toucher::Obstacle(_)))
                .collect(),
        };
        named.sort();
        named.dedup();
        parts.into_iter().flat_map(move |part| {
            let of_part = named.partition_point(|(one, _)| *one < part)..named.partition_point(|(one, _)| *one <= part);
            let obstacles = (0..self.obstacles.len()).map(Toucher::Obstacle);
            let others = obstacles.chain(all.iter().copied()).chain(named[of_part].iter().map(|(_, other)| *other));
            let may = |other: &Toucher| part <= *other && self.friction_between(part, *other).is_some();
            others.filter(may).map(|other| (part, other)).collect::<Vec<_>>()
        })
    }

    /// Rods that run in the bores of others: the inner one, the outer one, and the radius of the bore, m.
    pub fn rods_in_rods(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.touching.pairs.iter().filter_map(|pair| match (pair.of, pair.bore) {
            ([Toucher::Rod(inner), Toucher::Rod(outer)], Some(radius)) => Some((inner, outer, radius)),
            _ => None,
        })
    }

    /// True if something may touch something.
    pub fn has_contacts(&self) -> bool {
        !self.obstacles.is_empty() || self.touching.among || self.touching.pairs.iter().any(|pair| pair.touches)
    }

    /// True if something rubs: what touches, or tendons in their holes.
    pub fn has_friction(&self) -> bool {
        let touching = &self.touching;
        let rubs =
            touching.friction > 0.0 || touching.pairs.iter().any(|pair| pair.friction.is_some_and(|own| own > 0.0));
        self.has_contacts() && rubs || self.tendons.iter().any(|tendon| tendon.friction > 0.0)
    }

    pub(crate) fn validate_contacts(&self) -> Result<(), Invalid> {
        self.validate_stretches()?;
        self.validate_contact_pairs()?;
        self.validate_bores()?;
        match self.has_contacts() {
            true => self.validate_contact_job(),
            false => Ok(()),
        }
    }

    /// What obstacles are for: equilibria, paths along drives, and motions by the schemes that stop what runs in.
    fn validate_contact_job(&self) -> Result<(), Invalid> {
        let refuse = |path: &str, reason: &str| {
            Err(Invalid::new(path, Problem::Contradiction { reason: format!("{reason}; things touch in this scene") }))
        };
        if let Some(rod) = self.rods.iter().find(|rod| rod.tubes.is_some()) {
            return refuse(&rod.path(), "tubes that slide in each other do not touch anything else yet");
        }
        let classical = match &self.job {
            Job::Statics(job) => job.method.is_some(),
            job => matches!(job, Job::Shape(_)),
        };
        let obstacle = |side: &Toucher| matches!(side, Toucher::Obstacle(_));
        let among = |pair: &crate::TouchingPair| pair.touches && !pair.of.iter().any(obstacle);
        if classical && (self.touching.among || self.touching.pairs.iter().any(among)) {
            return refuse("contact", "shapes from end poses and classical methods know no contact");
        }
        if self.touching.smoothing.is_some() && !matches!(self.job, Job::Dynamics(_)) {
            return refuse("contact.smoothing", "at rest contacts follow the exact law: smoothing is for motion");
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
            Job::Inverse(_) => refuse("job.kind", "drives are sought for a robot that touches nothing"),
            Job::Optimise(_) => refuse("job.kind", "numbers are sought for a robot that touches nothing"),
            Job::FoldCurve(_) => refuse("job.kind", "folds are followed without contact only"),
        }
    }

    /// Stretches lie on their rods, have names of their own and do not overlap.
    fn validate_stretches(&self) -> Result<(), Invalid> {
        let stretches = &self.touching.stretches;
        for (index, stretch) in stretches.iter().enumerate() {
            let Some(rod) = self.rods.get(stretch.rod) else {
                let (name, known) = (format!("{:?}", Toucher::Rod(stretch.rod)), Vec::new());
                return Err(Invalid::new("contact", Problem::UnknownName { name, known }));
            };
            let path = format!("{}.surface.{}", rod.path(), stretch.name);
            let (from, to) = (check::finite(format_args!("{path}.from"), stretch.from), stretch.to);
            from?;
            check::finite(format_args!("{path}.to"), to)?;
            let within = |key: &str, value: f64, low: f64, interval: String| match value >= low && value <= rod.length {
                true => Ok(()),
                false => Err(Invalid::new(format!("{path}.{key}"), Problem::OutOfRange { value, interval })),
            };
            within("from", stretch.from, 0.0, format!("[0, {}]", rod.length))?;
            within("to", to, stretch.from.next_up(), format!("({}, {}]", stretch.from, rod.length))?;
            for other in stretches[..index].iter().filter(|other| other.rod == stretch.rod) {
                let refuse = |reason: String| Err(Invalid::new(&path, Problem::Contradiction { reason }));
                if other.name == stretch.name {
                    return refuse(format!("has the name of another stretch of {}", rod.name));
                }
                if other.from < to && stretch.from < other.to {
                    let shared = (other.from.max(stretch.from), other.to.min(to));
                    return refuse(format!(
                        "overlaps {} from {} m to {} m: a place has one surface",
                        other.name, shared.0, shared.1
                    ));
                }
            }
        }
        Ok(())
    }

    /// How a side of a pair is called: `wire`, or `wire.tip` for a stretch of it.
    fn side_name(&self, pair: &crate::TouchingPair, side: usize) -> String {
        let part = pair.of[side].name(self);
        match pair.stretches[side].and_then(|stretch| self.touching.stretches.get(stretch)) {
            Some(stretch) => format!("{part}.{}", stretch.name),
            None => part.to_owned(),
        }
    }

    /// A pair that names stretches has friction, names those of its rods, and two things that touch.
    fn validate_stretch_pair(&self, pair: &crate::TouchingPair, path: &str) -> Result<(), Invalid> {
        let [a, b] = [0, 1].map(|side| self.side_name(pair, side));
        let refuse = |reason: String| Err(Invalid::new(path, Problem::Contradiction { reason }));
        for (part, stretch) in pair.of.iter().zip(pair.stretches) {
            let Some(stretch) = stretch else { continue };
            match self.touching.stretches.get(stretch) {
                Some(own) if *part == Toucher::Rod(own.rod) => {}
                Some(own) => {
                    return refuse(format!("names a stretch {} that {} does not have", own.name, part.name(self)));
                }
                None => {
                    let (name, known) = (format!("stretch {stretch}"), Vec::new());
                    return Err(Invalid::new(path, Problem::UnknownName { name, known }));
                }
            }
        }
        if pair.friction.is_none() || !pair.touches {
            return refuse(format!(
                "names {a} and {b}: a stretch touches what its rod does, and has friction of its own"
            ));
        }
        match self.friction_between(pair.of[0], pair.of[1]) {
            Some(_) => Ok(()),
            None => refuse(format!("names {a} and {b}, which do not touch: name both parts in a pair, or set among")),
        }
    }

    /// Of every pair one side can move and both have a shape, and no pair stands twice.
    fn validate_contact_pairs(&self) -> Result<(), Invalid> {
        let pairs = &self.touching.pairs;
        for (index, pair) in pairs.iter().enumerate() {
            let path = format!("contact.pairs.{index}.of");
            if let Some(unknown) = pair.of.iter().find(|side| !side.exists(self)) {
                let (name, known) = (format!("{unknown:?}"), Vec::new());
                return Err(Invalid::new(path, Problem::UnknownName { name, known }));
            }
            let [a, b] = [0, 1].map(|side| self.side_name(pair, side));
            let refuse = |reason: String| Err(Invalid::new(&path, Problem::Contradiction { reason }));
            match pair.of {
                [Toucher::Obstacle(_), Toucher::Obstacle(_)] => {
                    return refuse(format!("names {a} and {b}: one of a pair is a rod or a body"));
                }
                [Toucher::Body(one), Toucher::Body(two)] if one == two => {
                    return refuse(format!("names {a} twice: a rod may touch itself, a body cannot"));
                }
                _ => {}
            }
            for side in pair.of {
                if matches!(side, Toucher::Body(index) if self.bodies[index].solids.is_empty()) && pair.touches {
                    let name = side.name(self);
                    return refuse(format!("names {name}, which has no shape: give it a sphere, a box or a cylinder"));
                }
            }
            if let Some(radius) = pair.bore {
                self.validate_bore_pair(pair, radius, index)?;
            }
            if pair.names_stretch() {
                self.validate_stretch_pair(pair, &path)?;
            }
            let [sides, turned] = [[0, 1], [1, 0]].map(|order| order.map(|side| (pair.of[side], pair.stretches[side])));
            let same = |other: &crate::TouchingPair| {
                let own = [0, 1].map(|side| (other.of[side], other.stretches[side]));
                own == sides || own == turned
            };
            if let Some(first) = pairs[..index].iter().position(same) {
                return refuse(format!("names {a} and {b}, as pair {first} does already: keep one of the two"));
            }
        }
        Ok(())
    }

    /// A bore is that of another rod, all of the inner one fits in, and all of the outer one has it.
    fn validate_bore_pair(&self, pair: &crate::TouchingPair, radius: f64, index: usize) -> Result<(), Invalid> {
        let path = format!("contact.pairs.{index}.bore");
        check::positive(&path, radius)?;
        let refuse = |reason: String| Err(Invalid::new(&path, Problem::Contradiction { reason }));
        let [Toucher::Rod(inner), Toucher::Rod(outer)] = pair.of else {
            return refuse("is along a rod, for a rod: name both in `of`, the inner one first".into());
        };
        if inner == outer {
            return refuse(format!("leads {} into itself: name two rods", self.rods[inner].name));
        }
        if pair.names_stretch() || !pair.touches {
            return refuse("is of whole rods that touch: name no stretch, and no `touches = false`".into());
        }
        let widest = thickest(&self.rods[inner]);
        if widest >= radius {
            let problem = Problem::TooThick { part: self.rods[inner].path(), radius: widest, inner: radius };
            return Err(Invalid::new(path, problem));
        }
        let wall = thinnest(&self.rods[outer]);
        match radius > wall {
            true => refuse(format!("is wider than {} itself, whose radius is {wall} m", self.rods[outer].name)),
            false => Ok(()),
        }
    }

    /// Some part of a rod fits into every bore that it may touch. That all of it does where it is inside shows at the start.
    fn validate_bores(&self) -> Result<(), Invalid> {
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let ObstacleShape::Bore { radius: inner, .. } = obstacle.shape else { continue };
            for (rod, radius) in self.rods.iter().enumerate().map(|(rod, own)| (Toucher::Rod(rod), thinnest(own))) {
                if radius >= inner && self.friction_between(rod, Toucher::Obstacle(index)).is_some() {
                    let problem = Problem::TooThick { part: rod.path(self), radius, inner };
                    return Err(Invalid::new(format!("{}.bore.radius", obstacle.path()), problem));
                }
            }
        }
        Ok(())
    }
}

/// Least outer radius of a rod, m.
fn thinnest(rod: &Rod) -> f64 {
    rod.profile.stations.iter().map(|station| station.section.outer_radius()).fold(f64::INFINITY, f64::min)
}

/// Largest outer radius of a rod, m.
fn thickest(rod: &Rod) -> f64 {
    rod.profile.stations.iter().map(|station| station.section.outer_radius()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BoreAxis, BorePiece, Frame, Job, Material, NaturalShape, Obstacle, Profile, Section, ShapeJob, StaticsJob,
        Stretch, TendonMethod, Touching, TouchingPair,
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
            laid: Vec::new(),
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
        TouchingPair { of, stretches: [None; 2], friction: None, touches, bore: None }
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
        assert_eq!(apart.contact_pairs().collect::<Vec<_>>(), [(Toucher::Rod(0), Toucher::Obstacle(1))]);
    }

    #[test]
    fn pairs_have_a_side_that_moves_and_stand_once() {
        let with = |pairs| Scene { touching: Touching { pairs, ..Touching::default() }, ..scene(0.01) };
        let (rod, floor, vessel) = (Toucher::Rod(0), Toucher::Obstacle(1), Toucher::Obstacle(0));
        assert_eq!(
            refused(&with(vec![pair([rod, floor], true), pair([vessel, rod], true), pair([rod, rod], true)])),
            None
        );
        for (pairs, place) in [
            (vec![pair([floor, vessel], true)], "contact.pairs.0.of"),
            (vec![pair([rod, Toucher::Obstacle(2)], true)], "contact.pairs.0.of"),
            (vec![pair([rod, floor], true), pair([floor, rod], false)], "contact.pairs.1.of"),
        ] {
            assert_eq!(refused(&with(pairs)).map(|(path, _)| path).as_deref(), Some(place));
        }
    }

    /// The wire with stretches, each from one place to another, and pairs of them with the floor.
    fn coated(stretches: &[(&str, f64, f64)], pairs: &[(usize, f64)]) -> Scene {
        let mut scene = scene(0.01);
        let stretch =
            |(name, from, to): &(&str, f64, f64)| Stretch { rod: 0, name: (*name).into(), from: *from, to: *to };
        scene.touching.friction = 0.4;
        scene.touching.stretches = stretches.iter().map(stretch).collect();
        scene.touching.pairs = (pairs.iter())
            .map(|(stretch, friction)| TouchingPair {
                of: [Toucher::Obstacle(1), Toucher::Rod(0)],
                stretches: [None, Some(*stretch)],
                friction: Some(*friction),
                touches: true,
                bore: None,
            })
            .collect();
        scene
    }

    #[test]
    fn stretches_have_friction_of_their_own() {
        let scene = coated(&[("slick", 0.0, 0.03), ("rough", 0.06, 0.1), ("plain", 0.03, 0.05)], &[(0, 0.1), (1, 0.9)]);
        assert_eq!(refused(&scene), None);
        let (rod, floor, vessel) = (Toucher::Rod(0), Toucher::Obstacle(1), Toucher::Obstacle(0));
        let at = |s: f64| scene.friction_at([rod, floor], [s, 0.0]);
        assert_eq!([0.01, 0.04, 0.055, 0.08].map(at), [Some(0.1), Some(0.4), Some(0.4), Some(0.9)]);
        // The order does not matter, and nothing was said of the vessel.
        assert_eq!(scene.friction_at([floor, rod], [0.0, 0.01]), Some(0.1));
        assert_eq!(scene.friction_at([rod, vessel], [0.01, 0.0]), Some(0.4));
    }

    #[test]
    fn the_pair_that_names_two_stretches_counts_before_those_with_one() {
        let mut scene = coated(&[("slick", 0.0, 0.03), ("rough", 0.06, 0.1)], &[]);
        let pair = |stretches, friction| TouchingPair {
            of: [Toucher::Rod(0); 2],
            stretches,
            friction: Some(friction),
            touches: true,
            bore: None,
        };
        scene.touching.pairs = vec![
            TouchingPair { friction: None, ..pair([None; 2], 0.0) },
            pair([Some(0), None], 0.2),
            pair([None, Some(1)], 0.3),
            pair([Some(1), Some(0)], 0.7),
        ];
        assert_eq!(refused(&scene), None);
        let at = |a: f64, b: f64| scene.friction_at([Toucher::Rod(0); 2], [a, b]);
        assert_eq!([at(0.01, 0.08), at(0.08, 0.01)], [Some(0.7); 2]);
        assert_eq!([at(0.01, 0.05), at(0.05, 0.08), at(0.045, 0.055)], [Some(0.2), Some(0.3), Some(0.4)]);
        // Nobody says that the wire touches itself.
        scene.touching.pairs.remove(0);
        assert_eq!(refused(&scene).map(|(path, _)| path).as_deref(), Some("contact.pairs.0.of"));
    }

    #[test]
    fn stretches_that_cannot_be_are_refused() {
        let place = |stretches: &[(&str, f64, f64)]| refused(&coated(stretches, &[])).map(|(path, _)| path);
        assert_eq!(place(&[("a", 0.0, 0.05), ("b", 0.05, 0.1)]), None);
        for (stretches, path) in [
            ([("a", 0.0, 0.05), ("b", 0.04, 0.1)], "rod.wire.surface.b"),
            ([("a", 0.0, 0.05), ("a", 0.05, 0.1)], "rod.wire.surface.a"),
            ([("a", 0.0, 0.05), ("b", 0.05, 0.11)], "rod.wire.surface.b.to"),
            ([("a", -0.01, 0.05), ("b", 0.05, 0.1)], "rod.wire.surface.a.from"),
            ([("a", 0.0, 0.05), ("b", 0.07, 0.07)], "rod.wire.surface.b.to"),
            ([("a", 0.0, 0.05), ("b", 0.08, 0.07)], "rod.wire.surface.b.to"),
            ([("a", f64::NAN, 0.05), ("b", 0.06, 0.07)], "rod.wire.surface.a.from"),
        ] {
            assert_eq!(place(&stretches).as_deref(), Some(path));
        }
        let pair = |change: &dyn Fn(&mut TouchingPair)| {
            let mut scene = coated(&[("a", 0.0, 0.05)], &[(0, 0.1)]);
            change(&mut scene.touching.pairs[0]);
            refused(&scene).map(|(path, _)| path)
        };
        assert_eq!(pair(&|_| {}), None);
        let changes: [&dyn Fn(&mut TouchingPair); 4] = [
            &|pair| pair.friction = None,
            &|pair| pair.touches = false,
            &|pair| pair.stretches[1] = Some(1),
            &|pair| pair.stretches = [Some(0), None],
        ];
        for change in changes {
            assert_eq!(pair(change).as_deref(), Some("contact.pairs.0.of"));
        }
    }

    #[test]
    fn methods_that_know_no_obstacles_refuse_them() {
        let statics = StaticsJob { method: Some(TendonMethod::Newtonian), ..StaticsJob::default() };
        for job in [Job::Statics(statics), Job::Shape(ShapeJob::default())] {
            let (path, problem) = refused(&Scene { job, ..scene(0.01) }).expect("refused");
            assert_eq!(path, "obstacle.vessel", "{problem:?}");
        }
        let touching = Touching { among: true, ..Touching::default() };
        let alone = Scene { obstacles: Vec::new(), touching, job: Job::Shape(ShapeJob::default()), ..scene(0.01) };
        assert_eq!(refused(&alone).map(|(path, _)| path).as_deref(), Some("contact"));
    }
}
