import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import { ChoiceField, Field, fieldsOf } from "../../../ui/field.tsx"
import { ReviewerChoice } from "../../home/reviewer-choice.tsx"
import { ReviewerModelField } from "../../home/reviewer-model.tsx"
import type { Choice, RepositoryFieldsProps } from "./repository-form.ts"

const VERIFY: Record<Choice, string> = { "": "Default", yes: "Yes", no: "No" }
const TEST_CHANGES: Record<Choice, string> = { "": "If the task allows it", yes: "Allowed", no: "Not allowed" }

/** Fields for how tasks in a repository are verified. If one is empty, the user's own settings apply. */
export function VerificationFields({ form, faults, onChange }: RepositoryFieldsProps) {
  const { reviewer } = form
  const of = fieldsOf(form, onChange, faults)
  return (
    <>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <ChoiceField
          of={VERIFY}
          label="Verify tasks"
          hint="Tasks are done when the project's checks pass."
          {...of("verify")}
        />
        <ChoiceField
          of={TEST_CHANGES}
          label="Changes to tests"
          hint="Applies to existing tests and the commands that run them."
          {...of("test_changes")}
        />
      </div>
      <Field
        label="Attempts"
        type="number"
        min={1}
        max={20}
        hint="How many times an agent can try to pass the checks."
        placeholder="Default"
        {...of("attempts")}
      />
      <ReviewerChoice
        value={reviewer}
        // A different agent doesn't have this model.
        onChange={(name) => onChange({ reviewer: name, reviewer_model: "" })}
        inherited="Default"
      />
      {reviewer !== "" && reviewer !== NO_REVIEWER && (
        <ReviewerModelField reviewer={reviewer} {...of("reviewer_model")} />
      )}
    </>
  )
}
