import { expect, it } from "vitest"
import { budgetSubject, budgetSubjects } from "../../../../packages/web/src/features/usage/budget-subjects.ts"
import { emptyView, reduceView, type SessionView } from "../../../../packages/web/src/session/stream/view.ts"
import { foldOf, type Told } from "../../session/stream/fold.ts"

const after = foldOf(reduceView, emptyView)
const created = (run_id: string, agent_id: string): Told => {
  return [
    "run_created",
    { run_id, agent_id, kind: "workflow", model: "scripted/demo", title: "A page", input: { user_prompt: "A page" } },
  ]
}
const agents = (...told: Told[]): SessionView["agents"] => after(...told).agents
const completed = (run_id: string, agent_id: string): Told => ["run_completed", { run_id, agent_id, duration_ms: 1 }]

it("are the session and its active runs, which name their agents only where there are several", () => {
  const session = budgetSubject("ses_1", null)
  expect(session).toEqual({ sessionId: "ses_1", title: "This session" })
  expect(budgetSubjects("ses_1", agents())).toEqual([session])
  const [one, two] = [created("run_1", "main"), created("run_2", "agt_2")]
  expect(budgetSubjects("ses_1", agents(one))).toEqual([
    session,
    { sessionId: "ses_1", runId: "run_1", title: "This run" },
  ])
  expect(budgetSubjects("ses_1", agents(one, two)).map(({ title }) => title)).toEqual([
    "This session",
    "Agent's run",
    "agt_2's run",
  ])
  expect(budgetSubjects("ses_1", agents(one, two, completed("run_1", "main"))).map(({ runId }) => runId)).toEqual([
    undefined,
    "run_2",
  ])
})
