import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { BakeOffState } from "./state.ts"

/** The bake-off in which this run is an entrant's; undefined for none. */
export function bakeOffOf({ bakeOffs }: Pick<SessionState, "bakeOffs">, runId: string): BakeOffState | undefined {
  return bakeOffs.list.find(({ entrants }) => entrants.some(({ run_id }) => run_id === runId))
}

/** Has all entrants of a run's bake-off begin at this commit, unless one has begun at another already. */
export function pinBase(runId: string, commit: string): Rule {
  return inLiveSession((state) => {
    const bakeOff = bakeOffOf(state, runId)
    if (!bakeOff || bakeOff.baseCommit !== null) return []
    return [{ type: "bake_off_pinned", bake_off_id: bakeOff.bakeOffId, base_commit: commit }]
  })
}
