//! Which scenes the classical methods for one clamped rod with tendons can do.
//!
//! They take dead loads on one rod whose sections and natural curvature change by steps only. Everything else is refused
//! with the reason, since a method that leaves something out in silence would be compared in vain.

use crate::invalid::{Invalid, Problem, check};
use crate::{
    CableDrive, HolePath, LoadFrame, LoadKind, NaturalShape, Rod, RoutingPiece, Scene, TendonMethod, TendonRun,
};

/// A difference of stiffness or strain below this part is none.
const SAME: f64 = 1e-9;

impl Scene {
    /// Refuses what a classical method cannot do.
    pub fn validate_tendon_method(&self, method: TendonMethod) -> Result<(), Invalid> {
        method.validate()?;
        let name = method.name();
        let refuse = |path: String, reason: String| Err(Invalid::new(path, Problem::Contradiction { reason }));
        let others = (self.rods.iter().skip(1).map(Rod::path))
            .chain(self.bodies.iter().map(|body| format!("body.{}", body.name)))
            .chain(self.joints.iter().map(|joint| format!("joint.{}", joint.name)))
            .chain(self.closures.iter().map(|closure| format!("closure.{}", closure.name)))
            .chain(self.cables.iter().map(|cable| format!("cable.{}", cable.name)))
            .chain(self.springs.iter().map(|spring| format!("spring.{}", spring.name)))
            .chain(self.obstacles.iter().map(|obstacle| obstacle.path()))
            .chain(self.frame_loads.iter().map(|load| format!("load.{}", load.name)))
            .next();
        if let Some(path) = others {
            return refuse(
                path,
                format!("is more than the {name} method knows: one clamped rod, its tendons, dead loads"),
            );
        }
        let Some(rod) = self.rods.first() else {
            return refuse("job.method".into(), format!("the {name} method needs a rod"));
        };
        self.validate_classical_rod(name, rod)?;
        for tendon in &self.tendons {
            let path = tendon.path();
            if !matches!(tendon.drive, CableDrive::Tension(_)) {
                let reason = format!("is prescribed, but the {name} method takes tensions");
                return refuse(format!("{path}.{}", tendon.drive.name()), reason);
            }
            let clipped = |run: &TendonRun| {
                let near = SAME * (run.to - run.from);
                let beyond = |piece: &RoutingPiece| piece.from < run.from - near || piece.to > run.to + near;
                let table = |piece: &RoutingPiece| matches!(piece.path, HolePath::Table { .. });
                run.routing.pieces.iter().any(|piece| table(piece) && beyond(piece))
            };
            if tendon.runs.iter().any(clipped) {
                let reason = format!("has a table that reaches beyond the tendon, which the {name} method cannot cut");
                return refuse(format!("{path}.routing"), reason);
            }
            if tendon.friction > 0.0 {
                return refuse(
                    format!("{path}.friction"),
                    format!("is unknown to the {name} method: its tendons slide freely"),
                );
            }
        }
        for load in &self.loads {
            let path = format!("load.{}", load.name);
            if load.frame == LoadFrame::Body {
                return refuse(path, format!("turns with its section; the {name} method takes dead loads"));
            }
            match load.kind {
                LoadKind::Point { at, .. } if (at - rod.length).abs() > SAME * rod.length => {
                    return refuse(
                        format!("{path}.at"),
                        format!("is not the tip, the one point the {name} method loads"),
                    );
                }
                LoadKind::Distributed { per_length, .. } if per_length.moment.norm() > 0.0 => {
                    return refuse(path, format!("has a moment per length, which the {name} method does not know"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn validate_classical_rod(&self, name: &str, rod: &Rod) -> Result<(), Invalid> {
        let path = rod.path();
        let refuse =
            |key: &str, reason: String| Err(Invalid::new(format!("{path}.{key}"), Problem::Contradiction { reason }));
        if rod.tubes.is_some() {
            return refuse("tube", format!("makes it a set of tubes; the {name} method takes one rod"));
        }
        if rod.base.and_then(|base| base.world_pose()).is_none() {
            return refuse("base", format!("must be held in the world for the {name} method"));
        }
        if rod.tip.is_some() {
            return refuse("tip", format!("is held; the {name} method takes a rod with a free tip"));
        }
        if matches!(rod.natural, NaturalShape::ControlPoses(_)) {
            return refuse("shape", format!("is drawn by control poses, which the {name} method does not read"));
        }
        for pair in rod.classical_borders(self).windows(2) {
            let inside = |part: f64| pair[0] + part * (pair[1] - pair[0]);
            let (first, last) =
                (rod.profile.at(inside(1e-6)).stiffness(), rod.profile.at(inside(1.0 - 1e-6)).stiffness());
            let scale = |i: usize, j: usize| SAME * (first[(i, i)] * first[(j, j)]).sqrt();
            let pairs = || (0..6).flat_map(|i| (0..6).map(move |j| (i, j)));
            if pairs().any(|(i, j)| (first[(i, j)] - last[(i, j)]).abs() > scale(i, j)) {
                return refuse("section", format!("changes along the rod; the {name} method takes steps only"));
            }
            if pairs().any(|(i, j)| i != j && first[(i, j)].abs() > scale(i, j)) {
                return refuse("section.stiffness", format!("couples strains, which the {name} method does not know"));
            }
            let bend = |part: f64| rod.natural.strain_at(inside(part)).map(|strain| strain.curvature);
            if let (Some(first), Some(last)) = (bend(1e-6), bend(1.0 - 1e-6))
                && (first - last).norm() > SAME * first.norm().max(last.norm())
            {
                return refuse("shape", format!("changes its curvature gradually; the {name} method takes steps only"));
            }
        }
        check::positive(format_args!("{path}.length"), rod.length)
    }
}

impl Rod {
    /// Arc lengths between which sections, natural curvature and line loads of the rod 0 of a scene are one each, both ends
    /// included.
    pub fn classical_borders(&self, scene: &Scene) -> Vec<f64> {
        let lines = scene.loads.iter().flat_map(|load| match load.kind {
            LoadKind::Distributed { from, to, .. } => vec![from, to],
            LoadKind::Point { .. } => Vec::new(),
        });
        let stations = self.profile.stations.iter().map(|station| station.s);
        let mut borders = vec![0.0];
        borders.extend(self.jumps(&lines.chain(stations).chain(self.natural.places()).collect::<Vec<_>>()));
        borders.push(self.length);
        borders
    }
}
