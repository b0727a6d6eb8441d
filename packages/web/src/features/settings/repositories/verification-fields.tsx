import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import { ChoiceField } from "../../../ui/choice-field.tsx"
import { Field } from "../../../ui/field.tsx"
import { ReviewerChoice } from "../../home/reviewer-choice.tsx"
import { ReviewerModelField } from "../../home/reviewer-model.tsx"
import type { Choice, RepositoryForm } from "./repository-form.ts"

const VERIFY: Record<Choice, string> = { "": "Only where asked for", yes: "Yes", no: "No" }
const TEST_CHANGES: Record<Choice, string> = { "": "Only where a task allows it", yes: "Allowed", no: "Not allowed" }

interface Props {
  form: RepositoryForm
  faults: Partial<Record<keyof RepositoryForm, string>>
  onChange(change: Partial<RepositoryForm>): void
}

/** The fields of how tasks in a repository are verified. An empty one leaves it to the user's own settings. */
export function VerificationFields({ form, faults, onChange }: Props) {
  const { verify, attempts, test_changes, reviewer, reviewer_model } = form
  return (
    <>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <ChoiceField
          of={VERIFY}
          label="Verify tasks"
          hint="A verified task is done only once the project's own checks pass on its commit. A session may be set otherwise."
          value={verify}
          onChange={(value) => onChange({ verify: value })}
        />
        <ChoiceField
          of={TEST_CHANGES}
          label="Changed tests"
          hint="Whether agents may change tests that were there before, or commands that run them."
          value={test_changes}
          onChange={(value) => onChange({ test_changes: value })}
        />
      </div>
      <Field
        label="Attempts"
        type="number"
        min={1}
        max={20}
        hint="Of an agent, to pass. What fails goes back to it."
        placeholder="As in your settings"
        className="max-w-60"
        value={attempts}
        error={faults.attempts}
        onChange={(attempts) => onChange({ attempts })}
      />
      <ReviewerChoice
        className="max-w-96"
        value={reviewer}
        // Another agent has no such model.
        onChange={(name) => onChange({ reviewer: name, reviewer_model: "" })}
        inherited="Only where asked for"
      />
      {reviewer !== "" && reviewer !== NO_REVIEWER && (
        <ReviewerModelField
          className="max-w-96"
          reviewer={reviewer}
          value={reviewer_model}
          error={faults.reviewer_model}
          onChange={(model) => onChange({ reviewer_model: model })}
        />
      )}
    </>
  )
}
