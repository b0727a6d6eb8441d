import { closeInbox, createInboxSender, createOnce, readInbox } from "@switchyard/core/agents/runner/inbox"
import type { InboxMessage, TerminalEvent } from "@switchyard/core/agents/terminals/schema"
import { createSizeOwner } from "@switchyard/core/agents/terminals/size-owner"
import {
  attachTerminal,
  deleteTerminals,
  endTerminal,
  openTerminalLog,
} from "@switchyard/core/agents/terminals/terminal-log"
import { createViewerFrames } from "@switchyard/core/agents/terminals/viewer-frames"
import { createNewId } from "@switchyard/core/ids"
import { terminalLogName } from "@switchyard/core/kernel/keys"
import { createLog } from "@switchyard/core/log/log"
import { systemClock } from "@switchyard/core/time"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { never } from "../../../settings.ts"

let stores: Stores
let deps: ReturnType<typeof makeDeps>
beforeEach(async () => {
  stores = await openStores()
  deps = makeDeps(stores)
})
afterEach(() => stores.close())

const options = { signal: never }
const snapshot = { type: "terminal_snapshot" as const, offset: 0, rows: 2, cols: 10, screen: "" }
const bytes = (offset: number, text: string): TerminalEvent => ({
  ...{ type: "terminal_bytes", offset, after: 1 },
  bytes: Buffer.from(text).toString("base64"),
})

function makeDeps({ records, blobs }: Stores) {
  const clock = systemClock
  return { records, blobs, clock, newId: createNewId(), log: createLog({ records, blobs, clock }) }
}

const place = (pty: string, incarnation = 1) => ({ sid: "s", incarnation, pty, writer: "test" })

describe("the log of a terminal", () => {
  it("gives a screen that is too large for a record back whole", async () => {
    const screen = "wide ".repeat(100_000)
    await openTerminalLog(deps, place("a")).append([{ ...snapshot, screen }], options)
    for await (const frame of attachTerminal(deps, "s", "a", options)) {
      expect(frame).toMatchObject({ type: "snapshot", screen })
      break
    }
  })

  it("belongs to its one writer", async () => {
    await openTerminalLog(deps, place("a")).append([snapshot], options)
    await expect(openTerminalLog(deps, place("a")).append([snapshot], options)).rejects.toMatchObject({
      code: "run_superseded",
    })
  })

  it("is ended for a runner that died, once, after everything that it wrote", async () => {
    await openTerminalLog(deps, place("a")).append([snapshot, bytes(0, "hello")], options)
    await endTerminal(deps, place("a"), options)
    await endTerminal(deps, place("a"), options)
    const frames = await Array.fromAsync(attachTerminal(deps, "s", "a", options))
    expect(frames.map(({ type }) => type)).toEqual(["snapshot", "bytes", "ended"])
    expect(frames.at(-1)).toMatchObject({ offset: 5, exitCode: null })
  })

  it("goes with the life of the session that it belongs to, and no other", async () => {
    await openTerminalLog(deps, place("old", 1)).append([snapshot], options)
    await openTerminalLog(deps, place("new", 2)).append([snapshot], options)
    const sent = { sid: "s", incarnation: 1, writer: "api" }
    const message = { type: "agent_interrupt" as const }
    await createInboxSender(deps, { ...sent, generation: 1 }).send([message], options)
    await createInboxSender(deps, { ...sent, generation: 2 }).send([message], options)
    await deleteTerminals(deps, "s", { last: 1, generation: 1 }, options)
    const left = async (partition: string) => (await Array.fromAsync(stores.records.range(partition))).length
    expect(await left(terminalLogName("s", "old"))).toBe(0)
    expect(await left(terminalLogName("s", "new"))).toBe(1)
    expect(await left("s/s/inbox/1")).toBe(0)
    expect(await left("s/s/inbox/2")).toBe(1)
    expect(await left("s/s/terminals")).toBe(1)
  })
})

describe("what a viewer is told", () => {
  const told = (position: number | null, events: TerminalEvent[]) => {
    const follower = createViewerFrames(position)
    return events.flatMap((event) => follower.framesFor(event))
  }
  const text = (frames: ReturnType<typeof told>) =>
    frames.map((frame) => (frame.type === "bytes" ? Buffer.from(frame.bytes).toString() : frame.type))

  it("is only what it hasn't seen", () => {
    const log = [snapshot, bytes(0, "hello "), bytes(6, "world")]
    expect(text(told(null, log))).toEqual(["snapshot", "hello ", "world"])
    expect(text(told(8, log))).toEqual(["rld"])
    expect(text(told(11, log))).toEqual([])
  })

  it("is the picture that was taken right where it is, for it may have missed a change of size", () => {
    expect(text(told(5, [{ ...snapshot, offset: 5 }, bytes(5, "x")]))).toEqual(["snapshot", "x"])
    expect(text(told(5, [bytes(0, "hello"), { ...snapshot, offset: 5 }, bytes(5, "x")]))).toEqual(["x"])
  })

  it("is a picture where bytes are missing, and nothing from inside the gap", () => {
    const picture = { ...snapshot, offset: 100 }
    const log = [snapshot, bytes(0, "a"), bytes(50, "lost"), picture, bytes(100, "b")]
    expect(text(told(null, log))).toEqual(["snapshot", "a", "snapshot", "b"])
  })
})

