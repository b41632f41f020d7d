//! The tendon-driven rod that a scene holds.

use super::description::{Segment, Tendon, TendonRod};
use super::routing::{Path, Piece, Routing};
use super::spline::CubicSpline;
use crate::OracleError;
use crate::network::driven;
use lissome_lie::{Strain, Wrench};
use lissome_model::{HolePath, LoadKind, RoutingPiece, Scene, TendonMethod, TendonRun};
use nalgebra::{Vector2, Vector3, Vector6};

impl TendonRod {
    /// Reads the one clamped rod of a scene whose drives are at `time`, with its tendons and dead loads. Everything else is
    /// refused, see [`Scene::validate_tendon_method`].
    pub fn from_scene(scene: &Scene, time: f64) -> Result<Self, OracleError> {
        let now = driven(scene, time);
        now.validate_tendon_method(TendonMethod::TotalStress)?;
        let count = now.rods.len();
        let rod = now.rods.first().ok_or(OracleError::NoSuchRod { rod: 0, count })?;
        let held = rod.base.and_then(|base| base.world_pose());
        let base = held.ok_or(OracleError::WrongSupports { rod: rod.name.clone(), held_ends: 0, need: 1 })?;
        let borders = rod.classical_borders(&now);
        let segments = borders.windows(2).map(|pair| {
            let middle = 0.5 * (pair[0] + pair[1]);
            let section = rod.profile.at(middle);
            let natural = rod.natural.strain_at(middle).unwrap_or(Strain::straight());
            let lines = now.loads.iter().filter_map(|load| match load.kind {
                LoadKind::Distributed { from, to, per_length } if from < middle && middle < to => {
                    Some(per_length.force)
                }
                _ => None,
            });
            Segment {
                length: pair[1] - pair[0],
                stiffness: section.stiffness().diagonal(),
                natural: Vector6::from_iterator(natural.curvature.iter().chain(natural.stretch.iter()).copied()),
                line_load: now.gravity * section.mass()[(3, 3)] + lines.sum::<Vector3<f64>>(),
            }
        });
        let segments = segments.collect();
        let tendons = now.tendons.iter().flat_map(|tendon| {
            tendon.runs.iter().map(|run| Ok(Tendon { routing: read_run(run)?, tension: tendon.drive.value() }))
        });
        let tendons = tendons.collect::<Result<_, OracleError>>()?;
        let mut tip_load = Wrench::new(Vector3::zeros(), Vector3::zeros());
        for load in &now.loads {
            if let LoadKind::Point { wrench, .. } = load.kind {
                tip_load = Wrench::new(tip_load.moment + wrench.moment, tip_load.force + wrench.force);
            }
        }
        Ok(Self { base, segments, tendons, tip_load })
    }
}

/// The part of a routing that a tendon uses.
fn read_run(run: &TendonRun) -> Result<Routing, OracleError> {
    let used = run.routing.pieces.iter().filter(|piece| piece.to > run.from && piece.from < run.to);
    let mut pieces = Vec::new();
    let mut from = run.from;
    for piece in used {
        let to = piece.to.min(run.to);
        pieces.push(Piece { from, to, path: read_piece(piece, from, to)? });
        from = to;
    }
    Ok(Routing { pieces })
}

/// The path of a piece between two arc lengths of it.
fn read_piece(piece: &RoutingPiece, from: f64, to: f64) -> Result<Path, OracleError> {
    let length = piece.to - piece.from;
    let part = |s: f64| (s - piece.from) / length;
    Ok(match &piece.path {
        HolePath::Parallel { position } => Path::Parallel { offset: *position },
        HolePath::Linear { start, end } => {
            let at = |s: f64| start + (end - start) * part(s);
            Path::Linear { start: at(from), end: at(to) }
        }
        HolePath::Helix { radius: [first, last], angle, turns } => {
            let radius = |s: f64| first + (last - first) * part(s);
            let phase = angle + std::f64::consts::TAU * turns * part(from);
            let turns = turns * (to - from) / length;
            match first == last {
                true => Path::Helix { radius: *first, phase, turns },
                false => Path::Spiral { radii: [radius(from), radius(to)], phase, turns },
            }
        }
        HolePath::Table { y, z } => {
            let knots: Vec<f64> = y.points().iter().map(|(s, _)| *s).collect();
            let both = y.points().iter().zip(z.points());
            let points: Vec<Vector2<f64>> = both.map(|(y, z)| Vector2::new(y.1, z.1)).collect();
            Path::Table(CubicSpline::through(&knots, &points)?)
        }
    })
}
