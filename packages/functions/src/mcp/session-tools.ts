import { SessionList } from "@switchyard/core/sessions/schema"
import * as z from "zod"
import { sessionList } from "../http/session-list.ts"
import { routes } from "../routes/sessions/sessions.ts"
import { type Tools, tool } from "./tool.ts"

const { limit, before, q } = routes.list.request.query.shape

/** Provides the tools for the caller's sessions. */
export const sessionTools: Tools = (deps) => ({
  list_sessions: tool({
    title: "List sessions",
    description: "Lists your sessions, pinned ones first, then the most recently active.",
    route: "GET /api/v1/sessions",
    readOnly: true,
    input: z.object({ limit, before, q }),
    output: SessionList,
    call: (query, { principal: { owner } }) => sessionList(deps, owner, query),
  }),
})
