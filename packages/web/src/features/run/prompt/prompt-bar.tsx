import { useState } from "react"
import { useCommand } from "../../../session/context/commands.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { useReadOnly } from "../../../session/view/use-read-only.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { ModelPicker } from "../../models/model-picker.tsx"
import { PromptField } from "./prompt-field.tsx"
import { PromptNotices } from "./prompt-notices.tsx"
import { promptState } from "./prompt-state.ts"
import { RunButton } from "./run-button.tsx"
import { RunDecision } from "./run-decision.tsx"
import type { DraftPrompt } from "./use-draft-prompt.ts"
import { type RunMode, useRunActions } from "./use-run-actions.ts"

/** The prompt of a session, and the button that starts or stops its run. */
export function PromptBar({ session, draftPrompt }: { session: SessionStore; draftPrompt: DraftPrompt }) {
  const { draft, write, undo, cleared } = draftPrompt
  const [deciding, setDeciding] = useState(false)
  const run = useSessionData(session, ({ live }) => live.run)
  const fileCount = useSessionData(session, ({ live }) => live.files.manifest.files.length)
  const readOnly = useReadOnly(session) !== null
  const planned = useSessionData(session, ({ live }) => live.graph.stepsTotal !== null)
  const { start, resume, stop, starting, error } = useRunActions(session)
  const state = promptState({ run, draft, cleared, starting, readOnly, planned, failure: error })
  const stoppable = state.button === "stop" || state.button === "stopping"

  const begin = (mode: RunMode) => start(mode, draft).then((started) => started && undo())
  const submit = () => {
    if (state.blocked) return
    if (fileCount > 0) setDeciding(true)
    else begin("continue")
  }
  useCommand("run", "Run the prompt", state.blocked ? null : submit)
  useCommand("stop", "Stop the run", stoppable ? stop : null)

  return (
    <form
      className="border-b border-line p-2"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <div className="flex items-start gap-2 max-md:flex-wrap">
        <PromptField draft={draft} editable={state.editable} onWrite={write} onSubmit={submit} />
        <ModelPicker
          compact
          className="h-9 max-w-64 border-line max-md:order-last max-md:max-w-full max-md:basis-full"
        />
        <RunButton state={state} onStop={stop} />
      </div>
      <PromptNotices
        state={state}
        onRestore={undo}
        onRetry={() => start("continue", draft)}
        onResume={() => run && resume(run.runId)}
      />
      {deciding && (
        <RunDecision
          sessionId={session.sessionId}
          fileCount={fileCount}
          onClose={() => setDeciding(false)}
          onDecide={(mode) => {
            setDeciding(false)
            begin(mode)
          }}
        />
      )}
    </form>
  )
}
