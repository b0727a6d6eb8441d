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
  event("session_deleted", "The session and its files were deleted; their data is removed soon after.", {
    incarnation: z.int().positive(),
    reason: z.enum(["request", "retention"]),
  }),
] as const
