import { createDynamoRecords } from "@switchyard/core/storage/dynamo"
import type { Records } from "@switchyard/core/storage/records"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startDynamo } from "../../emulators/dynamo.ts"
import { openStores } from "../../fixtures/stores.ts"
import { createManualClock, noSignal } from "../log/store.ts"
import { openSessions } from "./open-sessions.ts"

const options = { signal: noSignal() }
const MINUTE = 60_000

const stores = {
  SQLite: async () => {
    const { records, close } = await openStores()
    return { records, close }
  },
  DynamoDB: async () => {
    const dynamo = await startDynamo()
    const table = await dynamo.createTable()
    return { records: createDynamoRecords({ client: dynamo.client, table }), close: dynamo.stop }
  },
}

describe.each(Object.entries(stores))("archived sessions on %s", (_, openStore) => {
  let store: { records: Records; close(): Promise<void> }
  let files: Awaited<ReturnType<typeof openStores>>
  const time = createManualClock()
  beforeAll(async () => {
    store = await openStore()
    files = await openStores()
  })
  afterAll(() => Promise.all([store.close(), files.close()]))

  const open = () => openSessions({ records: store.records, blobs: files.blobs, clock: time.clock })
  const listed = async (owner: string, query: { archived?: boolean; limit?: number; before?: string; q?: string }) => {
    const page = await open().list(owner, { limit: 9, ...query, ...options })
    return { ...page, ids: page.sessions.map(({ sessionId }) => sessionId) }
  }

  async function sessionsOf(owner: string, count: number) {
    for (let n = 0; n < count; n++) {
      await open().touch(owner, `s-${n}`, { name: `Name ${n}`, ...options })
      time.pass(2 * MINUTE)
    }
  }

  it("are listed only on request, page by page, and return to their place", async () => {
    await sessionsOf("ada", 6)
    for (const id of ["s-1", "s-2", "s-4"]) await open().change("ada", id, { archived: true }, options)
    expect(await listed("ada", {})).toMatchObject({ ids: ["s-5", "s-3", "s-0"], total: 3, next: null })
    const first = await listed("ada", { archived: true, limit: 2 })
    expect(first).toMatchObject({ ids: ["s-4", "s-2"], total: 3 })
    expect(first.next).toMatch(/^-/)
    expect(await listed("ada", { archived: true, limit: 2, before: first.next ?? "" })).toMatchObject({
      ids: ["s-1"],
      next: null,
    })
    await open().change("ada", "s-2", { archived: false }, options)
    expect((await listed("ada", {})).ids).toEqual(["s-5", "s-3", "s-2", "s-0"])
  })

  it("stay archived when they are pinned or used, and are found by name only among their kind", async () => {
    await sessionsOf("bob", 3)
    await open().change("bob", "s-1", { archived: true, pinned: true }, options)
    time.pass(2 * MINUTE)
    await open().touch("bob", "s-1", { active: true, ...options })
    expect((await listed("bob", {})).ids).toEqual(["s-2", "s-0"])
    expect(await listed("bob", { q: "name 1" })).toMatchObject({ ids: [], total: 0 })
    expect(await listed("bob", { q: "name 1", archived: true })).toMatchObject({ ids: ["s-1"], total: 1 })
  })

  it("are listed right after a process died between the log and the list", async () => {
    await sessionsOf("cyd", 2)
    const { session } = await open().touch("cyd", "s-0", options)
    await session.decide(() => [{ type: "session_archived", archived: true }], options)
    expect((await listed("cyd", {})).ids).toEqual(["s-1"])
    expect((await listed("cyd", { archived: true })).ids).toEqual(["s-0"])
  })
})
