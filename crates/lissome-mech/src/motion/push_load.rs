//! The inertia that steps leave out while tubes are pushed, as a load.
//!
//! The steps count the rate of their velocities v as forces change it. What is left of the acceleration of the material of tube j,
//! which moves past a place with γ_j = β̇_j − ċ, c the distance of the place from the entry, is
//!
//! ```text
//! ḟ + t + 2γ_j ω × ε + γ_j² κ × ε + (β̈_j − c̈) ε                    ω of v and f together
//! ```
//!
//! with f the velocity of the push and t the rate at which the push changes v; see `feed`. It loads rods and bodies in the step, with
//! what is expected in its middle.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | ḟ, t | rates of f and of v in world axes | `left_out` | rad/s², m/s² |
//! | γ_j | speed of tube j past a place | in `passing` | m/s |

use super::StepMemory;
use crate::index::RodIndex;
use crate::inputs::Input;
use crate::kind::point_load::PointLoad;
use crate::load::SectionLoad;
use crate::rod::tubes::{Feed, Tubes};
use crate::rod::{LineLoads, MovingRod, RodInertia, RodShape};
use crate::{State, System};
use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_model::LoadFrame;
use nalgebra::Vector3;

/// How far things move for a difference that tells their accelerations, rad or lengths of the robot: what it errs by goes with
/// its square, and rounding with its inverse.
const DIFFERENCE: f64 = 1e-5;

/// A section that grows or shrinks by more than this part of its length in a step is rigid in what is expected of the step: a load
/// that answers to rates of its strain would feed them.
const UNSEEN: f64 = 0.25;

fn to_world(rotation: &Rotation, twist: &Twist) -> Twist {
    Twist::new(rotation.rotate(&twist.angular), rotation.rotate(&twist.linear))
}

fn to_body(rotation: &Rotation, twist: &Twist) -> Twist {
    Twist::new(rotation.inverse_rotate(&twist.angular), rotation.inverse_rotate(&twist.linear))
}

/// Velocities of all that has mass in world axes: points of each rod, bodies.
struct Field {
    points: Vec<Vec<Twist>>,
    bodies: Vec<Twist>,
}

impl Field {
    fn for_each(&mut self, other: &Self, change: impl Fn(&mut Twist, &Twist)) {
        let own = self.points.iter_mut().flatten().chain(&mut self.bodies);
        own.zip(other.points.iter().flatten().chain(&other.bodies)).for_each(|(own, other)| change(own, other));
    }
}

impl System {
    /// Loads rods and bodies with the inertia that the next step, of length h, leaves out while tubes are pushed, as it is
    /// expected in the middle of the step. What was so before is replaced.
    pub fn load_push(&mut self, moving: (&State, &[Twist]), memory: &StepMemory, h: f64, feeds: &[Feed]) {
        // Loads of a scene have inputs of their own.
        self.values.line_loads.iter_mut().for_each(|loads| loads.retain(|load| load.scaled_by != Input::Factor));
        self.values.kinds.loads.retain(|load| load.scaled_by != Input::Factor);
        if feeds.iter().all(|feed| feed.rate == 0.0 && feed.acceleration == 0.0) {
            return;
        }
        let (state, velocity) = moving;
        let poses: Vec<Pose> =
            state.poses.iter().zip(velocity).map(|(pose, v)| pose.boxplus(&(*v * (0.5 * h)))).collect();
        let mut expected: Vec<Twist> = velocity.to_vec();
        let (last, earlier) = (memory.last_step, memory.earlier_step);
        if last > 0.0 {
            // From the means of the last two steps, which are those of their middles: what is far too fast for a step shows in
            // velocities and not in ways. Those of the earlier step are as long as those of the last.
            let ahead = if earlier > 0.0 { (h + last) / (last + earlier) } else { 0.0 };
            let [latest, before] = &memory.displacement;
            for ((v, way), before) in expected.iter_mut().zip(latest).zip(before) {
                *v = (*way + (*way - *before) * ahead) * (1.0 / last);
            }
        }
        let rigid = |tubes: &Tubes| {
            let rates = tubes.increment_rates(feeds).into_iter();
            rates.map(|[rate, _]| [1.0, f64::from(u8::from(rate.abs() * h < UNSEEN))]).collect::<Vec<_>>()
        };
        let (_, expected) = self.grow_all(&poses, &expected, rigid);
        let left_out = self.left_out(&poses, &expected, feeds);
        let push = self.push_later(&poses, feeds, 0.0);
        let whole: Vec<Twist> = expected.iter().zip(&push).map(|(v, f)| *v + *f).collect();
        for rod in RodIndex::first(self.values.rods.len()) {
            if let Some(at_points) = self.passing(rod, &poses, &whole, &left_out.points[rod.index()], feeds) {
                self.values.line_loads[rod].push(LineLoads { scaled_by: Input::Factor, at_points });
            }
        }
        for (body, left_out) in self.values.bodies.iter().zip(&left_out.bodies) {
            let acceleration = to_body(&poses[body.slot.index()].rotation, left_out);
            let wrench = Wrench::from_vector(&-(body.mass * acceleration.to_vector()));
            if wrench != Wrench::zero() {
                let load = SectionLoad::on(LoadFrame::Body, wrench);
                self.values.kinds.loads.push(PointLoad { slot: body.slot, load, scaled_by: Input::Factor });
            }
        }
    }

