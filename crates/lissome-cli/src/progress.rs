//! The progress bar. What it shows follows from what it is shown.

use indicatif::{ProgressBar, ProgressStyle};
use lissome::Progress;
use lissome::io::number;

/// What the bar counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Load,
    Samples,
    Points,
    Time,
}

/// Parts of a whole that the bar is divided into where it counts no pieces.
const PARTS: u64 = 1000;

/// A bar on stderr: hidden unless that is a terminal, and drawn only for work that lasts.
pub struct Bar {
    bar: ProgressBar,
    counts: Option<Counts>,
    iterations: u64,
    /// The motion goes from one of these times to the other, s.
    times: [f64; 2],
}

impl Bar {
    /// `shown` says whether to draw it at all; a motion goes from `times[0]` to `times[1]`.
    pub fn new(shown: bool, times: [f64; 2]) -> Self {
        let bar = if shown { ProgressBar::new(PARTS) } else { ProgressBar::hidden() };
        Self { bar, counts: None, iterations: 0, times }
    }

    /// Shows how far the work has come.
    pub fn show(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Iteration(iteration) => {
                self.iterations += 1;
                if self.counts.is_none() {
                    self.count(Counts::Load, PARTS);
                }
                if self.counts == Some(Counts::Load) {
                    self.bar.set_position(part(iteration.load_factor));
                }
                let (n, residual) = (self.iterations, iteration.residual);
                self.bar.set_message(format!("iteration {n}, residual {residual:.1e}"));
            }
            Progress::Sample { index, of: 0, sample } => {
                self.count(Counts::Points, *index as u64 + 1);
                self.bar.set_position(*index as u64 + 1);
                self.bar.set_message(format!("branch {}", sample.branch));
            }
            Progress::Sample { index, of, .. } => {
                self.count(Counts::Samples, *of as u64);
                self.bar.set_position(*index as u64 + 1);
            }
            Progress::Step { time } => self.show_time(*time),
            Progress::Frame(state) => self.show_time(state.frame.time),
            Progress::Event(_) | Progress::Observed(_) => {}
        }
    }

    fn show_time(&mut self, time: f64) {
        self.count(Counts::Time, PARTS);
        let [from, to] = self.times;
        self.bar.set_position(part(time / to));
        let pace = (time - from) / self.bar.elapsed().as_secs_f64().max(1e-9);
        self.bar.set_message(format!("{time:.3} s, {} × real time", number::significant(pace, 2)));
    }

    fn count(&mut self, counts: Counts, length: u64) {
        if self.counts == Some(counts) {
            return;
        }
        self.counts = Some(counts);
        self.bar.set_length(length);
        let template = match counts {
            Counts::Load => "  statics  [{bar:20}] {percent} % of the load, {msg}",
            Counts::Samples => "  path     [{bar:20}] {pos} of {len} samples, {msg}",
            Counts::Points => "  path     {pos} points, {msg}",
            Counts::Time => "  motion   [{bar:20}] {percent} %   {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("#> "));
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn part(of_one: f64) -> u64 {
    (PARTS as f64 * of_one.clamp(0.0, 1.0)) as u64
}
