//! The balance of nested tubes in world axes, and its linearisation.
//!
//! | symbol | meaning | code | unit (scaled) | frame |
//! |---|---|---|---|---|
//! | q, R | twist-free frame of the centre line, x the tangent t | `q`, `r` | – | world_from_frame |
//! | p | centre line | `p` | L | world |
//! | m, n | moment and force in all tubes together, of s⁺ on s⁻ | `m`, `n` | B/L, B/L² | world |
//! | ψ_j, τ_j | angle of tube j about t from the frame; its torque | `angle`, `torque` | rad, B/L | |
//! | e_j | natural moment EI_j κ_j of tube j, turned by ψ_j | `natural` | B/L | frame |
//! | u | curvature of the centre line, (Σe_j + (Rᵀm)_{yz})/ΣEI_j | `bend` | 1/L | frame |
//! | Λ | t·m − Στ_j, what the frame itself carries | `frame_torque` | B/L | |
//! | φ, δp, δψ; δm, δn, δτ | variation, δR = φ~ R | in this order | | world |
//!
//! q′ = ½ q (0, κ) with κ = (Λ, u), p′ = R ε, m′ = −p′ × n − l, n′ = −f, ψ_j′ = τ_j/GJ_j − κ_x, τ_j′ = −u·i e_j − (t·l if j carries the load),
//! with i e = (−e_z, e_y). Every tube is pulled by the common curvature about the tangent, and u·iΣe_j is
//! just what the balance of the total moment asks for; so Λ is constant, and zero since it is at the tip. Its compliance
//! could be any: it makes the frame twist-free without a constraint, and stability countable.

use super::scaled::{Applied, ScaledTubes, Segment, Sheaf};
use crate::OracleError;
use crate::cosserat::equations::{TOLERANCE, cross, in_metres, turn_between};
use crate::extrapolation::integrate;
use crate::quaternion::Quaternion;
use lissome_lie::Wrench;
use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3, Vector4};

/// Compliance of the frame against the torque Λ that is zero in every equilibrium.
const FRAME_COMPLIANCE: f64 = 1.0;

/// What is known of one place.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub q: Quaternion,
    pub p: Vector3<f64>,
    pub m: Vector3<f64>,
    pub n: Vector3<f64>,
    pub angle: DVector<f64>,
    pub torque: DVector<f64>,
    pub energy: f64,
}

impl State {
    /// Numbers of a variation: twice six and twice the number of tubes.
    pub fn variations(&self) -> usize {
        12 + 2 * self.angle.len()
    }

    /// Moves by a variation.
    pub fn moved(&self, x: &DVector<f64>) -> Self {
        let k = self.angle.len();
        let part = |i: usize| Vector3::new(x[i], x[i + 1], x[i + 2]);
        Self {
            q: Quaternion::from_rotation_vector(&part(0)).times(self.q).normalized(),
            p: self.p + part(3),
            angle: &self.angle + x.rows(6, k),
            m: self.m + part(6 + k),
            n: self.n + part(9 + k),
            torque: &self.torque + x.rows(12 + k, k),
            energy: self.energy,
        }
    }

    /// The variation that leads from `other` here.
    pub fn minus(&self, other: &Self) -> DVector<f64> {
        let k = self.angle.len();
        let mut x = DVector::zeros(12 + 2 * k);
        x.fixed_rows_mut::<3>(0).copy_from(&turn_between(&other.q, &self.q));
        x.fixed_rows_mut::<3>(3).copy_from(&(self.p - other.p));
        x.rows_mut(6, k).copy_from(&(&self.angle - &other.angle));
        x.fixed_rows_mut::<3>(6 + k).copy_from(&(self.m - other.m));
        x.fixed_rows_mut::<3>(9 + k).copy_from(&(self.n - other.n));
        x.rows_mut(12 + k, k).copy_from(&(&self.torque - &other.torque));
        x
    }