    /// ḟ + t of all that has mass, world axes.
    fn left_out(&self, poses: &[Pose], velocity: &[Twist], feeds: &[Feed]) -> Field {
        let push = self.push_later(poses, feeds, 0.0);
        let length = self.values.scales.length;
        let places: Vec<Twist> = push.iter().zip(velocity).map(|(push, velocity)| *push + *velocity).collect();
        let fastest = places.iter().map(|v| v.angular.norm().max(v.linear.norm() / length));
        let pushed = feeds.iter().map(|feed| (feed.acceleration / length).abs().sqrt().max(feed.rate.abs() / length));
        let time = DIFFERENCE / fastest.chain(pushed).fold(0.0, f64::max);
        // Along the whole motion for f, along the push alone for v.
        let moved = |time: f64| {
            let poses: Vec<Pose> = poses.iter().zip(&places).map(|(pose, v)| pose.boxplus(&(*v * time))).collect();
            let push = self.push_later(&poses, feeds, time);
            self.field(&poses, &push)
        };
        let grown = |time: f64| {
            let growth = |tubes: &Tubes| {
                let rates = tubes.increment_rates(feeds).into_iter();
                rates.map(|[rate, _]| [1.0 + rate * time, 1.0 + rate.min(0.0) * time]).collect::<Vec<_>>()
            };
            let (poses, velocity) = self.grow_all(poses, velocity, growth);
            self.field(&poses, &velocity)
        };
        let mut sum = moved(time);
        sum.for_each(&moved(-time), |sum, other| *sum -= *other);
        sum.for_each(&grown(time), |sum, other| *sum += *other);
        sum.for_each(&grown(-time), |sum, other| *sum = (*sum - *other) * (0.5 / time));
        sum
    }

    fn field(&self, poses: &[Pose], velocity: &[Twist]) -> Field {
        let mut points = vec![Vec::new(); self.values.rods.len()];
        for (i, rod, place) in self.moving_rods() {
            let own = place.poses();
            let shape = shape_of(&rod, &poses[own.clone()]);
            let out = &mut points[i];
            rod.curve().velocities_at_points(&shape.points, &velocity[own], |q, eta| {
                out.push(to_world(&shape.points[q].pose.rotation, &eta.twist()));
            });
        }
        let slots = self.values.bodies.iter().map(|body| body.slot.index());
        Field { points, bodies: slots.map(|slot| to_world(&poses[slot].rotation, &velocity[slot])).collect() }
    }

    /// What the inertia of the material exerts at the points of a rod beside that of v.
    fn passing(
        &self,
        rod: RodIndex,
        poses: &[Pose],
        velocity: &[Twist],
        left_out: &[Twist],
        feeds: &[Feed],
    ) -> Option<Vec<SectionLoad>> {
        let moving = self.values.rods[rod].moving()?;
        let (curve, place) = (moving.curve(), self.layout.rods[rod].poses());
        let shape = shape_of(&moving, &poses[place.clone()]);
        let inertia = RodInertia::of(&self.values.rods[rod]);
        let mut loads = vec![SectionLoad::default(); curve.point_count()];
        let own = |tube: usize| feeds.iter().find(|feed| feed.rod == rod.index() && feed.tube == tube);
        curve.velocities_at_points(&shape.points, &velocity[place], |q, eta| {
            let acceleration = to_body(&shape.points[q].pose.rotation, &left_out[q]);
            let mut wrench = Wrench::from_vector(&-(inertia.mass[q] * acceleration.to_vector()));
            if let Some(tubes) = self.tubes(rod) {
                let (s, strain) = (curve.point_place(q), curve.point_strain(q, &shape.psi));
                let [place_rate, place_gain] = tubes.place_rate(s, feeds);
                let (kappa, epsilon) = (strain.re, strain.du);
                let mut force = Vector3::zeros();
                for (tube, line_density) in tubes.line_densities(s) {
                    let past = own(tube).map_or(0.0, |feed| feed.rate) - place_rate;
                    let gain = own(tube).map_or(0.0, |feed| feed.acceleration) - place_gain;
                    force -= (eta.re.cross(&epsilon) * (2.0 * past)
                        + kappa.cross(&epsilon) * (past * past)
                        + epsilon * gain)
                        * line_density;
                }
                wrench.force += force * curve.point_weight(q);
            }
            loads[q] = SectionLoad::on(LoadFrame::Body, wrench);
        });
        Some(loads)
    }
}

fn shape_of(rod: &MovingRod<'_>, poses: &[Pose]) -> RodShape {
    let mut shape = RodShape::new(rod.curve());
    rod.fill_shape(poses, &mut shape);
    shape
}
