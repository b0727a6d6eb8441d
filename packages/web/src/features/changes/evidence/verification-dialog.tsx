import type { SessionVerification as Settings } from "@switchyard/core/work/verification/settings-schema"
import { useMutation } from "@tanstack/react-query"
import { needsConsent } from "../../../api/client.ts"
import { SessionVerification } from "../../../session/actions/verification.ts"
import { useResponse } from "../../../session/context/requests.ts"
import { useToast } from "../../../session/context/studio.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ChoiceField, SelectField, useFields } from "../../../ui/field.tsx"
import { Notice, Skeleton } from "../../../ui/notice.tsx"
import { ReviewerChoice } from "../../home/reviewer-choice.tsx"

/** Settings for whether and how the session's later tasks are verified. */
export function VerificationDialog({ onClose }: { onClose(): void }) {
  const { sessionId } = useShownSession()
  const path = { id: sessionId }
  const { data, error } = useResponse(
    ["verification", sessionId],
    "GET /api/v1/sessions/{id}/verification",
    { path, response: SessionVerification },
    // Always fetched again, because another tab or the CLI may have changed it.
    { gcTime: 0 },
  )
  if (data) return <VerificationForm initial={data} onClose={onClose} />
  return (
    <FormDialog title="Verification" action="Save" blocked onSubmit={() => {}} onClose={onClose}>
      {error ? <Notice tone="err">{error.message}</Notice> : <Skeleton lines={4} />}
    </FormDialog>
  )
}

/** Choices for a setting that can be left to the repository. */
type Choice = "inherit" | "on" | "off"
const CHOICES = { inherit: null, on: true, off: false } as const

function choiceOf(set: boolean | null): Choice {
  if (set === null) return "inherit"
  return set ? "on" : "off"
}

function inherited(usual: string | number): string {
  return `Default (${usual})`
}

function reviewedBy(name: string) {
  return { verification_agent: name || null, verification_model: null, verification_reasoning: null }
}

function VerificationForm({ initial, onClose }: { initial: Settings; onClose(): void }) {
  const { sessionId, api } = useShownSession()
  const toast = useToast()
  const { session, repository, owner } = initial
  const usual = {
    verify: repository.verify ?? owner.verify ?? false,
    attempts: repository.verification_attempts ?? owner.verification_attempts ?? 5,
    reviewer: repository.verification_agent ?? owner.verification_agent ?? "none",
  }
  const { form, field } = useFields({
    verify: choiceOf(session.verify),
    attempts: String(session.verification_attempts ?? ""),
    mayChangeTests: initial.effective.allow_test_changes,
    reviewer: session.verification_agent ?? "",
    consent: false,
  })
  const { attempts, mayChangeTests, reviewer, consent } = form
  const body = {
    verify: CHOICES[form.verify],
    verification_attempts: attempts === "" ? null : Number(attempts),
    // The model belongs to the previous reviewer, so it is reset.
    ...(reviewer !== (session.verification_agent ?? "") && reviewedBy(reviewer)),
    // Stays unset, so that wider settings apply, unless the user changed it.
    ...(mayChangeTests !== initial.effective.allow_test_changes && { allow_test_changes: mayChangeTests }),
    consent,
  }
  const saving = useMutation({
    mutationFn: () => {
      const path = { id: sessionId }
      return api.call("PUT /api/v1/sessions/{id}/verification", { path, body, response: SessionVerification })
    },
    onSuccess: ({ effective }) => {
      toast(
        effective.verify ? "Future tasks in this session will be verified." : "Future tasks won't be verified.",
        "ok",
      )
      onClose()
    },
  })
  const asksConsent = needsConsent(saving.error)
  return (
    <FormDialog
      title="Verification"
      action="Save"
      blocked={saving.isPending || (asksConsent && !consent)}
      onSubmit={saving.mutate}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">
        When the agent finishes, the project's checks run in a clean checkout of the agent's commit. If they fail, the
        agent keeps working.
      </p>
      <ChoiceField
        label="Verify future tasks"
        of={{ inherit: inherited(usual.verify ? "yes" : "no"), on: "Yes", off: "No" }}
        {...field("verify")}
      />
      <SelectField
        label="Attempts"
        hint="Limits how many times the agent can try to pass the checks."
        options={[["", inherited(usual.attempts)], "1", "2", "3", "4", "5", "10", "20"]}
        {...field("attempts")}
      />
      <ReviewerChoice inherited={inherited(usual.reviewer)} {...field("reviewer")} />
      <Checkbox
        label="Allow changes to existing tests"
        hint="If off, verification fails when tests or test commands change."
        {...field("mayChangeTests")}
      />
      {asksConsent && (
        <Checkbox
          label="Allow checks to run the project's commands on this machine"
          hint="You won't be asked again. Commands run in a sandbox if one is available."
          {...field("consent")}
        />
      )}
      {saving.error && !asksConsent && <Notice tone="err">{saving.error.message}</Notice>}
    </FormDialog>
  )
}
