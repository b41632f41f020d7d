//! Triangle meshes from STL (text and binary) and OBJ files.
//!
//! A file is read whole, with a limit, and believed in nothing: counts are checked against its length, numbers against
//! what a number is, corners against those that there are. STL names no corners, only positions; corners at the same
//! position are made one, bit for bit, since neighbouring triangles of a sound file repeat them exactly. What is left must
//! be closed and face outward ([`Mesh::new`]).

use crate::fault::Fault;
use crate::files::read_limited;
use lissome_geometry::{Mesh, MeshFault};
use nalgebra::Vector3;
use std::collections::HashMap;
use std::path::Path;

/// Largest mesh file that is read, bytes: five million triangles in binary.
pub const MESH_LIMIT: u64 = 256 << 20;
/// Header of a binary STL file, its count, and a triangle of it, bytes.
const HEADER: usize = 80;
const START: usize = HEADER + 4;
const TRIANGLE: usize = 50;
/// Corners of a polygon at most.
const MOST_SIDES: usize = 1000;

/// What a mesh file may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Stereolithography, text or binary.
    Stl,
    /// Wavefront.
    Obj,
}

/// What is wrong with a mesh file: where, counted in lines from one, and why.
#[derive(Clone, Debug, PartialEq)]
struct Complaint {
    line: Option<usize>,
    reason: String,
}

impl Complaint {
    fn whole(reason: impl Into<String>) -> Self {
        Self { line: None, reason: reason.into() }
    }
    fn at(line: usize, reason: impl Into<String>) -> Self {
        Self { line: Some(line), reason: reason.into() }
    }
}

/// Reads a mesh; the name ends with `.stl` or `.obj`. Lengths are multiplied by `scale`, metres for a unit of the file.
pub fn read_mesh(path: &Path, scale: f64) -> Result<Mesh, Fault> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let bad = |complaint: Complaint| Fault::BadMesh {
        path: path.display().to_string(),
        line: complaint.line,
        reason: complaint.reason,
    };
    let format = match ending.as_str() {
        "stl" => MeshFormat::Stl,
        "obj" => MeshFormat::Obj,
        _ => return Err(bad(Complaint::whole("its name ends neither with .stl nor with .obj"))),
    };
    let bytes = read_limited(path, MESH_LIMIT)?;
    parse(&bytes, format, scale).map_err(bad)
}

fn parse(bytes: &[u8], format: MeshFormat, scale: f64) -> Result<Mesh, Complaint> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(Complaint::whole("its unit must be a positive length"));
    }
    let (mut corners, triangles) = match format {
        MeshFormat::Stl => parse_stl(bytes)?,
        MeshFormat::Obj => parse_obj(text(bytes)?)?,
    };
    corners.iter_mut().for_each(|corner| *corner *= scale);
    Mesh::new(corners, triangles).map_err(|fault| Complaint::whole(told(&fault)))
}

/// A fault of a mesh with what to do about it.
fn told(fault: &MeshFault) -> String {
    let remedy = match fault {
        MeshFault::Open { .. } | MeshFault::Twisted { .. } => "; close the surface and unify its normals",
        MeshFault::Degenerate { .. } => "; remove triangles without area",
        _ => "",
    };
    format!("{fault}{remedy}")
}

type Triangles = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// Corners by their positions.
#[derive(Default)]
struct Corners {
    points: Vec<Vector3<f64>>,
    numbers: HashMap<[u64; 3], u32>,
}

impl Corners {
    fn number(&mut self, point: [f64; 3]) -> u32 {
        // Minus zero is zero.
        let point = point.map(|x| x + 0.0);
        let next = self.points.len() as u32;
        *self.numbers.entry(point.map(f64::to_bits)).or_insert_with(|| {
            self.points.push(Vector3::from(point));
            next
        })
    }
}

fn parse_stl(bytes: &[u8]) -> Result<Triangles, Complaint> {
    // Binary files may begin with `solid` too: the count decides.
    let count = bytes.get(HEADER..START).and_then(|count| <[u8; 4]>::try_from(count).ok()).map(u32::from_le_bytes);
    let fits = |count: u32| bytes.len() as u64 == START as u64 + u64::from(count) * TRIANGLE as u64;
    match count {
        Some(count) if fits(count) => Ok(parse_binary_stl(&bytes[START..])),
        _ if bytes.trim_ascii_start().starts_with(b"solid") => parse_text_stl(text(bytes)?),
        Some(count) => Err(Complaint::whole(format!(
            "it announces {count} triangles, which take {} bytes, and has {}",
            START as u64 + u64::from(count) * TRIANGLE as u64,
            bytes.len()
        ))),
        None => Err(Complaint::whole("it is too short for an STL file")),
    }
}

