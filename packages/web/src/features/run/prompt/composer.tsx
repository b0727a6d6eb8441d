import { Suspense, useState } from "react"
import { useCommand } from "../../../session/context/commands.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { useReadOnly } from "../../../session/view/use-read-only.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { IconButton } from "../../../ui/button.tsx"
import { Gauge } from "../../../ui/icons.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { ModelPicker } from "../../models/model-picker.tsx"
import { type BudgetForm, blankBudget, budgetIn, requestedBudget } from "../../usage/budget-form.ts"
import { StartRefusal } from "../../usage/start-refusal.tsx"
import { composerState } from "./composer-state.ts"
import { PromptField } from "./prompt-field.tsx"
import { RunButton } from "./run-button.tsx"
import { useDraftPrompt } from "./use-draft-prompt.ts"
import type { RunActions, RunMode } from "./use-run-actions.ts"

const RunDecision = lazyPart(async () => (await import("./run-decision.tsx")).RunDecision)
const BudgetFields = lazyPart(async () => (await import("../../usage/budget-fields.tsx")).BudgetFields)

/** The next request of a session, and the button that starts or stops its run. What is typed re-renders nothing else. */
export function Composer({ session, actions }: { session: SessionStore; actions: RunActions }) {
  const { draft, write, forget } = useDraftPrompt(session.sessionId)
  const [deciding, setDeciding] = useState(false)
  /** Null while nobody wants one. */
  const [budget, setBudget] = useState<BudgetForm | null>(null)
  const run = useSessionData(session, ({ live }) => live.run)
  const fileCount = useSessionData(session, ({ live }) => live.files.manifest.files.length)
  const readOnly = useReadOnly(session) !== null
  const { start, stop, starting, error } = actions
  const state = composerState({ run, draft, starting, readOnly })
  const blocked = state.blocked || (budget !== null && "faults" in budgetIn(budget))
  const stoppable = state.button === "stop" || state.button === "stopping"

  const begin = async (mode: RunMode) => {
    if (!(await start(mode, draft, budget ? requestedBudget(budget) : undefined))) return
    forget()
    setBudget(null)
  }
  const submit = () => {
    if (blocked) return
    if (fileCount > 0) setDeciding(true)
    else begin("continue")
  }
  useCommand("run", "Run the prompt", blocked ? null : submit)
  useCommand("stop", "Stop the run", stoppable ? stop : null)

  return (
    <form
      aria-label="Next request"
      className="border-t border-line bg-paper p-2.5"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {error !== null && <StartRefusal error={error} className="mb-2" />}
      <div className="rounded-md border border-strong bg-sheet focus-within:outline-2 focus-within:outline-accent">
        <PromptField
          draft={draft}
          followUp={run !== null}
          editable={state.editable}
          onWrite={write}
          onSubmit={submit}
        />
        {budget && (
          <fieldset className="border-t border-line px-3 pt-2 pb-1 text-sm">
            <legend className="unseen">Budget of this run</legend>
            <Suspense>
              <BudgetFields form={budget} onChange={setBudget} />
            </Suspense>
          </fieldset>
        )}
        <div className="flex items-center gap-2 p-1.5">
          <ModelPicker compact className="h-8 border-transparent" />
          <span className="ml-auto flex items-center gap-1">
            <IconButton
              label="Budget of this run"
              aria-expanded={budget !== null}
              onClick={() => setBudget(budget ? null : blankBudget)}
            >
              <Gauge size={16} aria-hidden />
            </IconButton>
            <RunButton state={{ ...state, blocked }} onStop={stop} />
          </span>
        </div>
      </div>
      {deciding && (
        <Suspense>
          <RunDecision
            sessionId={session.sessionId}
            fileCount={fileCount}
            onClose={() => setDeciding(false)}
            onDecide={(mode) => {
              setDeciding(false)
              begin(mode)
            }}
          />
        </Suspense>
      )}
    </form>
  )
}
