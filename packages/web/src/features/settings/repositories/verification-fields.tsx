import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import { ChoiceField, Field, fieldsOf } from "../../../ui/field.tsx"
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

/** Fields for how tasks in a repository are verified. If one is empty, the user's own settings apply. */
export function VerificationFields({ form, faults, onChange }: Props) {
  const { reviewer } = form
  const of = fieldsOf(form, onChange, faults)
  return (
    <>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <ChoiceField
          of={VERIFY}
          label="Verify tasks"
          hint="A verified task is done only once the project's own checks pass on its commit. A session may be set otherwise."
          {...of("verify")}
        />
        <ChoiceField
          of={TEST_CHANGES}
          label="Changed tests"
          hint="Whether agents may change tests that were there before, or commands that run them."
          {...of("test_changes")}
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
        {...of("attempts")}
      />
      <ReviewerChoice
        className="max-w-96"
        value={reviewer}
        // A different agent doesn't have this model.
        onChange={(name) => onChange({ reviewer: name, reviewer_model: "" })}
        inherited="Only where asked for"
      />
      {reviewer !== "" && reviewer !== NO_REVIEWER && (
        <ReviewerModelField className="max-w-96" reviewer={reviewer} {...of("reviewer_model")} />
      )}
    </>
  )
}
