//! The kinds of question a case can ask. Each is general; what it is asked about, and which answer is right, is data.
//!
//! | `kind` | question |
//! |---|---|
//! | `equilibrium` | does every line of a table come out as it says, or as the oracle says? |
//! | `error-table` | are the errors over degree and control poses no larger than a table's? |
//! | `order` | how fast does the tip error fall, and how far below another form's does it lie? |
//! | `refinement` | do the tip's position and rotation converge with the order of the method? |
//! | `decay` | does the tip error fall exponentially with the order of a strain basis? |
//! | `battery` | do random loads on random rods all get an answer, and a true one? |
//! | `statics-battery` | do random scenes of all kinds get an answer that errs as it says? |
//! | `buckling` | at which load does the straight rod lose its stability, and where does it go? |
//! | `contact` | how large are the forces between what touches along a path, and where does it touch? |
//! | `contact-models` | how far are models of a rod that touches something from a finer one? |
//! | `insertion-force` | how does the force that pushes a rod in grow with friction, and does it get through? |
//! | `contact-battery` | do random scenes in which things touch all come to their end, with nothing inside anything? |
//! | `contact-motion` | does what lands, slides or rolls keep the laws of energy and friction? |
//! | `critical-loads` | what are the lowest critical loads of a scene? |
//! | `unloaded-modes` | does every motion of the unloaded rod cost energy? |
//! | `invariance` | does a rigid motion or a change of units change anything? |
//! | `shape` | is the shape between the end poses of every line what it says? |
//! | `shape-battery` | do random reachable end poses all get a shape, and a true one? |
//! | `robot` | is a robot where a table or the oracle says, all along its path? |
//! | `variants` | do variants of a robot agree, differ, or give way one more than the other? |
//! | `inverse-battery` | do random poses within reach get their drives, and poses beyond it the nearest point? |
//! | `fit-battery` | do numbers come back from noisy poses, and does the truth lie in their intervals as often as they say? |
//! | `observer` | does the strain from measured markers come out right, and do its bands hold the truth? |
//! | `symmetry` | does a robot keep the symmetry it was built with? |
//! | `rest` | is the drawn shape the one that an unloaded robot returns to? |
//! | `motion` | does a motion keep its energy, pass where it should, swing at the right pace? |
//! | `free-motion` | once the loads have ended, do energy and momenta stay; have they grown by the impulse? |
//! | `spin-up` | how far does an arm that is spun up lag behind, and stretch? |
//! | `linkage` | does a linkage with an elastic link move as the rigid one, the nearer the stiffer? |
//! | `path-end` | which energy has a path at its end, and where would it lose its stability? |
//! | `knot` | is the loop of a knotted rod as wide as its tension lets it be? |
//! | `knotted` | does a knotted rod stay knotted, however it moves? |
//! | `localised-loop` | does a twisted, slackened rod throw the loop of the closed form? |
//! | `vibration` | how fast does a plucked cantilever swing, and does it keep its energy? |
//! | `motion-battery` | do random motions all come to their end, with their energy accounted for? |
//! | `frequencies` | how fast does it swing about its equilibrium? |
//! | `flutter` | how does it swing under loads without a potential, and from which load on does a swing grow? |
//! | `helices` | do rods wound into helices, and springs, all get an answer, and a true one? |
//! | `path-events` | where is a path of equilibria interrupted, by what, from which energy to which? |
//! | `branches` | which events do branches meet that are followed by their length, and how do they end? |
//! | `tendon-disks` | is a tendon from disk to disk a cable, and near a continuous one? |
//! | `tendon-friction` | does a tension fall along a tendon by the law of the rope, and does an arm go through a loop? |
//! | `tendon-jump` | what does the jump of a tendon's slope cost where a method leaves it out? |
//! | `tendon-lengths` | do tendons by length lead back to their tensions, and random pulls to an equilibrium? |
//! | `tendon-table` | how far are two methods apart on many load cases, and the program from them? |
//! | `tendon-tips` | is the tip of a tendon-driven rod where a table says, by every method? |
//! | `tube-bifurcation` | at which insertion do equal and opposite tubes turn away from each other? |
//! | `tube-border` | where over insertion does turning tubes make them snap? |
//! | `tube-insertion` | is a tube that is pushed past the breaks of others where the oracle says, without a jump? |
//! | `tube-insertion-motion` | the same in time: without a jump, and at rest where the equilibrium is? |
//! | `tube-oracle` | is a robot of tubes where the oracle says, at random insertions, rotations and loads? |
//! | `tube-pair` | do two tubes follow the S-curve of the closed form, and snap at its folds? |
//! | `tube-rod` | is one tube a rod? |
//! | `tube-sheath` | does a stiff sheath straighten what is inside? |
//! | `tube-snap` | when do turning tubes snap, and do they come to rest on the far branch? |
//! | `tube-tilt` | by how much do tubes that may tilt differ from those that may not? |
//! | `twisted-pair` | do two rods twisted around each other press as two helices must? |
//! | `size` | how many rows has its system? |
//! | `derivatives` | how does it change with numbers of its scene? |
//! | `optimise` | does an optimisation find what is known to be best? |

