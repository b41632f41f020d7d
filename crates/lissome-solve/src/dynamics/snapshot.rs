//! A motion as named lists of numbers, and back to the bit: what a checkpoint holds.

use super::accuracy::MotionScale;
use super::motion::{Counts, Motion};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Rotation, Twist};
use lissome_mech::{State, System};
use nalgebra::{Vector3, Vector6};

/// Name of the list with the time that a motion had come to.
const REACHED: &str = "motion.reached";

/// Everything that a later step depends on, as named lists of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Names and numbers; whoever stores them must keep their bits.
    pub lists: Vec<(String, Vec<f64>)>,
}

impl Snapshot {
    /// Of a motion and of what [`super::Run::pause`] gave.
    pub fn take(motion: &Motion, pause: [f64; 3]) -> Self {
        let mut lists = Vec::new();
        let mut add = |name: &str, numbers: Vec<f64>| lists.push((format!("motion.{name}"), numbers));
        let state = &motion.state;
        add("time", vec![motion.time]);
        add("pause", pause.to_vec());
        add("last_steps", vec![motion.memory.last_step, motion.memory.earlier_step]);
        let scale = &motion.scale;
        add("scale", vec![scale.speed, scale.acceleration, scale.way, scale.turnover, scale.loss]);
        add("scale.start", scale.start.into_iter().flatten().collect());
        add("scale.steady", of_duals(&scale.steady));
        add("scale.displacement", of_duals(&scale.displacement));
        add("dissipated", vec![motion.dissipated]);
        add("friction", vec![motion.friction]);
        add("work", vec![motion.work]);
        add("kept_energy", motion.kept_energy.into_iter().collect());
        let Counts { steps, iterations, factorizations, rejected, halved } = motion.counts;
        // Exact in an f64 up to 2⁵³.
        add("counts", [steps, iterations, factorizations, rejected, halved].map(|n| n as f64).to_vec());
        add("increments", of_duals(&motion.memory.increments));
        add("poses", of_poses(&state.poses));
        add("linear", of_vectors(&state.linear));
        add("joint_values", state.joints.iter().flat_map(|j| j.value.iter().copied()).collect());
        add("joint_motions", state.joints.iter().flat_map(|j| of_pose(&j.motion)).collect());
        add("velocity", of_twists(&motion.velocity));
        add("joint_rates", of_vectors(&motion.joint_rates));
        for (i, age) in ["latest", "earlier"].into_iter().enumerate() {
            add(&format!("strain_change.{age}"), of_vectors(&motion.memory.strain_change[i]));
            add(&format!("velocity_change.{age}"), of_duals(&motion.memory.velocity_change[i]));
            add(&format!("mean_velocity.{age}"), of_duals(&motion.memory.mean_velocity[i]));
            add(&format!("displacement.{age}"), of_twists(&motion.memory.displacement[i]));
        }
        Self { lists }
    }

    /// The same for a motion that has come to a later time, s, and takes the steps up to there again.
    pub fn reaching(&self, time: f64) -> Self {
        let mut lists = self.lists.clone();
        lists.retain(|(name, _)| name != REACHED);
        lists.push((REACHED.into(), vec![time]));
        Self { lists }
    }

    /// The time that the motion had come to, s.
    pub fn reached(&self) -> Option<f64> {
        self.one("reached").or(self.time())
    }

    /// The time that it was taken at, s.
    pub fn time(&self) -> Option<f64> {
        self.one("time")
    }

