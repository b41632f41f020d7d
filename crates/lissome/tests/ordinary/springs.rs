//! Springs tell what they do.

use super::{json, loaded, run};

const SPRUNG: &str = r#"
schema = 1
[material.rubber]
young   = "1 MPa"
poisson = 0.45
[rod.arm]
material = "rubber"
length   = "0.3 m"
section  = { shape = "circle", radius = "10 mm" }
base     = { fixed_to = "world" }
[spring.stay]
a           = { fixed_to = "world", position = [0, 0, "0.4 m"] }
b           = { fixed_to = "arm", at = "tip" }
stiffness   = "5 N/m"
rest_length = "0.3 m"
"#;

#[test]
fn the_pull_of_a_spring_is_in_the_records_and_balances_the_base() {
    let scene = loaded(SPRUNG, &[]);
    let answer = run(&scene);
    let equilibrium = answer.equilibrium().unwrap();
    let (spring, rod) = (equilibrium.spring("stay").unwrap(), &equilibrium.rods[0]);
    let between = rod.tip.position - nalgebra::Vector3::new(0.0, 0.0, 0.4);
    assert!((spring.length - between.norm()).abs() < 1e-12);
    assert!((spring.pull - 5.0 * (spring.length - 0.3)).abs() < 1e-12);
    let expected = -between / spring.length * spring.pull;
    assert!((spring.wrench.force - expected).norm() < 1e-12 && spring.wrench.moment.norm() < 1e-12);
    // Nothing else acts on the rod, so what it exerts on its base is the same.
    assert!((rod.base_wrench.force - expected).norm() < 1e-8, "{:?} {expected:?}", rod.base_wrench.force);
    assert_eq!(json(&scene, &answer)["springs"]["stay"]["pull"], spring.pull);
}

#[test]
fn a_bushing_tells_its_moment() {
    let text = SPRUNG.replace(
        "stiffness   = \"5 N/m\"\nrest_length = \"0.3 m\"",
        "bushing = { turn = \"0.05 N*m/rad\", shift = \"20 N/m\" }",
    );
    let text = text.replace("position = [0, 0, \"0.4 m\"]", "position = [\"0.3 m\", 0, \"0.05 m\"]");
    let answer = run(&loaded(&text, &[]));
    let equilibrium = answer.equilibrium().unwrap();
    let (spring, rod) = (equilibrium.spring("stay").unwrap(), &equilibrium.rods[0]);
    assert!((rod.base_wrench.force - spring.wrench.force).norm() < 1e-8);
    // Moments about the base: that at the tip, and its force at the tip's place.
    let about_base = spring.wrench.moment + rod.tip.position.cross(&spring.wrench.force);
    assert!((rod.base_wrench.moment - about_base).norm() < 1e-8, "{:?} {about_base:?}", rod.base_wrench.moment);
}