    fn numbers(&self) -> usize {
        14 + 2 * self.angle.len()
    }

    fn pack(&self, y: &mut DVector<f64>) {
        let k = self.angle.len();
        y.fixed_rows_mut::<4>(0).copy_from(&self.q.to_vector());
        y.fixed_rows_mut::<3>(4).copy_from(&self.p);
        y.fixed_rows_mut::<3>(7).copy_from(&self.m);
        y.fixed_rows_mut::<3>(10).copy_from(&self.n);
        y[13] = self.energy;
        y.rows_mut(14, k).copy_from(&self.angle);
        y.rows_mut(14 + k, k).copy_from(&self.torque);
    }

    fn unpack(y: &DVector<f64>, k: usize) -> Self {
        let part = |i: usize| Vector3::new(y[i], y[i + 1], y[i + 2]);
        Self {
            q: Quaternion::from_vector(&Vector4::new(y[0], y[1], y[2], y[3])),
            p: part(4),
            m: part(7),
            n: part(10),
            energy: y[13],
            angle: y.rows(14, k).into(),
            torque: y.rows(14 + k, k).into(),
        }
    }
}

/// What follows from a state and the tubes at its place.
pub(super) struct Local {
    pub r: Matrix3<f64>,
    /// e_j of the tubes that are there.
    pub natural: Vec<Vector2<f64>>,
    /// (κ_x, u).
    pub curvature: Vector3<f64>,
    /// p′.
    pub tangent: Vector3<f64>,
    pub frame_torque: f64,
    /// Elastic energy per length.
    pub energy: f64,
}

impl Local {
    pub fn new(state: &State, sheaf: &Sheaf) -> Self {
        let r = state.q.matrix();
        let moment = r.transpose() * state.m;
        let force = r.transpose() * state.n;
        let natural: Vec<_> = sheaf.tubes.iter().map(|(j, e, _)| turned(e, state.angle[*j])).collect();
        let sum: Vector2<f64> = natural.iter().sum();
        let bend = (sum + moment.yz()) * sheaf.bending_compliance;
        let carried: f64 = sheaf.tubes.iter().map(|(j, ..)| state.torque[*j]).sum();
        let frame_torque = moment.x - carried;
        let (axial, shear) = (sheaf.stretch_compliance, sheaf.shear_compliance);
        let stretch = Vector3::new(1.0 + axial * force.x, shear * force.y, shear * force.z);
        let twist: f64 = sheaf.tubes.iter().map(|(j, _, c)| 0.5 * c * state.torque[*j].powi(2)).sum();
        let bending = 0.5 * sheaf.bending_compliance * (moment.yz().norm_squared() - sum.norm_squared());
        let slide = 0.5 * (axial * force.x * force.x + shear * force.yz().norm_squared());
        Self {
            r,
            natural,
            curvature: Vector3::new(FRAME_COMPLIANCE * frame_torque, bend.x, bend.y),
            tangent: r * stretch,
            frame_torque,
            energy: bending + sheaf.natural_energy + twist + slide,
        }
    }

    fn direction(&self) -> Vector3<f64> {
        self.r.column(0).into()
    }

    /// The curvature pulls tube i about the tangent by −u·i e.
    fn pull(&self, i: usize) -> f64 {
        -self.curvature.yz().dot(&quarter_turned(&self.natural[i]))
    }
}

fn turned(a: &Vector2<f64>, angle: f64) -> Vector2<f64> {
    let (sine, cosine) = angle.sin_cos();
    Vector2::new(cosine * a.x - sine * a.y, sine * a.x + cosine * a.y)
}

fn quarter_turned(a: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(-a.y, a.x)
}

