//! Whether tendons fit the rods that they run through: places, holes, what moves, what guides them.

use crate::invalid::{Invalid, Problem, check};
use crate::routing::SAME_PLACE;
use crate::scene::{Passed, ScenePart};
use crate::{
    CableDrive, Discretization, Disks, DriveTarget, Frame, FrameOf, HolePath, JointKind, Mount, Rod, RoutingPiece,
    Scene, Scheme, Signal, Tendon, TendonRun,
};
use lissome_lie::Pose;

/// Holes nearer than this part of their distance from the axis are one hole.
const ONE_HOLE: f64 = 1e-6;

impl Scene {
    /// Every tendon can exist, runs inside its rods and goes on from rod to rod.
    pub(crate) fn validate_tendons(&self, passed: Passed<'_>) -> Result<(), Invalid> {
        // Whether there is room for a tendon depends on its rods too.
        let passed = passed.when(|scene| {
            self.rods.iter().zip(&scene.rods).enumerate().all(|(index, (own, other))| {
                passed.keeps(ScenePart::Rod(index))
                    || own.length == other.length
                        && own.natural == other.natural
                        && own.discretization == other.discretization
            })
        });
        for tendon in passed.others(&self.tendons, |scene| &scene.tendons, ScenePart::Tendon) {
            let path = tendon.path();
            tendon.validate(&path)?;
            for run in &tendon.runs {
                self.validate_run(&path, run)?;
                let basis = |rod: &Rod| matches!(rod.discretization, Discretization::StrainBasis { .. });
                if tendon.friction > 0.0 && self.rods.get(run.rod).is_some_and(basis) {
                    let reason = "rubs, which rods on strain bases do not know: give the rod the default model".into();
                    return Err(Invalid::new(format!("{path}.friction"), Problem::Contradiction { reason }));
                }
            }
        }
        for tendon in self.tendons.iter().filter(|tendon| tendon.runs.len() > 1) {
            let path = tendon.path();
            for (index, pair) in tendon.runs.windows(2).enumerate() {
                self.validate_passage(&path, index, &pair[0], &pair[1])?;
            }
        }
        self.disks.iter().try_for_each(|disks| self.validate_disks(disks))?;
        self.validate_tendons_of_tubes()
    }

    /// In time a tendon of given length is a spring, and the explicit scheme knows its stretch only a step late.
    pub(crate) fn validate_tendons_move(&self, scheme: Scheme) -> Result<(), Invalid> {
        for tendon in self.tendons.iter().filter(|tendon| !matches!(tendon.drive, CableDrive::Tension(_))) {
            let refuse = |key: &str, reason: &str| {
                let place = format!("{}.{key}", tendon.path());
                Err(Invalid::new(place, Problem::Contradiction { reason: reason.into() }))
            };
            if tendon.stiffness.is_none() {
                return refuse(
                    "stiffness",
                    "is missing: a tendon of given length that moves must stretch, give its EA",
                );
            }
            if scheme == Scheme::Explicit {
                return refuse(
                    tendon.drive.name(),
                    "is given, which the explicit scheme does not know: take another scheme",
                );
            }
        }
        Ok(())
    }

    /// Friction depends on the way that led to a shape, and is renewed from one sample of a path to the next. A branch that is
    /// followed for its own sake turns back and has no such way: its equations hold friction as it was without load.
    pub(crate) fn validate_tendons_slide_freely(&self, when: &str) -> Result<(), Invalid> {
        let Some(tendon) = self.tendons.iter().find(|tendon| tendon.friction > 0.0) else { return Ok(()) };
        let reason = format!(
            "is not known where {when}: leave it out, or ask for statics or for a path that follows its drives"
        );
        Err(Invalid::new(format!("{}.friction", tendon.path()), Problem::Contradiction { reason }))
    }

