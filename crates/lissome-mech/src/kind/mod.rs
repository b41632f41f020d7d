//! The list of kinds: everything that contributes to a system beside its rods and bodies, one file each.
//!
//! A new kind gets a line in each of the lists below that it belongs to, and nowhere else. Kinds do not import each other.

pub mod cable;
pub mod closure;
pub mod contact;
pub mod joint_effort;
pub mod joint_limit;
pub mod joint_spring;
pub mod point_load;
pub mod spring;

use crate::attach::Attach;
use crate::rod::Rod;
use crate::rod::tendons::length::LengthTendon;
use crate::rod::tendons::line::TendonLine;
use crate::rod::tubes::Tubes;
use cable::{LengthCable, TensionCable};
use closure::Closure;
use contact::Contact;
use joint_effort::JointEffort;
use joint_limit::JointLimit;
use joint_spring::JointSpring;
use point_load::PointLoad;
use spring::Spring;

/// Runs a block for every force.
macro_rules! each_force {
    ($kinds:expr, |$force:ident| $body:block) => {{
        for $force in &$kinds.loads $body
        for $force in &$kinds.joint_springs $body
        for $force in &$kinds.joint_efforts $body
        for $force in &$kinds.tension_cables $body
        for $force in &$kinds.springs $body
        for $force in &$kinds.tubes $body
    }};
}

/// Runs a block for every constraint; `&mut kinds` gives mutable ones.
macro_rules! each_constraint {
    (&mut $kinds:expr, |$constraint:ident| $body:block) => {{
        for $constraint in &mut $kinds.joint_limits $body
        for $constraint in &mut $kinds.closures $body
        for $constraint in &mut $kinds.length_cables $body
        for $constraint in &mut $kinds.length_tendons $body
        for $constraint in &mut $kinds.contacts $body
    }};
    ($kinds:expr, |$constraint:ident| $body:block) => {{
        for $constraint in &$kinds.joint_limits $body
        for $constraint in &$kinds.closures $body
        for $constraint in &$kinds.length_cables $body
        for $constraint in &$kinds.length_tendons $body
        for $constraint in &$kinds.contacts $body
    }};
}

/// Runs a block for everything that damps.
macro_rules! each_damper {
    ($kinds:expr, |$damper:ident| $body:block) => {{
        for $damper in &$kinds.joint_springs $body
        for $damper in &$kinds.springs $body
    }};
}

/// Runs a block for everything that must know the natural state of the whole.
macro_rules! each_at_rest {
    (&mut $kinds:expr, |$kind:ident| $body:block) => {{
        for $kind in &mut $kinds.tension_cables $body
        for $kind in &mut $kinds.length_cables $body
        for $kind in &mut $kinds.springs $body
    }};
}

pub(crate) use {each_at_rest, each_constraint, each_damper, each_force};

/// Every contribution of a system, one list for each kind.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Kinds {
    pub loads: Vec<PointLoad>,
    pub joint_springs: Vec<JointSpring>,
    pub joint_efforts: Vec<JointEffort>,
    pub tension_cables: Vec<TensionCable>,
    pub springs: Vec<Spring>,
    pub tubes: Vec<Tubes>,
    pub tendons: Vec<TendonLine>,
    pub joint_limits: Vec<JointLimit>,
    pub closures: Vec<Closure>,
    pub length_cables: Vec<LengthCable>,
    pub length_tendons: Vec<LengthTendon>,
    pub contacts: Vec<Contact>,
}

impl Kinds {
    /// Makes the slots that contributions act on, of those kinds that ask for one.
    pub(crate) fn make_slots<'s>(places: &mut impl Attach<'s>) {
        PointLoad::compile(places);
        TensionCable::compile(places);
        Spring::compile(places);
        Closure::compile(places);
        LengthCable::compile(places);
        Contact::compile(places);
    }

    /// Every contribution of a scene.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s, Rod = Rod>) -> Self {
        // In the order in which multipliers are numbered.
        let mut kinds = Self {
            loads: PointLoad::compile(places),
            joint_springs: JointSpring::compile(places),
            joint_efforts: JointEffort::compile(places),
            tension_cables: TensionCable::compile(places),
            springs: Spring::compile(places),
            tubes: Tubes::compile(places),
            tendons: TendonLine::compile(places),
            joint_limits: JointLimit::compile(places),
            closures: Closure::compile(places),
            length_cables: LengthCable::compile(places),
            length_tendons: Vec::new(),
            contacts: Vec::new(),
        };
        kinds.length_tendons = LengthTendon::compile(&kinds.tendons, places);
        kinds.contacts = Contact::compile(places);
        kinds
    }

    /// Number of contributions.
    pub fn count(&self) -> usize {
        let mut count = 0;
        each_force!(self, |_force| {
            count += 1;
        });
        each_constraint!(self, |_constraint| {
            count += 1;
        });
        count
    }
}
