//! What contacts do at the end of a step, as its last residual found them: nobody looks there again.

use super::MotionWorkspace;
use crate::kind::contact::law::{Held, Phase};
use crate::{Inputs, PairState, State, System};

impl System {
    /// Remembers in `to` how contacts slid in the iteration that led there from `from`, where the residual was last asked for.
    pub fn remember_slip_of_step(&self, from: &State, work: &MotionWorkspace, to: &mut State) {
        let at = self.at(from, &work.base.inputs);
        for contact in &self.values.kinds.contacts {
            let condition = || work.standing[1].acting(contact, &at).condition;
            contact.remember_slip(from, condition, Phase::Begins, to);
        }
    }

    /// Which contacts press where the residual was last asked for.
    pub fn touching_at_end(&self, work: &MotionWorkspace, out: &mut Vec<bool>) {
        out.clear();
        out.extend(work.standing[1].presses());
    }

    /// What the pairs do that press where the residual was last asked for.
    pub fn pair_states_at_end(&self, end: &State, inputs: &Inputs, work: &MotionWorkspace, out: &mut Vec<PairState>) {
        let at = self.at(end, inputs);
        self.pair_states(
            end,
            |contact| match Phase::read(end.block(contact.multiplier.block)) {
                Phase::Free | Phase::Begins => Held::of(&work.standing[1].acting(contact, &at).condition),
                _ => contact.wish(&at),
            },
            out,
        );
    }
}
