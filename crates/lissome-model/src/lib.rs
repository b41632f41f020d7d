//! What the robot is: materials, sections, rods, tubes, bodies, joints, cables, tendons, springs, loads,
//! drives, scenes. Plain data, checked once.
//!
//! Everything is SI. No solver and no file lives here; see [`Scene::validate`] for the door through
//! which every scene passes.

pub mod arclength;
pub mod assembly;
pub mod body;
pub mod cable;
mod change;
pub mod closure;
pub mod connections;
pub mod cubic_table;
pub mod discretization;
pub mod drive;
pub mod formula;
pub mod frame;
pub mod insertion;
pub mod invalid;
pub mod inverse;
pub mod job;
pub mod joint;
pub mod knots;
pub mod load;
pub mod loop_winding;
mod magnitude;
pub mod material;
pub mod obstacle;
pub mod optimise;
pub mod quantity;
pub mod rod;
pub mod routing;
pub mod scene;
mod scene_check;
pub mod section;
pub mod shape_job;
pub mod signal;
pub mod span_limits;
pub mod spring;
pub mod tendon;
pub mod tendon_method;
mod tube_rod;
pub mod tubes;
pub mod velocity;

pub use arclength::{ArcDirection, Arclength, FoldCurveJob, Follow, MOST_BRANCHES};
pub use assembly::Item;
pub use body::{Body, Inertia, Mount, Outline, Solid};
pub use cable::{Cable, CableDrive};
pub use closure::Closure;
pub use cubic_table::CubicTable;
pub use discretization::{Discretization, Resolution, StrainForm, StrainFunctions};
pub use drive::{Drive, DriveTarget};
pub use formula::{Formula, FormulaName, Operation, Rows, Slope, Term, TermKind, Undefined};
pub use frame::{Frame, FrameOf};
pub use insertion::{Boundary, Sections};
pub use invalid::{Invalid, Problem};
pub use inverse::{FreeDrive, InverseJob, Target, Wanted};
pub use job::{
    BucklingJob, BucklingStart, DynamicsJob, Job, ModesJob, OnEvent, PathJob, Scheme, Start, StaticsJob, StepControl,
};
pub use joint::{Coordinate, Joint, JointKind, JointMotion};
pub use knots::RodKnots;
pub use load::{FrameLoad, FrameLoadKind, Load, LoadFrame, LoadKind};
pub use loop_winding::LoopWinding;
pub use material::Material;
pub use obstacle::{
    BoreAxis, BorePiece, Obstacle, ObstacleShape, SmoothFamily, Smoothing, Stretch, Toucher, Touching, TouchingPair,
};
pub use optimise::{Constraint, FreeNumber, FreeOf, OptimiseJob};
pub use quantity::{Bounds, Quantity};
pub use rod::{NaturalShape, Rod};
pub use routing::{Hole, HolePath, Routing, RoutingPiece};
pub use scene::{LoopMethod, Scene, ScenePart};
pub use section::{Layer, Profile, Section, Shape, Station};
pub use shape_job::{ShapeJob, ShapeMethod, ShapeWinding};
pub use signal::Signal;
pub use spring::{Spring, SpringLaw};
pub use tendon::{Disks, Sliding, Tendon, TendonRun};
pub use tendon_method::TendonMethod;
pub use tubes::{Relative, Tube, TubeSet};
pub use velocity::InitialVelocity;
