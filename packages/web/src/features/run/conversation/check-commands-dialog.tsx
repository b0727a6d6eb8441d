import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import { useState } from "react"
import { CHECK_LABELS, CHECK_NAMES, SessionCheckCommands } from "../../../session/actions/check-commands.ts"
import { useChange, useResponse } from "../../../session/context/requests.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { FormDialog } from "../../../ui/dialog.tsx"
import { Field } from "../../../ui/field.tsx"
import { ErrorNotice, Skeleton } from "../../../ui/notice.tsx"

const HINTS: Partial<Record<keyof CheckCommands, string>> = {
  install: "Custom install commands run without network access.",
}

/** The commands that test and start the project: those that were detected, and those that the user sets instead. */
export function CheckCommandsDialog({ onClose }: { onClose(): void }) {
  const { sessionId } = useShownSession()
  const path = { id: sessionId }
  const [edited, setEdited] = useState<CheckCommands>({})
  const { data, error } = useResponse(
    ["check-commands", sessionId],
    "GET /api/v1/sessions/{id}/checks/commands",
    { path, response: SessionCheckCommands },
    // Always fetched again, because another tab or the CLI may have changed them.
    { gcTime: 0 },
  )
  const saving = useChange((api, body: CheckCommands) =>
    api.call("PUT /api/v1/sessions/{id}/checks/commands", { path, body, response: SessionCheckCommands }),
  )
  const typed = { ...data?.set, ...edited }

  function save(): void {
    const named = CHECK_NAMES.map((name) => [name, typed[name]?.trim()] as const).filter(([, command]) => command)
    saving.mutate(Object.fromEntries(named), { onSuccess: onClose })
  }

  return (
    <FormDialog title="Commands" action="Save" blocked={!data || saving.isPending} onSubmit={save} onClose={onClose}>
      {!data && !error && <Skeleton lines={4} />}
      {data && <p className="text-sm text-ink-2">Leave a field empty to detect its command automatically.</p>}
      {data &&
        CHECK_NAMES.map((name) => (
          <Field
            key={name}
            label={CHECK_LABELS[name]}
            hint={HINTS[name]}
            value={typed[name] ?? ""}
            placeholder={data.found[name] ?? "None detected"}
            maxLength={500}
            verbatim
            onChange={(command) => setEdited({ ...edited, [name]: command })}
          />
        ))}
      <ErrorNotice error={saving.error ?? error} />
    </FormDialog>
  )
}
