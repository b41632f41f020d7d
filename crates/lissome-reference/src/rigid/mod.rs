//! Rigid bodies with one degree of freedom: linkages, a pendulum between stops, a mass on a spring.
//!
//! Written in a minimal coordinate, so that there is no constraint to drift from and no multiplier to solve for.
//!
//! | problem | module | method |
//! |---|---|---|
//! | four-bar and slider-crank, free or driven | [`linkage`] | Lagrange's equation of the crank angle, integrated to 1e-13 |
//! | pendulum that bounces off stops | [`bounce`] | the pendulum's equation, impacts located to the last bits; elliptic integrals |
//! | mass on a spring with a damper | [`oscillator`] | closed form |

pub mod bounce;
pub mod linkage;
pub mod oscillator;