fn parse_binary_stl(triangles: &[u8]) -> Triangles {
    let mut corners = Corners::default();
    let number = |bytes: &[u8]| bytes.first_chunk::<4>().map_or(f64::NAN, |four| f64::from(f32::from_le_bytes(*four)));
    let found = triangles.chunks_exact(TRIANGLE).map(|triangle| {
        // The normal comes first and is not needed: the order of the corners says it.
        std::array::from_fn(|k| {
            let at = 12 + 12 * k;
            corners.number(std::array::from_fn(|i| number(&triangle[at + 4 * i..])))
        })
    });
    let found: Vec<[u32; 3]> = found.collect();
    (corners.points, found)
}

fn parse_text_stl(text: &str) -> Result<Triangles, Complaint> {
    let mut corners = Corners::default();
    let mut triangles = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    for (line, words) in lines(text) {
        let mut words = words;
        match words.next() {
            Some("vertex") if open.len() == 3 => {
                return Err(Complaint::at(line, "a facet has more than three corners"));
            }
            Some("vertex") => open.push(corners.number(three(line, &mut words)?)),
            Some("endloop") => {
                let triangle = <[u32; 3]>::try_from(open.as_slice());
                triangles.push(triangle.map_err(|_| Complaint::at(line, "a facet has fewer than three corners"))?);
                open.clear();
            }
            Some("solid" | "facet" | "outer" | "endfacet" | "endsolid") | None => {}
            Some(other) => return Err(Complaint::at(line, format!("`{}` is no word of STL", short(other)))),
        }
    }
    if !open.is_empty() {
        return Err(Complaint::whole("it ends within a facet"));
    }
    Ok((corners.points, triangles))
}

fn parse_obj(text: &str) -> Result<Triangles, Complaint> {
    let mut corners: Vec<Vector3<f64>> = Vec::new();
    let mut triangles = Vec::new();
    let mut polygon: Vec<u32> = Vec::new();
    for (line, words) in lines(text) {
        let mut words = words;
        match words.next() {
            Some("v") => corners.push(Vector3::from(three(line, &mut words)?)),
            Some("f") => {
                polygon.clear();
                for word in words {
                    polygon.push(corner_of(line, word, corners.len())?);
                    if polygon.len() > MOST_SIDES {
                        return Err(Complaint::at(line, format!("a face has more than {MOST_SIDES} corners")));
                    }
                }
                if polygon.len() < 3 {
                    return Err(Complaint::at(line, "a face has fewer than three corners"));
                }
                triangles.extend(polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]]));
            }
            // Textures, normals, groups and materials have no say in a shape.
            _ => {}
        }
    }
    Ok((corners, triangles))
}

/// The corner that a word of a face means: `7`, `7/1/2`, or counted back from the last, `-1`.
fn corner_of(line: usize, word: &str, known: usize) -> Result<u32, Complaint> {
    let number = word.split('/').next().unwrap_or_default();
    let wrong = || Complaint::at(line, format!("`{}` is no corner among {known}", short(word)));
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let index = if number < 0 { known as i64 + number } else { number - 1 };
    if index < 0 || index >= known as i64 { Err(wrong()) } else { u32::try_from(index).map_err(|_| wrong()) }
}

/// The lines of a text with their numbers, comments left out.
fn lines(text: &str) -> impl Iterator<Item = (usize, std::str::SplitWhitespace<'_>)> {
    text.lines().enumerate().map(|(index, line)| {
        let line = line.split('#').next().unwrap_or_default();
        (index + 1, line.split_whitespace())
    })
}

fn three<'a>(line: usize, words: &mut impl Iterator<Item = &'a str>) -> Result<[f64; 3], Complaint> {
    let mut point = [0.0; 3];
    for x in &mut point {
        let word = words.next().ok_or_else(|| Complaint::at(line, "a corner needs three coordinates"))?;
        let number: Option<f64> = word.parse().ok();
        *x = number
            .filter(|x| x.is_finite())
            .ok_or_else(|| Complaint::at(line, format!("`{}` is not a coordinate", short(word))))?;
    }
    Ok(point)
}

fn text(bytes: &[u8]) -> Result<&str, Complaint> {
    std::str::from_utf8(bytes)
        .map_err(|error| Complaint::whole(format!("byte {} is no text (UTF-8)", error.valid_up_to())))
}

