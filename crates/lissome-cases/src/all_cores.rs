//! Independent tasks on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What `task` makes of 0 to `count`, in this order. Whoever is free takes the next one.
pub fn map<T: Send>(count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, task(index)));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<(usize, T)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a task does not panic")).collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_order() {
        assert_eq!(super::map(100, |k| k * k), (0..100).map(|k| k * k).collect::<Vec<_>>());
        assert!(super::map(0, |k| k).is_empty());
    }
}
