import { useRunActions } from "../../../session/actions/use-run-actions.ts"
import type { AgentState } from "../../../session/stream/view.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Skeleton } from "../../../ui/notice.tsx"
import { RunComposer } from "../prompt/composer.tsx"

const Transcript = lazyPart(async () => (await import("./transcript.tsx")).Transcript, <Skeleton lines={6} />)

const SessionQuestions = lazyPart(async () => (await import("../../questions/session-questions.tsx")).SessionQuestions)

/** A session's requests and their outcomes, with the field for the next request below. */
export function ConversationPane({ onOpen }: { onOpen(path: string): void }) {
  const actions = useRunActions()
  const asks = useSessionData(({ shown }) => Object.values(shown.agents).some(isAsking))
  return (
    <section
      id="agent-conversation"
      aria-label="Conversation"
      data-region="conversation"
      tabIndex={-1}
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)_auto_auto]"
    >
      <h2 className="unseen">Conversation</h2>
      {/* The heading and field are there before the list and its library are loaded. */}
      <Transcript actions={actions} onOpen={onOpen} />
      <div className="max-h-[45vh] overflow-y-auto">{asks && <SessionQuestions />}</div>
      <RunComposer actions={actions} />
    </section>
  )
}

function isAsking({ agent }: AgentState): boolean {
  return agent.questions.length > 0
}
