import { followSession } from "@switchyard/core/sessions/follow"
import type { FoundSession } from "@switchyard/core/sessions/listing"
import { reach } from "@switchyard/core/sessions/pages"
import type { AppDeps } from "../deps.ts"
import type { SseFrame } from "./sse.ts"

/** The frames of a session's stream after `since`. That it was deleted is told to everyone. */
export async function* toldSession(
  deps: AppDeps,
  session: FoundSession,
  since: number,
  { include, signal }: { include: { events: boolean }; signal: AbortSignal },
): AsyncGenerator<SseFrame> {
  for await (const told of followSession(deps, session, since, { signal })) {
    if (told === "resync") {
      const { first, head } = reach(session.state)
      yield { event: "resync", data: { since_seq: since, first_seq: first, latest_seq: head } }
    } else if (told === "quiet") {
      yield told
    } else if (include.events || told.type === "session_deleted") {
      yield { id: String(told.seq), event: "event", data: told }
    }
  }
}
