import { useState } from "react"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { isRunning } from "../../../session/stream/view.ts"
import { useSessionData } from "../../../session/view/use-session.ts"

export interface DraftPrompt {
  /** The draft is another prompt than the run that is shown: graph and log are put away until one or the other is gone. */
  cleared: boolean
  draft: string
  write(draft: string): void
  /** Takes the draft back, so that the run shows again. */
  undo(): void
}

/** The prompt that is being written, and whether the run on the screen still belongs to it. */
export function useDraftPrompt(session: SessionStore): DraftPrompt {
  const key = `switchyard.draft.${session.sessionId}`
  const run = useSessionData(session, ({ live }) => live.run)
  const replaying = useSessionData(session, ({ replaySeq }) => replaySeq !== null)
  const [typed, setTyped] = useState(() => sessionStorage.getItem(key))
  const asked = run?.prompt ?? ""
  const draft = typed ?? asked
  const keep = (text: string | null) => {
    setTyped(text)
    if (text === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
  return {
    cleared: run !== null && !isRunning(run) && !replaying && draft.trim() !== asked.trim(),
    draft,
    write: (text) => keep(text === asked ? null : text),
    undo: () => keep(null),
  }
}
