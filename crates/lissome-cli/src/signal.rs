//! Which signal asked the program to stop.

use std::sync::atomic::{AtomicU8, Ordering};

/// Number of the signal that asked to stop; 0 while none did.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// Number of Ctrl-C, which is the one that every platform has.
pub const CTRL_C: u8 = 2;

/// Takes note of a signal; true for the first.
pub fn note(signal: u8) -> bool {
    SIGNAL.swap(signal, Ordering::SeqCst) == 0
}

/// True if one came.
pub fn came() -> bool {
    SIGNAL.load(Ordering::SeqCst) != 0
}

/// What the shell is told after an interruption: 128 and the number of the signal.
pub fn exit_number() -> u8 {
    match SIGNAL.load(Ordering::SeqCst) {
        0 => 128 + CTRL_C,
        signal => 128 + signal,
    }
}