    /// The motion of a system and the numbers for [`super::Run::resume`]; `None` if they are not those of the system.
    pub fn restore(&self, system: &System) -> Option<(Motion, [f64; 3])> {
        let natural = system.natural_state();
        let mut motion = Motion::at_rest(system, natural.clone());
        motion.time = self.one("time")?;
        [motion.memory.last_step, motion.memory.earlier_step] = self.array("last_steps")?;
        let [speed, acceleration, way, turnover, loss] = self.array("scale")?;
        let start = match self.list("scale.start")? {
            [] => None,
            numbers => Some(numbers.try_into().ok()?),
        };
        let mut steady = motion.scale.steady;
        fill(&mut steady, self.list("scale.steady")?, dual)?;
        let mut displacement = motion.scale.displacement;
        fill(&mut displacement, self.list("scale.displacement")?, dual)?;
        motion.scale = MotionScale { speed, acceleration, way, displacement, start, turnover, loss, steady };
        motion.dissipated = self.one("dissipated")?;
        motion.friction = self.one("friction")?;
        motion.work = self.one("work")?;
        motion.kept_energy = match self.list("kept_energy")? {
            [] => None,
            [kept] => Some(*kept),
            _ => return None,
        };
        let [steps, iterations, factorizations, rejected, halved] = self.array("counts")?.map(|n: f64| n as u64);
        motion.counts = Counts { steps, iterations, factorizations, rejected, halved };
        motion.state = self.state(natural)?;
        fill(&mut motion.memory.increments, self.list("increments")?, dual)?;
        fill(&mut motion.velocity, self.list("velocity")?, twist)?;
        fill(&mut motion.joint_rates, self.list("joint_rates")?, Some)?;
        for (i, age) in ["latest", "earlier"].into_iter().enumerate() {
            fill(&mut motion.memory.strain_change[i], self.list(&format!("strain_change.{age}"))?, Some)?;
            fill(&mut motion.memory.velocity_change[i], self.list(&format!("velocity_change.{age}"))?, dual)?;
            fill(&mut motion.memory.mean_velocity[i], self.list(&format!("mean_velocity.{age}"))?, dual)?;
            fill(&mut motion.memory.displacement[i], self.list(&format!("displacement.{age}"))?, twist)?;
        }
        Some((motion, self.array("pause")?))
    }

    fn state(&self, mut state: State) -> Option<State> {
        fill_poses(&mut state.poses, self.list("poses")?)?;
        fill(&mut state.linear, self.list("linear")?, Some)?;
        let mut values = vec![Vector6::zeros(); state.joints.len()];
        let mut motions = vec![Pose::identity(); state.joints.len()];
        fill(&mut values, self.list("joint_values")?, Some)?;
        fill_poses(&mut motions, self.list("joint_motions")?)?;
        for (i, joint) in state.joints.iter_mut().enumerate() {
            (joint.value, joint.motion) = (values[i], motions[i]);
        }
        Some(state)
    }

    fn list(&self, name: &str) -> Option<&[f64]> {
        let found = self.lists.iter().find(|(known, _)| known.strip_prefix("motion.") == Some(name));
        found.map(|(_, numbers)| numbers.as_slice())
    }

    fn array<const N: usize>(&self, name: &str) -> Option<[f64; N]> {
        self.list(name)?.try_into().ok()
    }

    fn one(&self, name: &str) -> Option<f64> {
        self.array::<1>(name).map(|[x]| x)
    }
}

fn of_pose(pose: &Pose) -> [f64; 7] {
    let ([w, x, y, z], p) = (pose.rotation.stored(), pose.position);
    [w, x, y, z, p.x, p.y, p.z]
}

fn of_poses(poses: &[Pose]) -> Vec<f64> {
    poses.iter().flat_map(of_pose).collect()
}

fn of_vectors(vectors: &[Vector6<f64>]) -> Vec<f64> {
    vectors.iter().flat_map(|v| v.iter().copied()).collect()
}

fn of_twists(twists: &[Twist]) -> Vec<f64> {
    twists.iter().flat_map(|x| <[f64; 6]>::from(x.to_vector())).collect()
}

fn of_duals(duals: &[DualVector]) -> Vec<f64> {
    duals.iter().flat_map(|x| [x.re.x, x.re.y, x.re.z, x.du.x, x.du.y, x.du.z]).collect()
}

fn twist(v: Vector6<f64>) -> Option<Twist> {
    Some(Twist::from_vector(&v))
}

fn dual(v: Vector6<f64>) -> Option<DualVector> {
    Some(DualVector { re: v.fixed_rows::<3>(0).into(), du: v.fixed_rows::<3>(3).into() })
}

/// Six numbers an entry; `None` if there are not as many as entries.
fn fill<T>(out: &mut [T], numbers: &[f64], make: fn(Vector6<f64>) -> Option<T>) -> Option<()> {
    if numbers.len() != 6 * out.len() {
        return None;
    }
    for (out, six) in out.iter_mut().zip(numbers.chunks_exact(6)) {
        *out = make(Vector6::from_column_slice(six))?;
    }
    Some(())
}

fn fill_poses(out: &mut [Pose], numbers: &[f64]) -> Option<()> {
    if numbers.len() != 7 * out.len() {
        return None;
    }
    for (out, n) in out.iter_mut().zip(numbers.chunks_exact(7)) {
        let rotation = Rotation::from_stored([n[0], n[1], n[2], n[3]])?;
        *out = Pose::new(rotation, Vector3::new(n[4], n[5], n[6]));
    }
    Some(())
}
