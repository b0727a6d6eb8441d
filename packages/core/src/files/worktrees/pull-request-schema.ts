import * as z from "zod"
import { BranchName } from "./names-schema.ts"

/** A pull request to open, or to update if it already exists. */
export const PullRequestRequest = z
  .object({
    title: z.string().trim().min(1).max(200).optional().describe("Defaults to the first line of the task"),
    base: BranchName.optional().describe("Branch to merge into; defaults to the worktree's target branch"),
    draft: z.boolean().default(false),
  })
  .meta({ id: "PullRequestRequest" })
export type PullRequestRequest = z.infer<typeof PullRequestRequest>

/** A pull request, or a merge request on GitLab. */
export const PullRequest = z
  .object({
    number: z.int().positive(),
    url: z.url({ protocol: /^https?$/ }),
    title: z.string(),
    head: z.string().describe("Branch that contains the work"),
    base: z.string(),
    commit: z.string().describe("Pushed commit"),
    created: z.boolean().describe("False if an existing pull request was updated"),
    status: z
      .enum(["success", "failure"])
      .nullable()
      .describe("Commit status derived from this commit's checks; null if it wasn't checked"),
  })
  .meta({ id: "PullRequest" })
export type PullRequest = z.infer<typeof PullRequest>
