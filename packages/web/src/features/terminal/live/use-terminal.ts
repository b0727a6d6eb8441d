import type { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useRef, useState } from "react"
import type { Source } from "../../../session/connection/source.ts"
import { useStreams } from "../../../session/view/use-streams.ts"
import { createTerminal, written } from "../emulator/create-terminal.ts"
import { isFocusReport } from "../emulator/reply-filter.ts"
import { useAppearance } from "../emulator/use-appearance.ts"
import { connecting, reduceTerminal, type TerminalState } from "./live-state.ts"
import { type TerminalFrame, terminalFrames } from "./terminal-frames.ts"

/**
 * Creates an emulator in an element, drawn from the stream of `source`. Typed text goes to `onTyped`. `takes` decides
 * which keys the terminal handles; the page gets the others.
 */
export function useTerminal(
  source: Source,
  onTyped: (text: string) => void,
  takes: (event: KeyboardEvent) => boolean,
): [RefObject<HTMLDivElement | null>, TerminalState, Terminal | null] {
  const streams = useStreams()
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef({ onTyped, takes })
  latest.current = { onTyped, takes }
  const [terminal, setTerminal] = useState<Terminal | null>(null)
  const [state, setState] = useState(connecting)
  useAppearance(terminal)

  useEffect(() => {
    if (!place.current) return
    const controller = new AbortController()
    const shown = createTerminal(place.current)
    shown.attachCustomKeyEventHandler((event) => latest.current.takes(event))
    shown.onData((text) => isFocusReport(text) || latest.current.onTyped(text))
    setTerminal(shown)
    setState(connecting)
    draw(shown, terminalFrames(streams, source, controller), (frame) =>
      setState((before) => reduceTerminal(before, frame)),
    )
    return () => {
      controller.abort()
      shown.dispose()
      setTerminal(null)
    }
  }, [streams, source])

  return [place, state, terminal]
}

async function draw(
  terminal: Terminal,
  frames: AsyncIterable<TerminalFrame>,
  update: (frame: TerminalFrame | { type: "drawn" }) => void,
): Promise<void> {
  for await (const frame of frames) {
    if (frame.type === "snapshot") terminal.reset()
    if (frame.type === "snapshot" || frame.type === "resized") terminal.resize(frame.cols, frame.rows)
    update(frame)
    const output = outputOf(frame)
    if (output === null) continue
    await written(terminal, output)
    update({ type: "drawn" })
  }
}

function outputOf(frame: TerminalFrame): string | Uint8Array | null {
  if (frame.type === "snapshot") return frame.screen
  return frame.type === "bytes" ? frame.data : null
}
