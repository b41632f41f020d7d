//! Bodies, joints, cables, tendons and ends of rods: one small table each, and the arrays of `samples.npz`.

use super::npz::Array;
use super::table::{add_fields, pose_row, push_row};
use crate::columns::{self, POSE, WRENCH};
use crate::summary::coordinates;
use lissome_lie::Wrench;
use lissome_model::Scene;
use lissome_solve::{ContactPoint, ContactRecord, Equilibrium};
use nalgebra::Vector6;
use std::fmt::Write as _;

/// Files of the families that the answer has, with their texts.
pub fn tables(scene: &Scene, equilibrium: &Equilibrium) -> Vec<(&'static str, String)> {
    let mut files = Vec::new();
    if !equilibrium.bodies.is_empty() {
        let mut out = columns::header("body", &POSE) + "\n";
        for body in &equilibrium.bodies {
            push_row(&mut out, &body.name, &pose_row(&body.pose));
        }
        files.push(("bodies.csv", out));
    }
    if !equilibrium.joints.is_empty() {
        let mut out = "joint,coordinate,value\n".to_owned();
        for joint in &equilibrium.joints {
            for (name, value) in coordinates(scene, joint) {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "{},{name},{value:?}", joint.name);
            }
        }
        files.push(("joints.csv", out));
    }
    if !equilibrium.cables.is_empty() {
        let mut out = "cable,tension,length\n".to_owned();
        for cable in &equilibrium.cables {
            push_row(&mut out, &cable.name, &[cable.tension, cable.length]);
        }
        files.push(("cables.csv", out));
    }
    if !equilibrium.tendons.is_empty() {
        let mut out = "tendon,tension,length,pulled\n".to_owned();
        let mut along = columns::header("tendon,rod", &["s", "position", "tension", "pressure"]) + "\n";
        for tendon in &equilibrium.tendons {
            push_row(&mut out, &tendon.name, &[tendon.tension, tendon.length, tendon.pulled]);
            for run in &tendon.runs {
                let rod = scene.rods.get(run.rod).map_or("", |rod| rod.name.as_str());
                for (k, point) in run.points.iter().enumerate() {
                    let row = [run.s[k], point.x, point.y, point.z, run.tension[k], run.pressure[k]];
                    push_row(&mut along, &format!("{},{rod}", tendon.name), &row);
                }
            }
        }
        files.push(("tendons.csv", out));
        files.push(("tendon_samples.csv", along));
    }
    if !equilibrium.springs.is_empty() {
        let mut out = columns::header("spring", &["length", "pull", "moment", "force"]) + "\n";
        for spring in &equilibrium.springs {
            let numbers = [&[spring.length, spring.pull][..], &six(&spring.wrench)].concat();
            push_row(&mut out, &spring.name, &numbers);
        }
        files.push(("springs.csv", out));
    }
    if !equilibrium.contacts.is_empty() {
        let mut out = columns::header("part,obstacle", &["gap", "touching", "force"]) + "\n";
        let mut points = columns::header("part,obstacle", &["s", "gap", "position", "force"]) + "\n";
        for ContactRecord { part, obstacle, contact } in &equilibrium.contacts {
            let (key, f) = (format!("{part},{obstacle}"), contact.force());
            push_row(&mut out, &key, &[contact.least_gap, contact.points.len() as f64, f.x, f.y, f.z]);
            for ContactPoint { s, gap, place, force } in &contact.points {
                push_row(&mut points, &key, &[*s, *gap, place.x, place.y, place.z, force.x, force.y, force.z]);
            }
        }
        files.push(("contacts.csv", out));
        files.push(("contact_points.csv", points));
    }
    if scene.rods.iter().any(|rod| rod.tip.is_some()) {
        files.push(("ends.csv", ends(equilibrium)));
    }
    files
}

/// Files that [`tables`] may write.
pub const FILES: [&str; 9] = [
    "bodies.csv",
    "joints.csv",
    "cables.csv",
    "tendons.csv",
    "tendon_samples.csv",
    "springs.csv",
    "contacts.csv",
    "contact_points.csv",
    "ends.csv",
];

/// What each rod exerts on whatever holds its ends: world axes, moment about the end.
fn ends(equilibrium: &Equilibrium) -> String {
    let mut out = columns::header("rod,end", &WRENCH) + "\n";
    for rod in &equilibrium.rods {
        for (end, wrench) in [("base", &rod.base_wrench), ("tip", &rod.tip_wrench)] {
            push_row(&mut out, &format!("{},{end}", rod.name), &six(wrench));
        }
    }
    out
}

/// A wrench as six numbers, moment first.
pub(super) fn six(wrench: &Wrench) -> [f64; 6] {
    wrench.to_vector().into()
}

