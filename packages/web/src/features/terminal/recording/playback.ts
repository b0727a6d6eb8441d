import type { Terminal } from "@xterm/xterm"
import { written } from "../emulator/create-terminal.ts"
import { countBy, type Recording } from "./recording.ts"

/** Amount drawn before checking for a newer request. */
const PIECE = 128 * 1024

export interface Playback {
  /** Draws the terminal at this moment. Of several requests, the last one wins. */
  show(shownAt: number): void
  /** True while drawing is in progress. */
  readonly behind: boolean
  stop(): void
}

/**
 * Creates the playback of a recording on a terminal. Forwards, it draws what follows; backwards, it starts over,
 * because a screen depends on all output before it.
 */
export function createPlayback(
  terminal: Pick<Terminal, "reset" | "resize" | "write">,
  recording: Recording,
  onArrived: () => void,
): Playback {
  const { cues } = recording
  let drawn = -1
  let wanted = 0
  let drawing = false
  let stopped = false

  async function draw(): Promise<void> {
    drawing = true
    while (!stopped && drawn !== wanted) {
      if (drawn === -1 || wanted < drawn) begin()
      await piece()
    }
    drawing = false
    if (!stopped) onArrived()
  }

  function begin(): void {
    terminal.reset()
    terminal.resize(recording.cols, recording.rows)
    drawn = 0
  }

  async function piece(): Promise<void> {
    let text = ""
    for (; drawn < wanted && text.length < PIECE; drawn++) {
      const cue = cues[drawn]
      if (cue?.type === "output") text += cue.text
      if (cue?.type !== "resize") continue
      await written(terminal, text)
      text = ""
      terminal.resize(cue.cols, cue.rows)
    }
    await written(terminal, text)
  }

  return {
    show(shownAt) {
      wanted = countBy(recording, shownAt)
      if (!drawing && !stopped) draw()
    },
    get behind() {
      return drawing
    },
    stop() {
      stopped = true
    },
  }
}