    /// Disks sit on their rod and are wide enough for the tendons that they guide.
    fn validate_disks(&self, disks: &Disks) -> Result<(), Invalid> {
        let path = format!("tendon.{}", disks.name);
        let Some(rod) = self.rods.get(disks.rod) else {
            let known = self.rods.iter().map(|rod| rod.name.clone()).collect();
            let problem = Problem::UnknownName { name: disks.rod.to_string(), known };
            return Err(Invalid::new(format!("{path}.rod"), problem));
        };
        check::positive(format_args!("{path}.disk_radius"), disks.radius)?;
        if disks.places.is_empty() || disks.places.len() > Disks::MOST {
            let need = format!("give 1 to {} disks", Disks::MOST);
            return Err(Invalid::new(format!("{path}.disks"), Problem::Count { found: disks.places.len(), need }));
        }
        let near = SAME_PLACE * rod.length;
        let on_rod = |s: &&f64| !(-near..=rod.length + near).contains(*s);
        if let Some(s) = disks.places.iter().find(on_rod) {
            let interval = format!("[0, {}] m, the length of rod `{}`", rod.length, rod.name);
            return Err(Invalid::new(format!("{path}.disks"), Problem::OutOfRange { value: *s, interval }));
        }
        let guided = self.tendons.iter().filter(|tendon| tendon.belongs_to(&disks.name));
        for run in guided.flat_map(|tendon| &tendon.runs).filter(|run| run.rod == disks.rod) {
            let through = disks.places.iter().filter(|s| **s >= run.from - near && **s <= run.to + near);
            let far = through.map(|s| run.routing.at(*s).position.norm()).fold(0.0, f64::max);
            if far > disks.radius * (1.0 + SAME_PLACE) {
                let reason = format!("is {} m, but the tendon runs {far} m from the axis", disks.radius);
                return Err(Invalid::new(format!("{path}.disk_radius"), Problem::Contradiction { reason }));
            }
        }
        Ok(())
    }

    fn validate_run(&self, path: &str, run: &TendonRun) -> Result<(), Invalid> {
        let Some(rod) = self.rods.get(run.rod) else {
            let known = self.rods.iter().map(|rod| rod.name.clone()).collect();
            return Err(Invalid::new(format!("{path}.rod"), Problem::UnknownName { name: run.rod.to_string(), known }));
        };
        for (key, s) in [("from", run.from), ("to", run.to)] {
            let path = format!("{path}.{key}");
            check::finite(&path, s)?;
            if !(-SAME_PLACE * rod.length..=rod.length * (1.0 + SAME_PLACE)).contains(&s) {
                let interval = format!("[0, {}] m, the length of rod `{}`", rod.length, rod.name);
                return Err(Invalid::new(path, Problem::OutOfRange { value: s, interval }));
            }
        }
        if run.to - run.from <= SAME_PLACE * rod.length {
            let reason = format!("is {} m, not beyond the place where the tendon enters, {} m", run.to, run.from);
            return Err(Invalid::new(format!("{path}.to"), Problem::Contradiction { reason }));
        }
        run.routing.validate(&format!("{path}.routing"), run.from, run.to)?;
        // Beyond the centre of its natural curvature a rod has no room for a tendon: it would run backwards there.
        let backwards = run.looks().find(|s| {
            let hole = run.routing.at(*s);
            let natural = rod.natural.strain_at(*s);
            natural.is_some_and(|strain| 1.0 + strain.curvature.cross(&hole.position).x <= 0.0)
        });
        if let Some(s) = backwards {
            let far = run.routing.at(s).position.norm();
            let reason = format!("lies {far} m from the axis at {s} m, beyond the centre of the rod's own curvature");
            return Err(Invalid::new(format!("{path}.routing"), Problem::Contradiction { reason }));
        }
        Ok(())
    }

    /// The next run begins at the base of a rod that stands where the run before it ends, in the same hole.
    fn validate_passage(&self, path: &str, index: usize, run: &TendonRun, next: &TendonRun) -> Result<(), Invalid> {
        let refuse =
            |reason: String| Err(Invalid::new(format!("{path}.run.{}", index + 2), Problem::Contradiction { reason }));
        let (rod, follower) = (&self.rods[run.rod], &self.rods[next.rod]);
        if next.from.abs() > SAME_PLACE * follower.length {
            return refuse(format!(
                "begins at {} m of rod `{}`: a tendon goes on at its base",
                next.from, follower.name
            ));
        }
        let placed = follower.base.and_then(|base| self.pose_on_rod(&base, run.rod));
        let Some((s, pose)) = placed.filter(|(s, _)| (s - run.to).abs() <= SAME_PLACE * rod.length) else {
            return refuse(format!(
                "begins on rod `{}`, which does not stand on rod `{}` at {} m, where the run before it ends; put a cable \
                 between them",
                follower.name, rod.name, run.to
            ));
        };
        let before = run.routing.at(s).position;
        let after = pose.transform(&next.routing.at(next.from).position);
        let step = (after - before).norm();
        if step > ONE_HOLE * (before.norm() + after.norm()) {
            return refuse(format!("begins {step} m beside the hole where the run before it ends"));
        }
        Ok(())
    }

