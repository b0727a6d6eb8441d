import * as z from "zod"
import { agentEvents } from "./agents/conversations/events.ts"
import { handOffEvents } from "./agents/hand-off/events.ts"
import { questionEvents } from "./agents/questions/events.ts"
import { terminalEvents } from "./agents/terminals/events.ts"
import { workspaceEvents } from "./files/workspaces/events.ts"
import { worktreeEvents } from "./files/worktrees/events.ts"
import { sessionEvents } from "./kernel/events.ts"
import { EventHeader } from "./log/event.ts"
import { budgetEvents } from "./people/budget/events.ts"
import { appEvents } from "./work/apps/events.ts"
import { bakeOffEvents } from "./work/bake-offs/events.ts"
import { chatEvents } from "./work/chat/events.ts"
import { checkEvents } from "./work/checks/events.ts"
import { gateEvents } from "./work/gate/events.ts"
import { harnessEvents } from "./work/harness/events.ts"
import { previewEvents } from "./work/preview/events.ts"
import { runEvents } from "./work/runs/events.ts"
import { shellCommandEvents } from "./work/shell-commands/events.ts"
import { teamEvents } from "./work/teams/events.ts"
import { trainEvents } from "./work/trains/events.ts"
import { verificationEvents } from "./work/verification/events.ts"
import { workflowEvents } from "./work/workflow/events.ts"

/** All events of a session. Each area defines its own events. */
export const SessionEvent = z.discriminatedUnion("type", [
  ...sessionEvents,
  ...runEvents,
  ...workspaceEvents,
  ...workflowEvents,
  ...harnessEvents,
  ...chatEvents,
  ...checkEvents,
  ...gateEvents,
  ...verificationEvents,
  ...trainEvents,
  ...bakeOffEvents,
  ...teamEvents,
  ...shellCommandEvents,
  ...previewEvents,
  ...appEvents,
  ...terminalEvents,
  ...agentEvents,
  ...questionEvents,
  ...handOffEvents,
  ...budgetEvents,
  ...worktreeEvents,
])
export type SessionEvent = z.infer<typeof SessionEvent>
export type EventType = SessionEvent["type"]

/** An event to append. */
export type NewEvent = SessionEvent

/** An event as stored in a session log. Readers keep events of unknown types. */
export type LogEvent = NewEvent & EventHeader
export const LogEvent = z.intersection(EventHeader, z.looseObject({ type: z.string() }))

export type EventOf<T extends EventType> = Extract<LogEvent, { type: T }>
