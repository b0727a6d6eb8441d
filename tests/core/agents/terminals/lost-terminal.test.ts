import { closeLostTerminal, lastLines } from "@switchyard/core/agents/terminals/lost-terminal"
import { openTerminalLog } from "@switchyard/core/agents/terminals/terminal-log"
import { createNewId } from "@switchyard/core/ids"
import { createLog } from "@switchyard/core/log/log"
import { systemClock } from "@switchyard/core/time"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { never } from "../../../settings.ts"

const options = { signal: never }

let stores: Stores
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/** Closes a terminal whose runner died after showing this text. Resolves to the event and the stored recordings. */
async function closed({ shown, isRecorded }: { shown: string | null; isRecorded: boolean }) {
  const clock = systemClock
  const deps = { ...stores, clock, newId: createNewId(), log: createLog({ ...stores, clock }) }
  const place = { sid: "s", incarnation: 1, pty: "pty_1", writer: "test" }
  const log = openTerminalLog(deps, place)
  const bytes = Buffer.from(shown ?? "").toString("base64")
  if (shown !== null) {
    await log.append([{ type: "terminal_snapshot", offset: 0, rows: 2, cols: 10, screen: "" }], options)
    await log.append([{ type: "terminal_bytes", offset: 0, after: 1, bytes }], options)
  }
  const events = await closeLostTerminal(deps, { ...place, isRecorded }, lastLines, options)
  const stored = await Array.fromAsync(stores.blobs.list("", options), ({ key }) => key)
  return { event: events.at(-1), stored: stored.filter((key) => key.includes("/recordings/")) }
}

describe("a terminal whose runner died", () => {
  it("names the recording that is made of it", async () => {
    const { event, stored } = await closed({ shown: "hello", isRecorded: true })
    expect(stored).toHaveLength(1)
    expect(event).toMatchObject({ type: "terminal_closed", recording: stored[0] })
  })

  it.each([
    ["it was never shown", { shown: null, isRecorded: true }],
    ["it isn't to be recorded, as that of a login", { shown: "the code", isRecorded: false }],
  ])("names none where %s", async (_, given) => {
    const { event, stored } = await closed(given)
    expect(stored).toEqual([])
    expect(event).toMatchObject({ type: "terminal_closed", recording: null })
  })
})
