//! Tubes that are pushed while they move.
//!
//! A step has sections of constant lengths. Between steps the tubes are pushed at one instant: strains at the places of the
//! sections stay, and poses follow from the entry on. Of the velocities, in sections that become shorter the rates of the strains
//! stay, in others the velocities of their ends against each other: so neither grows where a section is next to nothing. The
//! velocity of a place is that of the steps, v, and that of the push, f, which follows from the shape and the rates alone,
//!
//! ```text
//! f_{i+1} = Ad_{exp(−Ψ_i)} f_i + (ℓ̇/ℓ) Ψ_i                         body axes of the control poses
//! ```
//!
//! The steps count the rate of v as forces change it. What is left of the acceleration of the material of tube j, which moves
//! past a place with γ_j = β̇_j − ċ, c the distance of the place from the entry, is
//!
//! ```text
//! ḟ + t + 2γ_j ω × ε + γ_j² κ × ε + (β̈_j − c̈) ε                    ω of v and f together
//! ```
//!
//! with t the rate at which the push changes v. It loads rods and bodies in the step, with what is expected in its middle.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | f | velocity that the push gives to a place | `push_velocities` | rad/s, m/s |
//! | ḟ, t | rates of f and of v in world axes | `left_out` | rad/s², m/s² |
//! | ℓ̇/ℓ | by what part of its length a section grows in a second | `increment_rates` | 1/s |
//! | γ_j | speed of tube j past a place | in `passing` | m/s |

use super::StepMemory;
use crate::index::{RodIndex, Slot};
use crate::inputs::{Input, Inputs};
use crate::kind::point_load::PointLoad;
use crate::layout::{Place, Source};
use crate::load::SectionLoad;
use crate::rod::tubes::{Feed, Tubes, grow};
use crate::rod::{LineLoads, MovingRod, RodShape};
use crate::{State, System};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_model::LoadFrame;
use nalgebra::{Vector3, Vector6};

