import { demoExamples } from "@switchyard/core/models/demo-offer"
import { useRef, useState } from "react"
import { wantsKey } from "../../api/client.ts"
import { startRun } from "../../session/actions/start-run.ts"
import { paths } from "../../session/context/routes.ts"
import { useBrowser, useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { Notice } from "../../ui/notice.tsx"
import { ModelPicker } from "../models/model-picker.tsx"
import { type BudgetForm, blankBudget, budgetIn, requestedBudget } from "../usage/budget-form.ts"
import { StartBudget } from "../usage/start-budget.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { Composer, Examples } from "./composer.tsx"
import { DemoNote, useDemo } from "./demo-note.tsx"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"

const examples = [
  "A todo list that remembers what I typed, in plain HTML and TypeScript",
  "A command-line tool that finds the largest files in a folder",
  "A REST API for bookmarks with tags and search, and its tests",
]

interface Props {
  draft: ReturnType<typeof useDraft>
  autoFocus: boolean
}

/** Form for a prompt to the planner, architect and coder. */
export function BuildForm({ draft, autoFocus }: Props) {
  const { browser } = useStudio()
  const field = useRef<HTMLTextAreaElement>(null)
  const { name, provider } = useModel()
  const hasKey = useBrowser((state) => state.keyed.some((keyed) => keyed === provider))
  const isDemo = useDemo()
  const [budget, setBudget] = useState(blankBudget)
  const { run, busy, error, keyless } = useStart(draft, budget)
  const blocked = busy || draft.text.trim() === "" || "faults" in budgetIn(budget)
  return (
    <>
      <Composer
        label="What to build"
        placeholder="Describe it in a sentence or two"
        draft={draft}
        action="Run"
        onRun={blocked ? null : run}
        busy={busy}
        autoFocus={autoFocus}
        field={field}
      >
        <ModelPicker className="-ml-2 h-8 border-transparent" />
      </Composer>
      <StartBudget value={budget} onChange={setBudget} model={name} />
      {error !== null && <StartRefusal error={error} className="mt-3" />}
      {keyless && !hasKey && (
        <Notice tone="need" className="mt-3">
          The model needs a key, and the server has none of its own.{" "}
          <button
            type="button"
            className="min-h-6 text-accent underline underline-offset-2"
            onClick={() => browser.setState({ dialog: "missing-key", keyFor: provider })}
          >
            Add yours
          </button>
        </Notice>
      )}
      {isDemo && <DemoNote />}
      <Examples of={isDemo ? demoExamples : examples} draft={draft} field={field} />
    </>
  )
}

function useStart(draft: Props["draft"], budget: BudgetForm) {
  const { api } = useStudio()
  const { requested } = useModel()
  const { failure, ...begun } = useBegin(draft, async () => {
    const started = await startRun(api, {
      ...{ prompt: draft.text, sessionId: null, overrides: {}, budget: requestedBudget(budget) },
      ...requested(),
    })
    return paths.run(started.workspace_id)
  })
  const keyless = wantsKey(failure)
  return { ...begun, keyless, error: keyless ? null : failure }
}
