//! What became of the targets of an inverse job, in JSON, in words and as warnings.

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::inverse_fault::InverseFault;
use crate::number::{significant, with_unit};
use lissome_model::{InverseJob, Job, Scene};
use lissome_solve::inverse::End;
use lissome_solve::{PathSample, Sought};
use serde_json::{Map, Value as Json, json};

/// Targets that have a warning of their own.
const MOST_WARNINGS: usize = 3;

/// The inverse job of a scene.
pub fn job_of(scene: &Scene) -> Option<&InverseJob> {
    match &scene.job {
        Job::Inverse(job) => Some(job),
        _ => None,
    }
}

/// Samples at which every target was met.
pub fn met(path: &[PathSample]) -> usize {
    path.iter().filter(|sample| sample.sought.as_ref().is_some_and(|own| own.end == End::Met)).count()
}

/// A gap with its unit.
pub fn gap_words(gap: f64, unit: &str) -> String {
    if unit == "1" { significant(gap, 3) } else { with_unit(gap, unit) }
}

/// Drives that stand at their limits.
pub fn at_limits(scene: &Scene, job: &InverseJob, sought: &Sought) -> Vec<String> {
    let held = job.free.iter().zip(&sought.at_limit).filter(|(_, side)| **side != 0);
    held.map(|(free, _)| scene.drives[free.drive].path.clone()).collect()
}

/// The sample whose largest weighted gap is largest.
pub fn worst(path: &[PathSample]) -> Option<(&PathSample, &Sought)> {
    let all = path.iter().filter_map(|sample| Some((sample, sample.sought.as_ref()?)));
    all.max_by(|a, b| a.1.distance.total_cmp(&b.1.distance))
}

/// One sample.
pub fn json_of(scene: &Scene, job: &InverseJob, sought: &Sought) -> Json {
    let targets: Map<String, Json> = (job.targets.iter().zip(&sought.gaps))
        .map(|(target, gap)| (target.name.clone(), json!({ "gap": gap, "unit": target.output.unit() })))
        .collect();
    json!({
        "end": sought.end.name(),
        "met": sought.end == End::Met,
        "distance": sought.distance,
        "event": sought.event.map(|kind| kind.name()),
        "rounds": sought.iterations,
        "targets": targets,
        "at_limit": at_limits(scene, job, sought),
    })
}

/// The whole job: how many samples meet their targets, the worst of them, and the drives of the last.
pub fn summary_json(scene: &Scene, path: &[PathSample]) -> Option<Json> {
    let job = job_of(scene)?;
    let last = path.last()?;
    let mut json = json_of(scene, job, last.sought.as_ref()?);
    let drives: Map<String, Json> = (job.free.iter())
        .map(|free| (scene.drives[free.drive].path.clone(), json!(last.drives.get(free.drive))))
        .collect();
    json["drives"] = Json::Object(drives);
    json["samples_met"] = json!(met(path));
    json["largest_distance"] = json!(worst(path).map(|(_, own)| own.distance));
    json["most_rounds"] = json!(path.iter().filter_map(|sample| Some(sample.sought.as_ref()?.iterations)).max());
    Some(json)
}

/// Targets that were missed, and targets that nothing moves.
pub fn warnings(scene: &Scene, path: &[PathSample]) -> Vec<Diagnostic> {
    let Some(job) = job_of(scene) else { return Vec::new() };
    let told = |fault: InverseFault, name: &str| {
        let path = Some(format!("target.{}", name.split('.').next().unwrap_or(name)));
        Diagnostic { path, ..Diagnostic::new(Fault::Inverse(fault)) }
    };
    let all = || path.iter().filter_map(|sample| sample.sought.as_ref());
    let mut found = Vec::new();
    for (index, target) in job.targets.iter().enumerate() {
        if path.first().is_some_and(|first| first.sought.is_some()) && !all().any(|own| own.moved[index]) {
            found.push(told(InverseFault::Unmoved { name: target.name.clone() }, &target.name));
        }
    }
    let count = all().filter(|own| own.end != End::Met).count();
    let Some((sample, sought)) = worst(path).filter(|(_, own)| own.end != End::Met) else { return found };
    // What is missed most first, each in its own unit.
    let mut order: Vec<usize> = (0..job.targets.len()).collect();
    order.sort_by(|a, b| sought.gaps[*b].total_cmp(&sought.gaps[*a]));
    for index in order.into_iter().filter(|index| sought.gaps[*index] > 0.0).take(MOST_WARNINGS) {
        let target = &job.targets[index];
        let fault = InverseFault::Missed {
            name: target.name.clone(),
            gap: sought.gaps[index],
            unit: target.output.unit(),
            at: sample.at,
            count,
            end: sought.end,
            event: sought.event,
            limits: at_limits(scene, job, sought),
        };
        found.push(told(fault, &target.name));
    }
    found
}
