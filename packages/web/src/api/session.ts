import { type Decoded, type Fields, flag, list, number, object, oneOf, optional, orNull, text } from "./decode.ts"

const run = object({
  run_id: text,
  status: oneOf("queued", "running", "parked", "completed", "failed", "cancelled"),
  prompt: text,
  model: text,
} satisfies Fields)

/** The parts of a session that the studio reads. Every page lists sessions, so this doesn't use the schema library. */
export const Session = object({
  id: text,
  name: text,
  pinned: flag,
  archived: flag,
  column: oneOf("needs_you", "working", "review", "done"),
  kind: oneOf("build", "agent", "chat", "team"),
  status: oneOf("idle", "busy", "waiting", "needs_input", "done", "error"),
  open_questions: number,
  question: orNull(object({ question_id: text, title: text })),
  waits_until: optional(orNull(text)),
  active: flag,
  last_activity: text,
  expires_at: text,
  file_count: orNull(number),
  last_run: orNull(run),
  repository: orNull(text),
  agent: orNull(text),
  checks: oneOf("passed", "failed", "not_run"),
  cost_usd: orNull(number),
  changes: orNull(object({ files: number, additions: number, deletions: number })),
  unmerged_worktrees: optional(list(text)),
  picture: optional(orNull(object({ sha256: text, width: number, height: number, version: number }))),
  progress: orNull(object({ step: number, total: number })),
} satisfies Fields)
export type Session = Decoded<typeof Session>

export const SessionList = object({
  sessions: list(Session),
  next: orNull(text),
  open_questions: number,
} satisfies Fields)
export type SessionList = Decoded<typeof SessionList>