    /// Where a frame is that stands rigidly on a rod: arc length, and pose in the axes of the section there.
    fn pose_on_rod(&self, frame: &Frame, rod: usize) -> Option<(f64, Pose)> {
        let mut frame = *frame;
        // Carriers form a tree, so a walk is no longer than their number; in a circle, refused elsewhere, it ends too.
        for _ in 0..=self.bodies.len() + self.joints.len() {
            let below = match frame.of {
                FrameOf::Rod { rod: on, s } => return (on == rod).then_some((s, frame.pose)),
                FrameOf::World => return None,
                FrameOf::Body(body) => match self.bodies.get(body)?.mount {
                    Mount::On(mount) => mount,
                    Mount::Free(_) => return None,
                },
                FrameOf::Joint(joint) => match self.joints.get(joint)? {
                    joint if joint.kind == JointKind::Fixed => joint.parent,
                    _ => return None,
                },
            };
            frame = below.at(frame.pose);
        }
        None
    }

    /// A tube that drives move in or out takes its holes along, which must then be the same all along.
    fn validate_tendons_of_tubes(&self) -> Result<(), Invalid> {
        let inserted = |rod: usize| {
            self.drives.iter().any(|drive| {
                let moves = !matches!(drive.signal, Signal::Constant(_));
                moves && matches!(drive.target, DriveTarget::TubeInsertion { rod: on, .. } if on == rod)
            })
        };
        for tendon in &self.tendons {
            for run in tendon.runs.iter().filter(|run| inserted(run.rod)) {
                let parallel = |piece: &RoutingPiece| matches!(piece.path, HolePath::Parallel { .. });
                if !run.routing.pieces.iter().all(parallel) {
                    let reason =
                        "must be parallel: drives move tubes of this rod in or out, and what enters has holes too";
                    let place = format!("{}.routing", tendon.path());
                    return Err(Invalid::new(place, Problem::Contradiction { reason: reason.into() }));
                }
            }
        }
        Ok(())
    }

    /// Pairs of tendons, by index, that run through one hole somewhere on a rod, with the arc length: possible only for
    /// threads in one tube, and more often a slip.
    pub fn shared_holes(&self) -> Vec<(usize, usize, f64)> {
        let shared = |a: &TendonRun, b: &TendonRun| {
            let both = |s: &f64| a.rod == b.rod && *s > b.from && *s < b.to;
            a.looks().filter(both).find(|s| {
                let (first, second) = (a.routing.at(*s).position, b.routing.at(*s).position);
                // Tendons that cross, or meet on the axis in one point, do not share a hole: the slopes agree too.
                let (slope, other) = (a.routing.at(*s).slope, b.routing.at(*s).slope);
                (first - second).norm() <= ONE_HOLE * first.norm().max(second.norm())
                    && (slope - other).norm() <= ONE_HOLE * (1.0 + slope.norm())
            })
        };
        let mut found = Vec::new();
        for (i, first) in self.tendons.iter().enumerate() {
            for (j, second) in self.tendons.iter().enumerate().skip(i + 1) {
                let mut pairs = first.runs.iter().flat_map(|a| second.runs.iter().map(move |b| (a, b)));
                found.extend(pairs.find_map(|(a, b)| shared(a, b)).map(|s| (i, j, s)));
            }
        }
        found
    }

    /// Tendons, by index, that leave the section of a rod and have no disks to guide them there: with how far they are from
    /// the axis, the radius of the section and the arc length.
    pub fn unguided_tendons(&self) -> Vec<(usize, f64, f64, f64)> {
        let outside = |run: &TendonRun| {
            let rod = self.rods.get(run.rod)?;
            run.looks().find_map(|s| {
                let (far, radius) = (run.routing.at(s).position.norm(), rod.profile.at(s).outer_radius());
                (far > radius).then_some((far, radius, s))
            })
        };
        let guided = |tendon: &Tendon| self.disks.iter().any(|disks| tendon.belongs_to(&disks.name));
        let free = self.tendons.iter().enumerate().filter(|(_, tendon)| !guided(tendon));
        free.filter_map(|(i, tendon)| tendon.runs.iter().find_map(outside).map(|(far, radius, s)| (i, far, radius, s)))
            .collect()
    }
}
