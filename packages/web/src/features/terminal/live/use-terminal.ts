import type { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useRef, useState } from "react"
import { useStudio } from "../../../session/context/studio.ts"
import { createTerminal, written } from "../emulator/create-terminal.ts"
import { isFocusReport } from "../emulator/reply-filter.ts"
import { useAppearance } from "../emulator/use-appearance.ts"
import { type Drawn, terminalFrames } from "./terminal-frames.ts"

export interface TerminalState {
  /** `lost`: it was there, and comes back. `refused`: it isn't there for us. */
  connection: "connecting" | "live" | "lost" | "refused"
  /** Whether there is anything of it on the screen. */
  drawn: boolean
  ended: boolean
  rows: number
  cols: number
}

const nothing: TerminalState = { connection: "connecting", drawn: false, ended: false, rows: 24, cols: 80 }

/**
 * A terminal in an element: drawn from the stream at `url`, with what a person types given to `onTyped`. `takes` says whether
 * a key is the terminal's; the others are the page's.
 */
export function useTerminal(
  url: string,
  onTyped: (text: string) => void,
  takes: (event: KeyboardEvent) => boolean,
): [RefObject<HTMLDivElement | null>, TerminalState, Terminal | null] {
  const { clock } = useStudio()
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef({ onTyped, takes })
  latest.current = { onTyped, takes }
  const [terminal, setTerminal] = useState<Terminal | null>(null)
  const [state, setState] = useState(nothing)
  useAppearance(terminal)

  useEffect(() => {
    if (!place.current) return
    const controller = new AbortController()
    const shown = createTerminal(place.current)
    shown.attachCustomKeyEventHandler((event) => latest.current.takes(event))
    shown.onData((text) => isFocusReport(text) || latest.current.onTyped(text))
    setTerminal(shown)
    setState(nothing)
    draw(shown, terminalFrames(clock, url, controller), (change) => setState((before) => ({ ...before, ...change })))
    return () => {
      controller.abort()
      shown.dispose()
      setTerminal(null)
    }
  }, [clock, url])

  return [place, state, terminal]
}

async function draw(terminal: Terminal, frames: AsyncIterable<Drawn>, tell: (change: Partial<TerminalState>) => void) {
  for await (const frame of frames) {
    switch (frame.type) {
      case "connection":
        tell({ connection: frame.state })
        break
      case "snapshot":
        terminal.reset()
        terminal.resize(frame.cols, frame.rows)
        tell({ rows: frame.rows, cols: frame.cols })
        await written(terminal, frame.screen)
        tell({ drawn: true })
        break
      case "bytes":
        await written(terminal, frame.data)
        tell({ drawn: true })
        break
      case "resized":
        terminal.resize(frame.cols, frame.rows)
        tell({ rows: frame.rows, cols: frame.cols })
        break
      case "ended":
        tell({ ended: true })
    }
  }
}
