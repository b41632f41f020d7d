//! The columns of a run's rods: samples along them, control poses and the Newton history, to CSV and back.

use super::npz::Array;
use crate::columns;
use crate::fault::Fault;
use lissome_lie::{Pose, Rotation, Strain, Wrench};
use lissome_solve::{Equilibrium, Iteration, Sample};
use nalgebra::{Vector3, Vector6};
use std::fmt::Write as _;

/// Keys of tables with a row for each place of a rod, alone and along a path.
pub(super) const OF_ROD: &str = "rod";
pub(super) const OF_SAMPLE: &str = "sample,rod";
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
    let mut out = columns::header(OF_ROD, &columns::SAMPLE) + "\n";
    for rod in &equilibrium.rods {
        for sample in &rod.samples {
            push_row(&mut out, &rod.name, &sample_row(sample));
        }
    }
    out
}

/// `control_poses.csv`.
pub fn control_poses_csv(equilibrium: &Equilibrium) -> String {
    let mut out = columns::header(OF_ROD, &columns::POSE) + "\n";
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

/// The arrays of `samples.npz`: the fields of [`columns::SAMPLE`] of each rod, and `ROD.control_poses.position` and
/// `.quat_wxyz`.
pub fn arrays(equilibrium: &Equilibrium) -> Vec<Array> {
    let mut arrays = Vec::new();
    for rod in &equilibrium.rods {
        let rows: Vec<[f64; 20]> = rod.samples.iter().map(sample_row).collect();
        add_fields(&mut arrays, &rod.name, &columns::SAMPLE, &[rows.len()], &rows);
        let rows: Vec<[f64; 7]> = rod.control_poses.iter().map(pose_row).collect();
        let part = columns::array(&rod.name, "control_poses");
        add_fields(&mut arrays, &part, &columns::POSE, &[rows.len()], &rows);
    }
    arrays
}

/// Adds an array for each field, out of rows that hold one field after the other.
pub(super) fn add_fields<const N: usize>(
    arrays: &mut Vec<Array>,
    part: &str,
    fields: &[&str],
    count: &[usize],
    rows: &[[f64; N]],
) {
    let mut from = 0;
    for field in fields {
        let width = columns::components(field).len();
        let mut shape = count.to_vec();
        if width > 1 {
            shape.push(width);
        }
        let values = rows.iter().flat_map(|row| row[from..from + width].iter().copied()).collect();
        arrays.push(Array { name: columns::array(part, field), shape, values });
        from += width;
    }
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
    let header = columns::header(OF_ROD, &columns::SAMPLE);
    rows::<1, 20>(file, text, &header)?.into_iter().map(|([name], row)| Ok((name, sample_of(&row, file)?))).collect()
}

/// Reads `control_poses.csv` back.
pub fn read_control_poses(file: &str, text: &str) -> Result<Vec<(String, Pose)>, Fault> {
    let header = columns::header(OF_ROD, &columns::POSE);
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
