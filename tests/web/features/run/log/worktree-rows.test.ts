import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { expect, it } from "vitest"
import { isSummary, rowOf } from "../../../../../packages/web/src/features/run/log/log-rows.ts"
import { toEvent } from "../../../../../packages/web/src/session/stream/event.ts"
import { readFrames } from "../../../../functions/agents/frames.ts"
import { makeRepository } from "../../../../functions/agents/repository.ts"
import { openSession } from "../../../../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../../../../functions/server.ts"

/** Returns the first event of this type on the session's stream, and the studio's row for it. */
async function streamed(server: TestServer, id: string, type: string) {
  for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream`)) {
    if (data.type === type) return { event: data, isSummary: isSummary(toEvent(data)), row: rowOf(toEvent(data)) }
  }
  throw new Error(`There was no ${type}.`)
}

it("says that a worktree was repaired whose agent deleted its folder, on the stream and in the studio's log", async () => {
  const server = await startServer()
  try {
    const { folder } = makeRepository(join(server.folder, "..", "theirs"))
    const { id, task } = await openSession(server, folder)
    expect(await task({ files: { "first.txt": "one\n" } })).toMatchObject({ status: "completed" })
    expect(await task({ deletes: ["."] })).toMatchObject({ status: "completed" })
    expect(await streamed(server, id, "worktree_restored")).toMatchObject({
      event: { damage: "folder_missing", set_aside: null },
      isSummary: true,
      row: {
        text: "Worktree repaired: its folder was missing",
        severity: "warn",
        hint: expect.stringMatching(/^Files restored from the last/),
      },
    })
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events?event_types=agent_notice`)).body
    expect(events).toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/^The worktree's folder was deleted\. It was restored/) }),
    )
  } finally {
    await server.close()
  }
})

it("says that a command expired whose runner can't start, on the stream and in the studio's log", async () => {
  let aheadMs = 0
  const server = await startServer({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } })
  try {
    const { id, ask } = await openSession(server, makeRepository(join(server.folder, "..", "theirs")).folder)
    // A runner writes notes into this folder, so a file in its place makes the runner fail.
    const notes = join(server.folder, "runner")
    rmSync(notes, { recursive: true, force: true })
    writeFileSync(notes, "")
    const answer = ask("POST", "")
    const { event } = await streamed(server, id, "worktree_command_requested")
    aheadMs = 121_000
    const expired = { status: 503, body: { error: { code: "command_expired" } } }
    expect(await ask("GET", `/commands/${event.command_id}`)).toMatchObject(expired)
    expect(await answer).toMatchObject(expired)
    expect(await streamed(server, id, "worktree_command_expired")).toMatchObject({
      event: { command_id: event.command_id },
      isSummary: true,
      row: { text: expect.stringContaining("no runner was ready in time"), severity: "warn" },
    })
    expect((await ask("GET", "")).body).toMatchObject({ exists: false })
  } finally {
    await server.close()
  }
})
