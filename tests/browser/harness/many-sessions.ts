import type { NewEvent } from "@switchyard/core/events"
import { systemClock } from "@switchyard/core/time"
import { openSessions } from "../../core/sessions/open-sessions.ts"
import type { Place } from "./place.ts"

const OWNER = "local"
const { signal } = new AbortController()
const KINDS = ["agent", "workflow", "chat", "team"] as const
const COLUMNS = ["done", "review", "working", "needs_you"] as const

const event = (fields: object) => fields as unknown as NewEvent

/** Writes sessions into the server's stores, as agents and people would have left them. */
export function openManySessions({ server: { stores } }: Pick<Place, "server">) {
  const sessions = openSessions({ records: stores.records, blobs: stores.blobs, clock: systemClock })

  async function append(id: string, ...events: object[]) {
    const { session } = await sessions.touch(OWNER, id, { signal })
    await session.decide(() => events.map(event), { signal })
  }

  const about = (id: string) => ({ run_id: `run_${id}`, agent_id: "main" })
  const ask = (id: string, text: string, question_id = `que_${id}`) => {
    const question = { kind: "text", text }
    return append(id, { type: "question_asked", ...about(id), question_id, kind: "text", question })
  }
  const withdraw = (id: string, question_id: string) =>
    append(id, { type: "question_withdrawn", ...about(id), question_id, reason: "No longer needed." })

  /** Creates a session whose run has started. */
  async function begin(id: string, name: string, kind: (typeof KINDS)[number] = "agent") {
    const repository = kind === "agent" ? { repository: "/home/ada/code/orchard" } : {}
    await sessions.touch(OWNER, id, { name, ...repository, active: true, signal })
    const program = { cli: "claude", account: null, model: null, reasoning: null }
    const title = `${name}, and test it`
    const run = { kind, model: "anthropic/claude-sonnet-4-5", title, input: { user_prompt: title } }
    await append(id, { type: "run_created", ...about(id), ...run, ...(kind === "agent" && { program }) })
  }

  async function end(id: string, { changed }: { changed: boolean }) {
    const commit = { type: "workspace_committed", ...about(id), version: 1, manifest: "0", changes: [], file_count: 7 }
    const status = {
      exists: true,
      path: null,
      branch: "work",
      base_commit: null,
      has_changes: true,
      uncommitted: false,
    }
    const diff = { summary: "", files_changed: 4, insertions: 128, deletions: 37, base_commit: "0", complete: true }
    const report = { status, branches: {}, diff: { ...diff, left_out: [], files: [] }, conflicts: null }
    const left = changed ? [commit, { type: "worktree_changed", ...report }] : []
    await append(id, ...left, { type: "run_completed", ...about(id), duration_ms: 1, workspace_version: 1 })
  }

  return {
    begin,
    ask,
    withdraw,
    end,
    /** Creates this many sessions, of all kinds and in all columns of the board. */
    async fill(count: number) {
      for (let n = 0; n < count; n++) {
        const [id, column] = [`many-${n}`, COLUMNS[n % 7 < 3 ? 0 : n % 4]]
        await begin(id, `${NAMES[n % NAMES.length]} ${n}`, KINDS[n % 4])
        if (column === "needs_you") await ask(id, `May I change the table of users in migration ${n}?`)
        else if (column !== "working") await end(id, { changed: column === "review" })
      }
    },
  }
}

const NAMES = [
  "Rotate the refresh token with every request, and revoke old ones",
  "Pricing page",
  "Find the flaky test of the upload queue",
  "How does the cache decide what to drop?",
  "Move the docs to the new site",
]
