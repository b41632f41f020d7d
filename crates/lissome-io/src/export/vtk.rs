//! VTK's XML: a `.vtp` a state and a `.pvd` that says when each is, as ParaView opens them.
//!
//! Rods, cables and tendons are lines with their radius, moment and force at the points (ParaView's Tube filter makes tubes of
//! them); bodies and obstacles are triangles. The cells' `part` counts rods, then cables, then tendons, then bodies,
//! then obstacles, then the disks of tendons.

use crate::report::svg::escape;
use crate::surfaces::{Mesh, disks, mesh, obstacle};
use lissome_model::Scene;
use lissome_solve::MotionFrame;
use nalgebra::Vector3;
use std::fmt::Write as _;

/// Name of the file of one state of a series.
pub fn frame_name(series: &str, index: usize) -> String {
    format!("{series}-{index:05}.vtp")
}

/// The list of states with their times.
pub fn collection(series: &str, frames: &[&MotionFrame]) -> String {
    let mut out =
        String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (i, frame) in frames.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "<DataSet timestep=\"{:?}\" part=\"0\" file=\"{}\"/>", frame.time, frame_name(series, i));
    }
    out + "</Collection>\n</VTKFile>\n"
}

/// What the points and cells of one state are.
#[derive(Default)]
struct PolyData {
    points: Vec<Vector3<f64>>,
    radius: Vec<f64>,
    moment: Vec<Vector3<f64>>,
    force: Vec<Vector3<f64>>,
    /// Points of each line, and of each triangle.
    lines: Vec<Vec<usize>>,
    triangles: Vec<[u32; 3]>,
    line_parts: Vec<usize>,
    triangle_parts: Vec<usize>,
}

impl PolyData {
    fn point(&mut self, at: Vector3<f64>, radius: f64, moment: Vector3<f64>, force: Vector3<f64>) -> usize {
        self.points.push(at);
        self.radius.push(radius);
        self.moment.push(moment);
        self.force.push(force);
        self.points.len() - 1
    }

    /// The triangles of a part.
    fn surface(&mut self, mesh: &Mesh, part: usize) {
        let (first, zero) = (self.points.len() as u32, Vector3::zeros());
        for p in &mesh.points {
            self.point(*p, 0.0, zero, zero);
        }
        self.triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| i + first)));
        self.triangle_parts.extend(mesh.triangles.iter().map(|_| part));
    }
}

/// One state of a motion whose first is `first`: planes are shown where the robot was then.
pub fn frame(scene: &Scene, first: &MotionFrame, frame: &MotionFrame) -> String {
    let mut data = PolyData::default();
    let zero = Vector3::zeros();
    let mut part = 0;
    for (rod, at) in scene.rods.iter().zip(&frame.rods) {
        let last = at.poses.len().saturating_sub(1).max(1) as f64;
        let line = at.poses.iter().zip(&at.stress).enumerate().map(|(k, (pose, stress))| {
            let radius = rod.profile.at(rod.length * k as f64 / last).outer_radius();
            data.point(pose.position, radius, pose.rotation.rotate(&stress.moment), pose.rotation.rotate(&stress.force))
        });
        let line = line.collect();
        data.lines.push(line);
        data.line_parts.push(part);
        part += 1;
    }
    for cable in frame.cables.iter().chain(&frame.tendons) {
        let pull = |k: usize| {
            let next = cable.points.get(k + 1).or(cable.points.get(k))?;
            let along = next - cable.points[if k + 1 < cable.points.len() { k } else { k.checked_sub(1)? }];
            along.try_normalize(0.0).map(|along| along * cable.tension)
        };
        let line = (0..cable.points.len()).map(|k| data.point(cable.points[k], 0.0, zero, pull(k).unwrap_or(zero)));
        let line = line.collect();
        data.lines.push(line);
        data.line_parts.push(part);
        part += 1;
    }
    for (body, pose) in scene.bodies.iter().zip(&frame.bodies) {
        let mut all = Mesh::default();
        body.solids.iter().for_each(|solid| all.append(&mesh::solid(&solid.outline).placed(&(*pose * solid.pose))));
        data.surface(&all, part);
        part += 1;
    }
    for obstacle in &scene.obstacles {
        let pose = obstacle::pose(scene, frame, &obstacle.frame);
        data.surface(&obstacle::surface(scene, obstacle, first).placed(&pose), part);
        part += 1;
    }
    for (_, surface, at) in disks::all(scene) {
        data.surface(&surface.placed(&obstacle::pose(scene, frame, &at)), part);
        part += 1;
    }
    data.xml(&scene.title, frame.time)
}

impl PolyData {
    fn xml(&self, title: &str, time: f64) -> String {
        let vectors = |v: &[Vector3<f64>]| v.iter().map(|v| format!("{:?} {:?} {:?}\n", v.x, v.y, v.z)).collect();
        let scalars = |v: &[f64]| v.iter().map(|x| format!("{x:?}\n")).collect();
        let mut body = String::new();
        body += "<PointData Scalars=\"radius\" Vectors=\"force\">\n";
        body += &array("Float64", "radius", 1, &scalars(&self.radius));
        body += &array("Float64", "moment", 3, &vectors(&self.moment));
        body += &array("Float64", "force", 3, &vectors(&self.force));
        body += "</PointData>\n<CellData Scalars=\"part\">\n";
        let parts = self.line_parts.iter().chain(&self.triangle_parts).map(|p| format!("{p}\n")).collect();
        body += &array("Int64", "part", 1, &parts);
        body += "</CellData>\n<Points>\n";
        body += &array("Float64", "Points", 3, &vectors(&self.points));
        body += "</Points>\n";
        let lines: Vec<Vec<usize>> = self.lines.clone();
        let triangles = self.triangles.iter().map(|t| t.map(|i| i as usize).to_vec()).collect::<Vec<_>>();
        body += &cells("Lines", &lines);
        body += &cells("Polys", &triangles);
        format!(
            "<?xml version=\"1.0\"?>\n<!-- {} -->\n\
             <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\">\n<PolyData>\n<FieldData>\n\
             <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time:?}</DataArray>\n\
             </FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" \
             NumberOfPolys=\"{}\">\n{body}</Piece>\n</PolyData>\n</VTKFile>\n",
            // Two hyphens would end the comment.
            escape(title).replace("--", "––"),
            self.points.len(),
            self.lines.len(),
            self.triangles.len(),
        )
    }
}

fn array(kind: &str, name: &str, components: usize, values: &String) -> String {
    format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">\n{values}\
         </DataArray>\n"
    )
}

fn cells(name: &str, cells: &[Vec<usize>]) -> String {
    let mut end = 0;
    let offsets = cells.iter().map(|cell| {
        end += cell.len();
        format!("{end}\n")
    });
    let offsets = offsets.collect();
    let connectivity = cells.iter().flatten().map(|i| format!("{i}\n")).collect();
    format!(
        "<{name}>\n{}{}</{name}>\n",
        array("Int64", "connectivity", 1, &connectivity),
        array("Int64", "offsets", 1, &offsets)
    )
}
