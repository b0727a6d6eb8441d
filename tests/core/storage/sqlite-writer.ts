import { createSqliteRecords } from "@switchyard/core/storage/sqlite"

// One of several processes on one file. Starts on a message, so that all processes open and write at once.
const [file = "", job = "", rounds = "0"] = process.argv.slice(2)

process.once("message", async () => {
  for (let round = 0; job === "open" && round < Number(rounds); round++)
    createSqliteRecords({ file: file + round }).close()
  const records = createSqliteRecords({ file })
  if (job === "increment") await increment()
  if (job === "claim") process.send?.(await claim())
  if (job === "append") await append()
  records.close()
  process.disconnect()

  async function increment() {
    const key = { partition: "counter", sort: "a" }
    for (let left = Number(rounds); left > 0; ) {
      const found = await records.get(key)
      const n = Number(found?.value.n ?? 0) + 1
      const won = await records.put(key, { value: { n } }, found ? { ifVersion: found.version } : { ifAbsent: true })
      if (won !== undefined) left--
    }
  }

  async function claim() {
    const won: string[] = []
    for (let round = 0; round < Number(rounds); round++) {
      const sort = String(round)
      if (await records.put({ partition: "claims", sort }, { value: {} }, { ifAbsent: true })) won.push(sort)
    }
    return won
  }

  async function append() {
    for (let n = 0; ; n++) {
      const bytes = new Uint8Array(20_000).fill(n)
      await records.put({ partition: "appended", sort: String(n).padStart(9, "0") }, { value: { n }, bytes })
      process.send?.(n)
    }
  }
})
process.send?.("ready")
