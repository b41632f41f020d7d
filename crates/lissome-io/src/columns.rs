//! Names of numbers in every file: `PART.FIELD` is an array, `PART.FIELD.COMPONENT` a column of it.
//!
//! A part is called as in the scene, and the parts of a scene share one space of names, so that `arm.position.x` says it
//! all. Tables with a row for each part or place have the part in a column of its own and go on with `position.x`. Every
//! writer and reader asks here, and the page on run folders lists the fields.

/// Fields that are vectors of three components.
const VECTORS: [&str; 12] = [
    "position",
    "velocity",
    "angular_velocity",
    "displacement",
    "curvature",
    "stretch",
    "moment",
    "force",
    "centre",
    "points",
    "linear",
    "angular",
];
/// An orientation: the world from the part.
pub const QUATERNION: &str = "quat_wxyz";
/// A pose.
pub const POSE: [&str; 2] = ["position", QUATERNION];
/// What acts: moment first, as everywhere.
pub const WRENCH: [&str; 2] = ["moment", "force"];
/// The state at a place along a rod.
pub const SAMPLE: [&str; 7] = ["s", "position", QUATERNION, "curvature", "stretch", "moment", "force"];
/// What a pair of parts that may touch does.
pub const CONTACT: [&str; 4] = ["gap", "touching", "force", "centre"];

/// Components of a field; that of a number is empty.
pub fn components(field: &str) -> &'static [&'static str] {
    // One of many points goes by its number: `points.2`.
    let field = field.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match field.rsplit('.').next().unwrap_or(field) {
        QUATERNION => &["w", "x", "y", "z"],
        field if VECTORS.contains(&field) => &["x", "y", "z"],
        _ => &[""],
    }
}

/// The array that holds a field of a part: `arm.position`.
pub fn array(part: &str, field: &str) -> String {
    join(part, field)
}

/// The columns of a field of a part: `arm.position.x`, `arm.position.y`, `arm.position.z`. Without a part they begin with
/// the field.
pub fn columns(part: &str, field: &str) -> impl Iterator<Item = String> {
    let name = join(part, field);
    components(field).iter().map(move |component| join(&name, component))
}

/// The first line of a table: what names a row, and the columns of fields.
pub fn header(keys: &str, fields: &[&str]) -> String {
    let mut names: Vec<String> = keys.split(',').filter(|key| !key.is_empty()).map(str::to_owned).collect();
    names.extend(fields.iter().flat_map(|field| columns("", field)));
    names.join(",")
}

/// A drive by the path that the scene gives it.
pub fn drive(path: &str) -> String {
    join("drive", path)
}

/// A pair of parts that may touch.
pub fn pair(part: &str, touched: &str) -> String {
    format!("contact.{part}.{touched}")
}

fn join(a: &str, b: &str) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.to_owned(),
        (_, true) => a.to_owned(),
        _ => format!("{a}.{b}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_in_tables_and_arrays() {
        assert_eq!(array("arm", "position"), "arm.position");
        let names: Vec<String> = columns("arm.tip", QUATERNION).collect();
        assert_eq!(names, ["arm.tip.quat_wxyz.w", "arm.tip.quat_wxyz.x", "arm.tip.quat_wxyz.y", "arm.tip.quat_wxyz.z"]);
        assert_eq!(columns("hinge", "angle").collect::<Vec<_>>(), ["hinge.angle"]);
        assert_eq!(header("rod", &["s", "force"]), "rod,s,force.x,force.y,force.z");
        assert_eq!(columns(&drive("a.tension"), "").collect::<Vec<_>>(), ["drive.a.tension"]);
    }
}