/// The beginning of a word, for a message.
fn short(word: &str) -> String {
    word.chars().take(20).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use lissome_geometry::Solid;

    const OBJ: &str =
        "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1/1/1 3//1 2\nf 1 2 4\nf -3 -2 -1\nf 1 4 3\n";

    fn corners() -> ([[f32; 3]; 4], [[usize; 3]; 4]) {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        (corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    }

    fn binary(header: &[u8]) -> Vec<u8> {
        let (corners, triangles) = corners();
        let mut bytes = header.to_vec();
        bytes.resize(HEADER, b' ');
        bytes.extend(4u32.to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            for corner in triangle {
                corners[corner].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn ascii() -> String {
        let (corners, triangles) = corners();
        let mut text = String::from("solid tetrahedron\n");
        for triangle in triangles {
            text += " facet normal 0 0 0\n  outer loop\n";
            for corner in triangle {
                let [x, y, z] = corners[corner];
                text += &format!("   vertex {x:e} {y} {z}\n");
            }
            text += "  endloop\n endfacet\n";
        }
        text + "endsolid tetrahedron\n"
    }

    fn refused(bytes: &[u8], format: MeshFormat) -> Complaint {
        parse(bytes, format, 1.0).unwrap_err()
    }

    #[test]
    fn every_format_gives_the_same_mesh() {
        let (stl, obj) = (MeshFormat::Stl, MeshFormat::Obj);
        let files =
            [(ascii().into_bytes(), stl), (binary(b"any"), stl), (binary(b"solid binary"), stl), (OBJ.into(), obj)];
        for (bytes, format) in files {
            let mesh = parse(&bytes, format, 0.001).unwrap();
            assert_eq!(mesh.triangles().count(), 4);
            let inside = mesh.nearest(&Vector3::new(1e-4, 1e-4, 1e-4)).distance;
            assert!((inside + 1e-4).abs() < 1e-9, "{inside}");
        }
    }

    #[test]
    fn unsound_meshes_are_refused_with_a_reason() {
        let open = OBJ.replace("f 1 4 3\n", "");
        assert!(refused(open.as_bytes(), MeshFormat::Obj).reason.contains("one triangle only"));
        let thin = OBJ.replace("v 0 0 1", "v 0.5 0.5 0");
        assert!(refused(thin.as_bytes(), MeshFormat::Obj).reason.contains("no area"));
        assert!(refused(b"", MeshFormat::Obj).reason.contains("no triangles"));
        assert!(parse(OBJ.as_bytes(), MeshFormat::Obj, 0.0).is_err());
    }

    #[test]
    fn hostile_files_are_refused_where_they_err() {
        let line = |text: &str, format| refused(text.as_bytes(), format).line;
        assert_eq!(line("v 0 0\n", MeshFormat::Obj), Some(1));
        assert_eq!(line("v 0 0 0\nv nan 0 0\n", MeshFormat::Obj), Some(2));
        assert_eq!(line("v 1e999 0 0\n", MeshFormat::Obj), Some(1));
        assert_eq!(line("v 0 0 0\nf 1 2 3\n", MeshFormat::Obj), Some(2));
        assert_eq!(line("v 0 0 0\nf 0 1 1\n", MeshFormat::Obj), Some(2));
        assert_eq!(line("v 0 0 0\nf 1 1\n", MeshFormat::Obj), Some(2));
        assert_eq!(line("v 0 0 0\nf 99999999999999999999 1 1\n", MeshFormat::Obj), Some(2));
        assert_eq!(line("v 0 0 0\nf -9223372036854775808 1 1\n", MeshFormat::Obj), Some(2));
        let many = format!("v 0 0 0\nf{}\n", " 1".repeat(2000));
        assert_eq!(line(&many, MeshFormat::Obj), Some(2));
        assert_eq!(line("solid x\nvertex 0 0 0\nendloop\n", MeshFormat::Stl), Some(3));
        assert_eq!(line("solid x\n\u{1}rubbish\n", MeshFormat::Stl), Some(2));
        assert_eq!(refused(b"short", MeshFormat::Stl).line, None);
        assert!(refused(b"solid x\n\xff\n", MeshFormat::Stl).reason.contains("UTF-8"));
        // A count that does not fit the length, and one whose bytes would not fit anywhere.
        let mut bytes = binary(b"any");
        bytes[HEADER] = 5;
        assert!(refused(&bytes, MeshFormat::Stl).reason.contains("5 triangles"));
        bytes[HEADER..START].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(refused(&bytes, MeshFormat::Stl).reason.contains("triangles"));
        // Numbers that are none, in binary.
        let mut bytes = binary(b"any");
        bytes[START + 12..START + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(refused(&bytes, MeshFormat::Stl).reason.contains("not a point"));
    }
}
