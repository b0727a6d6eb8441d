import type { TerminalFrame } from "@switchyard/core/agents/terminals/schema"
import { attachTerminal, openTerminalLog, type TerminalLogDeps } from "@switchyard/core/agents/terminals/terminal-log"
import { createNewId } from "@switchyard/core/ids"
import { createLog } from "@switchyard/core/log/log"
import { createWakeups } from "@switchyard/core/log/notifier"
import { type Clock, systemClock } from "@switchyard/core/time"
import { createTerminal, type Terminal, type TerminalDeps } from "@switchyard/runner/terminals/terminal"
import { openStores } from "../../fixtures/stores.ts"
import { createViewer, drawFrame } from "./looks.ts"

/** A clock whose sleeps end at the next turn of the event loop. */
const quickClock: Clock = {
  now: systemClock.now,
  monotonic: systemClock.monotonic,
  sleep: (_ms, { signal }) =>
    new Promise((resolve, reject) => {
      setImmediate(() => (signal?.aborted ? reject(signal.reason) : resolve()))
    }),
}

export interface Bench extends AsyncDisposable {
  deps: TerminalLogDeps
  open(size: { rows: number; cols: number }, changes?: Partial<TerminalDeps>): { terminal: Terminal; pty: string }
}

/** Opens terminals on their own stores. */
export async function openBench(): Promise<Bench> {
  const stores = await openStores()
  const log = createLog({ ...stores, clock: quickClock, wakeups: createWakeups() })
  const deps = { ...stores, log, clock: quickClock, newId: createNewId() }
  let terminals = 0
  return {
    deps,
    open(size, changes) {
      const pty = `pty_${++terminals}`
      const terminal = createTerminal(
        {
          clock: quickClock,
          log: openTerminalLog(deps, { sid: "s", incarnation: 1, pty, writer: "test" }),
          sessionSeq: () => 0,
          answer: () => {},
          pressure: () => {},
          recording: null,
          report: (error) => {
            throw error
          },
          signal: new AbortController().signal,
          ...changes,
        },
        { ...size, title: "test" },
      )
      return { terminal, pty }
    },
    [Symbol.asyncDispose]: stores.close,
  }
}

/** A browser's tab. It draws its input, knows its offset, and may leave and come back. */
export interface Tab {
  viewer: ReturnType<typeof createViewer>
  offset: number | undefined
  /** Number of bytes that the tab received, in any form. */
  heard: number
  ended: boolean
  frames: TerminalFrame["type"][]
}

export function createTab(): Tab {
  return { viewer: createViewer({ rows: 1, cols: 1 }), offset: undefined, heard: 0, ended: false, frames: [] }
}

/** Follows the terminal until it ends or the signal aborts. */
export async function watch(deps: TerminalLogDeps, pty: string, tab: Tab, signal: AbortSignal): Promise<void> {
  for await (const frame of attachTerminal(deps, "s", pty, { offset: tab.offset, signal })) {
    if (frame.type === "heartbeat") continue
    draw(tab, frame)
    if (signal.aborted) return
  }
}

function draw(tab: Tab, frame: TerminalFrame): void {
  tab.frames.push(frame.type)
  tab.offset = frame.offset
  drawFrame(tab.viewer, frame)
  if (frame.type === "bytes") tab.heard += frame.bytes.length
  if (frame.type === "ended") tab.ended = true
}
