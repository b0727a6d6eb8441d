import { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useRef, useState } from "react"
import { useBrowser, useStudio } from "../../app/studio.ts"
import { useTheme } from "../../app/theme.ts"
import { terminalThemes } from "./palette.ts"
import { type Drawn, terminalFrames } from "./terminal-frames.ts"
import "@xterm/xterm/css/xterm.css"

export interface TerminalState {
  connected: boolean
  ended: boolean
  rows: number
  cols: number
}

/** A terminal in an element: drawn from the stream at `url`, with what is typed given to `onTyped`. */
export function useTerminal(
  url: string,
  onTyped: (text: string) => void,
): [RefObject<HTMLDivElement | null>, TerminalState, Terminal | null] {
  const { clock } = useStudio()
  const [theme] = useTheme()
  const fontSize = useBrowser((state) => state.preferences.terminal_font_px)
  const screenReaderMode = useBrowser((state) => state.preferences.screen_reader_terminal)
  const place = useRef<HTMLDivElement>(null)
  const typed = useRef(onTyped)
  typed.current = onTyped
  const [terminal, setTerminal] = useState<Terminal | null>(null)
  const [state, setState] = useState<TerminalState>({ connected: false, ended: false, rows: 24, cols: 80 })

  useEffect(() => {
    if (!place.current) return
    const controller = new AbortController()
    const shown = new Terminal({
      fontFamily: '"Atkinson Hyperlegible Mono", ui-monospace, monospace',
      lineHeight: 1.2,
      minimumContrastRatio: 4.5,
      // As many lines as the runner keeps, or its pictures would not be what is drawn here.
      scrollback: 1_000,
      cursorBlink: false,
      allowProposedApi: false,
    })
    shown.open(place.current)
    shown.attachCustomKeyEventHandler((event) => !isLeaving(event))
    // What a program asks a terminal is answered where it runs; a viewer says only what a person types.
    const fromPerson = shown.onKey(({ key }) => typed.current(key))
    const paste = (event: ClipboardEvent) => {
      typed.current(event.clipboardData?.getData("text/plain").replaceAll("\n", "\r") ?? "")
      event.stopPropagation()
      event.preventDefault()
    }
    shown.textarea?.addEventListener("paste", paste, { capture: true, signal: controller.signal })
    setTerminal(shown)
    draw(shown, terminalFrames(clock, url, controller), (change) => setState((before) => ({ ...before, ...change })))
    return () => {
      controller.abort()
      fromPerson.dispose()
      shown.dispose()
      setTerminal(null)
    }
  }, [clock, url])

  useEffect(() => {
    if (!terminal) return
    terminal.options.theme = terminalThemes[theme]
    terminal.options.fontSize = fontSize
    terminal.options.screenReaderMode = screenReaderMode
  }, [terminal, theme, fontSize, screenReaderMode])

  return [place, state, terminal]
}

async function draw(terminal: Terminal, frames: AsyncIterable<Drawn>, tell: (change: Partial<TerminalState>) => void) {
  for await (const frame of frames) {
    switch (frame.type) {
      case "connection":
        tell({ connected: frame.connected })
        break
      case "snapshot":
        terminal.reset()
        terminal.resize(frame.cols, frame.rows)
        tell({ rows: frame.rows, cols: frame.cols })
        await written(terminal, frame.screen)
        break
      case "bytes":
        await written(terminal, frame.data)
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

/** Resolves when it is drawn: the next frame is asked for no sooner, so a flood waits where it comes from. */
function written(terminal: Terminal, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => terminal.write(data, resolve))
}

/** The one chord that a terminal leaves to the page: without it, nobody could get out by keyboard. */
function isLeaving({ ctrlKey, shiftKey, code }: KeyboardEvent): boolean {
  return ctrlKey && shiftKey && code === "Backquote"
}
