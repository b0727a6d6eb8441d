import { appNameProblem, MAX_APP_NAME_CHARS } from "@switchyard/core/sessions/apps/app-name"
import type { SessionApp } from "@switchyard/core/sessions/apps/schema"
import { useState } from "react"
import { FormDialog } from "../../ui/dialog.tsx"
import { Field } from "../../ui/field.tsx"
import { AppFacts, SharedHostNotice } from "./app-facts.tsx"
import type { useSessionApp } from "./use-session-app.ts"

interface Props {
  plan: SessionApp
  publish: ReturnType<typeof useSessionApp>["publish"]
  onClose(): void
}

/** Asks for an app's name, and says what will be published at which address. */
export function NewAppForm({ plan, publish, onClose }: Props) {
  const [name, setName] = useState(plan.suggested_name)
  const problem = appNameProblem(name)
  const isLocal = plan.address?.includes(".localhost")
  const address = plan.address?.replace("{name}", problem === undefined ? name : "…")
  return (
    <FormDialog
      title="Publish"
      action={publish.isPending ? "Publishing…" : "Publish"}
      blocked={problem !== undefined || publish.isPending}
      onSubmit={() => publish.mutate(name)}
      onClose={onClose}
    >
      <p className="text-ink-2">
        {isLocal ? "Anyone using this machine" : "Anyone with the link"} can open the app without signing in. It stays
        published until you unpublish it, even if this session is deleted.
      </p>
      <Field
        label="Name"
        value={name}
        maxLength={MAX_APP_NAME_CHARS}
        verbatim
        onChange={(text) => setName(text.toLowerCase().replaceAll(" ", "-"))}
        error={name === "" ? null : (problem ?? publish.error?.message)}
        hint={<span className="break-all">{address}</span>}
      />
      <AppFacts plan={plan} />
      {plan.opaque && <SharedHostNotice />}
    </FormDialog>
  )
}
