//! Random scenes that move, as text: ten kinds in turn, over six decades of size.
//!
//! Every draw takes from the stream of [`crate::random`], in this order: size, density, slenderness, weight over stiffness
//! ρgAL³/EI, and what its kind asks for. Stiffness and duration follow from these, so that scenes of all sizes look alike.

use crate::random::Random;

/// m/s².
const GRAVITY: f64 = 9.81;
/// Materials that damp by nothing, and by this part of the time scale.
const DAMPING: f64 = 1e-3;

/// A rod to hang things on, and the time it takes.
struct Arm {
    length: f64,
    radius: f64,
    density: f64,
    young: f64,
    /// Slowest swing of the rod, or of a pendulum of its length, s.
    time: f64,
    /// Mass, kg.
    mass: f64,
    /// EI/L², N.
    force: f64,
}

/// Motions last this part of what their kinds name, so that a hundred take a minute or two.
const LENGTH_OF_MOTIONS: f64 = 0.2;

impl Arm {
    /// With ρgAL³/EI drawn evenly in its logarithm.
    fn draw(random: &mut Random, [low, high]: [f64; 2]) -> Self {
        let length = random.log_uniform(1e-3, 1e3);
        let density = random.uniform(500.0, 2000.0);
        let radius = length / random.log_uniform(10.0, 300.0);
        let weight = random.log_uniform(low, high);
        let young = 4.0 * density * GRAVITY * length.powi(3) / (weight * radius * radius);
        let area = std::f64::consts::PI * radius * radius;
        let force = young * area * radius * radius / (4.0 * length * length);
        let mass = density * area * length;
        // √(mL³/EI) = √(L/g) √weight is 1/3.5 of a swing of the rod.
        let time = (length / GRAVITY).sqrt() * 2.0 * weight.min(10.0).sqrt();
        Self { length, radius, density, young, time, mass, force }
    }

    fn material(&self, damped: bool) -> String {
        let damping = if damped { format!("damping = \"{:e} s\"\n", DAMPING * self.time) } else { String::new() };
        format!(
            "schema = 1\n[world]\ngravity = [0, 0, -9.81]\n[material.m]\nyoung = \"{:e} Pa\"\npoisson = 0.4\n\
             density = \"{:e} kg/m^3\"\n{damping}",
            self.young, self.density
        )
    }

    fn rod(&self, name: &str, ends: &str) -> String {
        let Self { length, radius, .. } = self;
        format!(
            "[rod.{name}]\nmaterial = \"m\"\nlength = \"{length:e} m\"\n\
             section = {{ shape = \"circle\", radius = \"{radius:e} m\" }}\n{ends}\n"
        )
    }

    fn job(&self, times: f64, more: &str) -> String {
        let duration = times * LENGTH_OF_MOTIONS * self.time;
        let rate = 20.0 / duration;
        format!("[job]\nkind = \"dynamics\"\nduration = \"{duration:e} s\"\noutput_rate = \"{rate:e} Hz\"\n{more}\n")
    }
}

fn direction(random: &mut Random) -> String {
    let d = random.direction();
    format!("[{:e}, {:e}, {:e}]", d.x, d.y, d.z)
}

