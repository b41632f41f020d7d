//! A query allocates nothing.
#![allow(clippy::unwrap_used, unsafe_code)]

mod support;

use lissome_geometry::*;
use nalgebra::{Vector2, Vector3};
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use support::*;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands every request on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { Heap.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { Heap.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn queries_allocate_nothing() {
    let mesh = star();
    let field = UnderGraph(HeightField::new(Vector2::zeros(), Vector2::repeat(0.5), 3, vec![0.1; 9]).unwrap());
    let tube = Tube { curve: Helix::default(), radius: 0.1 };
    let bore = Bore { curve: Helix::default(), radius: 0.1 };
    let other = Helix { radius: 0.4, ..Helix::default() };
    let boxes: Vec<Bounds> = (0..30).map(|i| Bounds::around([Vector3::repeat(f64::from(i))]).grown(0.7)).collect();
    let (mut found, mut sweep, mut random) = (Vec::with_capacity(1000), broad::Sweep::default(), Random(1));
    let mut all = || {
        let x = random.vector(1.0);
        let sum = mesh.nearest(&x).distance + field.nearest(&x).distance + tube.nearest(&x).distance;
        let gap = bore.gap(&x).map_or(0.0, |gap| gap.distance);
        found.clear();
        closest_pairs(&tube.curve, &other, 0.3, &mut found);
        closest_pairs_with_itself(&other, 3.0, 0.6, &mut found);
        let mut meeting = 0;
        sweep.pairs(&boxes, |_, _| meeting += 1);
        assert!(sum.is_finite() && gap.is_finite() && meeting == 29);
    };
    // The first may still size what depends on the number of boxes.
    all();
    let before = ALLOCATIONS.with(Cell::get);
    for _ in 0..50 {
        all();
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
}
