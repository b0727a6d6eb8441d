import { randomBytes } from "node:crypto"
import { systemClock } from "@switchyard/core/time"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../../server.ts"

const KEY = "s/one/1/artifacts/a.zip"
const bytes = randomBytes(300_000)

let server: TestServer
let url: string
beforeAll(async () => {
  server = await startServer()
  await server.stores.blobs.put(KEY, bytes)
  url = await server.stores.blobs.signedUrl(KEY, { expiresInSeconds: 60, filename: "a.zip" })
})
afterAll(() => server.close())

const get = (headers: Record<string, string>) => fetch(url, { headers })
const bodyOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

describe("a part of a download", () => {
  it("is the bytes that were asked for", async () => {
    const place = fc.integer({ min: 0, max: bytes.length + 10 })
    const asked = fc.oneof(
      fc.tuple(place, place).filter(([first, last]) => first < bytes.length && first <= last),
      fc.tuple(fc.integer({ min: 0, max: bytes.length - 1 }), fc.constant("" as const)),
      fc.tuple(fc.constant("" as const), place.filter(Boolean)),
    )
    const isPart = fc.asyncProperty(asked, async ([first, last]) => {
      const answer = await get({ range: `bytes=${first}-${last}` })
      const start = first === "" ? Math.max(0, bytes.length - Number(last)) : first
      const end = first === "" || last === "" ? bytes.length : Math.min(last + 1, bytes.length)
      expect(answer.status).toBe(206)
      expect(answer.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${bytes.length}`)
      expect((await bodyOf(answer)).equals(bytes.subarray(start, end))).toBe(true)
    })
    await fc.assert(isPart, { numRuns: 60 })
  })

  it.each(["bytes=5-2", "bytes=-", "bytes=0-1,5-6", "lines=1-2", "bytes=a-b", "bytes=0-99999999999999999"])(
    "is the whole where %s was asked for",
    async (range) => {
      const answer = await get({ range })
      expect([answer.status, (await bodyOf(answer)).equals(bytes)]).toEqual([200, true])
    },
  )

  it("is refused where there is nothing", async () => {
    for (const range of [`bytes=${bytes.length}-`, "bytes=-0"]) {
      const answer = await get({ range })
      expect([answer.status, answer.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`])
    }
  })

  it("is given to who has the rest of the same blob, and the whole to who has another's", async () => {
    const etag = (await get({})).headers.get("etag") ?? ""
    const same = await get({ range: "bytes=100-", "if-range": etag })
    expect((await bodyOf(same)).equals(bytes.subarray(100))).toBe(true)
    const other = await get({ range: "bytes=100-", "if-range": '"another"' })
    expect([other.status, (await bodyOf(other)).equals(bytes)]).toEqual([200, true])
  })

  it("leaves a HEAD without a body", async () => {
    const answer = await fetch(url, { method: "HEAD", headers: { range: "bytes=0-9" } })
    expect([answer.headers.get("content-length"), (await bodyOf(answer)).length]).toEqual(["10", 0])
  })
})

describe("the life of a link", () => {
  const HOUR_MS = 3600 * 1000

  async function withServer(test: (server: TestServer, time: { set: number; passed: number }) => Promise<void>) {
    const time = { set: 0, passed: 0 }
    const clock = { ...systemClock, now: () => 1e12 + time.set + time.passed, monotonic: () => time.passed }
    const timed = await startServer({ clock })
    try {
      await timed.stores.blobs.put(KEY, bytes)
      await test(timed, time)
    } finally {
      await timed.close()
    }
  }
  const linkOf = ({ stores }: TestServer) => stores.blobs.signedUrl(KEY, { expiresInSeconds: 60, filename: "a.zip" })
  const statusOf = async (link: string) => (await fetch(link, { method: "HEAD" })).status

  it.each([HOUR_MS, -HOUR_MS])("is what it was given, though the clock is set by %d ms meanwhile", async (set) => {
    await withServer(async (timed, time) => {
      const link = await linkOf(timed)
      time.set = set
      time.passed = 59_999
      expect(await statusOf(link)).toBe(200)
      time.passed = 60_000
      const late = await fetch(link)
      expect([late.status, await late.json()]).toMatchObject([
        403,
        { error: { message: expect.stringContaining("expired") } },
      ])
    })
  })

  it("can't be lengthened, nor its timer taken away", async () => {
    await withServer(async (timed) => {
      const link = await linkOf(timed)
      for (const change of [
        (params: URLSearchParams) => params.set("until", "99999999"),
        (params: URLSearchParams) => params.set("timer", "another"),
        (params: URLSearchParams) => params.delete("timer"),
        (params: URLSearchParams) => params.delete("until"),
      ]) {
        const changed = new URL(link)
        change(changed.searchParams)
        expect(await statusOf(changed.href)).toBe(403)
      }
    })
  })
})
