//! Many lines of given length on one rod: whatever is pulled in, some are taut, the others carry nothing, and all of them
//! are found together.

use crate::bench::*;
use lissome_model::*;
use lissome_solve::Outcome;
use nalgebra::Vector3;

/// Distance of the lines from the axis, and of the discs from each other, m.
const RADIUS: f64 = 0.008;
const SPACING: f64 = 0.02;
/// Discs of a segment.
const DISCS: usize = 5;

/// Numbers in 0 … 1 that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

/// A bend of 1 rad of a segment takes 8 mm. So pulls up to that bend the arm, and three times as much rolls it up: lines of one
/// segment that are all pulled in by that much press a third of its length out of it, and it gives way sideways.
const BENDING: (f64, f64) = (-0.010, 0.008);
const ROLLING_UP: (f64, f64) = (-0.020, 0.030);

/// A rod with discs and one to three segments of one to three lines, each line pulled in or let out at random.
fn random_pull(seed: u64, stiffness: Option<f64>, (least, most): (f64, f64)) -> Scene {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D);
    for _ in 0..5 {
        random.next();
    }
    let segments = 1 + random.below(3);
    let length = SPACING * (DISCS * segments) as f64;
    let discs = (1..=DISCS * segments).map(|k| {
        let mount = Mount::On(Frame::rod(0, (SPACING * k as f64).min(length)));
        body(&format!("disc{k}"), mount, 0.001, Vector3::zeros())
    });
    let mut model = rod("arm", length, Some(ground()), None);
    model.discretization =
        Discretization::Spline { degree: 3, resolution: Resolution::Spans(DISCS * segments), form: StrainForm::Mixed };
    let mut scene = Scene { gravity: down(), rods: vec![model], bodies: discs.collect(), ..Scene::default() };
    for segment in 0..segments {
        let turn = random.between(0.0, 6.3);
        for line in 0..if random.below(3) == 0 { 1 + random.below(3) } else { 3 } {
            let angle = turn + line as f64 * std::f64::consts::TAU / 3.0;
            let hole = at(0.0, RADIUS * angle.cos(), RADIUS * angle.sin());
            let through = (0..DISCS * (segment + 1)).map(|k| Frame::body(k).at(hole));
            let points = std::iter::once(Frame::world(hole)).chain(through).collect();
            let drive = CableDrive::Pull(random.between(least, most));
            scene.cables.push(Cable { name: format!("line{segment}{line}"), points, drive, stiffness });
        }
    }
    scene
}

/// Whether a line of given length is as it must be: taut and as long as it is, or slack without force.
fn assert_each_is_taut_or_slack(scene: &Scene, solved: &Solved, seed: u64) {
    for (index, cable) in scene.cables.iter().enumerate() {
        let CableDrive::Pull(pulled) = cable.drive else { panic!("lines are pulled") };
        let natural = SPACING * (cable.points.len() - 1) as f64;
        let (tension, length) = (solved.tension(index), solved.cable_length(index));
        let target = (natural - pulled) * (1.0 + cable.stiffness.map_or(0.0, |stiffness| tension / stiffness));
        match tension == 0.0 {
            true => {
                assert!(length <= target + 1e-9 * natural, "{seed}.{index}: slack, too long by {}", length - target)
            }
            false => {
                assert!(tension > 0.0, "{seed}.{index}: pushes with {tension}");
                assert!((length - target).abs() < 1e-9 * natural, "{seed}.{index}: {}", length - target);
            }
        }
    }
}

/// Solves 200 draws, each in one call; what did not converge, or took more load steps than it may.
fn draw(pulls: (f64, f64), load_steps: usize) -> Vec<String> {
    let (mut most, mut sum, mut slack, mut taut, mut stepped) = (0, 0, 0, 0, 0);
    let mut missed = Vec::new();
    for seed in 0..200 {
        let stiffness = [None, Some(2000.0), Some(100.0)][seed as usize % 3];
        let scene = random_pull(seed, stiffness, pulls);
        let solved = attempt(&scene);
        let outcome = &solved.solution.outcome;
        stepped += usize::from(outcome.load_steps > 1);
        if !outcome.converged() || outcome.load_steps > load_steps {
            let Outcome { status, load_steps, defect, .. } = outcome;
            let (lines, iterations) = (scene.cables.len(), outcome.iterations());
            missed
                .push(format!("{seed}: {lines} lines, {status:?}, {defect:?}, {iterations}, {load_steps} load steps"));
            continue;
        }
        assert_each_is_taut_or_slack(&scene, &solved, seed);
        most = most.max(outcome.iterations());
        sum += outcome.iterations();
        let acting = (0..scene.cables.len()).filter(|line| solved.tension(*line) > 0.0).count();
        (taut, slack) = (taut + acting, slack + scene.cables.len() - acting);
    }
    println!("{taut} taut, {slack} slack, {stepped} in load steps; {} iterations on average, most {most}", sum / 200);
    // Otherwise nothing was decided.
    assert!(taut > 200 && slack > 200, "{taut} {slack}");
    missed
}

