import * as z from "zod"
import { agentEvents } from "./agents/events.ts"
import { EventHeader } from "./log/event.ts"
import { runEvents } from "./runs/events.ts"
import { sessionEvents } from "./sessions/events.ts"
import { terminalEvents } from "./terminals/events.ts"
import { workflowEvents } from "./workflow/events.ts"
import { workspaceEvents } from "./workspaces/events.ts"
import { worktreeEvents } from "./worktrees/events.ts"

/** Everything that can happen in a session: each noun has its own. */
export const SessionEvent = z.discriminatedUnion("type", [
  ...sessionEvents,
  ...runEvents,
  ...workspaceEvents,
  ...workflowEvents,
  ...terminalEvents,
  ...agentEvents,
  ...worktreeEvents,
])
export type SessionEvent = z.infer<typeof SessionEvent>
export type EventType = SessionEvent["type"]

/** An event that is about to be appended. */
export type NewEvent = SessionEvent

/** An event as it stands in a session's log. A reader may meet types that it doesn't know, and keeps them. */
export type LogEvent = NewEvent & EventHeader
export const LogEvent = z.intersection(EventHeader, z.looseObject({ type: z.string() }))

export type EventOf<T extends EventType> = Extract<LogEvent, { type: T }>