/// An applied wrench in world axes, and the part of it that turns with its tube.
fn in_world(applied: &Applied, r: &Matrix3<f64>, state: &State, load_factor: f64) -> (Wrench, Wrench) {
    let turn = Quaternion::from_rotation_vector(&Vector3::new(state.angle[applied.carrier], 0.0, 0.0)).matrix();
    let axes = r * turn * load_factor;
    let follower = Wrench::new(axes * applied.follower.moment, axes * applied.follower.force);
    (applied.dead * load_factor + follower, follower)
}

fn rate(state: &State, local: &Local, sheaf: &Sheaf, load: &Applied, load_factor: f64, dy: &mut DVector<f64>) {
    let k = state.angle.len();
    let (wrench, _) = in_world(load, &local.r, state, load_factor);
    dy.fixed_rows_mut::<4>(0).copy_from(&state.q.rate(&local.curvature).to_vector());
    dy.fixed_rows_mut::<3>(4).copy_from(&local.tangent);
    dy.fixed_rows_mut::<3>(7).copy_from(&(-local.tangent.cross(&state.n) - wrench.moment));
    dy.fixed_rows_mut::<3>(10).copy_from(&-wrench.force);
    dy[13] = local.energy;
    for (i, (j, _, compliance)) in sheaf.tubes.iter().enumerate() {
        dy[14 + j] = compliance * state.torque[*j] - local.curvature.x;
        dy[14 + k + j] = local.pull(i);
    }
    dy[14 + k + load.carrier] -= wrench.moment.dot(&local.direction());
}

/// The matrix A of x′ = A x for x = (φ, δp, δψ, δm, δn, δτ).
fn linearised(state: &State, local: &Local, sheaf: &Sheaf, load: &Applied, load_factor: f64) -> DMatrix<f64> {
    let k = state.angle.len();
    let (m0, n0, t0) = (6 + k, 9 + k, 12 + k);
    let r = &local.r;
    let t = local.direction();
    let mut a = DMatrix::zeros(12 + 2 * k, 12 + 2 * k);

    // R δκ = C (δm − φ × m) + R (−c Σδτ, i Σ e δψ/ΣEI).
    let diagonal = |x: f64, y: f64| r * Matrix3::from_diagonal(&Vector3::new(x, y, y)) * r.transpose();
    let c = diagonal(FRAME_COMPLIANCE, sheaf.bending_compliance);
    a.fixed_view_mut::<3, 3>(0, 0).copy_from(&(c * cross(&state.m)));
    a.fixed_view_mut::<3, 3>(0, m0).copy_from(&c);
    for (i, (j, ..)) in sheaf.tubes.iter().enumerate() {
        let e = quarter_turned(&local.natural[i]) * sheaf.bending_compliance;
        a.fixed_view_mut::<3, 1>(0, 6 + j).copy_from(&(r * Vector3::new(0.0, e.x, e.y)));
        a.fixed_view_mut::<3, 1>(0, t0 + j).copy_from(&(t * -FRAME_COMPLIANCE));
    }
    // δp′ = φ × p′ + D (δn − φ × n).
    let d = diagonal(sheaf.stretch_compliance, sheaf.shear_compliance);
    a.fixed_view_mut::<3, 3>(3, 0).copy_from(&(d * cross(&state.n) - cross(&local.tangent)));
    a.fixed_view_mut::<3, 3>(3, n0).copy_from(&d);
    // δm′ = n × δp′ − p′ × δn − δl.
    let by_tangent = cross(&state.n) * a.rows(3, 3);
    a.rows_mut(m0, 3).copy_from(&by_tangent);
    let mut by_force = a.fixed_view_mut::<3, 3>(m0, n0);
    by_force -= cross(&local.tangent);
    // δψ′ = δτ/GJ − δκ_x, δτ′ = −δu·i e + u·e δψ.
    let turn: DMatrix<f64> = a.rows(0, 3).into();
    let twist = t.transpose() * &turn;
    for (i, (j, _, compliance)) in sheaf.tubes.iter().enumerate() {
        a.row_mut(6 + j).copy_from(&-&twist);
        a[(6 + j, t0 + j)] += compliance;
        let e = quarter_turned(&local.natural[i]);
        let row = -(r * Vector3::new(0.0, e.x, e.y)).transpose() * &turn;
        a.row_mut(t0 + j).copy_from(&row);
        a[(t0 + j, 6 + j)] += local.curvature.yz().dot(&local.natural[i]);
    }
    add_load_variation(&mut a, state, r, load, load_factor);
    a
}

