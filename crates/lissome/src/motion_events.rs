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
    /// Their coordinates at that time.
    values: Vec<Vec<f64>>,
    /// Mean speeds of the coordinates over the step before; none before the first.
    speeds: Option<Vec<Vec<f64>>>,
}

impl<'a> LimitWatch<'a> {
    /// Watches from a state on.
    pub(crate) fn new(scene: &'a Scene, system: &'a System, motion: &Motion) -> Self {
        let limited = |index: &usize| scene.joints[*index].limits.iter().any(Option::is_some);
        let joints: Vec<usize> = (0..scene.joints.len()).filter(limited).collect();
        let values = joints.iter().map(|joint| system.joint_values(*joint, &motion.state)).collect();
        Self { scene, system, joints, time: motion.time, values, speeds: None }
    }

    /// The events of the step that led here. The step that ends at a stop is cut short by it, so the speed of the impact
    /// is that of the step before.
    pub(crate) fn after_step(&mut self, motion: &Motion) -> Vec<MotionEvent> {
        let step = motion.time - self.time;
        let mut events = Vec::new();
        let (mut values, mut speeds) = (Vec::new(), Vec::new());
        for (index, joint) in self.joints.iter().enumerate() {
            let (model, before) = (&self.scene.joints[*joint], &self.values[index]);
            let now = self.system.joint_values(*joint, &motion.state);
            let speed: Vec<f64> = now.iter().zip(before).map(|(now, before)| (now - before).abs() / step).collect();
            for (i, limits) in model.limits.iter().enumerate() {
                let Some(limits) = limits else { continue };
                if is_at(now[i], *limits) && !is_at(before[i], *limits) {
                    let earlier = self.speeds.as_ref().map_or(speed[i], |speeds| speeds[index][i]);
                    let (time, kind) = (motion.time, MotionEventKind::Limit);
                    events.push(MotionEvent { time, kind, part: format!("joint.{}", model.name), value: earlier });
                }
            }
            values.push(now);
            speeds.push(speed);
        }
        (self.time, self.values, self.speeds) = (motion.time, values, Some(speeds));
        events
    }
}

fn is_at(value: f64, (low, high): (f64, f64)) -> bool {
    let near = AT_LIMIT * (high - low);
    value <= low + near || value >= high - near
}