mod battery;
mod branches;
mod buckling;
mod contact;
mod contact_battery;
mod contact_models;
mod contact_motion;
mod critical_loads;
mod decay;
mod derivatives;
mod equilibrium;
mod error_table;
mod fit_battery;
mod flutter;
mod free_motion;
mod helices;
mod insertion_force;
mod invariance;
pub(crate) mod inverse_battery;
mod knot;
mod knotted;
mod linkage;
mod localised_loop;
mod motion;
mod motion_battery;
mod observer;
mod optimum;
mod order;
mod path_end;
mod path_events;
mod refinement;
mod rest;
mod robot;
pub(crate) mod shape;
mod shape_battery;
mod size;
mod spin_up;
pub mod statics_battery;
mod symmetry;
mod tendons;
mod tubes;
mod twisted_pair;
mod unloaded_modes;
mod variant;
mod variants;
mod vibration;

use crate::error::CaseError;
use crate::report::Row;
use serde::Deserialize;
use variant::Variant;

/// One question of a case.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Study {
    Equilibrium(equilibrium::Equilibrium),
    ErrorTable(error_table::ErrorTable),
    Order(order::Order),
    Refinement(refinement::Refinement),
    Decay(decay::Decay),
    Battery(battery::Battery),
    StaticsBattery(statics_battery::StaticsBattery),
    Buckling(buckling::Buckling),
    CriticalLoads(critical_loads::CriticalLoads),
    UnloadedModes(unloaded_modes::UnloadedModes),
    Invariance(invariance::Invariance),
    Shape(shape::Shape),
    ShapeBattery(shape_battery::ShapeBattery),
    Robot(robot::RobotStudy),
    Variants(variants::Variants),
    InverseBattery(inverse_battery::InverseBattery),
    FitBattery(fit_battery::FitBattery),
    Observer(observer::Observer),
    Symmetry(symmetry::Symmetry),
    Rest(rest::Rest),
    Motion(motion::MotionStudy),
    FreeMotion(free_motion::FreeMotion),
    Contact(contact::ContactStudy),
    ContactBattery(contact_battery::ContactBattery),
    ContactMotion(contact_motion::ContactMotion),
    ContactModels(contact_models::ContactModels),
    InsertionForce(insertion_force::InsertionForce),
    SpinUp(spin_up::SpinUpStudy),
    Knot(knot::Knot),
    Knotted(knotted::Knotted),
    Linkage(linkage::LinkageStudy),
    PathEnd(path_end::PathEnd),
    LocalisedLoop(localised_loop::LocalisedLoopStudy),
    MotionBattery(motion_battery::MotionBattery),
    Vibration(vibration::Vibration),
    Frequencies(motion::Frequencies),
    Flutter(flutter::Flutter),
    Helices(helices::Helices),
    PathEvents(path_events::PathEvents),
    Branches(branches::Branches),
    TwistedPair(twisted_pair::TwistedPair),
    Size(size::Size),
    Derivatives(derivatives::Derivatives),
    Optimise(optimum::Optimise),
    TendonBattery(tendons::battery::TendonBattery),
    TendonDisks(tendons::disks::TendonDisks),
    TendonFriction(tendons::friction::TendonFriction),
    TendonJump(tendons::jump::TendonJump),
    TendonLengths(tendons::lengths::TendonLengths),
    TendonTable(tendons::table::TendonTable),
    TendonTips(tendons::tips::TendonTips),
    TubeBifurcation(tubes::bifurcation::TubeBifurcation),
    TubeBorder(tubes::border::TubeBorder),
    TubeOracle(tubes::oracle::TubeOracle),
    TubePair(tubes::pair::TubePairStudy),
    TubeRod(tubes::rod::TubeRod),
    TubeInsertion(tubes::insertion::TubeInsertion),
    TubeInsertionMotion(tubes::insertion_motion::TubeInsertionMotion),
    TubeSnap(tubes::snap::TubeSnap),
    TubeSheath(tubes::sheath::TubeSheath),
    TubeTilt(tubes::tilt::TubeTilt),
}

