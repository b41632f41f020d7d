//! A picture with the name of its file.

use super::svg::Svg;

/// A picture and the name of its file.
#[derive(Clone, Debug)]
pub struct Picture {
    /// File name without ending.
    pub name: String,
    /// The drawing.
    pub svg: Svg,
}
