//! Broad phase: which boxes of a list meet, by sweeping along one axis.

use crate::Bounds;

/// Memory of a sweep, kept between calls: boxes that hardly move are sorted already.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<usize>,
    axis: usize,
    open: Vec<usize>,
}

impl Sweep {
    /// Shows every pair of boxes that meet, the smaller number first. Allocates only where the list has grown.
    pub fn pairs(&mut self, boxes: &[Bounds], mut found: impl FnMut(usize, usize)) {
        if self.order.len() != boxes.len() {
            self.order.clear();
            self.axis = usize::MAX;
            self.order.extend(0..boxes.len());
        }
        let axis = widest_axis(boxes);
        if axis != self.axis {
            // Another order altogether.
            self.axis = axis;
            self.order.sort_unstable_by(|a, b| boxes[*a].low[axis].total_cmp(&boxes[*b].low[axis]).then(a.cmp(b)));
        }
        // Insertion: linear for a list that is nearly in order.
        for k in 1..self.order.len() {
            let mut place = k;
            while place > 0 && starts_later(boxes, axis, self.order[place - 1], self.order[place]) {
                self.order.swap(place - 1, place);
                place -= 1;
            }
        }
        self.open.clear();
        for &next in &self.order {
            let low = boxes[next].low[axis];
            self.open.retain(|earlier| boxes[*earlier].high[axis] >= low);
            for &earlier in self.open.iter().filter(|earlier| boxes[**earlier].meets(&boxes[next])) {
                found(earlier.min(next), earlier.max(next));
            }
            self.open.push(next);
        }
    }
}

fn starts_later(boxes: &[Bounds], axis: usize, a: usize, b: usize) -> bool {
    let (first, second) = (boxes[a].low[axis], boxes[b].low[axis]);
    first > second || (first == second && a > b)
}

/// The axis along which finite boxes are spread most.
fn widest_axis(boxes: &[Bounds]) -> usize {
    let finite = boxes.iter().filter(|own| own.low.iter().chain(own.high.iter()).all(|x| x.is_finite()));
    let all = Bounds::around(finite.map(Bounds::centre));
    let size = all.size();
    (0..3).fold(0, |widest, axis| if size[axis] > size[widest] { axis } else { widest })
}
