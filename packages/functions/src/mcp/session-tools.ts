import { SessionList } from "@switchyard/core/sessions/schema"
import { toSession } from "@switchyard/core/sessions/session-view"
import * as z from "zod"
import { routes } from "../routes/sessions/sessions.ts"
import { type Tools, tool } from "./tool.ts"

const { limit, before, q } = routes.list.request.query.shape

/** Serves the caller's sessions. */
export const sessionTools: Tools = (deps) => ({
  list_sessions: tool({
    title: "List sessions",
    description: "Lists your sessions, pinned ones first, then the most recently active.",
    route: "GET /api/v1/sessions",
    readOnly: true,
    input: z.object({ limit, before, q }),
    output: SessionList,
    async call(query, { principal: { owner } }) {
      const page = await deps.sessions.list(owner, { ...query, signal: deps.stopping })
      const retentionMs = await deps.cleanups.retentionMs(owner, { signal: deps.stopping })
      return { ...page, sessions: page.sessions.map((found) => toSession(found, { retentionMs })) }
    },
  }),
})
