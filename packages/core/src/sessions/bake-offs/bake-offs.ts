import type { ProtectedOptions } from "../../protections.ts"
import type { BakeOff, NewBakeOff, SettleBakeOff } from "../../work/bake-offs/schema.ts"
import { createSessionAgents, type OwnedSession, type SessionAgentsDeps } from "../agents/agents.ts"
import { findBakeOff } from "./bake-off-rules.ts"
import { readBakeOff } from "./read-bake-off.ts"
import { type SettleDeps, settleBakeOff, type Waiting } from "./settle-bake-off.ts"
import { type StartBakeOffDeps, startBakeOff } from "./start-bake-off.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Creates the interface to bake-offs, which compare agents and models on the same task. Each entrant is an agent in the
 * session, and works in a run.
 */
export function createBakeOffs(deps: SessionAgentsDeps & StartBakeOffDeps & Omit<SettleDeps, "sessionAgents">) {
  const sessionAgents = createSessionAgents(deps)
  return {
    /**
     * Starts a bake-off. Requests with the same key start it only once. Throws `idempotency_conflict` if the key is
     * reused with a different body.
     */
    async start(session: OwnedSession, asked: NewBakeOff, options: ProtectedOptions & { key: string | undefined }) {
      return readBakeOff(deps, ...(await startBakeOff(deps, session, asked, options)), options)
    },
    /** Lists recent bake-offs, newest first. */
    list(session: OwnedSession, options: Options): Promise<BakeOff[]> {
      const newest = session.state.bakeOffs.list.toReversed()
      return Promise.all(newest.map((one) => readBakeOff(deps, session, one, options)))
    },
    /** Throws `not_found` if there is no such bake-off. */
    get: async (session: OwnedSession, bakeOffId: string, options: Options): Promise<BakeOff> =>
      readBakeOff(deps, session, findBakeOff(session.state, bakeOffId), options),
    /** Merges the work of one entrant, or of none, and discards the rest. */
    settle: async (session: OwnedSession, bakeOffId: string, request: SettleBakeOff, options: Waiting) =>
      settleBakeOff(
        { ...deps, sessionAgents },
        session,
        { bakeOff: findBakeOff(session.state, bakeOffId), request },
        options,
      ),
  }
}
