//! A table of markers: the first line names places and what of them, every other line is a frame. An empty cell was not measured.
//!
//! ```text
//! time (ms), arm.at(0.12).position.x (mm), arm.at(0.12).position.z (mm), a.tension (N)
//!         0,                        118.2,                          3.1,           0.5
//!        20,                             ,                             ,           0.6
//! ```

use super::fault::ObserveFault;
use super::noise::Noise;
use super::place::{self, NoPlace};
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files::read_limited;
use crate::scene::dimension::Dimension;
use crate::scene::{drivable, drive_target, units};
use crate::source::{Source, Span};
use crate::sweep::csv::{self, Field};
use lissome_lie::Rotation;
use lissome_model::{DriveTarget, Frame, Scene};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Largest table that is read, bytes.
const LIMIT: u64 = 256 << 20;
/// Frames and markers of one table.
const MOST_FRAMES: usize = 1_000_000;
const MOST_MARKERS: usize = 2_000;
const AXES: [&str; 3] = ["x", "y", "z"];
const QUATERNION: [&str; 4] = ["w", "x", "y", "z"];
/// A quaternion is taken for one where its length is so near to 1.
const UNIT_LENGTH: f64 = 1e-2;

/// A place that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// As the table calls it.
    pub name: String,
    /// Where it is on the robot.
    pub frame: Frame,
    /// Standard deviation of each axis of its position, m; `None` if it was not stated.
    pub noise: Option<f64>,
    /// The same of its rotation, rad.
    pub turn_noise: Option<f64>,
    /// True if its position, or a part of it, has columns.
    pub has_position: bool,
    /// True if its rotation has columns.
    pub has_rotation: bool,
}

/// What was measured at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerFrame {
    /// The moment, s, or the number of the frame.
    pub time: f64,
    /// Position of each marker, m, world axes.
    pub positions: Vec<[Option<f64>; 3]>,
    /// Rotation of each marker, world from its frame.
    pub rotations: Vec<Option<Rotation>>,
    /// Value of each driven quantity, SI.
    pub drives: Vec<Option<f64>>,
}

impl MarkerFrame {
    /// Numbers that were measured.
    pub fn numbers(&self) -> usize {
        let positions = self.positions.iter().flatten().flatten().count();
        positions + 3 * self.rotations.iter().flatten().count()
    }
}

/// Markers in every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerTable {
    /// The places.
    pub markers: Vec<Marker>,
    /// Dotted paths of what is driven, and what they drive.
    pub drives: Vec<(String, DriveTarget)>,
    /// Frame by frame.
    pub frames: Vec<MarkerFrame>,
    /// True if the table says when.
    pub timed: bool,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holds {
    Time,
    Position { marker: usize, axis: usize },
    Quaternion { marker: usize, axis: usize },
    Drive(usize),
}

struct Column {
    holds: Holds,
    factor: f64,
}

