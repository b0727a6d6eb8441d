import { Suspense } from "react"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import type { AgentState } from "../../../session/stream/view.ts"
import { useReadOnly } from "../../../session/view/use-read-only.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Skeleton } from "../../../ui/notice.tsx"
import { Composer } from "../prompt/composer.tsx"
import { useRunActions } from "../prompt/use-run-actions.ts"

const Transcript = lazyPart(async () => (await import("./transcript.tsx")).Transcript)

const SessionQuestions = lazyPart(async () => (await import("../../questions/session-questions.tsx")).SessionQuestions)

interface Props {
  session: SessionStore
  onOpen(path: string): void
}

/** The requests of a session and what came of them, with the field for the next one below. */
export function ConversationPane({ session, onOpen }: Props) {
  const actions = useRunActions(session)
  const readOnly = useReadOnly(session)
  const asks = useSessionData(session, ({ shown }) => Object.values(shown.agents).some(isAsking))
  return (
    <section
      id="agent-conversation"
      aria-label="Conversation"
      data-region="conversation"
      tabIndex={-1}
      className="grid h-full min-h-0 min-w-0 grid-rows-[minmax(0,1fr)_auto_auto]"
    >
      <h2 className="unseen">Conversation</h2>
      {/* The field is there before the list, and its library. */}
      <Suspense fallback={<Skeleton lines={6} />}>
        <Transcript session={session} actions={actions} onOpen={onOpen} />
      </Suspense>
      <div className="max-h-[45vh] overflow-y-auto">
        {asks && (
          <Suspense>
            <SessionQuestions session={session} readOnly={readOnly} />
          </Suspense>
        )}
      </div>
      <Composer session={session} actions={actions} />
    </section>
  )
}

function isAsking({ agent }: AgentState): boolean {
  return agent.questions.length > 0
}
