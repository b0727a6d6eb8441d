import type { Archive, ArchiveLaunch } from "@switchyard/core/files/archives/archive-job"
import { createArchives, sweepArchive } from "@switchyard/core/files/archives/archive-job"
import { makeArchive } from "@switchyard/core/files/archives/archive-maker"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { sessionFold } from "@switchyard/core/state"
import { type Blobs, readAll } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import { CHECKER, type Verdict } from "@switchyard/core/work/gate/schema"
import { describe, expect, it } from "vitest"
import { newStage, put, signal, whenPut } from "../workspaces/stage.ts"
import { entriesOf } from "./entries.ts"

const DAY_MS = 86_400_000

/** Opens a session with more in it than a request packs itself. The launcher only records launches. */
async function newYard() {
  const stage = await newStage()
  const big = [1, 2, 3].map((file) => put(`${file}.txt`, Buffer.alloc(9_000_000, String(file))))
  await commitChanges(stage, stage.session, big, { signal })
  const launches: ArchiveLaunch[] = []
  const reported: unknown[] = []
  const launcher = {
    start: async () => {},
    startArchive: async (launch: ArchiveLaunch) => void launches.push(launch),
  }
  let now = stage.clock.now()
  stage.clock.now = () => now
  const due = createDueList(stage.records)
  const deps = { ...stage, newId: createNewId(), fold: sessionFold, writer: "test", due, launcher }

  /** Creates a maker with this name. Its sleeps end when `wake` is called. */
  function maker(name: string, blobs: Blobs = stage.blobs) {
    const sleepers = new Set<() => void>()
    const clock: Clock = {
      ...stage.clock,
      sleep: (_ms, { signal }) =>
        new Promise((resolve, reject) => {
          sleepers.add(resolve)
          signal?.addEventListener("abort", () => reject(signal.reason))
        }),
    }
    const report = (error: unknown) => void reported.push(error)
    return {
      wake() {
        for (const wake of sleepers) wake()
        sleepers.clear()
      },
      /** Returns true if the maker has renewed its sign of life and sleeps until the next one. */
      waits: () => sleepers.size > 0,
      make: (launch?: ArchiveLaunch) => {
        if (!launch) throw new Error("Nothing was launched.")
        return makeArchive({ ...deps, clock, blobs, maker: name, report }, launch, { signal })
      },
    }
  }

  return {
    ...stage,
    launches,
    reported,
    maker,
    /** Adds an ended run with this verdict on the files. */
    async conclude(status: Verdict["status"]) {
      const { version } = stage.session.state.workspace
      const run = { run_id: deps.newId("run"), agent_id: CHECKER }
      const checks = [{ name: "build" as const, command: "make build", passed: true, exit_code: 0, duration_ms: 1 }]
      const verdict = { status, workspace_version: version, checks }
      const input = { workspace_version: version, manifest: null }
      const created = { type: "run_created" as const, ...run, kind: "check" as const, model: "none", input }
      const ended = { type: "run_completed" as const, ...run, duration_ms: 1, workspace_version: version, verdict }
      await stage.session.decide(() => [created, ended], { signal })
    },
    request: async () => createArchives(deps).request(stage.session, { signal }),
    async sweep(): Promise<void> {
      for await (const hint of due.dueBefore(now, { signal })) {
        if (hint.subject.kind === "archive") await sweepArchive(deps, hint.subject, { signal })
        await due.remove(hint, { signal })
      }
    },
    pass(ms: number) {
      now += ms
    },
    archives: async () =>
      (await Array.fromAsync(stage.blobs.list("s/", { signal }))).filter(({ key }) => key.endsWith(".zip")).length,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]()
    },
  }
}

/** Wraps a store so that putting an archive waits for `release`. */
function held(blobs: Blobs) {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const slow = whenPut(blobs, (key) => {
    if (!key.endsWith(".zip")) return undefined
    begun.resolve()
    return gate.promise
  })
  return { slow, begun: begun.promise, release: () => gate.resolve() }
}