impl MarkerTable {
    /// Reads a file for a scene.
    pub fn load(path: &Path, scene: &Scene, noise: &Noise) -> Result<Self, Vec<Diagnostic>> {
        let bytes = read_limited(path, LIMIT).map_err(|fault| vec![Diagnostic::new(fault)])?;
        let name = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&name, text, scene, noise).map_err(|diagnostic| vec![*diagnostic]),
            Err(error) => {
                let byte = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = Source { name, text };
                Err(vec![Diagnostic::at(Fault::NotUtf8 { byte }, None, Some(Span::new(0, byte..byte + 1)), &[source])])
            }
        }
    }

    /// Reads a text; `name` stands for the file in messages.
    pub fn parse(name: &str, text: String, scene: &Scene, noise: &Noise) -> Result<Self, Box<Diagnostic>> {
        let source = Source { name: name.to_owned(), text };
        let tell = |span: Range<usize>, fault: ObserveFault| {
            Box::new(Diagnostic::at(
                Fault::Observe(fault),
                None,
                Some(Span::new(0, span)),
                std::slice::from_ref(&source),
            ))
        };
        let refuse = |span: Range<usize>, reason: String| tell(span, ObserveFault::BadTable { reason });
        let mut table = Self { markers: Vec::new(), drives: Vec::new(), frames: Vec::new(), timed: false };
        let mut columns: Option<Vec<Column>> = None;
        // Spreadsheets begin their files with a mark of the encoding.
        let mut offset = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for line in source.text[offset..].split_inclusive('\n') {
            let (start, whole) = (offset, line.trim_end_matches(['\n', '\r']));
            offset += line.len();
            if whole.trim().is_empty() {
                continue;
            }
            let fields = csv::fields(whole, start)
                .map_err(|span| refuse(span, "a double quote is not closed, or something follows it".into()))?;
            let Some(columns) = &columns else {
                columns = Some(table.read_header(scene, &fields).map_err(|(span, fault)| tell(span, fault))?);
                continue;
            };
            if fields.len() != columns.len() {
                let reason = format!("this line has {} values, the first has {} names", fields.len(), columns.len());
                return Err(refuse(start..start + whole.len(), reason));
            }
            if table.frames.len() == MOST_FRAMES {
                return Err(refuse(start..start + whole.len(), format!("there are more than {MOST_FRAMES} frames")));
            }
            let frame = table.read_frame(scene, columns, &fields).map_err(|(span, reason)| refuse(span, reason))?;
            if let Some(last) = table.frames.last().filter(|last| frame.time <= last.time) {
                let reason = format!("its time {} is not after that of the frame before, {}", frame.time, last.time);
                return Err(refuse(start..start + whole.len(), reason));
            }
            table.frames.push(frame);
        }
        let end = source.text.len();
        if columns.is_none() {
            return Err(refuse(0..0, "the file is empty".into()));
        }
        if table.frames.is_empty() {
            return Err(refuse(end..end, "there is no frame below the first line".into()));
        }
        if table.frames.iter().all(|frame| frame.numbers() == 0) {
            return Err(refuse(0..0, "no frame has a measured number".into()));
        }
        table.take_noise(noise).map_err(|fault| Box::new(Diagnostic::new(Fault::Observe(fault))))?;
        Ok(table)
    }

    fn read_header(&mut self, scene: &Scene, fields: &[Field]) -> Result<Vec<Column>, (Range<usize>, ObserveFault)> {
        let mut columns: Vec<Column> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (index, field) in fields.iter().enumerate() {
            let bad = |reason: String| (field.span.clone(), ObserveFault::BadTable { reason });
            let (name, unit) = match field.text.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
                Some((name, unit)) => (name.trim(), Some(unit)),
                None => (field.text.as_str(), None),
            };
            if name.is_empty() {
                return Err(bad(format!("column {} has no name", index + 1)));
            }
            let (holds, dimension) = self.read_name(scene, name, &mut known).map_err(|told| match told {
                Told::Reason(reason) => bad(reason),
                Told::Unknown(nearest) => {
                    let name = name.chars().take(80).collect();
                    (field.span.clone(), ObserveFault::UnknownColumn { name, nearest })
                }
            })?;
            if columns.iter().any(|own| own.holds == holds) {
                return Err(bad(format!("`{name}` is given twice")));
            }
            let factor = match unit.map(|unit| units::parse(&format!("1 {unit}"))) {
                None => 1.0,
                Some(Ok(own)) if dimension.is_none_or(|wanted| wanted.accepts(own.dimension)) => own.value,
                Some(Ok(own)) => {
                    let wanted = dimension.map_or("a number".into(), Dimension::name);
                    return Err(bad(format!("`{name}` is {wanted}, and its unit is that of {}", own.dimension.name())));
                }
                Some(Err(_)) => return Err(bad(format!("`{}` is no unit", unit.unwrap_or_default()))),
            };
            columns.push(Column { holds, factor });
        }
        for (index, marker) in self.markers.iter().enumerate() {
            let has = |axis: usize| columns.iter().any(|own| own.holds == Holds::Quaternion { marker: index, axis });
            if marker.has_rotation && !(0..4).all(has) {
                let reason = format!("`{}.quat_wxyz` needs all four columns: .w, .x, .y, .z", marker.name);
                return Err((fields[0].span.clone(), ObserveFault::BadTable { reason }));
            }
        }
        if self.markers.is_empty() {
            let reason = "no column is of a place".into();
            return Err((fields[0].span.clone(), ObserveFault::BadTable { reason }));
        }
        self.timed = columns.iter().any(|column| column.holds == Holds::Time);
        Ok(columns)
    }

    fn read_name(
        &mut self,
        scene: &Scene,
        name: &str,
        known: &mut HashMap<String, usize>,
    ) -> Result<(Holds, Option<Dimension>), Told> {
        if name == "time" {
            return Ok((Holds::Time, Some(Dimension::TIME)));
        }
        let parts = name.rsplit_once('.').and_then(|(rest, axis)| {
            let (place, of) = rest.rsplit_once('.')?;
            Some((place, of, axis))
        });
        if let Some((place, of, axis)) = parts
            && ["position", "quat_wxyz"].contains(&of)
        {
            let names: &[&str] = if of == "position" { &AXES } else { &QUATERNION };
            let Some(axis) = names.iter().position(|own| *own == axis) else {
                return Err(Told::Reason(format!("`{of}` has the components {}, not `{axis}`", names.join(", "))));
            };
            let frame = place::find(scene, place).map_err(|told| match told {
                NoPlace::Unknown(near) => Told::Unknown(near.map(|near| format!("{near}.{of}.{}", names[axis]))),
                NoPlace::Wrong(reason) => Told::Reason(reason),
            })?;
            let marker = *known.entry(place.to_owned()).or_insert_with(|| {
                self.markers.push(Marker {
                    name: place.to_owned(),
                    frame,
                    noise: None,
                    turn_noise: None,
                    has_position: false,
                    has_rotation: false,
                });
                self.markers.len() - 1
            });
            if self.markers.len() > MOST_MARKERS {
                return Err(Told::Reason(format!("there are more than {MOST_MARKERS} markers")));
            }
            let own = &mut self.markers[marker];
            return Ok(match of {
                "position" => {
                    own.has_position = true;
                    (Holds::Position { marker, axis }, Some(Dimension::LENGTH))
                }
                _ => {
                    own.has_rotation = true;
                    (Holds::Quaternion { marker, axis }, Some(Dimension::NONE))
                }
            });
        }
        let without_family = name.split_once('.').map_or(name, |(_, rest)| rest);
        for path in [name, without_family] {
            if let Ok(target) = drive_target(scene, path, None) {
                if target.is_insertion() {
                    return Err(Told::Reason(format!(
                        "`{path}` changes where tubes end: give it one value in the scene"
                    )));
                }
                self.drives.push((path.to_owned(), target));
                return Ok((Holds::Drive(self.drives.len() - 1), None));
            }
        }
        let places =
            scene.rods.iter().flat_map(|rod| AXES.iter().map(move |axis| format!("{}.tip.position.{axis}", rod.name)));
        let bodies =
            scene.bodies.iter().flat_map(|body| AXES.iter().map(move |axis| format!("{}.position.{axis}", body.name)));
        let all: Vec<String> = places.chain(bodies).chain(drivable(scene)).chain(["time".to_owned()]).collect();
        Err(Told::Unknown(crate::nearest::nearest(name, all.iter().map(String::as_str)).map(str::to_owned)))
    }

    fn read_frame(
        &self,
        scene: &Scene,
        columns: &[Column],
        fields: &[Field],
    ) -> Result<MarkerFrame, (Range<usize>, String)> {
        let count = self.markers.len();
        let mut frame = MarkerFrame {
            time: self.frames.len() as f64,
            positions: vec![[None; 3]; count],
            rotations: vec![None; count],
            drives: vec![None; self.drives.len()],
        };
        let mut quaternions: Vec<[Option<f64>; 4]> = vec![[None; 4]; count];
        for (column, field) in columns.iter().zip(fields) {
            if field.text.is_empty() {
                if column.holds == Holds::Time {
                    return Err((field.span.clone(), "the time of a frame is missing".into()));
                }
                continue;
            }
            let number: f64 = field.text.parse().map_err(|_| {
                (field.span.clone(), "it is not a number; units stand in the first line, as in `x (mm)`".to_owned())
            })?;
            if !number.is_finite() {
                return Err((
                    field.span.clone(),
                    "it is not a finite number; leave the cell empty where nothing was measured".into(),
                ));
            }
            let value = number * column.factor;
            match column.holds {
                Holds::Time => frame.time = value,
                Holds::Position { marker, axis } => frame.positions[marker][axis] = Some(value),
                Holds::Quaternion { marker, axis } => quaternions[marker][axis] = Some(value),
                Holds::Drive(drive) => {
                    drive_target(scene, &self.drives[drive].0, Some(value))
                        .map_err(|told| (field.span.clone(), told.message()))?;
                    frame.drives[drive] = Some(value);
                }
            }
        }
        let last = fields.last().map_or(0..0, |field| field.span.clone());
        for (marker, parts) in quaternions.iter().enumerate() {
            match parts {
                [Some(w), Some(x), Some(y), Some(z)] => {
                    let size = (w * w + x * x + y * y + z * z).sqrt();
                    if (size - 1.0).abs() > UNIT_LENGTH {
                        let reason =
                            format!("the quaternion of `{}` has length {size}, not 1", self.markers[marker].name);
                        return Err((last, reason));
                    }
                    frame.rotations[marker] = Rotation::from_quat_wxyz([*w, *x, *y, *z]);
                }
                [None, None, None, None] => {}
                _ => {
                    return Err((
                        last,
                        format!("the quaternion of `{}` is there only in part", self.markers[marker].name),
                    ));
                }
            }
        }
        Ok(frame)
    }

    /// Gives every marker its noise.
    fn take_noise(&mut self, noise: &Noise) -> Result<(), ObserveFault> {
        for marker in &mut self.markers {
            marker.noise = noise.position;
            marker.turn_noise = noise.rotation;
        }
        for (name, text, value, is_angle) in &noise.of_markers {
            let Some(marker) = self.markers.iter_mut().find(|marker| marker.name == *name) else {
                let known: Vec<&str> = self.markers.iter().map(|marker| marker.name.as_str()).collect();
                let near = crate::nearest::nearest(name, known.iter().copied());
                let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                let reason = format!("the table has no marker `{name}`{hint}");
                return Err(ObserveFault::BadNoise { text: text.clone(), reason });
            };
            if *is_angle { marker.turn_noise = Some(*value) } else { marker.noise = Some(*value) }
        }
        let needed = self.markers.iter().flat_map(|own| {
            let position = own.has_position.then_some((&own.name, own.noise, "position"));
            let rotation = own.has_rotation.then_some((&own.name, own.turn_noise, "rotation"));
            position.into_iter().chain(rotation)
        });
        let all: Vec<_> = needed.collect();
        let exact = |noise: &Option<f64>| noise.is_none_or(|sigma| sigma == 0.0);
        if let Some((name, _, of)) = all.iter().find(|(_, noise, _)| exact(noise))
            && all.iter().any(|(_, noise, _)| !exact(noise))
        {
            let reason = format!("the {of} of `{name}` has none while others have: all numbers are exact or none is");
            return Err(ObserveFault::BadNoise { text: "--noise".into(), reason });
        }
        Ok(())
    }
}

enum Told {
    Unknown(Option<String>),
    Reason(String),
}
