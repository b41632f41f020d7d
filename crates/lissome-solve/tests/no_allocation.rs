//! A step allocates nothing.
#![allow(clippy::unwrap_used, unsafe_code)]

mod motion_scenes;

use lissome_mech::System;
use lissome_solve::dynamics::{Counts, Motion, Scheme};
use motion_scenes::*;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

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
fn a_step_allocates_nothing() {
    let mut scene = table5(10.0, 5);
    scene.gravity = nalgebra::Vector3::new(0.0, 0.0, -9.81);
    let system = System::compile(&scene).unwrap();
    let start = equilibrium(&system);
    for scheme in [Scheme::default(), Scheme::Conserving, Scheme::Symplectic, Scheme::ImplicitEuler, Scheme::TrBdf2] {
        let mut motion = Motion::at_rest(&system, start.clone());
        let mut integrator = released(&system, scheme);
        motion.kept_energy = Some(integrator.energies(&motion).energy());
        let mut step = || {
            let mut counts = Counts::default();
            let report = integrator.attempt(&motion, 0.002, &mut counts).unwrap();
            integrator.take(&mut motion, 0.002, &report);
        };
        // The first step may still size what depends on the motion.
        step();
        step();
        let before = ALLOCATIONS.with(Cell::get);
        for _ in 0..50 {
            step();
        }
        let allocated = ALLOCATIONS.with(Cell::get) - before;
        assert_eq!(allocated, 0, "{scheme:?}");
    }
}
