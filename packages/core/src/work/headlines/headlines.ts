import type { EventType, SessionEvent } from "../../events.ts"
import { agentHeadlines } from "./agent-headlines.ts"
import { appHeadlines } from "./app-headlines.ts"
import { bakeOffHeadlines } from "./bake-off-headlines.ts"
import { chatHeadlines } from "./chat-headlines.ts"
import { gateHeadlines } from "./gate-headlines.ts"
import { type Headline, row } from "./headline.ts"
import { previewHeadlines } from "./preview-headlines.ts"
import { runHeadlines } from "./run-headlines.ts"
import { teamHeadlines } from "./team-headlines.ts"
import { verificationHeadlines } from "./verification-headlines.ts"
import { workflowHeadlines } from "./workflow-headlines.ts"
import { worktreeHeadlines } from "./worktree-headlines.ts"

/** Headlines for each type of event. Shared by the stream, the studio and the command line. */
const headlines = {
  ...runHeadlines,
  ...workflowHeadlines,
  ...gateHeadlines,
  ...verificationHeadlines,
  ...previewHeadlines,
  ...appHeadlines,
  ...agentHeadlines,
  ...chatHeadlines,
  ...worktreeHeadlines,
  ...teamHeadlines,
  ...bakeOffHeadlines,
} satisfies { [T in EventType]: (event: Extract<SessionEvent, { type: T }>) => Headline }

/** Fields of an event that its headline uses. Callers parse the events with their own schemas. */
export type HeadlinedEvent = { [T in EventType]: { type: T } & ReadBy<(typeof headlines)[T]> }[EventType]

type ReadBy<F> = F extends (event: infer E) => Headline ? E : never

export function headlineOf(event: HeadlinedEvent): Headline {
  const write: (event: never) => Headline = headlines[event.type] ?? (() => row("system", event.type))
  return write(event as never)
}
