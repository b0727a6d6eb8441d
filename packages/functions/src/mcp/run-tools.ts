import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { QuestionList } from "@switchyard/core/agents/questions/schema"
import { NewRunRequest } from "@switchyard/core/agents/tasks/request"
import { describeTask } from "@switchyard/core/agents/tasks/task-view"
import type { LogEvent } from "@switchyard/core/events"
import { workspaceId } from "@switchyard/core/files/workspaces/id"
import { requestRun } from "@switchyard/core/sessions/requests/start-run"
import { describeRun } from "@switchyard/core/sessions/run-view"
import { followRun } from "@switchyard/core/work/runs/follow-run"
import { isTask } from "@switchyard/core/work/runs/kinds"
import { type Steps, stepsAfter } from "@switchyard/core/work/runs/progress"
import type { LocatedRun } from "@switchyard/core/work/runs/runs"
import { Run } from "@switchyard/core/work/runs/schema"
import * as z from "zod"
import type { AppDeps } from "../deps.ts"
import { type Progress, type ToolCall, type Tools, tool } from "./tool.ts"

/** Maximum wait in seconds. Most clients time out after a minute. */
const LONGEST_WAIT_S = 50

const asked = NewRunRequest.shape
const StartRun = z.object({
  prompt: asked.user_prompt.describe("What to build, or the agent's task"),
  kind: asked.kind.describe("workflow: built by Switchyard's own workflow. agent: done by a command-line agent"),
  session_id: z.string().min(1).max(200).optional().describe("Session to work in. By default, a new one"),
  model: asked.model,
  check: asked.check,
  review: asked.review,
  coding_agent: asked.coding_agent,
  coding_model: asked.coding_model,
  repository: asked.repository,
  agent_id: asked.agent_id,
  worktree: asked.worktree,
  mode: PermissionMode.default("ask"),
  consent: asked.consent,
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("Idempotency key: calls with the same key and arguments start a single run and all return it"),
})

const RunId = z.string().max(100)

/** A run with its progress, as shown to clients. */
const FollowedRun = Run.extend({
  progress: z
    .object({ step: z.int().nonnegative(), total: z.int().nonnegative() })
    .nullable()
    .describe("Finished and total steps; null for agents, and until there is a plan"),
  summary: z.string().nullable().describe("The agent's last report"),
  questions: QuestionList.shape.questions.describe("Open questions of the run; answer them with answer_question"),
})
type FollowedRun = z.infer<typeof FollowedRun>

/** Provides the tools for starting and following runs. */
export const runTools: Tools = (deps) => {
  const options = { signal: deps.stopping }

  async function view(owner: string, found: LocatedRun): Promise<FollowedRun> {
    const { ref, run } = found
    const session = await deps.sessions.find(owner, ref.session_id, options)
    const [described, task, waiting] = await Promise.all([
      describeRun(deps, found, options),
      isTask(run) ? describeTask(deps, session, run, options) : undefined,
      deps.questions.ofSession(session, options),
    ])
    const summary = task?.result ?? task?.progress ?? null
    const questions = waiting.filter(({ run_id }) => run_id === run.runId)
    return { ...described, progress: run.progress, summary, questions }
  }

  async function follow(runId: string, seconds: number, call: ToolCall): Promise<FollowedRun> {
    const { owner } = call.principal
    const found = await deps.runs.get(owner, runId, options)
    const now = await view(owner, found)
    if (seconds === 0 || now.ended_at !== null || now.questions.length > 0) return now
    await untilNews(deps, found, { ...call, signal: AbortSignal.any([call.signal, timeout(seconds)]) })
    return view(owner, await deps.runs.get(owner, runId, options))
  }

  return {
    start_run: tool({
      title: "Start a run",
      description:
        "Starts a run: builds a project from a prompt, or gives a coding agent a task. Returns immediately; follow the run with get_run.",
      route: "POST /v1/runs",
      readOnly: false,
      input: StartRun,
      output: FollowedRun,
      async call({ prompt, session_id, idempotency_key: key, ...rest }, { principal: { owner }, apiKey, mayLoosen }) {
        const workspace = () => (session_id === undefined ? undefined : workspaceId(session_id))
        const request = NewRunRequest.parse({ ...rest, user_prompt: prompt, workspace_id: session_id })
        const requests = { ...deps, models: deps.config.models }
        const found = await requestRun(requests, { owner, apiKey, workspace }, request, { key, mayLoosen, ...options })
        return view(owner, found)
      },
    }),
    get_run: tool({
      title: "Follow a run",
      description: `Gets the status of a run. With wait_seconds, waits up to that long for the run to end or ask a question, reporting progress meanwhile.`,
      route: "GET /v1/runs/:id",
      readOnly: true,
      input: z.object({ run_id: RunId, wait_seconds: z.number().min(0).max(LONGEST_WAIT_S).default(0) }),
      output: FollowedRun,
      call: ({ run_id, wait_seconds }, call) => follow(run_id, wait_seconds, call),
    }),
    cancel_run: tool({
      title: "Cancel a run",
      description: "Stops a run within seconds.",
      route: "POST /v1/runs/:id/cancel",
      readOnly: false,
      input: z.object({ run_id: RunId }),
      output: FollowedRun,
      async call({ run_id }, { principal: { owner } }) {
        await deps.runs.cancel(owner, run_id, "asked for", options)
        return view(owner, await deps.runs.get(owner, run_id, options))
      },
    }),
  }
}

/** Reports a run's progress. Returns when the run ends, asks a question or is parked, or when the signal aborts. */
async function untilNews(deps: AppDeps, { ref, run, head }: LocatedRun, call: ToolCall): Promise<void> {
  let steps: Steps = { stepsFinished: run.progress?.step ?? 0, stepsTotal: run.progress?.total ?? null }
  let reports = 0
  for await (const event of followRun(deps, ref.sid, run, head, { signal: call.signal })) {
    if (event === "quiet") continue
    if (event.type === "question_asked" || (event.type === "run_parked" && !event.waits_for?.run)) return
    const before = steps
    if (event.type === "node_finished") steps = stepsAfter(steps, event)
    const progress = progressOf(event, before, steps) ?? messageOf(event, reports)
    if (!progress) continue
    reports++
    await call.report(progress)
  }
}

function progressOf(event: LogEvent, before: Steps, { stepsFinished, stepsTotal }: Steps): Progress | undefined {
  if (event.type !== "node_finished" || stepsTotal === null || stepsFinished <= before.stepsFinished) return undefined
  return { progress: stepsFinished, total: stepsTotal, message: `${stepsFinished} of ${stepsTotal} steps are done.` }
}

function messageOf(event: LogEvent, reports: number): Progress | undefined {
  if (event.type === "progress") return { progress: reports + 1, message: event.summary }
  if (event.type === "milestone") return { progress: reports + 1, message: event.title }
  return undefined
}

function timeout(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(seconds * 1000))
}
