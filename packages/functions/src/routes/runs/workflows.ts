import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { workspaceId } from "@switchyard/core/files/workspaces/id"
import { bindSession, parseWorkflowRun } from "@switchyard/core/sessions/requests/run-request"
import { startRun } from "@switchyard/core/sessions/requests/start-run"
import { Verdict } from "@switchyard/core/work/gate/schema"
import { followRun } from "@switchyard/core/work/runs/follow-run"
import { endsRun } from "@switchyard/core/work/runs/schema"
import type { RunState } from "@switchyard/core/work/runs/state"
import { RunRequest } from "@switchyard/core/work/workflow/request"
import { Plan, TaskPlan } from "@switchyard/core/work/workflow/schema"
import { streamFrames } from "@switchyard/core/work/workflow/stream/run-frames"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { errorEnvelope } from "../../http/errors.ts"
import { keepAliveJson } from "../../http/keep-alive-json.ts"
import { protectedOptions, runCaller } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody, streams, unchecked } from "../../http/routing.ts"
import { RunHeaders, WorkspaceQuery } from "../../http/schemas.ts"
import { sendEvents } from "../../http/sse.ts"

const endpoint = endpointsOf("workflow")
const request = { query: WorkspaceQuery, headers: RunHeaders, body: jsonBody(RunRequest) }
const Outcome = z
  .object({
    status: z.literal("DONE"),
    provider: z.string(),
    workspace_id: z.string(),
    run_id: z.string(),
    plan: Plan.nullable(),
    task_plan: TaskPlan.nullable(),
    warning: z.string().nullable().describe("Why the result should be double-checked"),
    verdict: Verdict.nullable().describe("The result of running the project; null if the run didn't report any"),
  })
  .openapi("WorkflowOutcome")

const LONG_ANSWER = `On a deployed server, a response that takes longer than 25 seconds begins with status 200 and
spaces, followed by the JSON. If the run fails after that, the body is the error envelope, so check for \`error\`.`

/** Creates the route at this path. The endpoint is available at two paths. */
function run<P extends string>(path: P) {
  const summary = "Run the workflow and wait for the result"
  const description = LONG_ANSWER
  const responses = answers(Outcome, "The result")
  return endpoint.post(path, { summary, description, request, responses })
}
function stream<P extends string>(path: P) {
  const summary = "Run the workflow and stream its progress"
  return endpoint.post(path, { summary, request, responses: streams("One frame per event") })
}

export const routes = {
  run: (["/generate", "/v1/workflows/run"] as const).map(run),
  stream: (["/stream", "/v1/workflows/stream"] as const).map(stream),
}

/**
 * Serves workflow runs as defined by the reference contract. A run uses the workspace named in the request, or
 * `default`.
 */
export function workflowRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const { report, stopping, config } = deps
  const envelope = (error: unknown) => errorEnvelope(error, { report, stopping, verbose: config.verboseErrors })

  async function start(c: Context, request: RunRequest) {
    const caller = runCaller(c, request)
    const inWorkspace = { ...caller, workspace: () => workspaceId(caller.workspace()) }
    const parsed = await parseWorkflowRun(
      { ...deps, models: config.models },
      inWorkspace,
      request,
      protectedOptions(c, deps),
    )
    const bound = bindSession(parsed, workspaceId(parsed.workspace))
    const run = await startRun(deps, bound, options)
    const { owner, sid, sessionId } = bound
    return { ref: { run_id: run.runId, owner, sid, session_id: sessionId, created_at: 0 }, run }
  }

  const app = createRoutes()
  for (const route of routes.run) {
    app.openapi(route, async (c) => {
      const { ref, run } = await start(c, c.req.valid("json"))
      // If the client disconnects, stop only the response. The run continues.
      const disconnected = new AbortController()
      const signal = AbortSignal.any([deps.stopping, disconnected.signal, c.req.raw.signal])
      const provider = run.model.split("/")[0] ?? ""
      const body = { status: "DONE" as const, provider, workspace_id: ref.session_id, run_id: run.runId }
      const answer = outcome(deps, ref.sid, run, signal).then(({ plan, taskPlan, ...end }) => {
        return { ...body, plan, task_plan: taskPlan, ...end }
      })
      const { clock, firstByteWithinMs } = deps
      if (firstByteWithinMs === undefined) return c.json(await answer, 200)
      return unchecked(await keepAliveJson(c, answer, { clock, firstByteWithinMs, disconnected, envelope }))
    })
  }
  for (const route of routes.stream) {
    app.openapi(route, async (c) => {
      const started = await start(c, c.req.valid("json"))
      c.header("X-Run-ID", started.run.runId)
      return sendEvents(c, { ...deps, ...options }, (signal) => streamFrames(deps, started, undefined, signal))
    })
  }
  return app
}

/** Waits for the run to end and returns its result. Throws `workflow_error` if the run failed. */
async function outcome(deps: AppDeps, sid: string, run: RunState, signal: AbortSignal) {
  let plan: Plan | null = null
  let taskPlan: TaskPlan | null = null
  for await (const event of followRun(deps, sid, run, run.firstSeq - 1, { signal })) {
    if (event === "quiet") continue
    if (event.type === "node_finished" && "plan" in event.update) plan = event.update.plan ?? null
    if (event.type === "node_finished" && "task_plan" in event.update) taskPlan = event.update.task_plan ?? null
    if (event.type === "run_completed") {
      return { plan, taskPlan, warning: event.warning ?? null, verdict: event.verdict ?? null }
    }
    if (event.type === "run_failed") {
      const { error_type, hint, exception_chain } = event
      throw workflowError(run, event.message, { error_type, hint, ...(exception_chain && { exception_chain }) })
    }
    if (endsRun(event)) throw workflowError(run, "The run was cancelled.", CANCELLED)
  }
  throw workflowError(run, "The server stopped before the run ended.", INTERRUPTED)
}

const CANCELLED = { error_type: "cancelled", hint: "You can start it again." }
const INTERRUPTED = {
  error_type: "interrupted",
  hint: "The run continues when the server is back. Look it up by its ID.",
}

function workflowError(run: RunState, message: string, details: Record<string, unknown>): AppError {
  return new AppError("workflow_error", message, { run_id: run.runId, ...details })
}
