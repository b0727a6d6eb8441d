import * as z from "zod"
import { type Trigger, taskInComment } from "./trigger.ts"

const Issue = z.object({ number: z.int(), title: z.string(), body: z.string().nullish(), updated_at: z.string() })

const Labelled = z.object({ action: z.literal("labeled"), issue: Issue, label: z.object({ name: z.string() }) })

const Comment = z.object({
  action: z.literal("created"),
  issue: Issue,
  comment: z.object({
    body: z.string(),
    created_at: z.string(),
    author_association: z.string(),
    user: z.object({ login: z.string() }),
  }),
})

const Repository = z.object({ id: z.int() })
const Side = z.object({ repo: Repository })

const CheckRun = z.object({
  action: z.literal("completed"),
  repository: Repository.optional(),
  check_run: z.object({
    name: z.string(),
    conclusion: z.string().nullable(),
    completed_at: z.string().nullable(),
    output: z.object({ title: z.string().nullish(), summary: z.string().nullish() }).nullish(),
    check_suite: z.object({ head_branch: z.string().nullable(), head_repository: Repository.nullish() }),
    pull_requests: z.array(z.object({ head: Side, base: Side })).default([]),
  }),
})

const MEMBERS = ["OWNER", "MEMBER", "COLLABORATOR"]

/**
 * Returns the trigger in a GitHub delivery, based on the event named in its header. Undefined for events that can't
 * start a run.
 */
export function githubTrigger(event: string | undefined, body: unknown): Trigger | undefined {
  if (event === "issues") return labelled(Labelled.safeParse(body).data)
  if (event === "issue_comment") return comment(Comment.safeParse(body).data)
  return event === "check_run" ? failed(CheckRun.safeParse(body).data) : undefined
}

function labelled(found: z.infer<typeof Labelled> | undefined): Trigger | undefined {
  if (!found) return undefined
  const { number, title, body, updated_at } = found.issue
  const task = `Resolve issue #${number}: ${title}\n\n${body ?? ""}`.trim()
  return { on: "issue_labelled", at: Date.parse(updated_at), label: found.label.name, task }
}

function comment(found: z.infer<typeof Comment> | undefined): Trigger | undefined {
  const task = found && taskInComment(found.comment.body)
  if (!task) return undefined
  const { user, author_association, created_at } = found.comment
  const author = { login: user.login, isMember: MEMBERS.includes(author_association) }
  const about = `It was asked for in a comment on #${found.issue.number}: ${found.issue.title}`
  return { on: "comment", at: Date.parse(created_at), author, task: `${task}\n\n${about}` }
}

function failed(found: z.infer<typeof CheckRun> | undefined): Trigger | undefined {
  if (!found) return undefined
  const { name, conclusion, completed_at, output, check_suite, pull_requests } = found.check_run
  // Ignore branches of forks. They aren't branches of this repository, even if they have the same names.
  const head = check_suite.head_repository
  const isOfFork = head?.id !== undefined && found.repository !== undefined && head.id !== found.repository.id
  if (isOfFork || pull_requests.some(({ head, base }) => head.repo.id !== base.repo.id)) return undefined
  const branch = check_suite.head_branch
  if (conclusion !== "failure" || branch === null || completed_at === null) return undefined
  const said = [output?.title, output?.summary].filter(Boolean).join("\n\n")
  const task = `The check "${name}" failed on the branch ${branch}. Find out why, and mend it.\n\n${said}`.trim()
  return { on: "check_failed", at: Date.parse(completed_at), branch, task }
}
