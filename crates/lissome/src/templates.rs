//! The shipped scenes: demos to run and templates to copy, the same files as in `examples/scenes`.

use lissome_io::Fault;

/// A shipped scene.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Name on the command line.
    pub name: &'static str,
    /// The scene's text.
    pub text: &'static str,
}

/// All of them; the first is the demo.
pub const TEMPLATES: [Template; 25] = [
    Template { name: "tendon-arm", text: include_str!("../../../examples/scenes/tendon-arm.toml") },
    Template { name: "rod", text: include_str!("../../../examples/scenes/rod.toml") },
    Template { name: "catheter-tip", text: include_str!("../../../examples/scenes/catheter-tip.toml") },
    Template { name: "strip", text: include_str!("../../../examples/scenes/strip.toml") },
    Template { name: "sheathed-cable", text: include_str!("../../../examples/scenes/sheathed-cable.toml") },
    Template { name: "hooked", text: include_str!("../../../examples/scenes/hooked.toml") },
    Template { name: "two-grippers", text: include_str!("../../../examples/scenes/two-grippers.toml") },
    Template { name: "cable-arm", text: include_str!("../../../examples/scenes/cable-arm.toml") },
    Template { name: "chiral-column", text: include_str!("../../../examples/scenes/chiral-column.toml") },
    Template { name: "finger", text: include_str!("../../../examples/scenes/finger.toml") },
    Template { name: "six-rod-robot", text: include_str!("../../../examples/scenes/six-rod-robot.toml") },
    Template { name: "concentric-tubes", text: include_str!("../../../examples/scenes/concentric-tubes.toml") },
    Template { name: "rod-on-floor", text: include_str!("../../../examples/scenes/rod-on-floor.toml") },
    Template { name: "catheter-in-vessel", text: include_str!("../../../examples/scenes/catheter-in-vessel.toml") },
    Template { name: "wire-in-sheath", text: include_str!("../../../examples/scenes/wire-in-sheath.toml") },
    Template { name: "gripper", text: include_str!("../../../examples/scenes/gripper.toml") },
    Template { name: "knot", text: include_str!("../../../examples/scenes/knot.toml") },
    Template { name: "sprung-arm", text: include_str!("../../../examples/scenes/sprung-arm.toml") },
    Template { name: "snapping-strip", text: include_str!("../../../examples/scenes/snapping-strip.toml") },
    Template { name: "arch", text: include_str!("../../../examples/scenes/arch.toml") },
    Template { name: "strut", text: include_str!("../../../examples/scenes/strut.toml") },
    Template { name: "drawing-arm", text: include_str!("../../../examples/scenes/drawing-arm.toml") },
    Template { name: "swing", text: include_str!("../../../examples/scenes/swing.toml") },
    Template { name: "whip", text: include_str!("../../../examples/scenes/whip.toml") },
    Template { name: "wrecking-ball", text: include_str!("../../../examples/scenes/wrecking-ball.toml") },
];

impl Template {
    /// The scene's own title.
    pub fn title(&self) -> &'static str {
        let line = self.text.lines().find(|line| line.starts_with("title")).unwrap_or_default();
        line.split('"').nth(1).unwrap_or(self.name)
    }

    /// Its place in the list, from 1.
    pub fn number(&self) -> usize {
        TEMPLATES.iter().position(|t| t.name == self.name).map_or(0, |i| i + 1)
    }
}

/// The scene of that name.
pub fn find(name: &str) -> Result<Template, Fault> {
    TEMPLATES.into_iter().find(|t| t.name == name).ok_or_else(|| Fault::UnknownTemplate {
        name: name.to_owned(),
        known: TEMPLATES.iter().map(|t| t.name.to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Answer, Unobserved};

    #[test]
    fn every_template_is_a_scene_without_complaint() {
        for template in TEMPLATES {
            match lissome_io::scene::parse(template.name, template.text.to_owned(), &[]) {
                Ok(loaded) => assert!(loaded.warnings.is_empty(), "{}: {:?}", template.name, loaded.warnings),
                Err(diagnostics) => {
                    let text: String = diagnostics.iter().map(ToString::to_string).collect();
                    panic!("{}:\n{text}", template.name);
                }
            }
        }
    }

    #[test]
    fn titles_are_read_from_the_scenes() {
        assert_eq!(TEMPLATES[0].title(), "Two-segment tendon-driven arm");
        for template in TEMPLATES {
            assert_ne!(template.title(), template.name);
        }
    }

    #[test]
    fn every_template_has_a_stable_answer() {
        for template in TEMPLATES {
            let loaded = lissome_io::scene::parse(template.name, template.text.to_owned(), &[]).unwrap();
            let answer = crate::run(&loaded.scene, &mut Unobserved).unwrap();
            assert!(answer.succeeded(), "{}: {:?}", template.name, answer.outcome());
            let stable = answer.outcome().and_then(|outcome| outcome.stability).is_some_and(|s| s.stable);
            // A motion may leave the state that it starts from; a path by arclength follows unstable branches too.
            let wanders = match &answer {
                Answer::Dynamics(_) => true,
                Answer::Path(path) => !path.branches.is_empty(),
                _ => false,
            };
            assert!(stable || wanders, "{}", template.name);
        }
    }

    #[test]
    fn a_robot_takes_less_than_fifty_lines() {
        for template in TEMPLATES {
            assert!(template.text.lines().count() < 50, "{}", template.name);
        }
    }
}
