//! How the parts of a scene hang together: who carries whom, in an order in which carriers come first.

use crate::invalid::{Invalid, Problem};
use crate::{Frame, FrameOf, Mount, Scene};

/// A part that is carried by something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A rod, by index.
    Rod(usize),
    /// A body.
    Body(usize),
    /// A joint.
    Joint(usize),
}

impl Item {
    /// Its dotted path, such as `body.platform`.
    pub fn path(self, scene: &Scene) -> String {
        match self {
            Self::Rod(i) => scene.rods[i].path(),
            Self::Body(i) => format!("body.{}", scene.bodies[i].name),
            Self::Joint(i) => format!("joint.{}", scene.joints[i].name),
        }
    }

    /// The part that a frame belongs to; `None` for the world.
    pub fn of(frame: &Frame) -> Option<Self> {
        match frame.of {
            FrameOf::World => None,
            FrameOf::Body(body) => Some(Self::Body(body)),
            FrameOf::Joint(joint) => Some(Self::Joint(joint)),
            FrameOf::Rod { rod, .. } => Some(Self::Rod(rod)),
        }
    }
}

impl Scene {
    /// The frame that carries a part: a rod stands on its base, or hangs on its tip if only that is held.
    pub fn carrier(&self, item: Item) -> Option<Frame> {
        match item {
            Item::Rod(i) => self.rods[i].base.or(self.rods[i].tip),
            Item::Body(i) => match self.bodies[i].mount {
                Mount::On(frame) => Some(frame),
                Mount::Free(_) => None,
            },
            Item::Joint(i) => Some(self.joints[i].parent),
        }
    }

    /// Every part, carriers before what they carry; an error names a circle.
    pub fn assembly_order(&self) -> Result<Vec<Item>, Invalid> {
        let items: Vec<Item> = (0..self.bodies.len())
            .map(Item::Body)
            .chain((0..self.joints.len()).map(Item::Joint))
            .chain((0..self.rods.len()).map(Item::Rod))
            .collect();
        let (bodies, joints) = (self.bodies.len(), self.joints.len());
        let number = |item: Item| match item {
            Item::Body(i) => i,
            Item::Joint(i) => bodies + i,
            Item::Rod(i) => bodies + joints + i,
        };
        let mut order: Vec<Item> = Vec::with_capacity(items.len());
        let (mut placed, mut on_chain) = (vec![false; items.len()], vec![false; items.len()]);
        for item in items {
            if placed[number(item)] {
                continue;
            }
            // Walk to the root; whatever is not placed yet on the way is placed from the root down.
            let mut chain = vec![item];
            on_chain[number(item)] = true;
            while let Some(carrier) = self.carrier(chain[chain.len() - 1]).and_then(|frame| Item::of(&frame)) {
                if placed[number(carrier)] {
                    break;
                }
                if std::mem::replace(&mut on_chain[number(carrier)], true) {
                    let start = chain.iter().position(|item| *item == carrier).unwrap_or(0);
                    let circle = chain[start..].iter().chain([&carrier]).map(|item| item.path(self)).collect();
                    return Err(Invalid::new(carrier.path(self), Problem::Circle { chain: circle }));
                }
                chain.push(carrier);
            }
            while let Some(item) = chain.pop() {
                placed[number(item)] = true;
                order.push(item);
            }
        }
        Ok(order)
    }

    /// Every frame that something is attached to.
    pub(crate) fn attachments(&self) -> impl Iterator<Item = &Frame> + '_ {
        let mounts = self.bodies.iter().filter_map(|body| match &body.mount {
            Mount::On(frame) => Some(frame),
            Mount::Free(_) => None,
        });
        mounts
            .chain(self.joints.iter().map(|joint| &joint.parent))
            .chain(self.rods.iter().flat_map(|rod| [&rod.base, &rod.tip]).flatten())
            .chain(self.closures.iter().flat_map(|closure| [&closure.a, &closure.b]))
            .chain(self.cables.iter().flat_map(|cable| &cable.points))
            .chain(self.springs.iter().flat_map(|spring| [&spring.a, &spring.b]))
            .chain(self.obstacles.iter().map(|obstacle| &obstacle.frame))
            .chain(self.frame_loads.iter().map(|load| &load.on))
    }

    /// Interior arc lengths at which something is attached to a rod, or a tendon begins, kinks or ends, so that stress or
    /// strain may jump there.
    pub fn stations(&self, rod: usize) -> Vec<f64> {
        let runs = self.tendons.iter().flat_map(|tendon| &tendon.runs).filter(|run| run.rod == rod);
        self.attachments()
            .filter_map(|frame| match frame.of {
                FrameOf::Rod { rod: on, s } if on == rod => Some(s),
                _ => None,
            })
            .chain(runs.flat_map(|run| run.breaks()))
            .collect()
    }

    /// The same of every rod, in one walk over the scene.
    pub fn stations_by_rod(&self) -> Vec<Vec<f64>> {
        let mut stations = vec![Vec::new(); self.rods.len()];
        for frame in self.attachments() {
            if let FrameOf::Rod { rod, s } = frame.of {
                stations[rod].push(s);
            }
        }
        for run in self.tendons.iter().flat_map(|tendon| &tendon.runs) {
            stations[run.rod].extend(run.breaks());
        }
        stations
    }
}
