import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { BakeOffState } from "./state.ts"

/** Returns the bake-off that a run takes part in, if any. */
export function bakeOffOf({ bakeOffs }: Pick<SessionState, "bakeOffs">, runId: string): BakeOffState | undefined {
  return bakeOffs.list.find(({ entrants }) => entrants.some(({ run_id }) => run_id === runId))
}

/** Sets the base commit of all entrants in a run's bake-off, unless the base commit is already set. */
export function pinBase(runId: string, commit: string): Rule {
  return inLiveSession((state) => {
    const bakeOff = bakeOffOf(state, runId)
    if (!bakeOff || bakeOff.baseCommit !== null) return []
    return [{ type: "bake_off_pinned", bake_off_id: bakeOff.bakeOffId, base_commit: commit }]
  })
}
