import fc from "fast-check"
import { createConnection } from "switchyard/server/connection"
import { createRetryPolicy } from "switchyard/server/retry"
import { followRun } from "switchyard/streams/follow"
import { afterEach, describe, expect, it } from "vitest"
import { event, RUN_ID, type ScriptedEvent, startScriptedServer } from "../scripted-server.ts"

const signal = new AbortController().signal
const close: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const task of close.splice(0)) await task()
})

/** Starts a scripted server and a client that retries without waiting. */
async function arrange(script: Parameters<typeof startScriptedServer>[0], silenceMs = 10_000) {
  const server = await startScriptedServer(script)
  close.push(server.close)
  const notices: string[] = []
  let slept = 0
  const clock = {
    now: () => 0,
    monotonic: () => slept,
    async sleep(ms: number) {
      slept += ms
    },
  }
  const notice = (text: string) => void notices.push(text)
  const retries = createRetryPolicy({ clock, random: () => 0.5, outageMs: 60_000, notice })
  const connection = createConnection({ url: new URL(server.url) })
  const follow = (since = 0) => followRun({ connection, retries, notice, silenceMs }, RUN_ID, { since, signal })
  return { ...server, notices, follow }
}

const text = fc.string({ unit: "binary", maxLength: 60 })

/** Returns a log with gaps in its seqs, as in a session with several runs. The last event completes the run. */
function logOf(texts: string[], gaps: number[]): ScriptedEvent[] {
  let seq = 0
  const events = texts.map((said, i) => {
    seq += 1 + ((gaps[i] ?? 0) % 3)
    return event(seq, "model_text", { node: "coder", text: said, ключ: said })
  })
  return [...events, event(seq + 1, "run_completed", { duration_ms: 1, workspace_version: 1 })]
}

describe("a followed run", () => {
  it("is its log, each event once and in order, wherever the stream is cut a thousand times", async () => {
    let cuts = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 5, maxLength: 25 }),
        fc.array(fc.nat(2), { maxLength: 25 }),
        fc.array(fc.nat(900), { minLength: 25, maxLength: 25 }),
        async (texts, gaps, lengths) => {
          const events = logOf(texts, gaps)
          const server = await arrange({ events, cutAfter: (stream) => lengths[stream] })
          expect(await Array.fromAsync(server.follow())).toEqual(JSON.parse(JSON.stringify(events)))
          cuts += server.requests.length - 1
          await close.pop()?.()
        },
      ),
      { seed: 20_260_101, numRuns: 130 },
    )
    expect(cuts).toBeGreaterThan(1000)
  })

  it("goes on after the event that it was told to", async () => {
    const events = logOf(["a", "b", "c"], [])
    const server = await arrange({ events })
    expect((await Array.fromAsync(server.follow(2))).map(({ seq }) => seq)).toEqual([3, 4])
  })

  it("never shows a seq twice when a server repeats itself or goes back", async () => {
    const events = logOf(["a", "b", "c"], [])
    const [one, two, ...rest] = events as [ScriptedEvent, ScriptedEvent, ...ScriptedEvent[]]
    const again = [one, two].map((event) => ({ ...event, event_id: `${event.event_id}_again` }))
    const server = await arrange({ events: [one, two, ...again, ...rest] })
    expect(await Array.fromAsync(server.follow())).toEqual(events)
  })

  it("reads the log from its beginning when its place is unknown, and says so", async () => {
    const events = logOf(["a"], [])
    const server = await arrange({ events })
    expect((await Array.fromAsync(server.follow(99))).map(({ seq }) => seq)).toEqual([1, 2])
    expect(server.notices[0]).toContain("Event 99 isn't in the log")
  })

  it("shows nothing again when the log has to be read from its beginning halfway", async () => {
    const events = logOf(["a", "b"], [])
    const faults = { on: /events/, faults: ["resync" as const] }
    const server = await arrange({ events, cutAfter: (stream) => (stream === 0 ? 320 : undefined) })
    const seen: number[] = []
    for await (const { seq } of server.follow()) {
      seen.push(seq)
      if (seq === 1) server.fail(faults)
    }
    expect(seen).toEqual([1, 2, 3])
    expect(server.notices).toHaveLength(1)
  })

  it("keeps types that it doesn't know, with all of their fields", async () => {
    const odd = event(1, "teleported", { to: { x: 1 } })
    const server = await arrange({ events: [odd, event(2, "run_failed")] })
    expect((await Array.fromAsync(server.follow()))[0]).toEqual(odd)
  })

  it("does not end with another run's end", async () => {
    const other = { ...event(1, "run_completed"), run_id: "run_0" }
    const server = await arrange({ events: [other, event(2, "model_text"), event(3, "run_cancelled")] })
    expect(await Array.fromAsync(server.follow())).toHaveLength(3)
  })

  it("takes a line for dead that says nothing, not even a comment", async () => {
    const server = await arrange({ events: [event(1, "run_created")] }, 50)
    const seen: number[] = []
    for await (const { seq } of server.follow()) {
      seen.push(seq)
      // This append doesn't notify the open stream, so only a new stream finds the event.
      if (seq === 1) server.append(event(2, "run_completed"))
    }
    expect(seen).toEqual([1, 2])
    expect(server.requests.length).toBeGreaterThan(1)
  })

  it("gives up when a server answers but cuts every stream at its first byte", async () => {
    const server = await arrange({ events: logOf(["a"], []), cutAfter: () => 0 })
    await expect(Array.fromAsync(server.follow())).rejects.toThrow(/ended early|lost/)
  })

  it("ends at once with what the server refuses", async () => {
    const server = await arrange({ events: [] })
    const connection = createConnection({ url: new URL(server.url) })
    const clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} }
    const retries = createRetryPolicy({ clock, random: () => 0, outageMs: 1, notice: () => {} })
    const events = followRun({ connection, retries, notice: () => {}, silenceMs: 1000 }, "run_other", {
      since: 0,
      signal,
    })
    await expect(Array.fromAsync(events)).rejects.toMatchObject({ code: "run_not_found", status: 404 })
  })
})
