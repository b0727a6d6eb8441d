import * as z from "zod"
import { BranchName } from "./names-schema.ts"

/** A pull request that is to be opened, or brought up to date where there is one. */
export const PullRequestRequest = z
  .object({
    title: z.string().trim().min(1).max(200).optional().describe("Without one, the first line of the task"),
    base: BranchName.optional().describe("The branch to merge into; without it, the worktree's target branch"),
    draft: z.boolean().default(false),
  })
  .meta({ id: "PullRequestRequest" })
export type PullRequestRequest = z.infer<typeof PullRequestRequest>

/** A pull request, or a merge request of GitLab's. */
export const PullRequest = z
  .object({
    number: z.int().positive(),
    url: z.url({ protocol: /^https?$/ }),
    title: z.string(),
    head: z.string().describe("The branch with the work"),
    base: z.string(),
    commit: z.string().describe("The commit that was pushed"),
    created: z.boolean().describe("False where the branch had one, which was brought up to date"),
    status: z
      .enum(["success", "failure"])
      .nullable()
      .describe("The commit status that was set from the checks of this commit; null where it was not checked"),
  })
  .meta({ id: "PullRequest" })
export type PullRequest = z.infer<typeof PullRequest>
