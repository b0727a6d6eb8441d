import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { LogEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"
import { openDepot } from "../runner-process.ts"
import { startUpstream } from "./upstream.ts"

const KEY = "sk-ant-the-real-key-0123456789"
const SUMMARY = { change_summary: "Nothing to do.", files_changed: [], completion_status: "success" }
const DONE = {
  type: "message",
  content: [{ type: "text", text: `Done.\n\n\`\`\`json\n${JSON.stringify(SUMMARY)}\n\`\`\`` }],
  usage: { input_tokens: 1000, cache_read_input_tokens: 20, cache_creation_input_tokens: 0, output_tokens: 3 },
}

interface Refusal {
  status: number
  headers?: Record<string, string>
  message: string
}

/**
 * Runs an agent on an account with a key, in the real runner. The model's API answers with these refusals in order, the
 * last one repeatedly.
 */
async function work(refusals: Refusal[]) {
  await using upstream = await startUpstream((_, response) => {
    const refusal = refusals.length > 1 ? refusals.shift() : refusals[0]
    if (!refusal || refusal.status === 200) return void response.end(JSON.stringify(DONE))
    response.writeHead(refusal.status, { "content-type": "application/json", ...refusal.headers })
    response.end(JSON.stringify({ type: "error", error: { type: "x", message: refusal.message } }))
  })
  await using depot = await openDepot()
  const programs = join(depot.folder, "bin")
  mkdirSync(programs)
  const agent = join(import.meta.dirname, "agent.ts")
  writeFileSync(join(programs, "claude"), `#!/bin/sh\nexec "${process.execPath}" "${agent}"\n`)
  chmodSync(join(programs, "claude"), 0o755)
  const runner = depot.start({ programs: [programs] })
  const run_id = await depot.create({}, null, { cli: "claude" })
  const account = { api_key: KEY, base_url: upstream.url, home: "anna" }
  runner.child.stdin?.write(`${JSON.stringify({ type: "run", run_id, expected_generation: 0, account })}\n`)
  const end = await Promise.race([depot.seen("run_completed"), depot.seen("run_failed")])
  const events = await depot.events()
  runner.child.kill("SIGTERM")
  await runner.exited
  const home = join(depot.folder, "homes/anna")
  const environment = JSON.parse(readFileSync(join(home, "environment.json"), "utf8"))
  return { end, events, asked: upstream.asked, environment, kept: bytesIn(depot.folder) }
}

/** Returns the contents of all files in the folder. */
function bytesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n")
}

const outcomes = (events: LogEvent[]) =>
  events.flatMap((event) => (event.type === "agent_turn_finished" ? [event.outcome] : []))

describe("an agent on an account with a key", () => {
  it("never holds the key, is heard by its model all the same, and its use is counted where the model tells it", async () => {
    const { end, events, asked, environment, kept } = await work([
      { status: 503, message: "try again" },
      { status: 200, message: "" },
    ])
    expect(end.type).toBe("run_completed")
    expect(asked.map(({ headers }) => headers["x-api-key"])).toEqual([KEY, KEY])
    expect(JSON.stringify(environment)).not.toContain(KEY)
    expect(environment.ANTHROPIC_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(kept).not.toContain(KEY)
    expect(kept).toContain(environment.ANTHROPIC_API_KEY)
    const used = events.flatMap((event) => (event.type === "agent_usage" ? [event.usage] : []))
    expect(used).toEqual([{ input: 1000, cache_read: 20, cache_write: 0, output: 3 }])
    expect(events.filter((event) => event.type === "agent_retried").map(({ problem }) => problem)).toEqual([
      "overloaded",
    ])
  })

  it.each<[Refusal, object, string]>([
    [{ status: 401, message: "invalid x-api-key" }, { type: "auth", message: "invalid x-api-key" }, "auth_error"],
    [
      { status: 429, headers: { "retry-after": "7200" }, message: "This request would exceed your limit" },
      { type: "limit", kind: "rate_limited", resets_at: expect.stringMatching(/Z$/) },
      "rate_limit",
    ],
  ])(
    "is ended at once where its model refuses it for good, though it would try for ever (%j)",
    async (refusal, outcome, type) => {
      const { end, events, asked } = await work([refusal])
      expect(end).toMatchObject({ type: "run_failed", error_type: type })
      expect(outcomes(events)).toMatchObject([outcome])
      expect(asked.length).toBeLessThan(50)
    },
  )
})