/// The whole pull at once: no way in steps is needed to find out who is taut.
#[test]
fn random_pulls_of_many_lines_are_found() {
    let missed = draw(BENDING, 1);
    assert!(missed.is_empty(), "{}: {missed:#?}", missed.len());
}

/// Pulls that roll the arm up have many equilibria, and some of them are found along the load only; one call finds one of each.
#[test]
fn random_pulls_that_roll_the_arm_up_are_found() {
    let missed = draw(ROLLING_UP, usize::MAX);
    assert!(missed.is_empty(), "{}: {missed:#?}", missed.len());
}

/// Tensions by a slow way that shares nothing with the first but the equilibrium under given tensions: each line in turn
/// gets the tension that its own stretch asks for, the others held, until none changes.
fn tensions_one_by_one(scene: &Scene) -> Vec<f64> {
    let count = scene.cables.len();
    let mut tensions = vec![0.0; count];
    let excess = |tensions: &[f64], line: usize| {
        let mut pulled = scene.clone();
        for (cable, tension) in pulled.cables.iter_mut().zip(tensions) {
            cable.drive = CableDrive::Tension(*tension);
        }
        let CableDrive::Pull(by) = scene.cables[line].drive else { panic!("lines are pulled") };
        let natural = SPACING * (scene.cables[line].points.len() - 1) as f64;
        let give = 1.0 / scene.cables[line].stiffness.unwrap();
        solve(&pulled).cable_length(line) - (natural - by) * (1.0 + tensions[line] * give)
    };
    let stretch: Vec<f64> =
        scene.cables.iter().map(|cable| SPACING * (cable.points.len() - 1) as f64 / cable.stiffness.unwrap()).collect();
    for _ in 0..200 {
        let mut largest: f64 = 0.0;
        for line in 0..count {
            // The line's own stretch is most of what gives way; the rod's part of it is left to the next rounds.
            let next = (tensions[line] + 0.8 * excess(&tensions, line) / stretch[line]).max(0.0);
            largest = largest.max((next - tensions[line]).abs());
            tensions[line] = next;
        }
        if largest < 1e-9 {
            return tensions;
        }
    }
    panic!("the slow way did not end");
}

#[test]
fn tensions_of_elastic_lines_agree_with_a_slow_way() {
    for seed in [1, 4, 9, 12, 15] {
        let scene = random_pull(seed, Some(10.0), BENDING);
        let solved = solve(&scene);
        for (line, slow) in tensions_one_by_one(&scene).iter().enumerate() {
            let fast = solved.tension(line);
            // Both are found to 1e-9 of what the slow way steps by, and it shrinks by a half at least each round.
            assert!((fast - slow).abs() < 1e-7, "{seed}.{line}: {fast} {slow}");
            assert_eq!(fast == 0.0, *slow == 0.0, "{seed}.{line}");
        }
    }
}

/// Three lines through the same holes that cannot stretch: nothing says how they share what one of them would carry, and
/// they share it evenly; if one is shorter it carries all.
#[test]
fn redundant_lines_share() {
    let mut scene = random_pull(4, None, BENDING);
    scene.cables.truncate(1);
    scene.cables[0].drive = CableDrive::Pull(0.004);
    let alone = solve(&scene).tension(0);
    for name in ["second", "third"] {
        scene.cables.push(Cable { name: name.into(), ..scene.cables[0].clone() });
    }
    let shared = solve(&scene);
    let tensions: Vec<f64> = (0..3).map(|line| shared.tension(line)).collect();
    assert!((tensions.iter().sum::<f64>() / alone - 1.0).abs() < 1e-9, "{tensions:?} {alone}");
    assert!(tensions.iter().all(|tension| (3.0 * tension / alone - 1.0).abs() < 1e-3), "{tensions:?} {alone}");
    scene.cables[1].drive = CableDrive::Pull(0.004 + 1e-6);
    let uneven = solve(&scene);
    assert_eq!([uneven.tension(0), uneven.tension(2)], [0.0, 0.0]);
    assert!(uneven.tension(1) > alone);
}
