//! Random loads on random rods, each in one call from the natural shape.
//!
//! Load k uses section k mod S and frame ⌊k/S⌋ mod F of the lists in the data, and takes from the stream of
//! [`crate::random`], in this order: slenderness L/r, direction and size of the force and, where moments are drawn, of the
//! moment. Every draw is a list of settings that also work on the command line.

use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use crate::solved::Solved;
use crate::template::{self, exact};
use crate::truth;
use lissome::solve::{StaticOptions, Status};
use lissome_reference::negative_directions;
use nalgebra::Vector3;
use serde::Deserialize;

/// Random loads on random rods.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Battery {
    /// Words for the loads.
    name: String,
    scene: String,
    seed: u64,
    count: usize,
    /// Smallest and largest L/r, drawn evenly in the logarithm.
    slenderness: [f64; 2],
    /// Largest force, in EI/L² with the smaller bending stiffness, drawn evenly from zero.
    largest_force: f64,
    /// Largest moment, in EI/L.
    #[serde(default)]
    largest_moment: f64,
    /// Settings that make each section, with `{r}` to fill.
    sections: Vec<Section>,
    /// Settings that make each frame of the load.
    frames: Vec<Frame>,
    /// Settings that apply the load, with `{fx}`, `{fy}`, `{fz}`, `{mx}`, `{my}`, `{mz}` to fill.
    load: Vec<String>,
    /// Share that must converge in one call.
    converged: f64,
    median_iterations: f64,
    /// Largest distance of an answer's tip from that of an exact equilibrium, in lengths.
    exact_tip: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    name: String,
    set: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame {
    name: String,
    set: Vec<String>,
    /// True if the load has a potential, so that the exact rod's index tells whether the answer is stable.
    potential: bool,
}

/// A drawn load.
struct Draw {
    /// Slenderness and size.
    words: String,
    /// The settings that make it.
    settings: Vec<String>,
}

/// What one load came to.
struct Answer {
    /// Number, section, frame, slenderness and size of the load.
    words: String,
    settings: Vec<String>,
    iterations: usize,
    failure: Option<String>,
    /// Distance of the tip from that of the nearest exact equilibrium, in lengths; none where that was not found.
    exact_tip: Option<f64>,
    /// Called stable, but the exact rod is not.
    silent: bool,
}

impl Answer {
    /// A row that names this load; one that fails also says how to repeat it.
    fn row(&self, what: &str, allowed: f64) -> Row {
        let mut row = Row::at_most(format!("{}: {what}", self.words), 1.0, allowed);
        if !row.pass {
            row.quantity = format!("{}: {}", row.quantity, self.settings.join(" "));
        }
        row
    }
}

