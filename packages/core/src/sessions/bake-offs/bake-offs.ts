import type { ProtectedOptions } from "../../protections.ts"
import type { BakeOff, NewBakeOff, SettleBakeOff, SettledBakeOff } from "../../work/bake-offs/schema.ts"
import { createSessionAgents, type OwnedSession, type SessionAgentsDeps } from "../agents/agents.ts"
import { findBakeOff } from "./bake-off-rules.ts"
import { readBakeOff } from "./read-bake-off.ts"
import { type SettleDeps, settleBakeOff, type Waiting } from "./settle-bake-off.ts"
import { type StartBakeOffDeps, startBakeOff } from "./start-bake-off.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Comparisons of agents and models on the same task. The entrants are agents in the session, and their work is done in
 * runs.
 */
export interface BakeOffs {
  /**
   * Requests with the same key start only one bake-off. Throws `idempotency_conflict` if the key is reused with a
   * different body.
   */
  start(
    session: OwnedSession,
    asked: NewBakeOff,
    options: ProtectedOptions & { key: string | undefined },
  ): Promise<BakeOff>
  /** Lists recent bake-offs, newest first. */
  list(session: OwnedSession, options: Options): Promise<BakeOff[]>
  /** Throws `not_found` if there is no such bake-off. */
  get(session: OwnedSession, bakeOffId: string, options: Options): Promise<BakeOff>
  /** Adopts the work of one entrant or none, and discards the rest. */
  settle(session: OwnedSession, bakeOffId: string, request: SettleBakeOff, options: Waiting): Promise<SettledBakeOff>
}

export function createBakeOffs(
  deps: SessionAgentsDeps & StartBakeOffDeps & Omit<SettleDeps, "sessionAgents">,
): BakeOffs {
  const sessionAgents = createSessionAgents(deps)
  return {
    async start(session, asked, options) {
      return readBakeOff(deps, ...(await startBakeOff(deps, session, asked, options)), options)
    },
    list(session, options) {
      const newest = session.state.bakeOffs.list.toReversed()
      return Promise.all(newest.map((one) => readBakeOff(deps, session, one, options)))
    },
    get: async (session, bakeOffId, options) =>
      readBakeOff(deps, session, findBakeOff(session.state, bakeOffId), options),
    settle: async (session, bakeOffId, request, options) =>
      settleBakeOff(
        { ...deps, sessionAgents },
        session,
        { bakeOff: findBakeOff(session.state, bakeOffId), request },
        options,
      ),
  }
}
