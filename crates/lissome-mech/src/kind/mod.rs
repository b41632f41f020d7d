//! The kinds of contribution, one file each. They do not import each other; the list of them is in `kinds`.

pub mod cable;
pub mod closure;
pub mod joint_effort;
pub mod joint_limit;
pub mod joint_spring;
pub mod point_load;
