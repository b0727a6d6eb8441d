import * as z from "zod"
import { event } from "./define-event.ts"

/** The life of a session. */
export const sessionEvents = [
  event("session_opened", "The session was created, or created again after it was deleted.", {
    session_id: z.string(),
    incarnation: z.int().positive(),
    name: z.string().optional().describe("As its owner calls it"),
    repository: z.string().optional().describe("What its agents work in: a local path or a URL to clone"),
  }),
  event("session_renamed", "A person named the session, or gave the name back to what its plan calls it.", {
    name: z.string().nullable().describe("Null: as its first plan calls the project, else what was asked first"),
  }),
  event("session_pinned", "A person pinned the session to the top of the list, or unpinned it.", {
    pinned: z.boolean(),
  }),
  event("session_deleted", "The session and its files were deleted; their data is removed soon after.", {
    incarnation: z.int().positive(),
    reason: z.enum(["request", "retention"]),
  }),
] as const
