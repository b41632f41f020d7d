//! Everything that can be wrong with what a user gave us: one enum, each variant with its code and its numbers.
//!
//! Codes come in families: E00 command line, E01 text, E02 keys and names, E03 values and units, E04 physics of the model,
//! E05 outcome of a solve, E06 files, E07 sweeps; W-codes are warnings of the same families. `docs/reference/errors.md`
//! lists every code, and a test keeps the two in step. The words live in `fault_text`.

use crate::fault_derivative::DerivativeFault;
use crate::inverse_fault::InverseFault;
use crate::moment::Moment;
use crate::optimise_fault::OptimiseFault;
use crate::scene::dimension::Dimension;
pub use crate::severity::Severity;
use crate::sweep::SweepFault;
use lissome_model::Bounds;
use lissome_solve::EventKind;

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Fault {
    // E00: the command line
    Usage {
        message: String,
    },

    // E01: the text
    Syntax {
        message: String,
    },
    NotUtf8 {
        byte: usize,
    },
    TooLarge {
        bytes: u64,
        limit: u64,
    },
    DuplicateKey,
    TooDeep,

    // E02: keys and names
    MissingSchema,
    UnsupportedSchema {
        found: String,
    },
    UnknownKey {
        key: String,
        known: Vec<String>,
    },
    MissingKey {
        owner: String,
        key: &'static str,
        example: &'static str,
    },
    UnknownName {
        family: &'static str,
        name: String,
        known: Vec<String>,
    },
    UnknownChoice {
        value: String,
        choices: Vec<&'static str>,
    },
    /// Two keys that say the same thing differently, or one that has no meaning beside the other.
    Clash {
        first: String,
        second: String,
        reason: &'static str,
    },
    NoneGiven {
        owner: String,
        choices: &'static [&'static str],
    },
    GivenTwice {
        path: String,
        other: String,
    },
    NotAnAssignment {
        argument: String,
    },
    NoSuchPath {
        path: String,
        nearest: Option<String>,
        reason: PathReason,
    },
    BadName {
        name: String,
    },
    UnknownCarrier {
        name: String,
        known: Vec<String>,
    },
    UnknownToucher {
        name: String,
        known: Vec<String>,
    },
    NameTaken {
        name: String,
        other: String,
    },
    LikeCircle {
        chain: Vec<String>,
    },
    LikeTooLong {
        limit: usize,
    },
    NotDrivable {
        path: String,
        known: Vec<String>,
    },
    NotPrescribed {
        path: String,
        owner: String,
        key: &'static str,
    },

    // E03: values and units
    WrongType {
        expected: &'static str,
        found: &'static str,
        example: &'static str,
    },
    NotFinite {
        value: f64,
    },
    NotPositive {
        value: f64,
    },
    Negative {
        value: f64,
    },
    OutOfRange {
        value: f64,
        interval: String,
    },
    WrongDimension {
        text: String,
        found: Dimension,
        expected: Dimension,
    },
    NoUnit {
        text: String,
        expected: Dimension,
    },
    UnknownUnit {
        unit: String,
        nearest: Option<String>,
        expected: Dimension,
    },
    Unreadable {
        text: String,
        found: Option<String>,
        expected: Dimension,
    },
    WrongCount {
        found: usize,
        expected: &'static str,
    },
    NotACount {
        value: f64,
    },
    NoDirection {
        what: &'static str,
    },
    NotUnitQuaternion {
        norm: f64,
    },
    /// Too large or too small to compute with; SI.
    Magnitude {
        value: f64,
        bounds: Bounds,
    },

    // E04: physics of the model
    Contradiction {
        reason: String,
        help: &'static str,
    },
    NotPositiveDefinite,
    NothingHolds {
        rod: String,
    },
    NoDensity {
        rod: String,
    },
    OffTheRod {
        s: f64,
        length: f64,
    },
    NoRod,
    InnerNotInside {
        inner: f64,
        outer: f64,
    },
    TableCoverage {
        first: f64,
        last: f64,
        length: f64,
    },
    NotInOrder {
        before: f64,
        after: f64,
    },
    ShapeChange {
        from: f64,
        to: f64,
    },
    TooFewPoses {
        found: usize,
        degree: usize,
    },
    TurnsTooFar {
        angle: f64,
    },
    TooManySpans {
        found: usize,
        limit: usize,
    },
    TooManyValues {
        found: usize,
        limit: usize,
    },
    BodiesOverlap {
        pairs: Vec<String>,
    },
    PosesDisagree {
        shape: usize,
        model: usize,
    },
    RectangleSheath,
    Floating {
        parts: Vec<String>,
    },
    AttachmentCircle {
        chain: Vec<String>,
    },
    NothingHangs {
        joint: String,
    },
    RigidAlready {
        reason: String,
    },
    SamePoint {
        first: usize,
    },
    RunNotCovered {
        first: f64,
        last: f64,
        end: f64,
    },
    TimesNotInOrder {
        before: f64,
        after: f64,
    },
    DrivenTwice {
        path: String,
        other: String,
    },
    NotPositiveSemidefinite,
    NothingToStretch {
        reason: String,
    },
    /// A rod that does not fit into a bore; radii in m.
    TooThick {
        part: String,
        radius: f64,
        inner: f64,
    },
    /// A part that begins inside an obstacle; lengths in m.
    Penetrates {
        part: String,
        obstacle: String,
        s: Option<f64>,
        depth: f64,
        place: [f64; 3],
    },

    // E05: the outcome of a solve
    NotConverged {
        load_factor: f64,
        residual: f64,
        iterations: usize,
    },
    NoShape {
        residual: f64,
    },
    Fold {
        load_factor: f64,
        rod: String,
        s: f64,
    },
    TimeLimit {
        seconds: f64,
        load_factor: f64,
    },
    Interrupted {
        load_factor: f64,
    },
    PathNotConverged {
        at: f64,
        done: usize,
        of: usize,
        residual: f64,
    },
    PathFold {
        at: f64,
        done: usize,
        of: usize,
        rod: String,
        s: f64,
    },
    PathTimeLimit {
        seconds: f64,
        at: f64,
        done: usize,
        of: usize,
    },
    PathInterrupted {
        at: f64,
        done: usize,
        of: usize,
    },
    Loose {
        parts: Vec<String>,
    },
    Redundant {
        parts: Vec<String>,
    },
    Contradictory {
        parts: Vec<String>,
    },
    /// Two points that cables or loads draw together meet.
    PointsMeet {
        parts: Vec<String>,
        load_factor: f64,
    },
    /// A tendon on the inside of a bend has shrunk to nothing.
    TendonClosed {
        tendon: String,
        rod: String,
        s: f64,
    },
    MotionStopped {
        time: f64,
        step: f64,
        place: String,
        reason: String,
        /// Bodies without mass, if nothing moves from the beginning on.
        massless: Vec<String>,
    },
    /// Energy appeared from nowhere.
    BalanceBroken {
        time: f64,
        missing: f64,
        allowed: f64,
    },
    /// A rod passed through something between the points that keep it out.
    RanThrough {
        time: f64,
        pair: String,
        depth: f64,
    },
    MotionLimit {
        seconds: f64,
        time: f64,
        duration: f64,
    },
    MotionInterrupted {
        time: f64,
        duration: f64,
    },
    /// Stopped in the middle of something that cannot be cut short, before there was anything to keep.
    CutShort {
        seconds: f64,
    },

    // E06: files
    NotFound {
        path: String,
        nearest: Option<String>,
    },
    CannotRead {
        path: String,
        reason: String,
    },
    CannotWrite {
        path: String,
        reason: String,
    },
    AlreadyThere {
        path: String,
    },
    NotARun {
        path: String,
    },
    DamagedRun {
        path: String,
        reason: String,
    },
    UnknownTemplate {
        name: String,
        known: Vec<String>,
    },
    UnknownCase {
        pattern: String,
        known: Vec<String>,
    },
    /// Files in a folder that lissome did not write, or that were changed since; the first few, and how many more.
    NotOurs {
        path: String,
        names: Vec<String>,
        more: usize,
    },
    FileThere {
        path: String,
    },
    UnknownFormat {
        name: String,
        known: Vec<&'static str>,
    },
    CannotResume {
        path: String,
        reason: &'static str,
    },
    NothingToShow {
        path: String,
        format: &'static str,
    },
    BadMesh {
        path: String,
        line: Option<usize>,
        reason: String,
    },

    // E07: sweeps, derivatives, inverse jobs, fits, observations, optimisations
    Sweep(SweepFault),
    Derivative(DerivativeFault),
    Inverse(InverseFault),
    Fit(crate::fit::FitFault),
    Observe(crate::observe::ObserveFault),
    Optimise(OptimiseFault),

    // Warnings
    UnusedMaterial {
        name: String,
    },
    DrivesStandStill {
        kind: &'static str,
    },
    KeysSetAside {
        keys: Vec<String>,
        kind: String,
    },
    UnusedVelocity,
    ImplausibleModulus {
        value: f64,
    },
    ImplausibleDensity {
        value: f64,
    },
    ImplausibleGravity {
        value: f64,
    },
    StockyRod {
        length: f64,
        radius: f64,
    },
    TightCurvature {
        curvature: f64,
        radius: f64,
    },
    LargeTurn {
        angle: f64,
    },
    PolygonLength {
        polygon: f64,
        length: f64,
    },
    NoLoad {
        name: String,
    },
    PrintedFormLocks {
        slenderness: f64,
    },
    IdleSpring {
        name: String,
    },
    /// Two tendons in one hole at arc length s, m.
    SharedHole {
        name: String,
        other: String,
        s: f64,
    },
    /// A tendon outside the section without disks, at arc length s; all in m.
    RestitutionOfRods {
        rods: Vec<String>,
    },
    UnguidedTendon {
        name: String,
        distance: f64,
        radius: f64,
        s: f64,
    },
    /// Angles in rad: the twist of the rod between its ends, and the roll that would take it away.
    TwistedRod {
        rod: String,
        twist: f64,
        roll: f64,
    },
    Unstable {
        negative_directions: usize,
    },
    /// A branch of equilibria ended or lost its stability on a path that went on.
    PathEvent {
        kind: EventKind,
        at: f64,
        drive: Option<(String, f64)>,
        energies: (f64, Option<f64>),
        moved: f64,
    },
    /// The equilibrium is not on the branch that leads from the unloaded robot.
    BranchLeft {
        kind: EventKind,
        load_factor: f64,
        energies: (f64, Option<f64>),
    },
    /// A branch that was followed by its length goes on beyond what was found of it.
    BranchUnfinished {
        branch: usize,
        at: f64,
        /// No step led on; else the steps allowed were taken.
        lost: bool,
    },
    PathUnstable {
        at: f64,
        count: usize,
    },
    Flutters {
        words: String,
    },
    /// A rod that is divided too coarsely: its estimated error (of the length or in rad, NaN if there is none), the
    /// tolerance that it was to meet if one decided, and where on a path or in time.
    Coarse {
        rod: String,
        error: f64,
        tolerance: Option<f64>,
        at: Option<Moment>,
    },
    /// A mode, by its number, whose frequency has an estimated relative error (NaN if there is none) beyond what is allowed;
    /// whether a tolerance decided the spans.
    CoarseMode {
        mode: usize,
        error: f64,
        open: bool,
    },
    /// Energy that a time scheme dissipated: in J, and as a part of what was exchanged.
    SchemeLoss {
        loss: f64,
        part: f64,
    },
}

/// Why an override's path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathReason {
    /// Nothing of that name.
    NoSuchThing,
    /// The path goes on below a plain value.
    BelowAValue,
    /// The index is not one of the array's.
    NoSuchIndex {
        /// Entries of the array.
        length: usize,
    },
    /// An empty part, or the name of a whole family.
    Incomplete,
}

impl Fault {
    /// Error or warning; warnings are the W-codes.
    pub fn severity(&self) -> Severity {
        if self.code().starts_with('W') { Severity::Warning } else { Severity::Error }
    }

    /// True if its message speaks of the thing at the diagnostic's path, as in "must be positive".
    pub fn speaks_of_path(&self) -> bool {
        matches!(
            self,
            Self::WrongType { .. }
                | Self::NotFinite { .. }
                | Self::NotPositive { .. }
                | Self::Negative { .. }
                | Self::OutOfRange { .. }
                | Self::WrongCount { .. }
                | Self::NotACount { .. }
                | Self::NoDirection { .. }
                | Self::NotUnitQuaternion { .. }
                | Self::Magnitude { .. }
        )
    }
}
