import { useState } from "react"
import type { RunActions } from "../../../session/actions/use-run-actions.ts"
import { useCommand } from "../../../session/context/commands.ts"
import { useModel } from "../../../session/models/use-model.ts"
import { isRunning } from "../../../session/stream/run.ts"
import { useDraftPrompt } from "../../../session/view/use-draft-prompt.ts"
import { useSelectedElements } from "../../../session/view/use-selected-elements.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { IconButton } from "../../../ui/button.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Gauge } from "../../../ui/session-icons.tsx"
import { Composer } from "../../conversation/composer.tsx"
import { StopButton } from "../../conversation/stop-button.tsx"
import { withPictures } from "../../elements/with-pictures.ts"
import { useImages } from "../../images/use-images.ts"
import { ModelPicker } from "../../models/model-picker.tsx"
import { type BudgetForm, blankBudget, budgetIn, requestedBudget } from "../../usage/budget-form.ts"

const BuildCost = lazyPart(async () => (await import("../../usage/build-cost.tsx")).BuildCost)
const SelectedElementStrip = lazyPart(
  async () => (await import("../../elements/selected-element-strip.tsx")).SelectedElementStrip,
)
const BudgetFields = lazyPart(async () => (await import("../../usage/budget-fields.tsx")).BudgetFields)

/** A session's next request, and the button that starts or stops its run. Typing doesn't re-render anything else. */
export function RunComposer({ actions }: { actions: RunActions }) {
  const { sessionId } = useShownSession()
  const { draft, write, forget } = useDraftPrompt(sessionId)
  const images = useImages()
  const selected = useSelectedElements(sessionId)
  /** Null if the user doesn't want a budget. */
  const [budget, setBudget] = useState<BudgetForm | null>(null)
  const run = useSessionData(({ live }) => live.run)
  const readOnly = useReadOnly() !== null
  const { start, stop, starting, error } = actions
  const { name: model } = useModel()
  // A parked run waits for an answer or a reset, and can be stopped.
  const isStoppable = run !== null && (isRunning(run) || run.status === "parked")
  const isRefused = budget !== null && "faults" in budgetIn(budget)
  const blocked = isStoppable || starting || readOnly || isRefused || draft.trim() === ""
  useCommand("stop", "Stop run", isStoppable ? stop : null)

  const begin = async () => {
    const material = withPictures(images.images, selected.elements)
    const request = { prompt: draft, ...material, budget: budget ? requestedBudget(budget) : undefined }
    if (!(await start(request))) return
    forget()
    images.forget()
    selected.forget()
    setBudget(null)
  }
  return (
    <div id="agent-user-prompt" className="border-t border-line bg-paper p-2.5">
      <Composer
        name="Next request"
        command="Run prompt"
        label={run ? "What to change" : "What to build"}
        rows={2}
        value={draft}
        readOnly={readOnly}
        onChange={write}
        placeholder={run ? "Ask for a change, or paste an error" : "Describe what to build"}
        action="Run"
        onSend={blocked ? null : begin}
        busy={starting && "Starting"}
        stop={
          isStoppable &&
          // Called, not rendered, so that the same button stays, with its focus.
          StopButton({
            ...{ onClick: stop, isStopping: run.cancelRequested, id: "agent-run-button" },
            ...{ "data-agent-action": "stop-agent" },
          })
        }
        isRun
        error={error}
        images={images}
        attached={
          <>
            {selected.elements.length > 0 && <SelectedElementStrip of={selected} images={images.images} />}
            {budget && (
              <fieldset className="border-t border-line px-3 pt-2 pb-1 text-sm">
                <legend className="unseen">Run budget</legend>
                <BudgetFields value={budget} onChange={setBudget} model={model} />
              </fieldset>
            )}
          </>
        }
      >
        <ModelPicker compact className="h-8 border-transparent" />
        <BuildCost compact />
        <IconButton
          label="Run budget"
          aria-expanded={budget !== null}
          onClick={() => setBudget(budget ? null : blankBudget)}
        >
          <Gauge size={16} aria-hidden />
        </IconButton>
      </Composer>
    </div>
  )
}
