import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { type PastMessage, readHistory } from "@switchyard/core/agents/native-sessions/history"
import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { type FoundSession, findSession } from "../agents/found-session.ts"
import { ownFiles } from "../files/files.ts"
import type { WorktreeUser } from "../sandbox/sandbox.ts"
import type { WorkDeps } from "./work-deps.ts"

/** Finds the session that the task should continue in the person's own home. Undefined if the task begins its own. */
export async function takeOverSession(
  { host }: Pick<WorkDeps, "host">,
  { resume_session: session, cli, repository }: AgentInput,
  cwd: string,
  user: WorktreeUser | undefined,
): Promise<FoundSession | undefined> {
  if (session === undefined) return undefined
  if (user)
    throw new AppError("task_invalid", "Agents on this server run as a different user, which can't read your sessions.")
  const found = await findSession(ownFiles, host.HOME, { cli, session, repository, cwd })
  if (found) return found
  const which = session === "latest" ? "no session of this repository" : "no session with this id"
  throw new AppError("task_invalid", `There is ${which} in your home.`, { resume_session: session })
}

const EVENTS_AT_ONCE = 20

/** Adds the earlier messages of a session to the conversation, unless an earlier runner of this run has added them. */
export async function showEarlierMessages(
  { input, history }: Pick<RunContext<AgentInput>, "input" | "history">,
  { transcript }: FoundSession,
  append: (events: NewEvent[]) => Promise<void>,
): Promise<void> {
  for await (const { type } of history()) if (type === "user_message") return
  const { messages, omitted } = readHistory(input.cli, transcript)
  const notice: NewEvent = { type: "agent_notice", text: "The session's older messages aren't shown." }
  const events = [...(omitted ? [notice] : []), ...messages.map(asEvent)]
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    await append(events.slice(from, from + EVENTS_AT_ONCE))
  }
}

function asEvent({ role, text }: PastMessage): NewEvent {
  if (role === "user") return { type: "user_message", content: text, source: "history" }
  return { type: "assistant_message", blocks: [{ kind: "text", content: text }] }
}
