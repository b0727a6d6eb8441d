import * as z from "zod"
import { Repository } from "../../agents/tasks/schema.ts"

/** Kind of git host that sends the deliveries. */
export const GitHookKind = z.enum(["github", "gitlab"])
export type GitHookKind = z.infer<typeof GitHookKind>

const Login = z.string().trim().min(1).max(100)

/** Event on a repository's host that starts a run. */
const GitHookRule = z
  .discriminatedUnion("on", [
    z.strictObject({
      on: z.literal("issue_labelled"),
      label: z.string().trim().min(1).max(100).describe("Label that starts a run for the issue"),
    }),
    z.strictObject({ on: z.literal("comment") }).describe("A comment with `@switchyard` followed by a task"),
    z.strictObject({ on: z.literal("check_failed") }).describe("A failed check or pipeline on a branch"),
  ])
  .meta({ id: "GitHookRule" })

/** A git hook to create, with the events that start runs and the agent that does the work. */
export const NewGitHook = z
  .strictObject({
    repository: Repository.describe("Repository URL, as in a session"),
    kind: GitHookKind,
    rules: z.array(GitHookRule).min(1).max(20),
    coding_agent: z.string().trim().min(1).max(64).describe("Account or agent that does the work"),
    users: z
      .array(Login)
      .max(100)
      .default([])
      .describe(
        "Users whose comments count. If empty: owners, members and collaborators on GitHub, and no users on GitLab",
      ),
  })
  .meta({ id: "NewGitHook" })
export type NewGitHook = z.infer<typeof NewGitHook>

/** A git hook as returned by the API, without its secret. */
export const GitHook = z
  .object({
    ...NewGitHook.shape,
    users: NewGitHook.shape.users.unwrap(),
    id: z.string(),
    path: z.string().describe("Path on this server for the host's deliveries"),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "GitHook" })
export type GitHook = z.infer<typeof GitHook>

/** A git hook, as shown in its owner's list. */
export const ListedGitHook = GitHook.extend({
  problem: z.string().nullable().describe("Problem that prevents its deliveries from starting runs, or null"),
}).meta({ id: "ListedGitHook" })
export type ListedGitHook = z.infer<typeof ListedGitHook>

/** A new git hook, including its secret. */
export const CreatedGitHook = GitHook.extend({
  secret: z.string().describe("For the host's settings. Shown only once"),
}).meta({ id: "CreatedGitHook" })
export type CreatedGitHook = z.infer<typeof CreatedGitHook>

export const GitHookAnswer = z
  .object({
    run_id: z.string().nullable().describe("Run that was started; null if no rule matched"),
    session_id: z.string().nullable(),
  })
  .meta({ id: "GitHookAnswer" })
export type GitHookAnswer = z.infer<typeof GitHookAnswer>
