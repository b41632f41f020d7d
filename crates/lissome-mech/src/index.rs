//! Typed indices, so that the number of a pose is never taken for that of a row.
//!
//! | type | counts |
//! |---|---|
//! | [`Slot`] | poses of a state: control poses, bodies, joints, places that something is attached to |
//! | [`Node`] | what contributions write to: every slot (same number), then stresses, joints, multipliers, gaps |
//! | [`Group`] | rows that are solved for together; those whose step is prescribed come last |
//! | [`Block`] | six numbers of the linear part of a state |
//! | [`RodIndex`], [`JointIndex`] | compiled rods and joints |
//!
//! A slice or a vector is indexed by them directly.

use std::ops::{Index, IndexMut};

macro_rules! index_types {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The index as a plain number counts from 0.
            #[inline(always)]
            pub fn new(index: usize) -> Self {
                debug_assert!(index <= u32::MAX as usize);
                Self(index as u32)
            }

            /// As a plain number.
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The one `by` places later.
            #[inline(always)]
            pub fn after(self, by: usize) -> Self {
                Self::new(self.index() + by)
            }

            /// The first `count` of them.
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
                (0..count).map(Self::new)
            }
        }

        impl<T> Index<$name> for [T] {
            type Output = T;
            #[inline(always)]
            fn index(&self, at: $name) -> &T {
                &self[at.index()]
            }
        }

        impl<T> IndexMut<$name> for [T] {
            #[inline(always)]
            fn index_mut(&mut self, at: $name) -> &mut T {
                &mut self[at.index()]
            }
        }

        impl<T> Index<$name> for Vec<T> {
            type Output = T;
            #[inline(always)]
            fn index(&self, at: $name) -> &T {
                &self.as_slice()[at.index()]
            }
        }

        impl<T> IndexMut<$name> for Vec<T> {
            #[inline(always)]
            fn index_mut(&mut self, at: $name) -> &mut T {
                &mut self.as_mut_slice()[at.index()]
            }
        }
    )*};
}

index_types! {
    /// A pose of a state.
    Slot,
    /// What contributions write to.
    Node,
    /// Rows that are solved for together.
    Group,
    /// Six numbers of the linear part of a state.
    Block,
    /// A compiled rod.
    RodIndex,
    /// A compiled joint: one subgroup of SE(3).
    JointIndex,
}

impl Slot {
    /// The node of this pose: slots are the first nodes.
    #[inline(always)]
    pub fn node(self) -> Node {
        Node(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_and_vectors_take_typed_indices() {
        let mut list = vec![1, 2, 3];
        list[Slot::new(1)] = 5;
        assert_eq!(list[Node::new(1)], 5);
        assert_eq!(list.as_slice()[Block::new(0).after(2)], 3);
        assert_eq!(Group::first(3).map(Group::index).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(Slot::new(7).node(), Node::new(7));
    }
}
