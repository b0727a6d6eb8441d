import { createStartConsents } from "@switchyard/core/agents/conversations/start-consents"
import type { NewEvent } from "@switchyard/core/events"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { opened, stateAfter } from "../../kernel/folded.ts"
import { noSignal } from "../../log/store.ts"

const options = { signal: noSignal() }

/** Returns a session in this repository whose owner has consented to these digests. */
const sessionIn = (repository: string | null, ...digests: string[]) => sessionOf("run_ada", repository, ...digests)

const sessionOf = (run_id: string, repository: string | null, ...digests: string[]) => ({
  state: stateAfter([
    { ...opened(), ...(repository !== null && { repository }) },
    ...digests.map((digest): NewEvent => ({ type: "start_files_allowed", run_id, digest, files: [".mcp.json"] })),
  ]),
})

describe("consents to files that start programs", () => {
  let stores: Awaited<ReturnType<typeof openStores>>
  let consents: ReturnType<typeof createStartConsents>
  beforeEach(async () => {
    stores = await openStores()
    const index = createRunIndex(stores.records)
    consents = createStartConsents({ records: stores.records, index, clock: { now: () => 0 } })
    for (const [run_id, owner] of [
      ["run_ada", "ada"],
      ["run_later", "ada"],
      ["run_ben", "ben"],
    ] as const) {
      const ref = { run_id, owner, sid: "sid", session_id: "s", created_at: 0 }
      await index.add(ref, options)
    }
  })
  afterEach(() => stores.close())

  it("are for one owner and one repository", async () => {
    await consents.update(sessionIn("/a", "one"), "run_ada", options)
    await consents.update(sessionIn("/b", "two"), "run_ada", options)
    await consents.update(sessionIn(null, "three"), "run_ada", options)
    expect(await consents.digestsFor("ada", "/a", options)).toEqual(["one"])
    expect(await consents.digestsFor("ada", "file:///b", options)).toEqual(["two"])
    expect(await consents.digestsFor("ada", null, options)).toEqual(["three"])
    expect(await consents.digestsFor("ben", "/a", options)).toEqual([])
  })

  it("are stored once, together with others, and the newest remain", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `digest ${index}`)
    for (const digest of many) {
      await consents.update(sessionIn("/a", digest), "run_ada", options)
      await consents.update(sessionIn("/a", digest), "run_ada", options)
    }
    expect(await consents.digestsFor("ada", "/a", options)).toEqual(many.slice(-50))
  })

  it("of sessions that are stored at the same time are all there", async () => {
    await Promise.all(["one", "two", "three"].map((one) => consents.update(sessionIn("/a", one), "run_ada", options)))
    expect((await consents.digestsFor("ada", "/a", options)).sort()).toEqual(["one", "three", "two"])
  })

  it("can be withdrawn, and aren't stored again with a later run of their session", async () => {
    const { state } = sessionIn("/a", "one", "two")
    await consents.update({ state }, "run_ada", options)
    const [one, two] = await consents.list("ada", options)
    const given = { kind: "start_files", repository: "/a", given_at: "1970-01-01T00:00:00.000Z", files: [".mcp.json"] }
    expect([one, two]).toMatchObject([
      { ...given, digest: "one" },
      { ...given, digest: "two" },
    ])
    expect(await consents.withdraw("ben", one?.id ?? "", options)).toBe(false)
    expect(await consents.withdraw("ada", one?.id ?? "", options)).toBe(true)
    expect(await consents.withdraw("ada", one?.id ?? "", options)).toBe(false)
    expect(await consents.digestsFor("ada", "/a", options)).toEqual(["two"])
    await consents.update({ state }, "run_later", options)
    expect(await consents.list("ada", options)).toEqual([two])
  })

  it("are not stored if they were given before, as for a run at whose end they are withdrawn", async () => {
    const known: NewEvent = {
      ...{ type: "start_files_allowed", run_id: "run_ada", digest: "one", files: [] },
      given_before: true,
    }
    await consents.update({ state: stateAfter([opened(), known]) }, "run_ada", options)
    expect(await consents.list("ada", options)).toEqual([])
  })

  it("are not stored for a run without an owner", async () => {
    await consents.update(sessionOf("run_unknown", "/a", "one"), "run_unknown", options)
    expect(await consents.digestsFor("ada", "/a", options)).toEqual([])
  })
})
