import { type RefObject, useEffect, useMemo, useRef, useState } from "react"
import { useStudio, useToast } from "../../../session/context/studio.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { useStreams } from "../../../session/view/use-streams.ts"
import { errorText } from "../../../ui/error-text.ts"
import { useWideScreen } from "../../../ui/use-media.ts"
import { withCtrl } from "../controls/keys.ts"
import { useFit } from "../emulator/use-fit.ts"
import { useTouch } from "../emulator/use-touch.ts"
import { createInputQueue, type TerminalPath } from "./input-queue.ts"
import { acceptsInput, isOpen, takesKey } from "./live-state.ts"
import { useSize } from "./use-size.ts"
import { useTerminal } from "./use-terminal.ts"

/**
 * Returns one of a session's terminals: drawn, fitted to its frame, and connected to the keyboard. What is typed before
 * it is open is sent as soon as it is.
 */
export function useLiveTerminal(terminal: TerminalView, awaited: RefObject<string | null>) {
  const { sessionId, api } = useShownSession()
  const streams = useStreams()
  const wide = useWideScreen()
  const client = useMemo(() => crypto.randomUUID().slice(-12), [])
  const path = useMemo(() => ({ id: sessionId, pty: terminal.pty }), [sessionId, terminal.pty])
  const frame = useRef<HTMLDivElement>(null)
  const type = (text: string) => {
    if (accepts) input.type(text)
  }
  const source = useMemo(() => ({ session: path.id, pty: path.pty, client, offset: null }), [path, client])
  const [place, state, emulator] = useTerminal(source, type, (event) => takesKey(event, accepts))
  const replaying = useSessionData((data) => data.replaySeq !== null)
  const accepts = acceptsInput(terminal, state, replaying)
  const open = isOpen(terminal, state, replaying)
  const input = useInput(path, client, open)
  const fit = useFit(emulator, frame, state)
  const shown = { terminal: emulator, frame, size: state, ...fit }
  const size = useSize({ api, streams }, path, client, shown, { open, asks: wide })
  useTouch(frame, emulator, fit)
  useEffect(() => {
    // The terminal being left must not take the focus meant for the next one.
    if (!emulator || !accepts || awaited.current === null || awaited.current === terminal.pty) return
    awaited.current = null
    emulator.focus()
  }, [emulator, accepts, awaited, terminal.pty])
  return { frame, place, state, emulator, open, replaying, fit, size, input, type }
}

/** Sends typed text to a terminal once it is open. Ctrl on the key bar applies only to the next text. */
function useInput(path: TerminalPath, client: string, open: boolean) {
  const { api } = useStudio()
  const streams = useStreams()
  const toast = useToast()
  const [ctrl, setCtrl] = useState(false)
  const queue = useMemo(() => {
    const failed = (error: unknown) => toast(errorText(error), "err")
    return createInputQueue({ api, streams }, path, client, failed)
  }, [api, streams, path, client, toast])
  useEffect(() => queue.connect(open), [queue, open])
  return {
    ctrl,
    toggleCtrl: () => setCtrl(!ctrl),
    type: (text: string) => {
      queue.type(ctrl ? withCtrl(text) : text)
      setCtrl(false)
    },
  }
}
