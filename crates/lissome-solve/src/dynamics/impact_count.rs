//! How often things have bounced lately, and whether anything is given back any more.

/// Flights shorter than this part of the step that met the first impact, and impacts beyond this number without a step as
/// long as that between them, end the bouncing: nothing is given back any more.
const SHORTEST_FLIGHT: f64 = 1e-3;
const MOST_IMPACTS: usize = 40;
/// After an impact the step starts again from this part of the last.
pub(super) const RESTART: f64 = 0.25;

/// Impacts that follow each other closely.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Impacts {
    count: usize,
    /// Length of the step that met the first of them, s.
    step: f64,
    /// Time of the last, s.
    last: f64,
}

impl Impacts {
    /// Counts one at a time, met by a step of length h; true if something may be given back. `flew` says that there was a
    /// flight before it, `fresh` that something was open.
    pub fn count(&mut self, time: f64, h: f64, flew: bool, fresh: bool) -> bool {
        if self.count == 0 || time - self.last > self.step {
            *self = Self { count: 0, step: h, last: f64::NEG_INFINITY };
        }
        // What begins to touch at the end of a step flew until then.
        let long = (flew || self.count == 0) && time - self.last > SHORTEST_FLIGHT * self.step;
        self.count += 1;
        self.last = time;
        (long || fresh) && self.count <= MOST_IMPACTS
    }
}
