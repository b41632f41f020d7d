//! Events on the way to equilibria, in JSON and as warnings: folds, bifurcations and jumps to other branches.

use crate::fault::Fault;
use lissome_model::Scene;
use lissome_solve::{Energy, Event, EventKind};
use serde_json::{Map, Value as Json, json};

/// One event. Along a path with the values of its drives, along a load by the part of it.
pub fn event_json(scene: &Scene, event: &Event, on_path: bool) -> Json {
    let mut json = json!({
        "event": event.kind.name(),
        "at": event.at,
        "within": event.within,
        "energy_before": energy_json(&event.before),
        "energy_after": event.after.as_ref().map(energy_json),
        "negative_directions": [event.negative_directions.0, event.negative_directions.1],
        "moved": event.moved,
        "multiplicity": event.multiplicity,
    });
    if on_path {
        json["drives"] =
            scene.drives.iter().map(|d| (d.path.clone(), json!(d.signal.at(event.at)))).collect::<Map<_, _>>().into();
    }
    if let Some((rod, s)) = event.place {
        json["place"] = json!({ "rod": scene.rods.get(rod).map(|rod| &rod.name), "s": s });
    }
    json
}

fn energy_json(energy: &Energy) -> Json {
    json!({ "elastic": energy.elastic, "gravity": energy.gravity, "loads": energy.loads, "total": energy.total() })
}

/// An event out of its JSON; `None` if it is none.
pub fn event_of(scene: &Scene, json: &Json) -> Option<Event> {
    let kind = [EventKind::Fold, EventKind::Bifurcation, EventKind::Snap];
    let kind = kind.into_iter().find(|kind| json["event"] == kind.name())?;
    let energy = |json: &Json| {
        let of = |name: &str| json[name].as_f64();
        Some(Energy { elastic: of("elastic")?, gravity: of("gravity")?, loads: of("loads")? })
    };
    let directions = |index: usize| json["negative_directions"][index].as_u64().map(|n| n as usize);
    let place = &json["place"];
    let rod = place["rod"].as_str().and_then(|name| scene.rods.iter().position(|rod| rod.name == name));
    Some(Event {
        kind,
        at: json["at"].as_f64()?,
        within: json["within"].as_f64()?,
        before: energy(&json["energy_before"])?,
        after: energy(&json["energy_after"]),
        negative_directions: (directions(0)?, directions(1)),
        place: rod.zip(place["s"].as_f64()),
        moved: json["moved"].as_f64()?,
        multiplicity: json["multiplicity"].as_u64().map_or(1, |n| n as usize),
    })
}

/// What a user must know of an event that the work went past.
pub fn fault_of(scene: &Scene, event: &Event, on_path: bool) -> Fault {
    let (kind, at) = (event.kind, event.at);
    let energies = (event.before.total(), event.after.map(|after| after.total()));
    match on_path {
        true => {
            let drive = scene.drives.first().map(|drive| (drive.path.clone(), drive.signal.at(at)));
            Fault::PathEvent { kind, at, drive, energies, moved: event.moved }
        }
        false => Fault::BranchLeft { kind, load_factor: at, energies },
    }
}
