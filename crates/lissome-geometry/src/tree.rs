//! A tree of boxes over a list of boxes, laid out in one array.

use crate::Bounds;
use nalgebra::Vector3;

/// Boxes in a leaf at most.
const LEAF: usize = 4;
/// Depth at most: halves of a list of 2⁶⁰.
const DEEPEST: usize = 64;

/// A node: the children of a branch are the next node and `other`; a leaf holds items.
#[derive(Clone, Copy, Debug)]
struct TreeNode {
    bounds: Bounds,
    /// First item of a leaf, or the second child of a branch.
    first: u32,
    /// Items of a leaf; zero for a branch.
    count: u32,
}

/// A tree of boxes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    items: Vec<u32>,
}

impl Tree {
    /// Over these boxes, at most 2³¹ of them.
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut tree = Self { nodes: Vec::new(), items: (0..boxes.len() as u32).collect() };
        if !boxes.is_empty() {
            tree.build(boxes, 0, boxes.len());
        }
        tree
    }

    /// A box around everything.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().map_or(Bounds::empty(), |root| root.bounds)
    }

    fn build(&mut self, boxes: &[Bounds], from: usize, to: usize) {
        let own = self.items[from..to].iter().map(|item| boxes[*item as usize]);
        let bounds = own.fold(Bounds::empty(), |sum, next| sum.with(&next));
        let place = self.nodes.len();
        let count = if to - from <= LEAF { (to - from) as u32 } else { 0 };
        self.nodes.push(TreeNode { bounds, first: from as u32, count });
        if count > 0 {
            return;
        }
        // By halves of the list along the longest edge: balanced whatever the boxes are.
        let axis = bounds.size().imax();
        let middle = (from + to) / 2;
        let centre = |item: &u32| boxes[*item as usize].centre()[axis];
        self.items[from..to].select_nth_unstable_by(middle - from, |a, b| centre(a).total_cmp(&centre(b)));
        self.build(boxes, from, middle);
        self.nodes[place].first = self.nodes.len() as u32;
        self.build(boxes, middle, to);
    }

    /// Shows items that may be nearer to a point than the least square of a distance that `measure` has returned so far.
    pub fn nearest(&self, at: &Vector3<f64>, mut measure: impl FnMut(usize) -> f64) {
        let mut least = f64::INFINITY;
        let mut waiting = [(0u32, 0.0f64); DEEPEST];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let (index, bound) = waiting[depth];
            // Equal bounds count: which of two triangles is nearest at a shared corner must not depend on the order.
            if bound > least {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for item in &self.items[node.first as usize..(node.first + node.count) as usize] {
                    least = least.min(measure(*item as usize));
                }
                continue;
            }
            let bound_of = |child: u32| self.nodes[child as usize].bounds.distance_squared(at);
            let children = [(index + 1, bound_of(index + 1)), (node.first, bound_of(node.first))];
            let [near, far] = if children[0].1 <= children[1].1 { children } else { [children[1], children[0]] };
            waiting[depth] = far;
            waiting[depth + 1] = near;
            depth += 2;
        }
    }

    /// Shows every item whose box meets another box.
    pub fn meeting(&self, other: &Bounds, boxes: &[Bounds], mut found: impl FnMut(usize)) {
        let mut waiting = [0u32; DEEPEST];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let index = waiting[depth];
            let node = &self.nodes[index as usize];
            if !node.bounds.meets(other) {
                continue;
            }
            if node.count > 0 {
                let items = &self.items[node.first as usize..(node.first + node.count) as usize];
                items.iter().filter(|item| boxes[**item as usize].meets(other)).for_each(|item| found(*item as usize));
                continue;
            }
            waiting[depth] = node.first;
            waiting[depth + 1] = index + 1;
            depth += 2;
        }
    }
}
