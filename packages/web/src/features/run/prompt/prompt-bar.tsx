import { Play, Square } from "lucide-react"
import { useId, useState } from "react"
import { useCommand } from "../../../session/context/commands.ts"
import { useBrowser } from "../../../session/context/studio.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { isRunning } from "../../../session/stream/view.ts"
import { useReadOnly } from "../../../session/view/use-read-only.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { fieldClass } from "../../../ui/field.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { StatusIcon } from "../../../ui/status-icon.tsx"
import { RunDecision } from "./run-decision.tsx"
import type { DraftPrompt } from "./use-draft-prompt.ts"
import { useRunActions } from "./use-run-actions.ts"

/** What is asked for, and the button that sets it going, or stops it. */
export function PromptBar({ session, draftPrompt }: { session: SessionStore; draftPrompt: DraftPrompt }) {
  const { draft, write, undo, cleared } = draftPrompt
  const id = useId()
  const [deciding, setDeciding] = useState(false)
  const run = useSessionData(session, ({ live }) => live.run)
  const fileCount = useSessionData(session, ({ live }) => live.files.manifest.files.length)
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  const readOnly = useReadOnly(session)
  const actions = useRunActions(session)
  const running = isRunning(run)
  const blocked = running || actions.starting || draft.trim() === "" || readOnly !== null

  const start = () => {
    if (blocked) return
    if (fileCount > 0) setDeciding(true)
    else actions.start("continue", draft).then((started) => started && undo())
  }
  useCommand("run", "Run the prompt", blocked ? null : start)
  useCommand("stop", "Stop the run", running ? actions.stop : null)

  return (
    <form
      className="border-b border-line p-2"
      onSubmit={(event) => {
        event.preventDefault()
        start()
      }}
    >
      <div className="flex items-start gap-2">
        <label htmlFor={id} className="unseen">
          What to build
        </label>
        <div id="agent-user-prompt" className="min-w-0 flex-1">
          <textarea
            id={id}
            rows={1}
            value={draft}
            readOnly={running || readOnly !== null}
            onChange={(event) => write(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
              if (!enterSends || matchMedia("(pointer: coarse)").matches) return
              event.preventDefault()
              start()
            }}
            placeholder="Describe what to build, or what to change"
            className={`${fieldClass} field-sizing-content block max-h-36 min-h-9 resize-none py-1.5 read-only:text-ink-2 max-md:min-h-11 max-md:py-2.5`}
          />
        </div>
        {running ? (
          <Button
            onClick={actions.stop}
            disabled={run?.cancelRequested}
            id="agent-run-button"
            data-agent-action="stop-agent"
          >
            {run?.cancelRequested ? <StatusIcon state="busy" label={null} /> : <Square size={13} aria-hidden />}
            {run?.cancelRequested ? "Stopping" : "Stop"}
          </Button>
        ) : (
          <Button type="submit" tone="primary" disabled={blocked} id="agent-run-button" data-agent-action="run-agent">
            {actions.starting ? <StatusIcon state="busy" label={null} /> : <Play size={14} aria-hidden />}
            {actions.starting ? "Starting" : "Run"}
          </Button>
        )}
      </div>
      {cleared && (
        <p className="mt-1.5 text-sm text-ink-3">
          The prompt differs from the last run, so its graph and log are put away.{" "}
          <button type="button" onClick={undo} className="min-h-6 rounded-sm text-accent underline">
            Undo
          </button>
        </p>
      )}
      {run?.error && !cleared && !actions.error && (
        <Notice tone="err" className="mt-2 flex flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 flex-1">
            {run.error.message}
            {!run.error.message.includes(run.error.hint) && <span className="block text-ink-2">{run.error.hint}</span>}
          </span>
          <Button size="sm" disabled={blocked} onClick={() => actions.start("continue", draft)}>
            Try again
          </Button>
        </Notice>
      )}
      {actions.error && (
        <Notice tone="err" className="mt-2">
          {actions.error}
        </Notice>
      )}
      {deciding && (
        <RunDecision
          sessionId={session.sessionId}
          fileCount={fileCount}
          onClose={() => setDeciding(false)}
          onDecide={(mode) => {
            setDeciding(false)
            actions.start(mode, draft).then((started) => started && undo())
          }}
        />
      )}
    </form>
  )
}
