import { agentTitle } from "@switchyard/core/agents/clis/titles"
import type { SessionView } from "../../session/stream/view.ts"
import type { BudgetSubject } from "./use-work-budgets.ts"

const ACTIVE: ReadonlySet<string> = new Set(["queued", "running", "parked"])

/** Returns the session, or a single run, as the subject of a budget. */
export function budgetSubject(sessionId: string, runId: string | null): BudgetSubject {
  return runId === null ? { sessionId, title: "This session" } : { sessionId, runId, title: "This run" }
}

/** Returns everything in a session that can have a budget: the session itself, then its active runs. */
export function budgetSubjects(sessionId: string, agents: SessionView["agents"]): BudgetSubject[] {
  const runs = Object.entries(agents).flatMap(([agentId, { run, agent }]) =>
    run && ACTIVE.has(run.status) ? [{ runId: run.runId, agent: agentTitle(agent.name ?? agentId, agent.cli) }] : [],
  )
  return [
    budgetSubject(sessionId, null),
    ...runs.map(({ runId, agent }) => ({
      ...budgetSubject(sessionId, runId),
      ...(runs.length > 1 && { title: `${agent}'s run` }),
    })),
  ]
}
