//! What is touched: the surface of something, or whichever other rods are near.
//!
//! The partners of a point of a rod change as rods move. Which one it has is a memory of the state, so that within one
//! iteration nothing jumps; [`crate::System::meet`] looks them up again.

use super::edges::Edges;
use super::hollow::Hollow;
use super::lie::Across;
use super::roughness::Roughness;
use super::skin::Skin;
use super::surface::Surface;
use crate::index::{Block, Slot};
use crate::state::State;
use lissome_geometry::Ridge;
use lissome_model::Toucher;
use nalgebra::Vector6;
use std::sync::Arc;

/// What is touched.
#[derive(Clone, Debug)]
pub enum Ground {
    /// The surface of what a slot carries.
    Surface {
        /// Whose it is.
        of: Toucher,
        /// The slot.
        frame: Slot,
        /// The surface, in axes of the slot.
        surface: Arc<Surface>,
        /// Of a stretch of a rod that may lie across it.
        across: Option<Across>,
    },
    /// One of several rods.
    Rods {
        /// The rod that touches.
        own: Arc<Skin>,
        /// Those that it may touch.
        near: Arc<[Neighbour]>,
        /// Where the memory of the present partner is.
        memory: Block,
    },
    /// Edges, rims and axes of what a slot carries.
    Ridges(Ridges),
    /// Straight edges of what a slot carries, which a rod may lie across.
    Edges(Edges),
}

/// Ridges of one solid that may be crossed, of which no two are met at the same time.
#[derive(Clone, Debug)]
pub struct Ridges {
    /// Whose they are.
    pub of: Toucher,
    /// What carries them.
    pub slot: Slot,
    /// The ridges, in axes of the slot.
    pub list: Arc<[Ridge]>,
    /// Which of the two places where a line comes over a rim.
    pub root: usize,
    /// How deep the thinner one of both solids is, m.
    pub depth: f64,
    /// Where the memory of the pieces of material is that slip counts from.
    pub memory: Block,
}

/// A rod that may be touched.
#[derive(Clone, Debug)]
pub struct Neighbour {
    /// The rod.
    pub skin: Arc<Skin>,
    /// Friction by the places of both, that of the rod that touches first.
    pub friction: Roughness,
    /// Least distance along the rod between two places that may touch, m, where it is the same rod.
    pub apart: Option<f64>,
    /// Where one of the two runs in the other: which has the bore.
    pub hollow: Option<Hollow>,
}

/// The partner that a point has at present.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partner {
    /// Number in the list of neighbours.
    pub which: usize,
    /// True if the two run side by side there, so that every span has a point of its own; false if they cross, at one place
    /// that may slide along both.
    pub alongside: bool,
    /// Places that slip counts from, on the rod of the point and on the other one, m.
    pub anchors: [f64; 2],
    /// Places on both around which the nearest ones are looked for, m.
    pub windows: [f64; 2],
    /// Distance within which partners were looked for, m.
    pub reach: f64,
}

impl Partner {
    /// Reads a memory; `None` if there is no partner.
    pub fn read(memory: &Vector6<f64>) -> Option<Self> {
        let code = memory[0] as i64;
        let which = usize::try_from(code.abs() - 1).ok()?;
        let [own, other, at_own, at_other, reach] = [1, 2, 3, 4, 5].map(|k| memory[k]);
        Some(Self { which, alongside: code < 0, anchors: [own, other], windows: [at_own, at_other], reach })
    }

    /// As it is remembered.
    pub fn memory(&self) -> Vector6<f64> {
        let code = (self.which + 1) as f64 * if self.alongside { -1.0 } else { 1.0 };
        let ([own, other], [at_own, at_other]) = (self.anchors, self.windows);
        Vector6::new(code, own, other, at_own, at_other, self.reach)
    }

    /// The memory of a point without a partner.
    pub fn nobody(reach: f64) -> Vector6<f64> {
        Vector6::ith(5, reach)
    }

    /// Distance within which partners were looked for, of a memory with or without one, m.
    pub fn reach(memory: &Vector6<f64>) -> f64 {
        memory[5]
    }
}

impl Ground {
    /// The edges that a rod may lie across.
    pub fn edges(&self) -> Option<&Edges> {
        match self {
            Self::Edges(edges) => Some(edges),
            Self::Surface { .. } | Self::Rods { .. } | Self::Ridges(_) => None,
        }
    }

    /// The present partner among rods.
    pub fn partner(&self, state: &State) -> Option<(Partner, &Neighbour)> {
        let Self::Rods { near, memory, .. } = self else { return None };
        let partner = Partner::read(state.block(*memory))?;
        Some((partner, near.get(partner.which)?))
    }

    /// Where it is remembered how it is met.
    pub fn memory(&self) -> Option<Block> {
        match self {
            Self::Surface { across, .. } => across.as_ref().map(|across| across.memory),
            Self::Rods { memory, .. } | Self::Ridges(Ridges { memory, .. }) | Self::Edges(Edges { memory, .. }) => {
                Some(*memory)
            }
        }
    }

    /// Everything that may be touched.
    pub fn each_touched(&self, mut visit: impl FnMut(Toucher)) {
        match self {
            Self::Surface { of, .. } | Self::Ridges(Ridges { of, .. }) | Self::Edges(Edges { of, .. }) => visit(*of),
            Self::Rods { near, .. } => near.iter().for_each(|near| visit(Toucher::Rod(near.skin.index))),
        }
    }

    /// True if it is known that the same may be touched.
    pub fn touches_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Surface { of, .. } | Self::Ridges(Ridges { of, .. }) | Self::Edges(Edges { of, .. }),
                Self::Surface { of: other, .. }
                | Self::Ridges(Ridges { of: other, .. })
                | Self::Edges(Edges { of: other, .. }),
            ) => of == other,
            (Self::Rods { near, .. }, Self::Rods { near: other, .. }) => Arc::ptr_eq(near, other),
            _ => false,
        }
    }
}

impl Neighbour {
    /// Distance of the touching surface from the axis of the rod that touches, m, negative where that is a bore; and whether one of the two
    /// is in the other.
    pub fn touching_radius(&self, own: &Skin, s: f64) -> (f64, bool) {
        match self.hollow {
            Some(hollow) => (hollow.radius(own, s), true),
            None => (own.radius(s), false),
        }
    }

    /// Where the nearest places of two rods are looked for, m: of rods that cross around where they did last, of others on a
    /// cell of the touching one. Two places of one rod stay apart.
    pub fn ranges(&self, own: &Skin, alongside: bool, cell: &[f64; 2], windows: &[f64; 2]) -> [[f64; 2]; 2] {
        let first = if alongside { *cell } else { own.window(windows[0]) };
        let [mut low, mut high] = self.skin.window(windows[1]);
        if let Some(apart) = self.apart {
            if windows[1] > windows[0] {
                low = low.max(windows[0].max(cell[1]) + apart).min(high);
            } else {
                high = high.min(windows[0].min(cell[0]) - apart).max(low);
            }
        }
        [first, [low, high]]
    }
}
