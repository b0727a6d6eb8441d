import { readAll } from "@switchyard/core/storage/blobs"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client, createS3PresignClient } from "@switchyard/core/storage/s3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWeather } from "../rehearsal/weather.ts"

const MINUTE_MS = 60_000

/**
 * Starts a proxy before `target` whose `Date` header is `aheadMinutes` ahead of the local clock, and counts requests.
 */
export async function behindClock(target: string, aheadMinutes: number) {
  const weather = await startWeather(target)
  let asked = 0
  weather.set(() => {
    asked++
    return { headers: { date: new Date(Date.now() + aheadMinutes * MINUTE_MS).toUTCString() } }
  })
  return {
    config: {
      ...{ endpoint: weather.url, region: "eu-central-1" },
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    },
    /** Returns how many requests a call makes. */
    async askedBy(call: () => Promise<unknown>) {
      const before = asked
      await call()
      return asked - before
    },
    stop: weather.stop,
  }
}

interface StoresElsewhere {
  dynamo: string
  table: string
  s3: string
  bucket: string
}

/** Registers tests that a wrong local clock causes no extra requests to the stores. */
export function wrongClockContract(name: string, minutes: number, open: () => Promise<StoresElsewhere>): void {
  describe(`wrong clock contract: ${name}, ${minutes} minutes ahead of ours`, () => {
    const stops: (() => unknown)[] = []
    let stores: StoresElsewhere
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(async () => {
      for (const stop of stops) await stop()
    })
    async function connect(target: string) {
      const connected = await behindClock(target, minutes)
      stops.push(connected.stop)
      return connected
    }

    it("has no refusal of the records asked for again", async () => {
      const { config, askedBy } = await connect(stores.dynamo)
      const records = createDynamoRecords({ client: createDynamoClient(config), table: stores.table })
      const key = { partition: "p", sort: "a" }
      await records.put(key, { value: { n: 1 } })
      const refused = async () => {
        expect(await records.put(key, { value: { n: 2 } }, { ifAbsent: true })).toBeUndefined()
        expect(await records.put(key, { value: { n: 2 } }, { ifVersion: 7 })).toBeUndefined()
        expect(await records.remove(key, { ifVersion: 7 })).toBe(false)
      }
      expect(await askedBy(refused)).toBe(3)
      expect(await records.get(key)).toMatchObject({ version: 1, value: { n: 1 } })
    })

    it("has no blob that isn't there asked for again, and signs links by AWS's time", async () => {
      const { config, askedBy } = await connect(stores.s3)
      const blobs = createS3Blobs({
        client: createS3Client({ ...config, forcePathStyle: true }),
        presignClient: createS3PresignClient({ ...config, forcePathStyle: true }),
        bucket: stores.bucket,
      })
      await blobs.put("a", Buffer.from("a"))
      const missing = async () => {
        expect(await blobs.get("none")).toBeUndefined()
        expect(await blobs.head("none")).toBeUndefined()
      }
      expect(await askedBy(missing)).toBe(2)
      const link = new URL(await blobs.signedUrl("a", { expiresInSeconds: 60, filename: "a" }))
      const [, year, month, day, hour, minute] =
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(link.searchParams.get("X-Amz-Date") ?? "") ?? []
      const signed = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`)
      expect(Math.abs(signed - Date.now() - minutes * MINUTE_MS)).toBeLessThan(2 * MINUTE_MS)
      expect(String(await readAll((await blobs.get("a")) as AsyncIterable<Uint8Array>))).toBe("a")
    })
  })
}
