import * as z from "zod"
import type { RecordKey, Records } from "../storage/records.ts"

export const DueSubject = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), sid: z.string(), run_id: z.string() }),
  z.object({ kind: z.literal("session"), sid: z.string() }),
  /** A command for a worktree that is waiting for a runner. */
  z.object({ kind: z.literal("worktree"), sid: z.string() }),
  /** Messages that are waiting for the session's agents. */
  z.object({ kind: z.literal("messages"), sid: z.string(), session_id: z.string(), owner: z.string() }),
  /** A delivery to one of the owner's webhooks. */
  z.object({ kind: z.literal("delivery"), sid: z.string(), owner: z.string(), delivery: z.string() }),
  /** A copy of a session's files that was made to be published. */
  z.object({
    kind: z.literal("app"),
    sid: z.string(),
    name: z.string(),
    publication: z.string(),
    /** Absent in hints from earlier versions. */
    owner: z.string().optional(),
  }),
  z.object({ kind: z.literal("archive"), sid: z.string(), incarnation: z.int(), manifest: z.string() }),
])
export type DueSubject = z.infer<typeof DueSubject>

export interface DueHint {
  subject: DueSubject
  /** Time when the check is due, in Unix milliseconds. */
  at: number
  key: RecordKey
  /** Version of the hint's record. It increases when the hint is added again. */
  version: number | undefined
}

const PARTITION = "due"

/**
 * Hints that something must be checked by a certain time. Only the log decides what happens then. A hint is written
 * before the event that needs it, so a crash can only leave a hint that isn't needed.
 */
export type DueList = ReturnType<typeof createDueList>

export function createDueList(records: Records) {
  return {
    async add(subject: DueSubject, at: number, { signal }: { signal?: AbortSignal }): Promise<DueHint> {
      const key = { partition: PARTITION, sort: sortKey(subject, at) }
      const version = await records.put(key, { value: { subject, at } }, { signal })
      return { subject, at, key, version }
    },
    /** Removes the hint, unless it was added again for the same time after it was read. */
    async remove({ key, version }: DueHint, { signal }: { signal?: AbortSignal }): Promise<void> {
      await records.remove(key, { ifVersion: version, signal })
    },
    /**
     * Yields the hints that are due at `now`, oldest first. Skips unknown kinds, which a newer version may have left
     * before a rollback.
     */
    async *dueBefore(now: number, { signal }: { signal?: AbortSignal }): AsyncGenerator<DueHint> {
      for await (const { key, value, version } of records.range(PARTITION, { to: `${timePart(now)}~`, signal })) {
        const subject = DueSubject.safeParse(value.subject).data
        if (subject) yield { key, version, subject, at: Number(value.at) }
      }
    },
  }
}

function sortKey(subject: DueSubject, at: number): string {
  return `${timePart(at)}/${subject.sid}/${subjectKey(subject)}`
}

function subjectKey(subject: DueSubject): string {
  switch (subject.kind) {
    case "run":
      return `run/${subject.run_id}`
    case "archive":
      return `archive/${subject.incarnation}/${subject.manifest}`
    case "app":
      return `app/${subject.publication}`
    case "delivery":
      return `delivery/${subject.delivery}`
    case "session":
    case "worktree":
    case "messages":
      return subject.kind
  }
}

function timePart(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(15, "0")
}
