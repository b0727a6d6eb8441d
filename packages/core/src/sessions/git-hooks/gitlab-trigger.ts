import * as z from "zod"
import { type Trigger, taskInComment } from "./trigger.ts"

const Label = z.object({ title: z.string() })

const Issue = z.object({
  object_kind: z.literal("issue"),
  object_attributes: z.object({
    iid: z.int(),
    title: z.string(),
    description: z.string().nullish(),
    updated_at: z.string(),
  }),
  changes: z.object({ labels: z.object({ previous: z.array(Label), current: z.array(Label) }) }),
})

const Note = z.object({
  object_kind: z.literal("note"),
  user: z.object({ username: z.string() }),
  // GitLab before 16.11 doesn't send an action, and sends no deliveries for edited comments.
  object_attributes: z.object({
    note: z.string(),
    created_at: z.string(),
    action: z.literal("create").default("create"),
  }),
})

const Pipeline = z.object({
  object_kind: z.literal("pipeline"),
  object_attributes: z.object({
    id: z.int(),
    ref: z.string(),
    tag: z.boolean().default(false),
    status: z.literal("failed"),
    source: z.string(),
    finished_at: z.string(),
  }),
  merge_request: z.object({ source_project_id: z.int(), target_project_id: z.int() }).nullish(),
})

/**
 * Returns the triggers in a GitLab delivery. There may be several, because one change can add several labels to an
 * issue.
 */
export function gitlabTriggers(body: unknown): Trigger[] {
  const issue = Issue.safeParse(body).data
  if (issue) return labelled(issue)
  const note = Note.safeParse(body).data
  if (note) return comment(note)
  const pipeline = Pipeline.safeParse(body).data
  return pipeline ? failed(pipeline) : []
}

function labelled({ object_attributes: issue, changes }: z.infer<typeof Issue>): Trigger[] {
  const before = changes.labels.previous.map(({ title }) => title)
  const added = changes.labels.current.map(({ title }) => title).filter((title) => !before.includes(title))
  const task = `Resolve issue #${issue.iid}: ${issue.title}\n\n${issue.description ?? ""}`.trim()
  return added.map((label) => ({ on: "issue_labelled", at: timeOf(issue.updated_at), label, task }))
}

function comment({ user, object_attributes: { note, created_at } }: z.infer<typeof Note>): Trigger[] {
  const task = taskInComment(note)
  if (!task) return []
  return [{ on: "comment", at: timeOf(created_at), author: { login: user.username, isMember: false }, task }]
}

function failed({ object_attributes, merge_request: request }: z.infer<typeof Pipeline>): Trigger[] {
  const { id, ref, tag, source, finished_at } = object_attributes
  // Ignore branches of forks. They aren't branches of this repository, even if they have the same names.
  const isOfFork = request ? request.source_project_id !== request.target_project_id : source.startsWith("external_")
  if (isOfFork || tag) return []
  const task = `Pipeline ${id} failed on the branch ${ref}. Find out why, and mend it.`
  return [{ on: "check_failed", at: timeOf(finished_at), branch: ref, task }]
}

/** Parses GitLab's timestamps. They are in ISO format, or look like `2013-12-03 17:23:34 UTC`. */
function timeOf(text: string): number {
  return Date.parse(text.replace(" UTC", "Z").replace(" ", "T"))
}