/// Name, range and writer of a kind of motion.
type Kind = (&'static str, [f64; 2], fn(&Arm, &mut Random) -> String);

/// Scene k: words for it, and its text.
pub fn draw(k: usize, random: &mut Random) -> (String, String) {
    let kinds: [Kind; 10] = [
        ("plucked rod", [1e-3, 3.0], plucked),
        ("dropped rod", [30.0, 3e3], dropped),
        ("weight on a driven arm", [0.1, 10.0], driven),
        ("pendulum with limits", [0.1, 1.0], pendulum),
        ("rod held at both ends", [0.1, 30.0], held),
        ("arm pulled by a cable", [0.1, 10.0], cable),
        ("bodies on springs", [0.1, 10.0], springs),
        ("rod in flight", [0.1, 30.0], flight),
        ("helix under its weight", [0.3, 30.0], helix),
        ("four-bar linkage", [1e-2, 3.0], linkage),
    ];
    let (words, weights, make) = kinds[k % kinds.len()];
    let arm = Arm::draw(random, weights);
    let weight = arm.mass * GRAVITY / arm.force;
    let words = format!("{words}, L = {:.1e} m, L/r = {:.0}, weight {weight:.1e}", arm.length, arm.length / arm.radius);
    (words, make(&arm, random))
}

/// Let go from a bend.
fn plucked(arm: &Arm, random: &mut Random) -> String {
    let force = 3.0 * arm.force * random.log_uniform(1e-6, 0.3);
    let d = random.direction() * force;
    let base = format!("base = {{ fixed_to = \"world\", tangent = {} }}", direction(random));
    let load = format!(
        "[load.pull]\nrod = \"arm\"\nat = \"tip\"\nforce = [\"{:e} N\", \"{:e} N\", \"{:e} N\"]\n",
        d.x, d.y, d.z
    );
    arm.material(random.uniform(0.0, 1.0) < 0.3)
        + &arm.rod("arm", &base)
        + &load
        + &arm.job(5.0, "release = [\"pull\"]")
}

/// Let go from straight.
fn dropped(arm: &Arm, random: &mut Random) -> String {
    let base = format!("base = {{ fixed_to = \"world\", tangent = {} }}", direction(random));
    arm.material(random.uniform(0.0, 1.0) < 0.5) + &arm.rod("arm", &base) + &arm.job(1.5, "start = \"natural\"")
}

/// A motor that swings an arm with a weight at its tip.
fn driven(arm: &Arm, random: &mut Random) -> String {
    let (mass, swing) = (arm.mass * random.log_uniform(0.1, 3.0), random.uniform(0.1, 1.0));
    let frequency = random.uniform(0.1, 0.5) / arm.time;
    let size = 0.1 * arm.length;
    arm.material(random.uniform(0.0, 1.0) < 0.5)
        + "[joint.motor]\nkind = \"revolute\"\nparent = \"world\"\naxis = [0, 1, 0]\nangle = \"0 rad\"\n"
        + &arm.rod("arm", "base = { fixed_to = \"motor\", tangent = [0, 0, -1] }")
        + &format!(
            "[body.bob]\nmass = \"{mass:e} kg\"\nshape = {{ sphere = {{ radius = \"{size:e} m\" }} }}\n\
             mount = {{ fixed_to = \"arm\", at = \"tip\" }}\n[drive]\n\
             \"motor.angle\" = {{ sine = {{ amplitude = \"{swing:e} rad\", frequency = \"{frequency:e} Hz\" }} }}\n"
        )
        + &arm.job(4.0, "")
}

/// Two rigid bars on hinges, the first between stops.
fn pendulum(arm: &Arm, random: &mut Random) -> String {
    let (length, mass) = (arm.length, arm.mass);
    let (start, limit) = (random.uniform(0.3, 1.2), random.uniform(0.1, 0.25));
    let restitution = random.uniform(0.0, 0.9);
    let box_of = format!("shape = {{ box = [\"{:e} m\", \"{:e} m\", \"{length:e} m\"] }}", 0.1 * length, 0.1 * length);
    format!(
        "schema = 1\n[world]\ngravity = [0, 0, -9.81]\n\
         [joint.first]\nkind = \"revolute\"\nparent = \"world\"\naxis = [0, 1, 0]\nstart = \"{start:e} rad\"\n\
         limits = [\"-{limit:e} rad\", \"2 rad\"]\nrestitution = {restitution:e}\n\
         [body.upper]\nmass = \"{mass:e} kg\"\n{box_of}\nmount = {{ fixed_to = \"first\", position = [0, 0, \"{:e} m\"] }}\n\
         [joint.second]\nkind = \"revolute\"\nparent = {{ fixed_to = \"upper\", position = [0, 0, \"{:e} m\"] }}\naxis = [0, 1, 0]\n\
         [body.lower]\nmass = \"{mass:e} kg\"\n{box_of}\nmount = {{ fixed_to = \"second\", position = [0, 0, \"{:e} m\"] }}\n",
        -0.5 * length,
        -0.5 * length,
        -0.5 * length
    ) + &arm.job(5.0, "start = \"natural\"")
}

/// A rod between two walls, let go.
fn held(arm: &Arm, random: &mut Random) -> String {
    let apart = arm.length * random.uniform(0.7, 0.98);
    let ends = format!(
        "base = {{ fixed_to = \"world\", tangent = [1, 0, 0] }}\n\
         tip = {{ fixed_to = \"world\", position = [\"{apart:e} m\", 0, 0], tangent = [1, 0, 0] }}"
    );
    let force = arm.force * random.uniform(0.1, 3.0);
    let load =
        format!("[load.pull]\nrod = \"arm\"\nat = \"{:e} m\"\nforce = [0, \"{force:e} N\", 0]\n", 0.4 * arm.length);
    arm.material(random.uniform(0.0, 1.0) < 0.5)
        + &arm.rod("arm", &ends)
        + &load
        + &arm.job(2.0, "release = [\"pull\"]")
}

/// A cable whose tension rises.
fn cable(arm: &Arm, random: &mut Random) -> String {
    let (offset, tension) = (0.1 * arm.length, arm.force * random.uniform(0.5, 5.0));
    let over = arm.time * random.log_uniform(0.05, 2.0);
    let mass = 0.2 * arm.mass;
    arm.material(random.uniform(0.0, 1.0) < 0.7)
        + &arm.rod("arm", "base = { fixed_to = \"world\", tangent = [0, 0, -1] }")
        + &format!(
            "[body.plate]\nmass = \"{mass:e} kg\"\nshape = {{ cylinder = {{ radius = \"{offset:e} m\", length = \"{:e} m\" }} }}\n\
             frames = {{ hole = {{ position = [0, 0, \"{offset:e} m\"] }} }}\nmount = {{ fixed_to = \"arm\", at = \"tip\" }}\n\
             [cable.flexor]\npoints = [{{ position = [\"-{offset:e} m\", 0, 0] }}, \"plate.hole\"]\ntension = \"0 N\"\n\
             [drive]\n\"flexor.tension\" = {{ ramp = [\"0 N\", \"{tension:e} N\"], over = \"{over:e} s\" }}\n",
            0.1 * offset
        )
        + &arm.job(3.0, "")
}

/// A weight on an arm, held by a spring with a damper, let go.
fn springs(arm: &Arm, random: &mut Random) -> String {
    let (length, mass) = (arm.length, arm.mass * random.log_uniform(0.1, 3.0));
    let stiffness = arm.force / length * random.log_uniform(0.1, 30.0);
    let damping = random.uniform(0.0, 0.1) * (stiffness * (mass + arm.mass)).sqrt();
    arm.material(false)
        + &arm.rod("arm", "base = { fixed_to = \"world\" }")
        + &format!(
            "[body.weight]\nmass = \"{mass:e} kg\"\nmount = {{ fixed_to = \"arm\", at = \"tip\" }}\n\
             shape = {{ sphere = {{ radius = \"{:e} m\" }} }}\n\
             [spring.lift]\na = {{ fixed_to = \"world\", position = [\"{:e} m\", 0, \"{:e} m\"] }}\nb = \"weight\"\n\
             stiffness = \"{stiffness:e} N/m\"\nrest_length = \"{:e} m\"\ndamping = \"{damping:e} N*s/m\"\n",
            0.05 * length,
            0.5 * length,
            0.6 * length,
            0.6 * length
        )
        + &arm.job(3.0, "start = \"natural\"")
}

/// Thrown with a spin.
fn flight(arm: &Arm, random: &mut Random) -> String {
    let speed = arm.length / arm.time;
    let (v, w) = (random.direction() * speed, random.direction() * (3.0 / arm.time));
    let motion = format!(
        "velocity = [\"{:e} m/s\", \"{:e} m/s\", \"{:e} m/s\"]\nspin = [\"{:e} rad/s\", \"{:e} rad/s\", \"{:e} rad/s\"]",
        v.x, v.y, v.z, w.x, w.y, w.z
    );
    arm.material(random.uniform(0.0, 1.0) < 0.3).replace("gravity = [0, 0, -9.81]", "gravity = [0, 0, 0]")
        + &arm.rod("arm", &motion)
        + &arm.job(3.0, "start = \"natural\"")
}

/// A helix hung up by one end and let go.
fn helix(arm: &Arm, random: &mut Random) -> String {
    let turns = random.uniform(0.5, 3.0) * std::f64::consts::TAU / arm.length;
    let curved = format!("shape = {{ curvature = [\"{:e} 1/m\", 0, \"{turns:e} 1/m\"] }}", 0.3 * turns);
    let ends = format!("base = {{ fixed_to = \"world\", tangent = {} }}\n{curved}", direction(random));
    arm.material(random.uniform(0.0, 1.0) < 0.5) + &arm.rod("arm", &ends) + &arm.job(2.0, "start = \"natural\"")
}

/// A crank, an elastic coupler and a rocker; the crank is driven.
fn linkage(arm: &Arm, random: &mut Random) -> String {
    let (length, mass) = (arm.length, arm.mass);
    let crank = length * random.uniform(0.2, 0.3);
    let rate = random.uniform(0.5, 3.0);
    let (x, z) = (length, 0.0);
    let duration = 2.0 * arm.time;
    let angle = rate * duration / arm.time;
    let bar =
        |size: f64| format!("shape = {{ box = [\"{size:e} m\", \"{:e} m\", \"{:e} m\"] }}", 0.1 * size, 0.1 * size);
    arm.material(random.uniform(0.0, 1.0) < 0.5).replace("gravity = [0, 0, -9.81]", "gravity = [0, 0, 0]")
        + &format!(
            "[joint.motor]\nkind = \"revolute\"\nparent = \"world\"\naxis = [0, 1, 0]\nangle = \"0 rad\"\n\
             [body.crank]\nmass = \"{mass:e} kg\"\n{}\nmount = {{ fixed_to = \"motor\", position = [0, 0, \"{:e} m\"] }}\n\
             frames = {{ pin = {{ position = [0, 0, \"{:e} m\"] }} }}\n\
             [joint.wrist]\nkind = \"revolute\"\nparent = \"crank.pin\"\naxis = [0, 1, 0]\n",
            bar(crank),
            0.5 * crank,
            0.5 * crank
        )
        + &arm.rod("coupler", "base = { fixed_to = \"wrist\", tangent = [1, 0, 0] }")
        + &format!(
            "[joint.pivot]\nkind = \"revolute\"\nparent = {{ fixed_to = \"world\", position = [\"{x:e} m\", 0, \"{z:e} m\"] }}\naxis = [0, 1, 0]\n\
             [body.rocker]\nmass = \"{mass:e} kg\"\n{}\nmount = {{ fixed_to = \"pivot\", position = [0, 0, \"{:e} m\"] }}\n\
             frames = {{ pin = {{ position = [0, 0, \"{:e} m\"] }} }}\n\
             [closure.end]\na = {{ fixed_to = \"coupler\", at = \"tip\" }}\nb = \"rocker.pin\"\nkind = \"revolute\"\naxis = [0, 1, 0]\n\
             [drive]\n\"motor.angle\" = {{ ramp = [\"0 rad\", \"{angle:e} rad\"], over = \"{duration:e} s\", smooth = true }}\n",
            bar(crank),
            0.5 * crank,
            0.5 * crank
        )
        + &arm.job(2.0, "start = \"natural\"")
}
