//! Curves of folds over two drives: where the robot snaps and where it does not.

use super::picture::Picture;
use super::plot::{Curve, Plot, Stroke};
use super::tables::table as rows_under;
use crate::number::significant;
use crate::summary::Summary;
use lissome_model::{Drive, Job, Signal};

/// Colour of a cusp.
const CUSP: usize = 4;

/// The drive that the folds were followed over and the first other that moves, by index.
fn axes(summary: &Summary<'_>) -> Option<(usize, usize)> {
    let Job::FoldCurve(job) = &summary.scene.job else { return None };
    let moves = |drive: &Drive| !matches!(drive.signal, Signal::Constant(_));
    let other = summary.scene.drives.iter().enumerate().position(|(index, drive)| index != job.over && moves(drive))?;
    Some((job.over, other))
}

/// The curves; those that end a stable branch solid, others dashed; cusps marked.
pub fn pictures(summary: &Summary<'_>) -> Vec<Picture> {
    let Some((over, other)) = axes(summary).filter(|_| !summary.fold_curves.is_empty()) else { return Vec::new() };
    let scene = summary.scene;
    let (mut curves, mut strokes, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    for (colour, curve) in summary.fold_curves.iter().enumerate() {
        let at = |index: usize| {
            let drives = &curve.points[index].drives;
            (drives[over], drives[other])
        };
        let bounds = |index: usize| curve.points[index].negative_directions == 0;
        let mut begin = 0;
        while begin + 1 < curve.points.len() {
            let solid = bounds(begin + 1);
            let mut end = begin + 1;
            while end + 1 < curve.points.len() && bounds(end + 1) == solid && !curve.points[end].cusp {
                end += 1;
            }
            let name = if begin == 0 { format!("fold {colour}") } else { String::new() };
            curves.push(Curve { name, points: (begin..=end).map(at).collect() });
            strokes.push(Stroke { colour, dashed: !solid });
            begin = end;
        }
        let cusps = (0..curve.points.len()).filter(|index| curve.points[*index].cusp);
        marks.extend(cusps.map(at).map(|(x, y)| (x, y, CUSP)));
    }
    let mark_names = if marks.is_empty() { Vec::new() } else { vec!["cusp".to_owned()] };
    let (x, y) = (&scene.drives[over].path, &scene.drives[other].path);
    let plot = Plot {
        title: format!("Folds: {y} against {x}"),
        x_label: x.clone(),
        y_label: format!("{y} (solid: a stable branch ends)"),
        curves,
        strokes,
        marks,
        mark_names,
        first_mark: CUSP,
        ..Plot::default()
    };
    vec![Picture { name: "fold-curves".into(), svg: plot.draw() }]
}

/// Where each curve begins and ends.
pub fn table(summary: &Summary<'_>) -> String {
    let rows = summary.fold_curves.iter().enumerate().map(|(index, curve)| {
        let ends = [curve.points.first(), curve.points.last()].map(|point| {
            let drives = point.map_or(&[][..], |point| &point.drives);
            let named = summary.scene.drives.iter().zip(drives);
            let words: Vec<String> =
                named.map(|(d, value)| format!("{} = {}", d.path, significant(*value, 6))).collect();
            words.join(", ")
        });
        let [first, last] = ends;
        let cusps = curve.points.iter().filter(|point| point.cusp).count();
        vec![index.to_string(), curve.points.len().to_string(), first, last, cusps.to_string(), curve.end.name().into()]
    });
    rows_under(&["curve", "folds", "begins at", "reaches", "cusps", "ends"], rows.collect())
}