impl Battery {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        if self.sections.is_empty() || self.frames.is_empty() || self.count == 0 {
            return Err(CaseError::TooFew { what: "sections, frames and loads of a battery", found: 0, need: 1 });
        }
        let mut random = Random::new(self.seed);
        let answers =
            (0..self.count).map(|k| self.answer(folder, k, &mut random)).collect::<Result<Vec<_>, CaseError>>()?;
        let mut rows = Vec::new();
        let (n, name) = (answers.len() as f64, &self.name);
        let failures: Vec<_> = answers.iter().filter(|answer| answer.failure.is_some()).collect();
        let share = 1.0 - failures.len() as f64 / n;
        rows.push(Row::at_least(format!("{n} {name}: share converged in one call, at least"), share, self.converged));
        let mut iterations: Vec<usize> = answers.iter().map(|answer| answer.iterations).collect();
        iterations.sort_unstable();
        let median = 0.5 * (iterations[(iterations.len() - 1) / 2] + iterations[iterations.len() / 2]) as f64;
        let words = format!("{n} {name}: median of Newton iterations, at most");
        rows.push(Row::at_most(words, median, self.median_iterations));
        let silent: Vec<_> = answers.iter().filter(|answer| answer.silent).collect();
        rows.push(Row::at_most(
            format!("{n} {name}: unstable answers called stable, at most"),
            silent.len() as f64,
            0.0,
        ));
        let strays: Vec<_> = answers
            .iter()
            .filter(|a| a.failure.is_none() && a.exact_tip.is_none_or(|distance| distance > self.exact_tip))
            .collect();
        let words = format!("{n} {name}: answers farther than {} L from an exact equilibrium, at most", self.exact_tip);
        rows.push(Row::at_most(words, strays.len() as f64, 0.0));
        // Each one by name, whether the share allows it or not.
        let allowed = (1.0 - self.converged) * n;
        rows.extend(failures.iter().map(|a| a.row(a.failure.as_deref().unwrap_or_default(), allowed)));
        rows.extend(silent.iter().map(|a| a.row("unstable in silence", 0.0)));
        rows.extend(strays.iter().map(|a| a.row(&format!("off the exact rod by {:?} L", a.exact_tip), 0.0)));
        Ok(rows)
    }

    fn answer(&self, folder: &str, k: usize, random: &mut Random) -> Result<Answer, CaseError> {
        let section = &self.sections[k % self.sections.len()];
        let frame = &self.frames[k / self.sections.len() % self.frames.len()];
        let Draw { words, settings } = self.draw(folder, section, frame, random)?;
        let words = format!("load {k}: {}, {}, {words}", section.name, frame.name);
        let path = format!("{folder}/{}", self.scene);
        let solved = Solved::new(template::scene(&path, &settings)?, &StaticOptions::default())?;
        let outcome = solved.outcome();
        let failure = match outcome.status {
            Status::Converged => None,
            Status::Fold { load_factor, .. } => Some(format!("fold at load factor {load_factor:.3}")),
            Status::NotConverged { load_factor } | Status::Stopped { load_factor } => {
                Some(format!("not converged beyond load factor {load_factor:.3}"))
            }
        };
        let exact = if failure.is_none() { truth::nearest_to(&solved).ok() } else { None };
        let exact_tip = exact.as_ref().map(|e| (e.tip().position - solved.tip().position).norm() / solved.length());
        let called_stable = outcome.stability.is_some_and(|stability| stability.stable);
        // Only near an exact equilibrium does its index speak for the answer.
        let silent = frame.potential
            && called_stable
            && exact_tip.is_some_and(|distance| distance <= self.exact_tip)
            && exact.is_some_and(|exact| negative_directions(&exact).is_ok_and(|n| n > 0));
        Ok(Answer { words, settings, iterations: outcome.iterations(), failure, exact_tip, silent })
    }

    fn draw(&self, folder: &str, section: &Section, frame: &Frame, random: &mut Random) -> Result<Draw, CaseError> {
        let path = format!("{folder}/{}", self.scene);
        let length = template::scene(&path, &[])?.rods[0].length;
        let [low, high] = self.slenderness;
        let slenderness = random.log_uniform(low, high);
        let radius = length / slenderness;
        let mut settings = template::fill_all(&section.set, &|name| (name == "r").then(|| exact(radius)))?;
        let stiffness = template::scene(&path, &settings)?.rods[0].profile.at(0.0).stiffness();
        let bending = stiffness[(1, 1)].min(stiffness[(2, 2)]);
        let mut vector = |largest: f64| -> Vector3<f64> { random.direction() * random.uniform(0.0, largest) };
        let force = vector(self.largest_force * bending / (length * length));
        let moment =
            if self.largest_moment > 0.0 { vector(self.largest_moment * bending / length) } else { Vector3::zeros() };
        settings.extend(frame.set.iter().cloned());
        settings.extend(template::fill_all(&self.load, &|name| {
            let (kind, axis) = name.split_at_checked(1)?;
            let vector = match kind {
                "f" => force,
                "m" => moment,
                _ => return None,
            };
            let axis = ["x", "y", "z"].iter().position(|known| *known == axis)?;
            Some(exact(vector[axis]))
        })?);
        let mut words = format!("L/r = {slenderness:.0}, F = {:.1} EI/L²", force.norm() * length * length / bending);
        if self.largest_moment > 0.0 {
            words = format!("{words}, M = {:.1} EI/L", moment.norm() * length / bending);
        }
        Ok(Draw { words, settings })
    }
}