describe("an archive that is made in the background", () => {
  it("is launched once for all who ask, and there for all of them when it is made", async () => {
    await using yard = await newYard()
    const asked = await Promise.all([yard.request(), yard.request(), yard.request()])
    asked.push(await yard.request())
    expect(new Set(asked.map(({ made }) => made))).toEqual(new Set([false]))
    expect(yard.launches).toHaveLength(1)
    expect(await yard.maker("a").make(yard.launches[0])).toBe(true)
    expect(await yard.request()).toMatchObject({ made: true })
  })

  it("is launched again when its maker has said nothing for a minute, and then nothing once more; whoever comes too late then does no harm", async () => {
    await using yard = await newYard()
    await yard.request()
    const { slow, begun, release } = held(yard.blobs)
    const asleep = yard.maker("asleep", slow).make(yard.launches[0])
    await begun
    yard.pass(59_000)
    await yard.sweep()
    expect(yard.launches).toHaveLength(1)
    yard.pass(2000)
    await yard.sweep()
    expect(yard.launches).toHaveLength(1)
    yard.pass(46_000)
    await yard.sweep()
    expect(yard.launches.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(await yard.maker("awake").make(yard.launches[1])).toBe(true)
    release()
    await asleep
    expect([await yard.archives(), yard.reported]).toEqual([1, []])
  })

  it("is waited for as long as its maker says that it lives", async () => {
    await using yard = await newYard()
    await yard.request()
    const { slow, begun, release } = held(yard.blobs)
    const slowly = yard.maker("slow", slow)
    const making = slowly.make(yard.launches[0])
    await begun
    for (let minute = 0; minute < 5; minute++) {
      yard.pass(45_000)
      const before = await yard.records.get({ partition: `s/${yard.session.sid}/lease`, sort: leaseOf(yard.launches) })
      slowly.wake()
      await expect
        .poll(async () => (await yard.records.get(before?.key ?? never))?.version, { interval: 5 })
        .toBeGreaterThan(before?.version ?? 0)
      await yard.sweep()
    }
    expect(yard.launches).toHaveLength(1)
    release()
    expect(await making).toBe(true)
  })

  it("is not launched twice where the clock is set forward while its maker lives, and again where it died", async () => {
    await using yard = await newYard()
    await yard.request()
    const { slow, begun, release } = held(yard.blobs)
    const slowly = yard.maker("slow", slow)
    const making = slowly.make(yard.launches[0])
    await begun
    yard.pass(DAY_MS)
    await yard.sweep()
    expect(await yard.request()).toMatchObject({ made: false })
    // The store may reject the first sign of life.
    for (let sign = 0; sign < 2; sign++) {
      yard.pass(20_000)
      slowly.wake()
      await expect.poll(() => slowly.waits(), { interval: 5 }).toBe(true)
    }
    yard.pass(10_000)
    await yard.sweep()
    await yard.request()
    expect(yard.launches).toHaveLength(1)
    release()
    expect(await making).toBe(true)
  })

  it.each(["whoever asks", "the sweep"])(
    "is launched again by %s where its maker died and the clock was set back",
    async (who) => {
      await using yard = await newYard()
      await yard.request()
      const { slow, begun, release } = held(yard.blobs)
      const dead = yard.maker("dead", slow).make(yard.launches[0])
      await begun
      yard.pass(-DAY_MS)
      await yard.request()
      for (let minute = 0; minute < 3; minute++) {
        yard.pass(61_000)
        if (who === "the sweep") await yard.sweep()
        else await yard.request()
      }
      expect(yard.launches.map(({ attempt }) => attempt).slice(0, 2)).toEqual([1, 2])
      release()
      await dead
    },
  )

  it("that was given up is tried again ten minutes later, although the clock was set back", async () => {
    await using yard = await newYard()
    const broken = whenPut(yard.blobs, () => Promise.reject(new Error("The disk is gone.")))
    await yard.request()
    for (let tries = 0; tries < 3; tries++) {
      for (const launch of yard.launches.splice(0)) await yard.maker("m", broken).make(launch)
      await yard.sweep()
    }
    yard.pass(-DAY_MS)
    await expect(yard.request()).rejects.toMatchObject({ details: { retry_after_seconds: 600 } })
    yard.pass(601_000)
    expect(await yard.request()).toMatchObject({ made: false })
    expect(yard.launches).toHaveLength(1)
  })

  it("is not made by a launch that comes after its successor, or twice", async () => {
    await using yard = await newYard()
    await yard.request()
    yard.pass(31_000)
    await yard.sweep()
    const [late, next] = yard.launches
    expect(await yard.maker("late").make(late)).toBe(false)
    const made = [yard.maker("one").make(next), yard.maker("two").make(next)]
    expect((await Promise.all(made)).sort()).toEqual([false, true])
  })

  it("is not made for a session that has ended", async () => {
    await using yard = await newYard()
    await yard.request()
    await yard.session.decide(deleteSession("request"), { signal })
    expect(await yard.maker("a").make(yard.launches[0])).toBe(false)
    yard.pass(60_000)
    await yard.sweep()
    expect([yard.launches.length, await yard.archives(), yard.reported]).toEqual([1, 0, []])
  })

  it("has the verdict of what it holds, and is made anew with the next one", async () => {
    await using yard = await newYard()
    await commitChanges(yard, yard.session, [put("README.md", "# Big\n")], { signal })
    await yard.conclude("passed")
    const first = await yard.request()
    expect(await yard.request()).toEqual(first)
    expect(await yard.maker("a").make(yard.launches[0])).toBe(true)
    expect(await readmeIn(yard, await yard.request())).toContain("# Big\n\n**Switchyard check:** passed for version 2.")
    await yard.conclude("failed")
    expect((await yard.request()).made).toBe(false)
    expect(await yard.maker("a").make(yard.launches[1])).toBe(true)
    expect(await readmeIn(yard, await yard.request())).toContain("# Big\n\n**Switchyard check:** failed for version 2.")
    expect(yard.session.state.workspace.version).toBe(2)
  })

  it("is given up after three makers that failed", async () => {
    await using yard = await newYard()
    const broken = whenPut(yard.blobs, () => Promise.reject(new Error("The disk is gone.")))
    await yard.request()
    for (let tries = 0; tries < 5; tries++) {
      for (const launch of yard.launches.splice(0)) await yard.maker("m", broken).make(launch)
      await yard.sweep()
    }
    expect(yard.reported).toHaveLength(3)
    await expect(yard.request()).rejects.toMatchObject({
      code: "archive_failed",
      details: { retry_after_seconds: 600 },
    })
  })
})

async function readmeIn({ blobs }: { blobs: Blobs }, archive: Archive): Promise<string | undefined> {
  const zip = await readAll((archive.made && (await blobs.get(archive.key))) || (async function* () {})())
  return (await entriesOf(zip)).find(({ path }) => path === "README.md")?.bytes.toString()
}

const never = { partition: "none", sort: "none" }

function leaseOf([launch]: ArchiveLaunch[]): string {
  return `archive/${launch?.incarnation}/${launch?.manifest}`
}