/// Subtracts δl, δf and δ(t·l) in the rows of δm, δn and δτ of the carrier.
fn add_load_variation(a: &mut DMatrix<f64>, state: &State, r: &Matrix3<f64>, load: &Applied, load_factor: f64) {
    let k = state.angle.len();
    let (m0, n0, carrier) = (6 + k, 9 + k, load.carrier);
    let t: Vector3<f64> = r.column(0).into();
    let (wrench, follower) = in_world(load, r, state, load_factor);
    // A follower turns by φ + t δψ.
    for (row, v) in [(m0, follower.moment), (n0, follower.force)] {
        let mut by_turn = a.fixed_view_mut::<3, 3>(row, 0);
        by_turn += cross(&v);
        let mut by_angle = a.fixed_view_mut::<3, 1>(row, 6 + carrier);
        by_angle += cross(&v) * t;
    }
    // δ(t·l) = t·δl + (t × l)·φ, and t·(t × l) = 0.
    let by_turn = (t.transpose() * cross(&follower.moment)) - t.cross(&wrench.moment).transpose();
    let mut row = a.fixed_view_mut::<1, 3>(12 + k + carrier, 0);
    row += by_turn;
}

/// Carries a state to scaled `to` inside a segment.
pub(super) fn carry(
    tubes: &ScaledTubes,
    segment: &Segment,
    load_factor: f64,
    start: &State,
    to: f64,
) -> Result<State, OracleError> {
    let k = start.angle.len();
    let mut y = DVector::zeros(start.numbers());
    start.pack(&mut y);
    let slope = |s: f64, y: &DVector<f64>| {
        let (state, sheaf) = (State::unpack(y, k), tubes.sheaf(segment, s));
        let mut dy = DVector::zeros(y.len());
        rate(&state, &Local::new(&state, &sheaf), &sheaf, &segment.load, load_factor, &mut dy);
        dy
    };
    let end = integrate(slope, segment.from, to, y, TOLERANCE).map_err(|e| in_metres(e, tubes.length))?;
    let mut state = State::unpack(&end, k);
    state.q = state.q.normalized();
    Ok(state)
}

