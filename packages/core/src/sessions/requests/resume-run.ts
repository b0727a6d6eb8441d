import { AppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import type { Log } from "../../log/log.ts"
import { readField } from "../../log/payload.ts"
import { resolveModel } from "../../models/resolve.ts"
import { withOwnersKey } from "../../people/accounts/model-keys.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { runKinds } from "../../work/runs/kinds.ts"
import { runEnded } from "../../work/runs/rules.ts"
import type { LocatedRun } from "../../work/runs/runs.ts"
import { WorkflowInput } from "../../work/workflow/schema.ts"
import type { ParsedRun, RunRequestDeps } from "./run-request.ts"

/**
 * Returns the run that continues a failed or cancelled workflow run. It keeps the plan, the tasks and the finished
 * files, and may use another model. Throws `run_ended` for a completed run or an agent's task, and `invalid_request`
 * for an unusable model.
 */
export async function resumedRun(
  deps: { log: Log; blobs: Blobs } & Pick<RunRequestDeps, "accounts" | "models">,
  { ref, run }: LocatedRun,
  asked: { model?: string; apiKey: string | undefined },
  options: { signal: AbortSignal },
): Promise<ParsedRun> {
  const isResumable = runKinds[run.kind].isContinuable && (run.status === "failed" || run.status === "cancelled")
  if (!isResumable) throw runEnded(run)
  const named = { name: asked.model ?? run.model, surface: "workflow" as const, apiKey: asked.apiKey }
  const { account: _, ...keyed } = await withOwnersKey(deps, ref.owner, named, options)
  const { apiKey } = keyed
  const { provider, model } = resolveModel(deps.models, keyed)
  const { resumes = [], ...input } = await inputOf(deps, { ref, run }, options)
  const earlier = { run_id: run.runId, first_seq: run.firstSeq }
  return {
    ...{ owner: ref.owner, kind: "workflow", model: `${provider}/${model}`, apiKey, workspace: ref.session_id },
    input: { ...input, resumes: [...resumes, earlier] },
  }
}

async function inputOf(
  { log, blobs }: { log: Log; blobs: Blobs },
  { ref, run }: Pick<LocatedRun, "ref" | "run">,
  options: { signal: AbortSignal },
): Promise<WorkflowInput> {
  for await (const event of log.read(logName(ref.sid), run.firstSeq - 1, options)) {
    if (event.type !== "run_created") break
    return readField(blobs, event.input, WorkflowInput, options)
  }
  throw new AppError("internal_error", "The run's first event is not its creation.")
}
