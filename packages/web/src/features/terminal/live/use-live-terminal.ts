import { type RefObject, useEffect, useMemo, useRef } from "react"
import { useStudio } from "../../../session/context/studio.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { useStreams } from "../../../session/view/use-streams.ts"
import { useWideScreen } from "../../../ui/use-media.ts"
import { useFit } from "../emulator/use-fit.ts"
import { useTouch } from "../emulator/use-touch.ts"
import { acceptsInput, isOpen, takesKey } from "./live-state.ts"
import { useInput } from "./use-input.ts"
import { useSize } from "./use-size.ts"
import { useTerminal } from "./use-terminal.ts"

/**
 * One terminal of a session, drawn, fitted to its frame, and connected to the keyboard: what is typed before it is open
 * is sent as soon as it is.
 */
export function useLiveTerminal(session: SessionStore, terminal: TerminalView, awaited: RefObject<boolean>) {
  const { api } = useStudio()
  const streams = useStreams()
  const wide = useWideScreen()
  const client = useMemo(() => crypto.randomUUID().slice(-12), [])
  const path = useMemo(() => ({ id: session.sessionId, pty: terminal.pty }), [session.sessionId, terminal.pty])
  const frame = useRef<HTMLDivElement>(null)
  const type = (text: string) => {
    if (accepts) input.type(text)
  }
  const source = useMemo(() => ({ session: path.id, pty: path.pty, client, offset: null }), [path, client])
  const [place, state, emulator] = useTerminal(source, type, (event) => takesKey(event, accepts))
  const replaying = useSessionData(session, (data) => data.replaySeq !== null)
  const accepts = acceptsInput(terminal, state, replaying)
  const open = isOpen(terminal, state, replaying)
  const input = useInput(path, client, open)
  const fit = useFit(emulator, frame, state)
  const shown = { terminal: emulator, frame, size: state, ...fit }
  const size = useSize({ api, streams }, path, client, shown, { open, asks: wide })
  useTouch(frame, emulator, fit)
  useEffect(() => {
    if (!emulator || !accepts || !awaited.current) return
    awaited.current = false
    emulator.focus()
  }, [emulator, accepts, awaited])
  return { frame, place, state, emulator, open, replaying, fit, size, input, type }
}
