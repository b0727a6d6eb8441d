import * as z from "zod"
import { BranchName } from "../../files/worktrees/names-schema.ts"

/** A repository that a session's files are pushed to. */
export const SessionPushRequest = z
  .object({
    url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .describe("Repository on a git host that you have a token for. It is created if it doesn't exist"),
    branch: BranchName.optional().describe("New branch in an existing repository; by default named after the session"),
    message: z.string().trim().min(1).max(200).optional().describe("Commit message; defaults to the session's name"),
    private: z.boolean().default(true).describe("Visibility of a repository that is created"),
  })
  .meta({ id: "SessionPushRequest" })
export type SessionPushRequest = z.infer<typeof SessionPushRequest>

export const PushedSession = z
  .object({
    url: z.string().describe("The repository"),
    created: z.boolean().describe("True if the repository was created"),
    branch: z.string(),
    commit: z.string(),
    version: z.int().positive().describe("Version of the session's files"),
    file_count: z.int().positive(),
    left_out: z.array(z.string()).describe("Files that weren't pushed, because they may contain secrets; at most 50"),
    pull_request: z
      .object({ number: z.int().positive(), url: z.string() })
      .nullable()
      .describe("Null for a repository that was created, and if it couldn't be opened"),
    pull_request_error: z.string().nullable().describe("Why the pull request couldn't be opened; otherwise null"),
  })
  .meta({ id: "PushedSession" })
export type PushedSession = z.infer<typeof PushedSession>
