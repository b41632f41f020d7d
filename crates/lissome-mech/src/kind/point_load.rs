//! A wrench on one slot: loads at a section, on a frame, and the weight of bodies.

use crate::attach::Attach;
use crate::contribution::{Account, At, Force, half_bracket};
use crate::index::{Node, Slot};
use crate::inputs::Input;
use crate::load::SectionLoad;
use crate::sink::BlockSink;
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Wrench};
use lissome_model::{Frame, FrameLoadKind, LoadFrame, LoadKind};
use nalgebra::Vector3;

/// A wrench on one slot.
#[derive(Clone, Copy, Debug)]
pub struct PointLoad {
    /// The slot.
    pub slot: Slot,
    /// What acts there.
    pub load: SectionLoad,
    /// Which input scales it.
    pub scaled_by: Input,
}

impl Force for PointLoad {
    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        visit(self.slot.node(), self.slot.node());
    }

    fn exert(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink) {
        let load = self.load.evaluate(&at.state.pose(self.slot).rotation, at.inputs.acting(self.scaled_by));
        let force: DualVector = load.wrench.into();
        let node = self.slot.node();
        forces[node] += force;
        if sink.is_wanted() {
            sink.add_general(node, node, &(half_bracket(&force) - load.tangent));
        }
    }

    fn potential(&self, at: &At<'_>) -> f64 {
        -at.inputs.acting(self.scaled_by) * self.load.dead.force.dot(&at.state.pose(self.slot).position)
    }

    fn potential_from(&self, from: &At<'_>, at: &At<'_>) -> f64 {
        let (start, pose) = (from.state.pose(self.slot), at.state.pose(self.slot));
        let wrench = self.load.wrench(&start.rotation, from.inputs.acting(self.scaled_by));
        let mut potential = -start.rotation.rotate(&wrench.force).dot(&pose.position);
        if wrench.moment != Vector3::zeros() {
            potential -= wrench.moment.dot(&(start.rotation.inverse() * pose.rotation).log());
        }
        potential
    }

    fn is_conservative(&self) -> bool {
        self.load.is_conservative()
    }

    fn account(&self) -> Account {
        if self.scaled_by == Input::Gravity { Account::Gravity } else { Account::Applied }
    }

    fn input_rate(&self, at: &At<'_>, input: Input, forces: &mut [DualVector]) {
        let rate = at.inputs.acting_rate(self.scaled_by, input);
        if rate != 0.0 {
            let load = self.load.evaluate(&at.state.pose(self.slot).rotation, rate);
            forces[self.slot.node()] += DualVector::from(load.wrench);
        }
    }
}

impl PointLoad {
    /// The loads at sections and on frames, and the weights of the bodies.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let mut loads = Vec::new();
        for (index, load) in scene.loads.iter().enumerate() {
            if let LoadKind::Point { at, wrench } = load.kind {
                let slot = places.rod_slot(load.rod, at);
                let load = SectionLoad::on(load.frame, wrench);
                loads.push(Self { slot, load, scaled_by: Input::Load(index) });
            }
        }
        for (index, load) in scene.frame_loads.iter().enumerate() {
            if let FrameLoadKind::Wrench { axes, wrench } = load.kind {
                let slot = places.slot(&load.on);
                let load = SectionLoad::on(axes, wrench);
                loads.push(Self { slot, load, scaled_by: Input::FrameLoad(index) });
            }
        }
        for (index, body) in scene.bodies.iter().enumerate() {
            let weight = scene.gravity * body.inertia.mass;
            if weight != Vector3::zeros() {
                let slot = places.slot(&Frame::body(index).at(Pose::at(body.inertia.centre)));
                let load = SectionLoad::on(LoadFrame::World, Wrench::new(Vector3::zeros(), weight));
                loads.push(Self { slot, load, scaled_by: Input::Gravity });
            }
        }
        loads
    }
}
