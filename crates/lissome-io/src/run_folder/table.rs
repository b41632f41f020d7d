//! The columns of a run's rods: samples along them, control poses and the Newton history, to CSV and back.

use super::npz::Array;
use crate::fault::Fault;
use lissome_lie::{Pose, Rotation, Strain, Wrench};
use lissome_solve::{Equilibrium, Iteration, Sample};
use nalgebra::{Vector3, Vector6};
use std::fmt::Write as _;

/// Columns of `samples.csv` after the rod's name. Everything is SI; strain and stress in the section's axes.
pub const SAMPLE_COLUMNS: [&str; 20] = [
    "s",
    "position_x",
    "position_y",
    "position_z",
    "quat_w",
    "quat_x",
    "quat_y",
    "quat_z",
    "curvature_x",
    "curvature_y",
    "curvature_z",
    "stretch_x",
    "stretch_y",
    "stretch_z",
    "moment_x",
    "moment_y",
    "moment_z",
    "force_x",
    "force_y",
    "force_z",
];
pub(crate) const POSE_COLUMNS: [&str; 7] =
    ["position_x", "position_y", "position_z", "quat_w", "quat_x", "quat_y", "quat_z"];
const HISTORY_COLUMNS: [&str; 6] = ["iteration", "load_factor", "residual", "step", "fraction", "shift"];

pub(super) fn sample_row(sample: &Sample) -> [f64; 20] {
    let (p, q) = (sample.pose.position, sample.pose.rotation.quat_wxyz());
    let (e, w) = (sample.strain.to_vector(), sample.stress.to_vector());
    [
        sample.s, p.x, p.y, p.z, q[0], q[1], q[2], q[3], e[0], e[1], e[2], e[3], e[4], e[5], w[0], w[1], w[2], w[3],
        w[4], w[5],
    ]
}

pub(crate) fn pose_row(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.position, pose.rotation.quat_wxyz());
    [p.x, p.y, p.z, q[0], q[1], q[2], q[3]]
}

pub(crate) fn push_row(out: &mut String, name: &str, values: &[f64]) {
    out.push_str(name);
    for value in values {
        // `{:?}` is the shortest text that reads back to the same bits. Writing to a String cannot fail.
        let _ = write!(out, ",{value:?}");
    }
    out.push('\n');
}

/// `samples.csv`.
pub fn samples_csv(equilibrium: &Equilibrium) -> String {
    let mut out = format!("rod,{}\n", SAMPLE_COLUMNS.join(","));
    for rod in &equilibrium.rods {
        for sample in &rod.samples {
            push_row(&mut out, &rod.name, &sample_row(sample));
        }
    }
    out
}

/// `control_poses.csv`.
pub fn control_poses_csv(equilibrium: &Equilibrium) -> String {
    let mut out = format!("rod,{}\n", POSE_COLUMNS.join(","));
    for rod in &equilibrium.rods {
        for pose in &rod.control_poses {
            push_row(&mut out, &rod.name, &pose_row(pose));
        }
    }
    out
}

/// `history.csv`.
pub fn history_csv<'a>(history: impl Iterator<Item = &'a Iteration>) -> String {
    let mut out = format!("{}\n", HISTORY_COLUMNS.join(","));
    for (index, i) in history.enumerate() {
        push_row(&mut out, &(index + 1).to_string(), &[i.load_factor, i.residual, i.step, i.fraction, i.shift]);
    }
    out
}

/// The arrays of `samples.npz`: for each rod `NAME.s`, `NAME.position`, `NAME.quat_wxyz`, `NAME.strain`,
/// `NAME.stress`, `NAME.control_poses`.
pub fn arrays(equilibrium: &Equilibrium) -> Vec<Array> {
    let mut arrays = Vec::new();
    for rod in &equilibrium.rods {
        let rows: Vec<[f64; 20]> = rod.samples.iter().map(sample_row).collect();
        let mut add = |field: &str, columns: std::ops::Range<usize>| {
            let width = columns.len();
            let shape = if width == 1 { vec![rows.len()] } else { vec![rows.len(), width] };
            let values = rows.iter().flat_map(|row| row[columns.clone()].iter().copied()).collect();
            arrays.push(Array { name: format!("{}.{field}", rod.name), shape, values });
        };
        add("s", 0..1);
        add("position", 1..4);
        add("quat_wxyz", 4..8);
        add("strain", 8..14);
        add("stress", 14..20);
        arrays.push(Array {
            name: format!("{}.control_poses", rod.name),
            shape: vec![rod.control_poses.len(), 7],
            values: rod.control_poses.iter().flat_map(pose_row).collect(),
        });
    }
    arrays
}

