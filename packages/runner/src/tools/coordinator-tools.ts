import { type Caller, inAgentTurn } from "@switchyard/core/agents/conversations/caller"
import { AppError } from "@switchyard/core/errors"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { waking } from "@switchyard/core/work/runs/waking"
import type { CoordinatorState } from "@switchyard/core/work/teams/coordinator-state"
import { callTeamTool, describeCoordinatorTools } from "@switchyard/core/work/teams/tools/program-coordinator-tools"
import * as z from "zod"
import { WAIT_MS } from "./limits.ts"
import { type AgentTool, agentTool } from "./tool.ts"

export interface CoordinatorToolsDeps {
  session: SessionLog
  log: Log
  blobs: Blobs
  caller: Caller
  newId: (prefix: "tc") => string
  /** Called when the server must reconcile a run because a tool has changed the state of the run's team. */
  moved: (runId: string) => void
  timeout: (ms: number) => AbortSignal
}

const READING: ReadonlySet<string> = new Set(["read", "glob"])

/**
 * Creates the tools of a coordinator program. The tools only forward calls and wait for results. The team does the
 * work.
 */
export function coordinatorTools(
  deps: CoordinatorToolsDeps,
  { workerTypes }: CoordinatorState,
): Record<string, AgentTool> {
  const tools = describeCoordinatorTools(workerTypes).map(({ name, description, parameters, kind }) => {
    const input = parameters as z.ZodObject
    const about = { title: titleOf(name), description, readOnly: READING.has(kind) || name === "check_board", input }
    return [name, agentTool({ ...about, call: (args, options) => call(deps, { name, args }, options) })]
  })
  return Object.fromEntries(tools)
}

function titleOf(name: string): string {
  const words = name.replaceAll("_", " ")
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

async function call(
  deps: CoordinatorToolsDeps,
  { name, args }: { name: string; args: unknown },
  { signal }: { signal: AbortSignal },
): Promise<string> {
  const { session, caller, moved } = deps
  const own = { callId: deps.newId("tc"), name, args }
  await session.decide(waking(inAgentTurn(caller, (_, state) => callTeamTool(own)(state))), { signal })
  const { team } = session.state
  moved(team?.runId ?? caller.runId)
  // If another `finish` call is pending, its result is also the result of this call.
  const pending = team?.coordinator?.calls ?? []
  const called = pending.find(({ callId }) => callId === own.callId) ?? pending.find((one) => one.name === name)
  const answer = called && (await answerTo(deps, called, signal))
  return (
    answer ?? "The team hasn't finished this yet. Call the tool again later, or look at the board with check_board."
  )
}

async function answerTo(
  { log, blobs, session, timeout }: CoordinatorToolsDeps,
  { callId, seq }: CoordinatorState["calls"][number],
  signal: AbortSignal,
): Promise<string | undefined> {
  const enough = AbortSignal.any([signal, timeout(WAIT_MS)])
  for await (const event of log.tail(logName(session.sid), seq, { signal: enough })) {
    if (event.type !== "team_tool_answered" || event.call_id !== callId) continue
    const answer = await readField(blobs, event.answer, z.string(), { signal })
    if (event.is_error) throw new AppError("team_refused", answer)
    return answer
  }
  signal.throwIfAborted()
  return undefined
}