/// A state with its velocities.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// Where everything is.
    pub state: State,
    /// Body velocity of every slot.
    pub velocity: Vec<Twist>,
    /// Rates of the joints' coordinates.
    pub joint_rates: Vec<Vector6<f64>>,
}

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
    /// The same motion with the tubes at the insertions of this system, which were those of `before`: by any way where both have
    /// the same sections, by next to nothing where places pass each other. `feeds` are the rates of the tubes then. Nothing if
    /// the sections of the two do not correspond.
    pub fn pushed(&self, before: &Self, moving: &Moving, inputs: &Inputs, feeds: &[Feed]) -> Option<Moving> {
        let same = self.shares_layout(before);
        let mut pushed = match same {
            true => self.grown(before, moving),
            false => self.relaid(before, moving, inputs),
        };
        let from = &moving.state;
        for (tubes, other) in self.values.kinds.tubes.iter().zip(&before.values.kinds.tubes) {
            let alignment = tubes.alignment(other)?;
            let beside: Vec<_> = alignment.beside().flat_map(|s| before.sample_at(tubes.rod, from, &[s])).collect();
            let (own, theirs) = (&self.layout.rods[tubes.rod], &before.layout.rods[tubes.rod]);
            if !same {
                let old = (from, &from.poses[theirs.poses()], &moving.velocity[theirs.poses()]);
                let poses = tubes.push_poses(other, (&alignment, &beside), old);
                for (slot, (pose, velocity)) in own.poses().zip(poses) {
                    (pushed.state.poses[slot], pushed.velocity[slot]) = (pose, velocity);
                }
                alignment.carry(&from.linear[theirs.stresses()], &mut pushed.state.linear[own.stresses()]);
                tubes.carry_rates(other, &alignment, &moving.joint_rates, &mut pushed.joint_rates);
            }
            tubes.push_angles(other, (&alignment, &beside), from, inputs, &mut pushed.state);
        }
        self.place_driven(inputs, &mut pushed.state);
        self.settle(&mut pushed.state);
        self.settle_tensions(&mut pushed.state);
        if !same {
            self.change_places(before, &pushed.state, from, feeds, &mut pushed.velocity);
            self.carry_velocities(&mut pushed);
        }
        Some(pushed)
    }

    /// Poses and velocities where all sections stay; angles of tubes are left.
    fn grown(&self, before: &Self, moving: &Moving) -> Moving {
        let growth = |tubes: &Tubes| {
            let factors = before.tubes(tubes.rod).map_or_else(Vec::new, |other| tubes.increment_growth(other));
            factors.into_iter().map(|growth| [growth, growth.min(1.0)]).collect::<Vec<_>>()
        };
        let (poses, velocity) = self.grow_all(&moving.state.poses, &moving.velocity, growth);
        Moving { state: State { poses, ..moving.state.clone() }, velocity, joint_rates: moving.joint_rates.clone() }
    }

    /// Lets the increments of tubes grow, and their rates, by a factor each; what is carried moves along.
    fn grow_all(
        &self,
        poses: &[Pose],
        velocity: &[Twist],
        growth: impl Fn(&Tubes) -> Vec<[f64; 2]>,
    ) -> (Vec<Pose>, Vec<Twist>) {
        let (mut new, mut rates) = (poses.to_vec(), velocity.to_vec());
        // What is carried without a change of its place on what carries it.
        let carry = |slot: usize, by: usize, new: &mut [Pose], rates: &mut [Twist]| {
            let relative = poses[by].inverse() * poses[slot];
            new[slot] = new[by] * relative;
            rates[slot] = velocity[slot] + relative.inverse().adjoint_twist(&(rates[by] - velocity[by]));
        };
        for place in &self.layout.places {
            let slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.anchor(rod),
            };
            if let Source::Follows { parent, .. } = self.layout.sources[slot] {
                carry(slot.index(), parent.index(), &mut new, &mut rates);
            }
            let Place::Chain(rod) = *place else { continue };
            let own = self.layout.rods[rod].poses();
            match self.tubes(rod) {
                None => own.filter(|other| *other != slot.index()).for_each(|other| {
                    carry(other, slot.index(), &mut new, &mut rates);
                }),
                Some(tubes) => {
                    for (i, growth) in growth(tubes).into_iter().enumerate() {
                        let at = own.start + i;
                        (new[at + 1], rates[at + 1]) =
                            grow((new[at], rates[at]), &poses[at..], &velocity[at..], growth);
                    }
                }
            }
        }
        (new, rates)
    }

    /// Everything but tubes, where sections begin and end.
    fn relaid(&self, before: &Self, moving: &Moving, inputs: &Inputs) -> Moving {
        let state = self.carried_frames(before, &moving.state, inputs);
        let of_scene = self.values.joints.partition_point(|joint| joint.model.is_some());
        let mut joint_rates = moving.joint_rates[..of_scene].to_vec();
        joint_rates.resize(self.values.joints.len(), Vector6::zeros());
        let mut velocity = vec![Twist::zero(); state.poses.len()];
        for rod in RodIndex::first(self.values.rods.len()).filter(|rod| self.tubes(*rod).is_none()) {
            let (own, other) = (self.layout.rods[rod].poses(), before.layout.rods[rod].poses());
            velocity[own].copy_from_slice(&moving.velocity[other]);
        }
        for (own, other) in self.values.bodies.iter().zip(&before.values.bodies) {
            velocity[own.slot] = moving.velocity[other.slot];
        }
        Moving { state, velocity, joint_rates }
    }

    /// Places of two divisions move in different ways along one curve: velocities of the same points of space stay, so that
    /// those of the places change. Sections that begin are rigid.
    fn change_places(&self, before: &Self, state: &State, from: &State, feeds: &[Feed], velocity: &mut [Twist]) {
        let (new, old) = (self.push_velocities(state, feeds), before.push_velocities(from, feeds));
        for (tubes, other) in self.values.kinds.tubes.iter().zip(&before.values.kinds.tubes) {
            let Some(alignment) = tubes.alignment(other) else { continue };
            let (own, theirs) = (self.layout.rods[tubes.rod].poses(), before.layout.rods[tubes.rod].poses());
            let [psi, old_psi] =
                [(self, state, own.clone()), (before, from, theirs.clone())].map(|(system, state, own)| {
                    let curve = system.values.rods[tubes.rod].curve();
                    let mut psi = vec![DualVector::zero(); curve.increments()];
                    curve.fill_increments(&state.poses[own], &mut psi);
                    psi
                });
            let kept = velocity[own.clone()].to_vec();
            for i in 0..kept.len() - 1 {
                let slot = own.start + i;
                let back = (state.poses[slot].inverse() * state.poses[slot + 1]).inverse();
                let mut rate = kept[i + 1] - back.adjoint_twist(&kept[i]);
                if let Some(source) = alignment.kept(i) {
                    // At either end, seen from between them.
                    let [near, far] = [(0, false), (1, true)].map(|(end, below)| {
                        let still =
                            old[theirs.start + source + end] - other.along_curve(source + end, below, &old_psi, feeds);
                        still - (new[slot + end] - tubes.along_curve(i + end, below, &psi, feeds))
                    });
                    rate += far - back.adjoint_twist(&near);
                }
                velocity[slot + 1] = back.adjoint_twist(&velocity[slot]) + rate;
            }
        }
    }

    /// Brings velocities of what follows into line with what it follows.
    fn carry_velocities(&self, moving: &mut Moving) {
        let Moving { state, velocity, joint_rates } = moving;
        for place in &self.layout.places {
            let slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.anchor(rod),
            };
            if matches!(self.layout.sources[slot], Source::Follows { .. }) {
                velocity[slot] = self.carried(slot, state, velocity, joint_rates);
            }
        }
    }

    /// Velocity f that the push gives to each slot.
    pub fn push_velocities(&self, state: &State, feeds: &[Feed]) -> Vec<Twist> {
        self.push_later(&state.poses, feeds, 0.0)
    }

    /// The same for poses that are reached some time later.
    fn push_later(&self, poses: &[Pose], feeds: &[Feed], later: f64) -> Vec<Twist> {
        let mut velocity = vec![Twist::zero(); poses.len()];
        let carried = |slot: usize, by: usize, velocity: &[Twist]| {
            (poses[slot].inverse() * poses[by]).adjoint_twist(&velocity[by])
        };
        for place in &self.layout.places {
            let slot: Slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.anchor(rod),
            };
            if let Source::Follows { parent, .. } = self.layout.sources[slot] {
                velocity[slot] = carried(slot.index(), parent.index(), &velocity);
            }
            let Place::Chain(rod) = *place else { continue };
            let own = self.layout.rods[rod].poses();
            let Some(tubes) = self.tubes(rod) else {
                for other in own.filter(|other| *other != slot.index()) {
                    velocity[other] = carried(other, slot.index(), &velocity);
                }
                continue;
            };
            for (i, [rate, gain]) in tubes.increment_rates(feeds).into_iter().enumerate() {
                let at = own.start + i;
                let relative = poses[at].inverse() * poses[at + 1];
                // Ψ grows along itself, as the length of its section does.
                let stretch = (rate + gain * later) / (1.0 + rate * later);
                velocity[at + 1] = relative.inverse().adjoint_twist(&velocity[at]) + relative.log() * stretch;
            }
        }
        velocity
    }

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
        sum.for_each(&moved(-time), |sum, other| *sum = *sum - *other);
        sum.for_each(&grown(time), |sum, other| *sum = *sum + *other);
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
        let inertia = crate::rod::RodInertia::of(&self.values.rods[rod]);
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
