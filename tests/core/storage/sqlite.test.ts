import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { recordsContract } from "../../contracts/records.ts"

recordsContract("SQLite", async () => {
  const directory = await mkdtemp(join(tmpdir(), "records-"))
  const records = createSqliteRecords({ file: join(directory, "new", "records.sqlite") })
  return {
    records,
    close: async () => {
      records.close()
      await rm(directory, { recursive: true })
    },
  }
})

describe("records in a SQLite file", () => {
  let directory: string
  let file: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "records-"))
    file = join(directory, "records.sqlite")
  })
  afterEach(() => rm(directory, { recursive: true }))

  it.each(["new", "made before free pages could be given back"])(
    "give the disk back what was removed, while others have the file open (%s)",
    async (age) => {
      const old = age === "new" ? undefined : new DatabaseSync(file)
      old?.exec("PRAGMA journal_mode = WAL; CREATE TABLE marker (n INTEGER)")
      old?.close()
      const [records, other] = [createSqliteRecords({ file }), createSqliteRecords({ file })]
      const at = (n: number) => ({ partition: n === 0 ? "kept" : "removed", sort: `${n}` })
      for (let n = 0; n < 1000; n++) await records.put(at(n), { value: {}, bytes: new Uint8Array(20_000) })
      for (let n = 1; n < 1000; n++) await records.remove(at(n))
      // The second call releases the pages that the first call left.
      for (let times = 0; times < 2; times++) records.shrink()
      expect((await stat(file)).size).toBeLessThan(5_000_000)
      expect((await other.get(at(0)))?.bytes).toHaveLength(20_000)
      expect(await other.put(at(1), { value: {} }, { ifAbsent: true })).toBe(1)
      records.close()
      other.close()
    },
  )

  it("are there when the file is opened again", async () => {
    const key = { partition: "p", sort: "😀" }
    const first = createSqliteRecords({ file })
    await first.put(key, { value: { n: 1 }, bytes: new Uint8Array([1]) }, { listed: { list: "l", order: "o" } })
    first.close()

    const second = createSqliteRecords({ file })
    expect(await second.get(key)).toMatchObject({ key, version: 1, value: { n: 1 } })
    expect(await Array.fromAsync(second.byList("l"))).toHaveLength(1)
    second.close()
  })

  it("are left as they are where a newer version laid them out", async () => {
    createSqliteRecords({ file }).close()
    const newer = new DatabaseSync(file)
    newer.exec("PRAGMA user_version = 2")
    newer.close()
    const before = await readFile(file)
    expect(() => createSqliteRecords({ file })).toThrow("was written by a newer version")
    expect(await readFile(file)).toEqual(before)
  })

  it("are left as they are where the file is damaged, which is named, and begun in one that is empty", async () => {
    const records = createSqliteRecords({ file })
    for (let n = 0; n < 20; n++)
      await records.put({ partition: "p", sort: `${n}` }, { value: { text: "x".repeat(4000) } })
    records.close()
    const whole = await readFile(file)
    for (const left of [
      whole.subarray(0, whole.length / 2),
      Buffer.alloc(whole.length, 7),
      Buffer.from("no database"),
    ]) {
      await writeFile(file, left)
      expect(() => createSqliteRecords({ file })).toThrow(
        expect.objectContaining({ code: "storage_damaged", message: expect.stringContaining(`${file} is damaged.`) }),
      )
      expect(await readFile(file)).toEqual(left)
    }
    await writeFile(file, "")
    const begun = createSqliteRecords({ file })
    expect(await Array.fromAsync(begun.range("p"))).toEqual([])
    begun.close()
  })

  it("are shared at once by two that have the file open", async () => {
    const [one, two] = [createSqliteRecords({ file }), createSqliteRecords({ file })]
    const key = { partition: "p", sort: "a" }
    expect(await one.put(key, { value: { from: "one" } }, { ifAbsent: true })).toBe(1)
    expect(await two.put(key, { value: { from: "two" } }, { ifAbsent: true })).toBeUndefined()
    expect((await two.get(key))?.value).toEqual({ from: "one" })
    one.close()
    two.close()
  })

  it("are dropped some time after they have expired, and not before", async () => {
    let clock = 1_000_000_000_000
    const records = createSqliteRecords({ file, now: () => clock })
    await records.put({ partition: "p", sort: "soon" }, { value: {} }, { expiresAt: clock / 1000 + 10 })
    await records.put({ partition: "p", sort: "later" }, { value: {} }, { expiresAt: clock / 1000 + 24 * 3600 })
    await records.put({ partition: "p", sort: "never" }, { value: {} })
    clock += 2 * 3600 * 1000
    await records.put({ partition: "p", sort: "other" }, { value: {} })
    const left = await Array.fromAsync(records.range("p"))
    expect(left.map((record) => record.key.sort)).toEqual(["later", "never", "other"])
    records.close()
  })

  describe("of several processes", () => {
    const children: ChildProcess[] = []
    afterEach(() => {
      for (const child of children.splice(0)) child.kill("SIGKILL")
    })

    async function startWriters(count: number, ...args: string[]) {
      const writers = Array.from({ length: count }, () =>
        fork(new URL("sqlite-writer.ts", import.meta.url), [file, ...args]),
      )
      children.push(...writers)
      await Promise.all(writers.map((writer) => once(writer, "message")))
      const results = writers.map((writer) => once(writer, "message"))
      const exits = writers.map(async (writer) => (await once(writer, "exit"))[0] as number | null)
      for (const writer of writers) writer.send("go")
      return { writers, results, exits }
    }

    it("can be opened by all of them while the file is new", async () => {
      const { exits } = await startWriters(6, "open", "100")
      expect(await Promise.all(exits)).toEqual([0, 0, 0, 0, 0, 0])
    })

    it("lose no increment, from the first moment of a new file", async () => {
      const { exits } = await startWriters(6, "increment", "300")
      expect(await Promise.all(exits)).toEqual([0, 0, 0, 0, 0, 0])
      const records = createSqliteRecords({ file })
      expect(await records.get({ partition: "counter", sort: "a" })).toMatchObject({
        version: 1800,
        value: { n: 1800 },
      })
      records.close()
    })

    it("are put by exactly one of those that put if absent", async () => {
      const { results } = await startWriters(6, "claim", "300")
      const won = (await Promise.all(results)).flatMap(([sorts]) => sorts as string[])
      expect(won).toHaveLength(300)
      expect(new Set(won).size).toBe(300)
    })

    it("survive the death of the process that put them", async () => {
      const { writers, exits } = await startWriters(1, "append")
      const acknowledged: number[] = []
      writers[0]?.on("message", (n: number) => {
        acknowledged.push(n)
        if (n === 200) writers[0]?.kill("SIGKILL")
      })
      await Promise.all(exits)
      const records = createSqliteRecords({ file })
      const kept = await Array.fromAsync(records.range("appended"))
      records.close()
      expect(acknowledged.length).toBeGreaterThan(200)
      expect(kept.length).toBeGreaterThanOrEqual(acknowledged.length)
      expect(kept.map((record) => record.value.n)).toEqual(kept.map((_, n) => n))
      expect(kept.every(({ bytes }, n) => bytes?.length === 20_000 && bytes[0] === n % 256)).toBe(true)
    })
  })
})
