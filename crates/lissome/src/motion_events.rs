//! What happens in a motion between two outputs: joints that reach their limits.

use lissome_mech::System;
use lissome_model::Scene;
use lissome_solve::dynamics::Motion;
use lissome_solve::{MotionEvent, MotionEventKind};

/// A coordinate nearer to its limit than this part of the range between its limits is at it.
const AT_LIMIT: f64 = 1e-6;

/// Compares the coordinates of limited joints from step to step.
pub(crate) struct LimitWatch<'a> {
    scene: &'a Scene,
    system: &'a System,
    /// Joints with limits.
    joints: Vec<usize>,
    time: f64,
    values: Vec<Vec<f64>>,
}

impl<'a> LimitWatch<'a> {
    /// Watches from a state on.
    pub(crate) fn new(scene: &'a Scene, system: &'a System, motion: &Motion) -> Self {
        let limited = |index: &usize| scene.joints[*index].limits.iter().any(Option::is_some);
        let joints: Vec<usize> = (0..scene.joints.len()).filter(limited).collect();
        let values = joints.iter().map(|joint| system.joint_values(*joint, &motion.state)).collect();
        Self { scene, system, joints, time: motion.time, values }
    }

    /// The events of the step that led here.
    pub(crate) fn after_step(&mut self, motion: &Motion) -> Vec<MotionEvent> {
        let step = motion.time - self.time;
        let mut events = Vec::new();
        for (joint, before) in self.joints.iter().zip(&mut self.values) {
            let model = &self.scene.joints[*joint];
            let now = self.system.joint_values(*joint, &motion.state);
            for ((before, now), limits) in before.iter().zip(&now).zip(&model.limits) {
                let Some(limits) = limits else { continue };
                if is_at(*now, *limits) && !is_at(*before, *limits) {
                    events.push(MotionEvent {
                        time: motion.time,
                        kind: MotionEventKind::Limit,
                        part: format!("joint.{}", model.name),
                        value: (now - before).abs() / step,
                    });
                }
            }
            *before = now;
        }
        self.time = motion.time;
        events
    }
}

fn is_at(value: f64, (low, high): (f64, f64)) -> bool {
    let near = AT_LIMIT * (high - low);
    value <= low + near || value >= high - near
}
