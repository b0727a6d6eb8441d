import { AgentInput } from "../../agents/conversations/schema.ts"
import { logName } from "../../kernel/keys.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { isTask } from "../../work/runs/kinds.ts"
import type { Launch } from "../../work/runs/launcher.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { runOf } from "../../work/runs/state.ts"
import type { AgentAccounts, AgentCredentials } from "./agents.ts"

const NO_CREDENTIALS: AgentCredentials = { apiKey: null, baseUrl: null, home: "none" }

/** The credentials for a run in a runner; undefined if there is no such run any more. Only agents have any. */
export async function accountOfRun(
  deps: SessionLogDeps & { blobs: Blobs; index: RunIndex; agentAccounts: AgentAccounts },
  { sid, runId }: Pick<Launch, "sid" | "runId">,
  options: { signal: AbortSignal },
): Promise<AgentCredentials | undefined> {
  const [ref, { state }] = await Promise.all([deps.index.get(runId, options), openSessionLog(deps, sid, options)])
  const run = runOf(state, runId)
  if (!ref || !run) return undefined
  if (!isTask(run)) return NO_CREDENTIALS
  for await (const event of deps.log.read(logName(sid), run.firstSeq - 1, options)) {
    if (event.type !== "run_created") return undefined
    const input = await readField(deps.blobs, event.input, AgentInput, options)
    return deps.agentAccounts.open(ref.owner, input, options)
  }
  return undefined
}