describe("an inbox", () => {
  const reported: unknown[] = []
  const inbox = () => ({ ...deps, report: (error: unknown) => reported.push(error) })

  it("keeps the order of each sender, however many send", async () => {
    const sent = { sid: "s", incarnation: 1, generation: 1, writer: "api" }
    const senders = ["a", "b", "c"].map((client) => ({ client, sender: createInboxSender(deps, sent) }))
    const message = (client: string, client_seq: number): InboxMessage => ({
      ...{ type: "terminal_input", pty: "p", client, client_seq, data: "" },
    })
    await Promise.all(
      senders.flatMap(({ client, sender }) =>
        Array.from({ length: 20 }, (_, index) => sender.send([message(client, index + 1)], options)),
      ),
    )
    const heard: InboxMessage[] = []
    for await (const { message } of readInbox(inbox(), "s", 1, options)) if (heard.push(message) === 60) break
    for (const { client } of senders) {
      const numbers = heard.flatMap((one) =>
        one.type === "terminal_input" && one.client === client ? [one.client_seq] : [],
      )
      expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    }
  })

  it("is closed by the runner's successor: what was sent before is given to that, and later senders are refused", async () => {
    const sent = { sid: "s", incarnation: 1, generation: 1, writer: "api" }
    const [one, another] = [createInboxSender(deps, sent), createInboxSender(deps, sent)]
    const message = (content: string): InboxMessage => ({ type: "agent_message", content, source: "api" })
    await one.send([message("a")], options)
    await another.send([message("b")], options)
    const close = () => closeInbox(inbox(), { ...sent, writer: "ecs-b" }, options)
    expect(await close()).toEqual([message("a"), message("b")])
    for (const sender of [one, another, createInboxSender(deps, sent)]) {
      await expect(sender.send([message("c")], options)).rejects.toMatchObject({ code: "terminal_invalid" })
    }
    expect(await close()).toEqual([message("a"), message("b")])
    expect(await closeInbox(inbox(), { ...sent, writer: "ecs-b" }, { since: 1, ...options })).toEqual([message("b")])
  })

  it("passes on what is too long for its log whole and in its place, and what can't be fetched holds nothing up", async () => {
    const sender = createInboxSender(deps, { sid: "s", incarnation: 1, generation: 1, writer: "api" })
    const said = ["a", "long ".repeat(20_000), "z"].map(
      (content): InboxMessage => ({
        ...{ type: "agent_message", content, source: "api" },
      }),
    )
    for (const message of said) await sender.send([message], options)
    const heard: InboxMessage[] = []
    for await (const { message } of readInbox(inbox(), "s", 1, options)) if (heard.push(message) === 3) break
    expect(heard).toEqual(said)
    expect(reported).toEqual([])
    await deps.blobs.remove("s/s/", options)
    for await (const { message } of readInbox(inbox(), "s", 1, options)) if (heard.push(message) === 5) break
    expect(heard.slice(3)).toEqual([said[0], said[2]])
    expect(reported).toHaveLength(1)
  })

  it("applies what a client sends again only once", () => {
    const isNew = createOnce()
    expect([1, 2, 2, 1, 3].map((seq) => isNew("tab", seq))).toEqual([true, true, false, false, true])
    expect(isNew("other", 1)).toBe(true)
  })
})

describe("the size of a terminal", () => {
  it("is its owner's until it leaves or another takes it", () => {
    const geometry = createSizeOwner()
    expect(geometry.requestSize("a", false)).toBe(true)
    expect(geometry.requestSize("b", false)).toBe(false)
    expect(geometry.requestSize("b", true)).toBe(true)
    expect(geometry.requestSize("a", false)).toBe(false)
    geometry.release("b")
    expect(geometry.requestSize("a", false)).toBe(true)
  })

  it("stays its owner's who only reconnects", () => {
    const geometry = createSizeOwner()
    expect(geometry.requestSize("a", false)).toBe(true)
    geometry.release("a")
    geometry.attach("a")
    expect(geometry.requestSize("b", false)).toBe(false)
    geometry.release("a")
    geometry.attach("c")
    expect(geometry.requestSize("b", false)).toBe(true)
    expect(geometry.requestSize("a", false)).toBe(false)
  })
})
