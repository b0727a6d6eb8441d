import { describe, expect, it } from "vitest"
import {
  acceptsInput,
  connecting,
  isOpen,
  reduceTerminal,
  statusText,
  takesKey,
} from "../../../../../packages/web/src/features/terminal/live/live-state.ts"
import type { TerminalView } from "../../../../../packages/web/src/session/stream/agent.ts"

const terminal: TerminalView = {
  pty: "pty_1",
  runId: null,
  title: "mock",
  rows: 24,
  cols: 80,
  closed: false,
  exitCode: null,
  hasRecording: false,
}
const live = { ...connecting, connection: "live", rows: 31, cols: 105 } as const
const key = (fields: Partial<KeyboardEvent>) =>
  ({
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    key: "a",
    code: "KeyA",
    ...fields,
  }) as KeyboardEvent
const find = key({ ctrlKey: true, key: "f" })
const leave = key({ ctrlKey: true, shiftKey: true, code: "Backquote" })

describe("a terminal's state", () => {
  it("follows the frames of its stream", () => {
    const frames = [
      { type: "connection", state: "live" },
      { type: "snapshot", rows: 31, cols: 105, screen: "$ " },
      { type: "drawn" },
      { type: "bytes", data: new Uint8Array() },
      { type: "resized", rows: 10, cols: 40 },
      { type: "connection", state: "lost" },
    ] as const
    expect(frames.reduce(reduceTerminal, connecting)).toEqual({
      connection: "lost",
      drawn: true,
      ended: false,
      rows: 10,
      cols: 40,
    })
    expect(reduceTerminal(live, { type: "ended", exitCode: 0 })).toEqual({ ...live, ended: true })
  })

  it("counts as drawn only once its output is written", () => {
    const arrived = reduceTerminal(connecting, { type: "snapshot", rows: 31, cols: 105, screen: "$ " })
    expect(arrived).toEqual({ ...connecting, rows: 31, cols: 105 })
  })

  it("is open while its program runs, is connected, and is shown as it is now", () => {
    expect(isOpen(terminal, live, false)).toBe(true)
    expect(isOpen(terminal, live, true)).toBe(false)
    expect(isOpen({ ...terminal, closed: true }, live, false)).toBe(false)
    expect(isOpen(terminal, { ...live, ended: true }, false)).toBe(false)
    for (const connection of ["connecting", "lost", "refused"] as const) {
      expect(isOpen(terminal, { ...live, connection }, false)).toBe(false)
    }
  })

  it("accepts input before it is connected, and none once the connection is lost", () => {
    for (const connection of ["connecting", "live"] as const) {
      expect(acceptsInput(terminal, { ...live, connection }, false)).toBe(true)
      expect(acceptsInput(terminal, { ...live, connection }, true)).toBe(false)
      expect(acceptsInput(terminal, { ...live, connection, ended: true }, false)).toBe(false)
    }
    for (const connection of ["lost", "refused"] as const) {
      expect(acceptsInput(terminal, { ...live, connection }, false)).toBe(false)
    }
    expect(acceptsInput({ ...terminal, closed: true }, live, false)).toBe(false)
  })
})

describe("a key in a terminal", () => {
  it("is the program's, but for the one that leaves it", () => {
    expect([key({}), find].map((event) => takesKey(event, true))).toEqual([true, true])
    expect([true, false].map((open) => takesKey(leave, open))).toEqual([false, false])
  })

  it("is the page's where it finds something in a terminal that takes no input", () => {
    expect(takesKey(find, false)).toBe(false)
    expect(takesKey(key({}), false)).toBe(true)
  })
})

describe("the status of a terminal", () => {
  const owned = { ownsSize: true, failed: false }
  const watched = { ownsSize: false, failed: false }

  it("has its size, and whose it is", () => {
    expect(statusText(terminal, live, watched)).toBe("105 × 31")
    expect(statusText(terminal, live, owned)).toMatch(/^105 × 31 .*you/)
    expect(statusText(terminal, connecting, watched)).toBe("Connecting")
  })

  it("says how the program ended, also before the log does", () => {
    expect(statusText({ ...terminal, closed: true, exitCode: 3 }, connecting, owned)).toBe("80 × 24 · exit 3")
    expect(statusText({ ...terminal, closed: true, exitCode: 0 }, live, owned)).toBe("105 × 31 · ended")
    expect(statusText(terminal, { ...live, ended: true }, owned)).toBe("105 × 31 · ended")
  })
  it("calls a task that failed so, even if its program says that all is well", () => {
    const failed = { ownsSize: true, failed: true }
    expect(statusText({ ...terminal, closed: true, exitCode: 0 }, live, failed)).toBe("105 × 31 · failed")
    expect(statusText({ ...terminal, closed: true, exitCode: 1 }, live, failed)).toBe("105 × 31 · failed · exit 1")
  })
})
