import { describe, expect, it } from "vitest"
import type { SourceUpdate } from "../../../../packages/web/src/session/connection/source.ts"
import { type StreamUpdate, subscribe } from "../../../../packages/web/src/session/stream/subscribe.ts"

const frame = (event: string, data: object): SourceUpdate => ({ type: "frame", frame: { event, data } })

async function follow(...updates: SourceUpdate[]): Promise<StreamUpdate[]> {
  const streams = {
    async *open() {
      yield* updates
    },
  }
  const all: StreamUpdate[] = []
  for await (const one of subscribe(streams, "s", 0, new AbortController())) all.push(one)
  return all
}

describe("a session that is followed", () => {
  it("tells its events, and what becomes of the connection", async () => {
    const lost: SourceUpdate = { type: "lost", retryMs: 250, reason: "It broke." }
    const told = await follow(
      { type: "opened" },
      frame("event", { event_id: "e", seq: 1, type: "later", ts: "t" }),
      lost,
    )
    expect(told).toMatchObject([{ type: "connected" }, { type: "received", event: { seq: 1 } }, lost])
  })

  it.each([
    [frame("resync", {}), { type: "replaced" }],
    [
      { type: "refused" as const, status: 404 },
      { type: "gone", status: 404 },
    ],
    [
      { type: "refused" as const, status: 401 },
      { type: "gone", status: 401 },
    ],
  ])("ends for good after %j", async (update, last) => {
    expect(await follow({ type: "opened" }, update, { type: "opened" })).toEqual([{ type: "connected" }, last])
  })
})