impl Study {
    /// Asks it. Files are named relative to the case's folder.
    pub fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        match self {
            Self::Equilibrium(study) => study.rows(folder),
            Self::ErrorTable(study) => study.rows(folder),
            Self::Order(study) => study.rows(folder),
            Self::Refinement(study) => study.rows(folder),
            Self::Decay(study) => study.rows(folder),
            Self::Battery(study) => study.rows(folder),
            Self::StaticsBattery(study) => study.rows(),
            Self::Buckling(study) => study.rows(folder),
            Self::CriticalLoads(study) => study.rows(folder),
            Self::UnloadedModes(study) => study.rows(folder),
            Self::Invariance(study) => study.rows(folder),
            Self::Shape(study) => study.rows(folder),
            Self::ShapeBattery(study) => study.rows(folder),
            Self::Robot(study) => study.rows(folder),
            Self::Variants(study) => study.rows(folder),
            Self::InverseBattery(study) => study.rows(folder),
            Self::FitBattery(study) => study.rows(folder),
            Self::Observer(study) => study.rows(folder),
            Self::Symmetry(study) => study.rows(folder),
            Self::Rest(study) => study.rows(folder),
            Self::Motion(study) => study.rows(folder),
            Self::FreeMotion(study) => study.rows(folder),
            Self::Contact(study) => study.rows(folder),
            Self::ContactBattery(study) => study.rows(),
            Self::ContactMotion(study) => study.rows(folder),
            Self::TwistedPair(study) => study.rows(folder),
            Self::ContactModels(study) => study.rows(folder),
            Self::InsertionForce(study) => study.rows(folder),
            Self::SpinUp(study) => study.rows(folder),
            Self::Knot(study) => study.rows(folder),
            Self::Knotted(study) => study.rows(folder),
            Self::Linkage(study) => study.rows(folder),
            Self::PathEnd(study) => study.rows(folder),
            Self::LocalisedLoop(study) => study.rows(folder),
            Self::MotionBattery(study) => study.rows(),
            Self::Vibration(study) => study.rows(folder),
            Self::Frequencies(study) => study.rows(folder),
            Self::Flutter(study) => study.rows(folder),
            Self::Helices(study) => study.rows(),
            Self::PathEvents(study) => study.rows(folder),
            Self::Branches(study) => study.rows(folder),
            Self::Size(study) => study.rows(folder),
            Self::Derivatives(study) => study.rows(folder),
            Self::Optimise(study) => study.rows(folder),
            Self::TendonBattery(study) => study.rows(),
            Self::TendonDisks(study) => study.rows(folder),
            Self::TendonFriction(study) => study.rows(folder),
            Self::TendonJump(study) => study.rows(folder),
            Self::TendonLengths(study) => study.rows(folder),
            Self::TendonTable(study) => study.rows(folder),
            Self::TendonTips(study) => study.rows(folder),
            Self::TubeBifurcation(study) => study.rows(folder),
            Self::TubeBorder(study) => study.rows(folder),
            Self::TubeOracle(study) => study.rows(folder),
            Self::TubePair(study) => study.rows(folder),
            Self::TubeRod(study) => study.rows(folder),
            Self::TubeInsertion(study) => study.rows(folder),
            Self::TubeInsertionMotion(study) => study.rows(folder),
            Self::TubeSnap(study) => study.rows(folder),
            Self::TubeSheath(study) => study.rows(folder),
            Self::TubeTilt(study) => study.rows(folder),
        }
    }
}
