//! What is kept of a motion in memory: its ends, its energy balance, and frames thinned out evenly for pictures.

use lissome_solve::MotionFrame;

/// Frames kept for pictures; twice as many are gathered before every other one is dropped.
const KEPT: usize = 1500;

/// A motion as far as it has been recorded.
#[derive(Clone, Debug, Default)]
pub struct Chronicle {
    /// Some frames, evenly spaced.
    pub frames: Vec<MotionFrame>,
    /// The first frame.
    pub first: Option<MotionFrame>,
    /// The last frame.
    pub last: Option<MotionFrame>,
    /// Number of all frames.
    pub count: usize,
    /// Largest distance of the energy balance from its first value, J.
    pub largest_drift: f64,
    /// Largest kinetic and elastic energy, J.
    pub energy_scale: f64,
    stride: usize,
}

impl Chronicle {
    /// Takes note of a frame.
    pub fn push(&mut self, frame: &MotionFrame) {
        if self.stride == 0 {
            self.stride = 1;
        }
        let first = self.first.get_or_insert_with(|| frame.clone());
        let drift = (frame.energy.balance() - first.energy.balance()).abs();
        self.largest_drift = self.largest_drift.max(drift);
        self.energy_scale = self.energy_scale.max(frame.energy.kinetic + frame.energy.elastic);
        if self.count.is_multiple_of(self.stride) {
            self.frames.push(frame.clone());
            if self.frames.len() >= 2 * KEPT {
                let mut index = 0;
                self.frames.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
        }
        self.count += 1;
        self.last = Some(frame.clone());
    }

    /// Largest drift of the energy balance relative to the largest kinetic and elastic energy.
    pub fn relative_drift(&self) -> f64 {
        if self.energy_scale > 0.0 { self.largest_drift / self.energy_scale } else { self.largest_drift }
    }
}
