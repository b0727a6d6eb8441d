import { useState } from "react"
import type { RunActions, RunMode } from "../../../session/actions/use-run-actions.ts"
import { useCommand } from "../../../session/context/commands.ts"
import { MessageField } from "../../../session/context/message-field.tsx"
import { useModel } from "../../../session/models/use-model.ts"
import { useDraftPrompt } from "../../../session/view/use-draft-prompt.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { Form } from "../../../ui/form.tsx"
import { Gauge, Play, Square, StatusIcon } from "../../../ui/icons.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { ModelPicker } from "../../models/model-picker.tsx"
import { type BudgetForm, blankBudget, budgetIn, requestedBudget } from "../../usage/budget-form.ts"
import { StartRefusal } from "../../usage/start-refusal.tsx"
import { type ComposerState, composerState } from "./composer-state.ts"

const RunDecision = lazyPart(async () => (await import("./run-decision.tsx")).RunDecision)
const BudgetFields = lazyPart(async () => (await import("../../usage/budget-fields.tsx")).BudgetFields)

/** A session's next request, and the button that starts or stops its run. Typing doesn't re-render anything else. */
export function Composer({ actions }: { actions: RunActions }) {
  const { sessionId } = useShownSession()
  const { draft, write, forget } = useDraftPrompt(sessionId)
  const [deciding, setDeciding] = useState(false)
  /** Null if the user doesn't want a budget. */
  const [budget, setBudget] = useState<BudgetForm | null>(null)
  const run = useSessionData(({ live }) => live.run)
  const fileCount = useSessionData(({ live }) => live.files.manifest.files.length)
  const readOnly = useReadOnly() !== null
  const { start, stop, starting, error } = actions
  const { name: model } = useModel()
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
    <Form aria-label="Next request" className="border-t border-line bg-paper p-2.5" onSubmit={submit}>
      {error !== null && <StartRefusal error={error} className="mb-2" />}
      <div className="rounded-md border border-strong bg-sheet focus-within:outline-2 focus-within:outline-accent">
        <div id="agent-user-prompt" className="min-w-0">
          <MessageField
            label={run ? "What to change" : "What to build"}
            rows={2}
            value={draft}
            readOnly={readOnly}
            onChange={write}
            onSubmit={submit}
            placeholder={run ? "Ask for a change, or paste an error" : "Describe what to build"}
            className="block field-sizing-content max-h-48 min-h-16 w-full resize-none bg-transparent px-3 pt-2 outline-none read-only:text-ink-2"
          />
        </div>
        {budget && (
          <fieldset className="border-t border-line px-3 pt-2 pb-1 text-sm">
            <legend className="unseen">Budget of this run</legend>
            <BudgetFields value={budget} onChange={setBudget} model={model} />
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
        <RunDecision
          fileCount={fileCount}
          onClose={() => setDeciding(false)}
          onDecide={(mode) => {
            setDeciding(false)
            begin(mode)
          }}
        />
      )}
    </Form>
  )
}

function RunButton({ state: { button, blocked }, onStop }: { state: ComposerState; onStop(): void }) {
  if (button === "stop" || button === "stopping") {
    const stopping = button === "stopping"
    return (
      <Button onClick={onStop} disabled={stopping} id="agent-run-button" data-agent-action="stop-agent">
        {stopping ? <StatusIcon state="busy" label={null} /> : <Square size={13} aria-hidden />}
        {stopping ? "Stopping" : "Stop"}
      </Button>
    )
  }
  const starting = button === "starting"
  return (
    <Button type="submit" tone="primary" disabled={blocked} id="agent-run-button" data-agent-action="run-agent">
      {starting ? <StatusIcon state="busy" label={null} /> : <Play size={14} aria-hidden />}
      {starting ? "Starting" : "Run"}
    </Button>
  )
}
