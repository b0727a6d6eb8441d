import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { startRun } from "@switchyard/core/sessions/requests/start-run"
import { parseTrain, readTrainSteps } from "@switchyard/core/sessions/requests/train-request"
import { describeRun } from "@switchyard/core/sessions/run-view"
import { Run } from "@switchyard/core/work/runs/schema"
import { NewTrain, TrainStep } from "@switchyard/core/work/trains/schema"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("worktrees")
const Train = z
  .object({ run: Run, steps: z.array(TrainStep).describe("Finished steps, oldest first") })
  .openapi("MergeTrain")

export const routes = {
  create: endpoint.post("/api/v1/sessions/{id}/merge-trains", {
    summary: "Merge several worktrees one after another in a merge queue",
    description:
      "Merges each worktree like `POST …/worktree/merge`. With `checks`, the branch is then checked on a clean copy. The queue stops at the first conflict, refusal or failed check, and its run fails with the reason. Earlier merges are kept. If the runner dies, another one continues without repeating finished merges. A cancelled queue waits up to 25 seconds for the current merge. If a hook delays the merge for longer, its result is reported as a step after the queue has ended.",
    request: { params: SessionId, body: jsonBody(NewTrain) },
    responses: answers(Run, "The run", 201),
  }),
  get: endpoint.get("/api/v1/sessions/{id}/merge-trains/{run}", {
    summary: "Get the progress of a merge queue",
    request: { params: SessionId.extend({ run: z.string().max(100) }) },
    responses: answers(Train, "The merge queue"),
  }),
}

/** Serves merge trains. A train merges several worktrees, one after another. */
export function trainRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  return createRoutes()
    .openapi(routes.create, async (c) => {
      const { owner } = principal(c)
      const session = await deps.sessions.find(owner, c.req.valid("param").id, options)
      const run = await parseTrain(deps, { owner, session, train: c.req.valid("json") }, protectedOptions(c, deps))
      const { runId } = await startRun(deps, run, options)
      return c.json(await describeRun(deps, await deps.runs.get(owner, runId, options), options), 201)
    })
    .openapi(routes.get, async (c) => {
      const { id, run } = c.req.valid("param")
      const { owner } = principal(c)
      const { sid } = await deps.sessions.find(owner, id, options)
      const found = await deps.runs.get(owner, run, options)
      if (found.ref.sid !== sid || found.run.kind !== "train") {
        throw new AppError("run_not_found", "This session has no merge queue with this ID.", { run_id: run })
      }
      const steps = await readTrainSteps(deps, sid, found.run, options)
      return c.json({ run: await describeRun(deps, found, options), steps }, 200)
    })
}
