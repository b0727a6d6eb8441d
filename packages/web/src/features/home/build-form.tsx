import { demoExamples } from "@switchyard/core/models/demo-offer"
import { useRef, useState } from "react"
import { wantsKey } from "../../api/client.ts"
import { startRun } from "../../session/actions/start-run.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { useModelProviders } from "../../session/models/use-model-providers.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Notice } from "../../ui/notice.tsx"
import { isTouchScreen } from "../../ui/submit-key.ts"
import { Composer } from "../conversation/composer.tsx"
import type { AttachedImage } from "../images/attached-image.ts"
import { useImages } from "../images/use-images.ts"
import { ModelPicker } from "../models/model-picker.tsx"
import { type BudgetForm, blankBudget, budgetIn, requestedBudget } from "../usage/budget-form.ts"
import { StartBudget } from "../usage/start-budget.tsx"
import { DemoNote, useDemo } from "./demo-note.tsx"
import { Examples } from "./examples.tsx"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"

const BuildCost = lazyPart(async () => (await import("../usage/build-cost.tsx")).BuildCost)

const examples = [
  "A todo list that remembers what I typed, in plain HTML and TypeScript",
  "A command-line tool that finds the largest files in a folder",
  "A REST API for bookmarks, with tags, search and tests",
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
  const hasKey = useModelProviders().providers.some(({ id, ready }) => ready && id === provider)
  const isDemo = useDemo()
  const [budget, setBudget] = useState(blankBudget)
  const images = useImages()
  const { run, busy, error, keyless } = useStart(draft, budget, images.images)
  const blocked = busy || draft.text.trim() === "" || "faults" in budgetIn(budget)
  return (
    <>
      <Composer
        label="What to build"
        placeholder="Describe it in a sentence or two"
        rows={3}
        value={draft.text}
        onChange={draft.write}
        command="Run"
        action="Run"
        onSend={blocked ? null : run}
        busy={busy && "Starting"}
        isRun
        error={error}
        // On a touch screen, the keyboard would cover half of the page.
        autoFocus={autoFocus && !isTouchScreen()}
        ref={field}
        images={images}
      >
        <ModelPicker className="h-8 border-transparent" />
      </Composer>
      <StartBudget value={budget} onChange={setBudget} model={name} estimate={isDemo ? undefined : <BuildCost />} />
      {keyless && !hasKey && (
        <Notice tone="need" className="mt-3">
          This model needs an API key, and the server doesn't have one.{" "}
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

function useStart(draft: Props["draft"], budget: BudgetForm, images: AttachedImage[]) {
  const { api } = useStudio()
  const { requested } = useModel()
  const { failure, ...begun } = useBegin(draft, async () => {
    const started = await startRun(api, {
      ...{ prompt: draft.text, images, sessionId: null, overrides: {}, budget: requestedBudget(budget) },
      ...requested(),
    })
    return paths.run(started.workspace_id)
  })
  const keyless = wantsKey(failure)
  return { ...begun, keyless, error: keyless ? null : failure }
}
