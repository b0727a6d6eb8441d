import * as z from "zod"
import { Repository } from "../../agents/tasks/schema.ts"

/** The software whose deliveries a git hook takes. */
export const GitHookKind = z.enum(["github", "gitlab"])
export type GitHookKind = z.infer<typeof GitHookKind>

const Login = z.string().trim().min(1).max(100)

/** An event on a repository's host that starts a run. */
const GitHookRule = z
  .discriminatedUnion("on", [
    z.strictObject({
      on: z.literal("issue_labelled"),
      label: z.string().trim().min(1).max(100).describe("The label that starts a run for the issue"),
    }),
    z
      .strictObject({ on: z.literal("comment") })
      .describe("A comment that begins with `@switchyard`, and then has a task"),
    z.strictObject({ on: z.literal("check_failed") }).describe("A check or pipeline of a branch failed"),
  ])
  .meta({ id: "GitHookRule" })

/** A git hook that is to be added: what a repository's host may start, and who does the work. */
export const NewGitHook = z
  .strictObject({
    repository: Repository.describe("The address of the repository, as a session names it"),
    kind: GitHookKind,
    rules: z.array(GitHookRule).min(1).max(20),
    coding_agent: z.string().trim().min(1).max(64).describe("The account, or the agent, that does the work"),
    users: z
      .array(Login)
      .max(100)
      .default([])
      .describe(
        "Those whose comments count. On GitHub, without any: owners, members and collaborators; on GitLab: nobody's",
      ),
  })
  .meta({ id: "NewGitHook" })
export type NewGitHook = z.infer<typeof NewGitHook>

/** A git hook as the API shows it: all but its secret. */
export const GitHook = z
  .object({
    ...NewGitHook.shape,
    users: NewGitHook.shape.users.unwrap(),
    id: z.string(),
    path: z.string().describe("The path on this server to which the host sends its deliveries"),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "GitHook" })
export type GitHook = z.infer<typeof GitHook>

/** A git hook among those of its owner. */
export const ListedGitHook = GitHook.extend({
  problem: z.string().nullable().describe("Why its deliveries start nothing as it stands; null where they do"),
}).meta({ id: "ListedGitHook" })
export type ListedGitHook = z.infer<typeof ListedGitHook>

/** A git hook that was added just now, with its secret. */
export const CreatedGitHook = GitHook.extend({
  secret: z.string().describe("For the host's settings. Shown only once"),
}).meta({ id: "CreatedGitHook" })
export type CreatedGitHook = z.infer<typeof CreatedGitHook>

/** The outcome of a delivery. */
export const GitHookAnswer = z
  .object({
    run_id: z.string().nullable().describe("The run that it started; null where no rule asks for one"),
    session_id: z.string().nullable(),
  })
  .meta({ id: "GitHookAnswer" })
export type GitHookAnswer = z.infer<typeof GitHookAnswer>
