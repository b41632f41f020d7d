//! Motions of flexible rods whose answer is known: the spin-up manoeuvre, and what momentum says of rods in free flight.
//!
//! | problem | module | method |
//! |---|---|---|
//! | arm that is spun up about its root | [`spin_up`] | inextensible rod in Legendre polynomials; closed form of the steady stretch |
//! | flying spaghetti, right-angle cantilever | [`free_flight`] | parameters; momenta and centre of mass by impulse |
//! | the same | [`beam_chain`] | chains of rigid sections with springs between them, extrapolated |

pub mod beam_chain;
pub mod free_flight;
pub(crate) mod legendre;
pub mod spin_up;
