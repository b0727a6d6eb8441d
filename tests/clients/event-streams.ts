import { createRequire } from "node:module"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { expect } from "vitest"
import { heldModel, startServer } from "../functions/server.ts"
import type { Check } from "./main.ts"
import { run } from "./tools.ts"

/** Factor by which the server's clock is sped up, so that keep-alive comments come soon. */
const HURRY = 50
const QUIETLY = 3

interface EventSourceLike {
  readyState: number
  close(): void
  addEventListener(type: string, listener: (event: { lastEventId?: string; code?: number }) => void): void
}

/** Reads a complete stream that is silent for a while between two events. */
const httpxSse: Check = async ({ token }, tools) => {
  const { provider, release } = heldModel()
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() * HURRY }
  const server = await startServer({ scripted: provider, clock })
  try {
    const { body } = await server.call("POST", "/v1/runs", { json: { user_prompt: "Make a list." } })
    const url = `${server.url}/v1/runs/${body.run_id}/stream`
    const begun = Promise.withResolvers<void>()
    const script = join(import.meta.dirname, "event_stream.py")
    const reading = run(join(tools, "python"), [script, url], {
      env: { SWITCHYARD_TOKEN: token },
      onOutput: () => begun.resolve(),
    })
    await Promise.race([begun.promise, reading])
    await keptAlive(url, QUIETLY)
    release()
    const frames = (await reading).trim().split("\n")
    const told = frames.map((line) => JSON.parse(line) as { id: string; event: string; retry: number | null })
    expect(told[0]).toMatchObject({ event: "run_started", retry: 1000 })
    expect(told.at(-1)).toMatchObject({ event: "error", retry: null })
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length)
  } finally {
    await server.close()
  }
}

/** Resolves when a stream has received this many keep-alive comments. */
async function keptAlive(url: string, times: number): Promise<void> {
  const { body } = await fetch(url)
  let text = ""
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.split(": keep-alive\n").length > times) return
  }
}

/** Reconnects after the end, as a browser does, and stops when the server reports that the stream is over. */
const eventSource: Check = async ({ server, token }, tools) => {
  const authorization = `Bearer ${token}`
  const run = await server.run({ user_prompt: "Make a list." }, { headers: { authorization } })
  const { EventSource } = createRequire(join(tools, "package.json"))("eventsource")
  for (const [name, last] of [
    ["stream", "run_complete"],
    ["events", "end"],
  ]) {
    const asked: string[] = []
    const over = Promise.withResolvers<void>()
    const source: EventSourceLike = new EventSource(`${server.url}/v1/runs/${run.run_id}/${name}`, {
      fetch: (url: string, init: RequestInit) => {
        const headers = { ...(init.headers as Record<string, string>), authorization }
        // A third request is already one too many, so the check doesn't wait for a fourth.
        if (asked.push(String(new Headers(headers).get("last-event-id"))) > 2) over.resolve()
        return fetch(url, { ...init, headers })
      },
    })
    let ends = 0
    source.addEventListener(String(last), () => ends++)
    source.addEventListener("error", () => source.readyState === 2 && over.resolve())
    await over.promise
    source.close()
    expect([ends, asked.length, asked[0]]).toEqual([1, 2, "null"])
  }
}

export const streams: Record<"npm" | "python", Record<string, Check>> = {
  npm: { "an EventSource comes back once after a run's end, and no more": eventSource },
  python: { "httpx-sse reads a stream with silences in it": httpxSse },
}