/// The arrays of `samples.npz` beside those along rods: every field of the tables above by its name, the points of cables
/// and contacts, and the derivatives of tips, tensions and lengths.
pub fn arrays(scene: &Scene, equilibrium: &Equilibrium) -> Vec<Array> {
    let mut arrays = Vec::new();
    for body in &equilibrium.bodies {
        add_fields(&mut arrays, &body.name, &POSE, &[], &[pose_row(&body.pose)]);
    }
    for joint in &equilibrium.joints {
        for (coordinate, value) in coordinates(scene, joint) {
            add_fields(&mut arrays, &joint.name, &[coordinate], &[], &[[value]]);
        }
        add_fields(&mut arrays, &columns::array(&joint.name, "frame"), &POSE, &[], &[pose_row(&joint.pose)]);
    }
    for rod in equilibrium.rods.iter() {
        add_fields(&mut arrays, &columns::array(&rod.name, "base"), &WRENCH, &[], &[six(&rod.base_wrench)]);
        add_fields(&mut arrays, &columns::array(&rod.name, "tip"), &WRENCH, &[], &[six(&rod.tip_wrench)]);
    }
    for spring in &equilibrium.springs {
        add_fields(&mut arrays, &spring.name, &["length", "pull"], &[], &[[spring.length, spring.pull]]);
        add_fields(&mut arrays, &spring.name, &WRENCH, &[], &[six(&spring.wrench)]);
    }
    let mut add = |name: String, shape: Vec<usize>, values: Vec<f64>| arrays.push(Array { name, shape, values });
    for cable in &equilibrium.cables {
        add(columns::array(&cable.name, "tension"), vec![], vec![cable.tension]);
        add(columns::array(&cable.name, "length"), vec![], vec![cable.length]);
        let points = cable.points.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        add(columns::array(&cable.name, "points"), vec![cable.points.len(), 3], points);
    }
    for tendon in &equilibrium.tendons {
        add(columns::array(&tendon.name, "tension"), vec![], vec![tendon.tension]);
        add(columns::array(&tendon.name, "length"), vec![], vec![tendon.length]);
        add(columns::array(&tendon.name, "pulled"), vec![], vec![tendon.pulled]);
        for run in &tendon.runs {
            let rod = scene.rods.get(run.rod).map_or("", |rod| rod.name.as_str());
            let name = |what: &str| columns::array(&columns::array(&tendon.name, rod), what);
            let count = run.s.len();
            add(name("s"), vec![count], run.s.clone());
            add(name("position"), vec![count, 3], run.points.iter().flat_map(|p| [p.x, p.y, p.z]).collect());
            add(name("tension"), vec![count], run.tension.clone());
            add(name("pressure"), vec![count], run.pressure.clone());
        }
    }
    if let Some(record) = &equilibrium.sensitivity {
        let square = |rows: &[Vec<f64>]| (vec![rows.len(), record.inputs.len()], rows.concat());
        if !record.tendons.is_empty() {
            let (shape, values) = square(&record.tensions);
            add("sensitivity.tension_by_input".into(), shape, values);
            let (shape, values) = square(&record.lengths);
            add("sensitivity.length_by_input".into(), shape, values);
        }
        for tip in &record.tips {
            let name = |what: &str| format!("sensitivity.{}.{what}", tip.part);
            let flat = |list: &[Vector6<f64>]| list.iter().flat_map(|v| v.iter().copied()).collect();
            add(name("by_input"), vec![tip.by_inputs.len(), 6], flat(&tip.by_inputs));
            if !record.tendons.is_empty() {
                add(name("by_length"), vec![tip.by_lengths.len(), 6], flat(&tip.by_lengths));
            }
            add(name("compliance"), vec![6, 6], tip.compliance.transpose().iter().copied().collect());
        }
    }
    for (index, record) in equilibrium.derivatives.iter().enumerate() {
        add(format!("derivatives.{index}"), vec![record.of.len(), record.wrt.len()], record.values.concat());
    }
    for ContactRecord { part, obstacle, contact } in &equilibrium.contacts {
        let name = |what: &str| columns::array(&columns::pair(part, obstacle), what);
        let (points, count) = (&contact.points, contact.points.len());
        add(name("gap"), vec![], vec![contact.least_gap]);
        add(name("s"), vec![count], points.iter().map(|point| point.s).collect());
        add(name("position"), vec![count, 3], points.iter().flat_map(|p| [p.place.x, p.place.y, p.place.z]).collect());
        add(name("force"), vec![count, 3], points.iter().flat_map(|p| [p.force.x, p.force.y, p.force.z]).collect());
    }
    arrays
}
