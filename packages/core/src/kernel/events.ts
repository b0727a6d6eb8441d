import * as z from "zod"
import { event } from "./define-event.ts"

export const sessionEvents = [
  event("session_opened", "The session was created, or recreated after being deleted.", {
    session_id: z.string(),
    incarnation: z.int().positive(),
    name: z.string().optional().describe("Name given by the owner"),
    repository: z.string().optional().describe("Repository that the agents work in: a local path, or a URL to clone"),
    copied_from: z
      .object({ session_id: z.string(), name: z.string(), version: z.int().positive() })
      .optional()
      .describe("Source of this session's first files: a version of another session"),
  }),
  event("session_renamed", "A person renamed the session, or reset its name to the default.", {
    name: z
      .string()
      .nullable()
      .describe("Null restores the default: the first plan's project name, or otherwise the first request"),
  }),
  event("session_pinned", "A person pinned the session to the top of the list, or unpinned it.", {
    pinned: z.boolean(),
  }),
  event("session_archived", "A person archived the session, which hides it from lists, or restored it.", {
    archived: z.boolean(),
  }),
  event("session_viewed", "A person opened the session after its last run had ended.", {}),
  event("session_pushed", "A person pushed the session's files to a repository.", {
    url: z.string().describe("The repository"),
    created: z.boolean().describe("True if the repository was created"),
    branch: z.string(),
    commit: z.string(),
    version: z.int().positive().describe("Version of the files"),
    file_count: z.int().positive(),
    pull_request: z.object({ number: z.int().positive(), url: z.string() }).nullable(),
  }),
  event("session_deleted", "The session and its files were deleted. Their data is removed shortly afterwards.", {
    incarnation: z.int().positive(),
    reason: z.enum(["request", "retention"]),
  }),
] as const