/// Carries a state and its variations across a segment and the point load at its end.
pub(super) fn carry_with_transfer(
    tubes: &ScaledTubes,
    segment: &Segment,
    load_factor: f64,
    start: &State,
) -> Result<(State, DMatrix<f64>), OracleError> {
    let (k, numbers, size) = (start.angle.len(), start.numbers(), start.variations());
    let mut y = DVector::zeros(numbers + size * size);
    start.pack(&mut y);
    y.rows_mut(numbers, size * size).copy_from_slice(DMatrix::<f64>::identity(size, size).as_slice());
    let slope = |s: f64, y: &DVector<f64>| {
        let (state, sheaf) = (State::unpack(y, k), tubes.sheaf(segment, s));
        let local = Local::new(&state, &sheaf);
        let transfer = DMatrix::from_column_slice(size, size, &y.as_slice()[numbers..]);
        let mut dy = DVector::zeros(y.len());
        rate(&state, &local, &sheaf, &segment.load, load_factor, &mut dy);
        let growth = linearised(&state, &local, &sheaf, &segment.load, load_factor) * transfer;
        dy.rows_mut(numbers, size * size).copy_from_slice(growth.as_slice());
        dy
    };
    let end = integrate(slope, segment.from, segment.to, y, TOLERANCE).map_err(|e| in_metres(e, tubes.length))?;
    let mut state = State::unpack(&end, k);
    state.q = state.q.normalized();
    let transfer = DMatrix::from_column_slice(size, size, &end.as_slice()[numbers..]);

    // n(s⁺) = n(s⁻) − F, m(s⁺) = m(s⁻) − M, τ(s⁺) = τ(s⁻) − t·M.
    let r = state.q.matrix();
    let (wrench, _) = in_world(&segment.kick, &r, &state, load_factor);
    let mut jump = DMatrix::identity(size, size);
    add_load_variation(&mut jump, &state, &r, &segment.kick, load_factor);
    state.torque[segment.kick.carrier] -= wrench.moment.dot(&r.column(0));
    state.m -= wrench.moment;
    state.n -= wrench.force;
    Ok((state, jump * transfer))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::description::{CurvedPart, ElasticTube, Stretch, TubeLoad, TubeRobot};
    use super::*;
    use lissome_lie::Pose;
    use lissome_model::{LoadFrame, LoadKind};

    #[test]
    fn transfer_is_the_derivative_of_the_map() {
        let tube = |length: f64, bending: f64, curvature: [f64; 4]| ElasticTube {
            length,
            behind: 0.1,
            angle: 0.3,
            bending,
            torsion: 0.7 * bending,
            axial: 20.0 * bending,
            shear: 8.0 * bending,
            mass_per_length: 0.4,
            curved: vec![CurvedPart {
                from: 0.0,
                to: length,
                start: Vector2::new(curvature[0], curvature[1]),
                end: Vector2::new(curvature[2], curvature[3]),
            }],
        };
        let wrench = Wrench::new(Vector3::new(0.3, -0.2, 0.4), Vector3::new(-0.5, 0.6, 0.2));
        let spread = LoadKind::Distributed { from: 0.0, to: 0.9, per_length: wrench };
        let robot = TubeRobot {
            entry: Pose::identity(),
            tubes: vec![tube(1.0, 1.0, [1.0, 0.5, -1.0, 2.0]), tube(1.0, 2.5, [0.2, -0.7, 0.9, 0.0])],
            gravity: Vector3::new(1.0, -2.0, -3.0),
            loads: vec![
                TubeLoad { frame: LoadFrame::World, kind: spread },
                TubeLoad { frame: LoadFrame::Body, kind: spread },
                TubeLoad { frame: LoadFrame::Body, kind: LoadKind::Point { at: 0.9, wrench } },
                TubeLoad { frame: LoadFrame::World, kind: LoadKind::Point { at: 0.9, wrench } },
            ],
            stretch: Stretch::SumOfTubes,
        };
        let tubes = ScaledTubes::new(&robot).unwrap();
        let segment = tubes.segments.last().unwrap();
        let state = State {
            q: Quaternion { w: 0.5, v: Vector3::new(-0.2, 0.7, 0.4) }.normalized(),
            p: Vector3::new(0.2, 0.1, -0.4),
            m: Vector3::new(0.5, 1.0, -0.7),
            n: Vector3::new(-0.3, 0.8, 1.1),
            angle: DVector::from_vec(vec![0.4, 2.0]),
            torque: DVector::from_vec(vec![0.6, -0.3]),
            energy: 0.0,
        };
        let (_, transfer) = carry_with_transfer(&tubes, segment, 0.7, &state).unwrap();
        let h = 1e-5;
        for i in 0..state.variations() {
            let mut x = DVector::zeros(state.variations());
            x[i] = h;
            let (ahead, _) = carry_with_transfer(&tubes, segment, 0.7, &state.moved(&x)).unwrap();
            let (behind, _) = carry_with_transfer(&tubes, segment, 0.7, &state.moved(&-x)).unwrap();
            // Central differences: h² times third derivatives of order one.
            let difference = ahead.minus(&behind) / (2.0 * h);
            assert!((difference - transfer.column(i)).amax() < 1e-8, "{i}");
        }
    }
}
