//! The Rust blocks of the documents, as doc tests. A page with a Rust block that is not listed here fails the test of
//! the documents (`lissome-cli/tests/documentation.rs`).

#[doc = include_str!("../../../README.md")]
pub struct Readme;

#[doc = include_str!("../../../docs/tutorials/first-rod.md")]
pub struct FirstRod;

#[doc = include_str!("../../../docs/how-to/trust-an-answer.md")]
pub struct TrustAnAnswer;

#[doc = include_str!("../../../docs/how-to/shape-from-two-poses.md")]
pub struct ShapeFromTwoPoses;