/// Names and numbers of a line.
type Line<const K: usize, const N: usize> = ([String; K], [f64; N]);

/// One line of a CSV split into its names, which come first, and its numbers.
fn parse_row<const K: usize, const N: usize>(file: &str, number: usize, line: &str) -> Result<Line<K, N>, Fault> {
    let damaged = || Fault::DamagedRun { path: file.to_owned(), reason: format!("line {number} is not a row of it") };
    let fields: Vec<&str> = line.split(',').collect();
    if fields.len() != K + N {
        return Err(damaged());
    }
    let mut values = [0.0; N];
    for (value, field) in values.iter_mut().zip(&fields[K..]) {
        *value = field.parse().map_err(|_| damaged())?;
    }
    Ok((std::array::from_fn(|i| fields[i].to_owned()), values))
}

/// The rows of a CSV with `K` names and `N` numbers each, under the given columns.
pub(super) fn rows<const K: usize, const N: usize>(
    file: &str,
    text: &str,
    header: &str,
) -> Result<Vec<Line<K, N>>, Fault> {
    let mut lines = text.lines();
    if lines.next() != Some(header) {
        let reason = "its columns are not those of this version".into();
        return Err(Fault::DamagedRun { path: file.to_owned(), reason });
    }
    lines.enumerate().map(|(i, line)| parse_row(file, i + 2, line)).collect()
}

/// A pose from its seven columns.
pub(super) fn pose_of(row: &[f64], file: &str) -> Result<Pose, Fault> {
    let rotation = Rotation::from_quat_wxyz([row[3], row[4], row[5], row[6]]).ok_or_else(|| Fault::DamagedRun {
        path: file.to_owned(),
        reason: "a quaternion in it has no length".into(),
    })?;
    Ok(Pose::new(rotation, Vector3::new(row[0], row[1], row[2])))
}

/// A sample from its columns.
pub(super) fn sample_of(row: &[f64; 20], file: &str) -> Result<Sample, Fault> {
    let six = |from: usize| Vector6::from_column_slice(&row[from..from + 6]);
    Ok(Sample {
        s: row[0],
        pose: pose_of(&row[1..8], file)?,
        strain: Strain::from_vector(&six(8)),
        stress: Wrench::from_vector(&six(14)),
    })
}

/// Reads `samples.csv` back: the rod's name and the sample, in order.
pub fn read_samples(file: &str, text: &str) -> Result<Vec<(String, Sample)>, Fault> {
    let header = format!("rod,{}", SAMPLE_COLUMNS.join(","));
    rows::<1, 20>(file, text, &header)?.into_iter().map(|([name], row)| Ok((name, sample_of(&row, file)?))).collect()
}

/// Reads `control_poses.csv` back.
pub fn read_control_poses(file: &str, text: &str) -> Result<Vec<(String, Pose)>, Fault> {
    let header = format!("rod,{}", POSE_COLUMNS.join(","));
    rows::<1, 7>(file, text, &header)?.into_iter().map(|([name], row)| Ok((name, pose_of(&row, file)?))).collect()
}

/// Reads `history.csv` back.
pub fn read_history(file: &str, text: &str) -> Result<Vec<Iteration>, Fault> {
    let rows = rows::<1, 5>(file, text, &HISTORY_COLUMNS.join(","))?;
    let iteration = |(_, [load_factor, residual, step, fraction, shift]): Line<1, 5>| Iteration {
        load_factor,
        residual,
        step,
        fraction,
        shift,
    };
    Ok(rows.into_iter().map(iteration).collect())
}
