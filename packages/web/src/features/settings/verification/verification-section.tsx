import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import { useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Switch } from "../../../ui/controls.tsx"
import { numbersWith, SelectField } from "../../../ui/field.tsx"
import { Form } from "../../../ui/form.tsx"
import { ErrorNotice, UnloadedSection } from "../../../ui/notice.tsx"
import { ReviewerChoice } from "../../home/reviewer-choice.tsx"
import { ReviewerModelField } from "../../home/reviewer-model.tsx"
import { useVerificationSettings, type VerificationSettings } from "./use-verification-settings.ts"

const ATTEMPTS = [1, 2, 3, 4, 5, 10, 20]

/**
 * Defaults for verifying agents' tasks, unless a task, session or repository overrides them. Changes take effect
 * immediately.
 */
export function VerificationSection() {
  const { settings, change } = useVerificationSettings()
  if (!settings.data) return <UnloadedSection list={settings} lines={5} />
  // A switch moves immediately, and moves back if the server refuses.
  const { enabled, auto_run, attempts, reviewer, model } = {
    ...settings.data,
    ...(change.isPending && change.variables),
  }
  return (
    <div className="flex flex-col">
      <ErrorNotice error={change.error} className="mb-4" />
      <Switch
        label="Verify tasks"
        hint="Tasks are done when the project's checks pass. You can override this for a repository, session or task."
        value={auto_run}
        onChange={(on) => change.mutate({ auto_run: on })}
      />
      <Switch
        label="Use session and repository settings"
        hint="If off, only tasks that request verification get it."
        value={enabled}
        onChange={(on) => change.mutate({ enabled: on })}
      />
      <div className="flex flex-col gap-5 border-t border-line py-4">
        <SelectField
          label="Attempts"
          hint="How many times an agent can try to pass the checks."
          className="max-w-96"
          value={String(attempts)}
          options={numbersWith(ATTEMPTS, attempts)}
          onChange={(count) => change.mutate({ attempts: Number(count) })}
        />
        <ReviewerChoice
          className="max-w-96"
          value={reviewer ?? NO_REVIEWER}
          onChange={(name) => change.mutate({ reviewer: name === NO_REVIEWER ? null : name, model: null })}
          inherited={null}
        />
        {reviewer !== null && reviewer !== NO_REVIEWER && (
          <ReviewerModel key={`${reviewer} ${model}`} reviewer={reviewer} model={model} onSave={change.mutate} />
        )}
      </div>
    </div>
  )
}

interface ModelProps {
  reviewer: string
  model: string | null
  onSave(change: Pick<VerificationSettings, "model">): void
}

function ReviewerModel({ reviewer, model, onSave }: ModelProps) {
  const [typed, setTyped] = useState(model ?? "")
  const isSaved = typed.trim() === (model ?? "")
  return (
    <Form
      className="flex max-w-96 items-end gap-2"
      blocked={isSaved}
      onSubmit={() => onSave({ model: typed.trim() || null })}
    >
      <ReviewerModelField reviewer={reviewer} value={typed} onChange={setTyped} className="min-w-0 flex-1" />
      <Button type="submit" disabled={isSaved} aria-label="Save reviewer model">
        Save
      </Button>
    </Form>
  )
}
