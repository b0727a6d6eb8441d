import { useState } from "react"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { draftOf, draftToStore, isCleared } from "./prompt-state.ts"

export interface DraftPrompt {
  /** Whether graph and log are hidden, since the draft differs from the run's prompt. */
  cleared: boolean
  draft: string
  write(draft: string): void
  /** Drops the draft and shows the run again. */
  undo(): void
}

/** The prompt that is being written, and whether it still is that of the run on the screen. */
export function useDraftPrompt(session: SessionStore): DraftPrompt {
  const key = `switchyard.draft.${session.sessionId}`
  const run = useSessionData(session, ({ live }) => live.run)
  const replaying = useSessionData(session, ({ replaySeq }) => replaySeq !== null)
  const [typed, setTyped] = useState(() => sessionStorage.getItem(key))
  const draft = draftOf(typed, run)
  const store = (text: string | null) => {
    setTyped(text)
    if (text === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
  return {
    cleared: isCleared(draft, run, replaying),
    draft,
    write: (text) => store(draftToStore(text, run)),
    undo: () => store(null),
  }
}
