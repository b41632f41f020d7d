//! The number of threads does not change a bit.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_shape::{Ends, Method, Options, Search, equilibria, solve, solve_batch};
use rods::{Random, TestRod, reachable_tip};

#[test]
fn a_batch_is_the_same_on_any_number_of_threads() {
    let rod = TestRod::round().rod;
    let mut random = Random(3);
    let ends: Vec<Ends> = (0..60).map(|_| Ends::relative(reachable_tip(&mut random, 0.6)).unwrap()).collect();
    for method in [Method::PRINTED, Method::QUINTIC, Method::Exact] {
        let options = Options::with(method);
        let bits = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let answers = pool.install(|| solve_batch(&rod, &ends, &options));
            answers.iter().map(|a| a.as_ref().map(|s| s.energy.to_bits()).map_err(Clone::clone)).collect::<Vec<_>>()
        };
        let one = bits(1);
        assert_eq!(one, bits(2));
        assert_eq!(one, bits(5));
        let alone: Vec<_> = ends.iter().map(|e| solve(&rod, e, &options).map(|s| s.energy.to_bits())).collect();
        assert_eq!(one, alone);
    }
}

#[test]
fn a_search_is_the_same_on_any_number_of_threads() {
    let rod = TestRod::round().rod;
    let ends = Ends::relative(reachable_tip(&mut Random(5), 0.6)).unwrap();
    let search = Search { twists: 0, ..Search::default() };
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| equilibria(&rod, &ends, &search)).unwrap();
        found.iter().map(|f| f.shape.energy.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(4));
}
