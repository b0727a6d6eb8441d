import { lazy, Suspense } from "react"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { Skeleton } from "../../../ui/notice.tsx"
import { retryImport } from "../../../ui/retry-import.ts"
import { Composer } from "../prompt/composer.tsx"
import { useRunActions } from "../prompt/use-run-actions.ts"

const Transcript = lazy(retryImport(async () => ({ default: (await import("./transcript.tsx")).Transcript })))

interface Props {
  session: SessionStore
  onOpen(path: string): void
}

/** The requests of a session and what came of them, with the field for the next one below. */
export function ConversationPane({ session, onOpen }: Props) {
  const actions = useRunActions(session)
  return (
    <section
      id="agent-conversation"
      aria-label="Conversation"
      data-region="conversation"
      tabIndex={-1}
      className="grid h-full min-h-0 min-w-0 grid-rows-[minmax(0,1fr)_auto]"
    >
      <h2 className="unseen">Conversation</h2>
      {/* The field is there before the list, and its library. */}
      <Suspense fallback={<Skeleton lines={6} />}>
        <Transcript session={session} actions={actions} onOpen={onOpen} />
      </Suspense>
      <Composer session={session} actions={actions} />
    </section>
  )
}
