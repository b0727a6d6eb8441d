import { useState } from "react"
import { errorText } from "../../../api/error-text.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { ChoiceField } from "../../../ui/choice-field.tsx"
import { Field } from "../../../ui/field.tsx"
import { FormDialog } from "../../../ui/form-dialog.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { newTrigger } from "../data/responses.ts"

const kinds = {
  delayed: "Once, after some minutes",
  heartbeat: "Every so many minutes",
  scheduled: "By a schedule",
  on_idle: "After some minutes without work",
  webhook: "When another program asks",
}
type Kind = keyof typeof kinds

/** Adds a trigger to a team. That of a webhook shows its address afterwards, once. */
export function TriggerDialog({ teamId, onClose }: { teamId: string; onClose(): void }) {
  const { api } = useStudio()
  const [kind, setKind] = useState<Kind>("scheduled")
  const [minutes, setMinutes] = useState("60")
  const [cron, setCron] = useState("0 7 * * *")
  const [message, setMessage] = useState("")
  const [error, setError] = useState<string | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const isTimed = kind !== "scheduled" && kind !== "webhook"

  async function submit(): Promise<void> {
    if (link !== null) return onClose()
    try {
      const body = { when: whenOf(kind, { minutes, cron }), action: { type: "wake_agent" as const, message } }
      const path = { id: teamId }
      const made = await api.call("POST /api/v1/teams/{id}/triggers", { path, body, response: newTrigger })
      if (made.webhook === null) onClose()
      else setLink(made.webhook)
    } catch (failure) {
      setError(errorText(failure))
    }
  }

  return (
    <FormDialog
      title="Add a trigger"
      action={link === null ? "Add" : "Done"}
      blocked={message.trim() === "" || (isTimed && !(Number(minutes) >= 1))}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="What to tell the coordinator"
        placeholder="Look at the news about tea"
        value={message}
        maxLength={1000}
        autoComplete="off"
        onChange={({ target }) => setMessage(target.value)}
      />
      <ChoiceField label="When" of={kinds} value={kind} onChange={setKind} />
      {isTimed && (
        <Field
          label="Minutes"
          type="number"
          min={1}
          value={minutes}
          onChange={({ target }) => setMinutes(target.value)}
        />
      )}
      {kind === "scheduled" && (
        <Field
          label="Schedule"
          hint={`Minute, hour, day, month, day of the week, in ${timeZone()}`}
          value={cron}
          maxLength={100}
          onChange={({ target }) => setCron(target.value)}
        />
      )}
      {link !== null && (
        <Notice tone="info">
          Other programs send a POST to this address. It is shown only now:
          <code className="mt-1 block break-all select-all">{new URL(link, location.href).href}</code>
        </Notice>
      )}
      {error && <Notice tone="err">{error}</Notice>}
    </FormDialog>
  )
}

function whenOf(kind: Kind, { minutes, cron }: { minutes: string; cron: string }) {
  const seconds = Math.round(Number(minutes) * 60)
  switch (kind) {
    case "delayed":
      return { type: kind, delay_seconds: seconds }
    case "heartbeat":
      return { type: kind, interval_seconds: seconds }
    case "on_idle":
      return { type: kind, idle_seconds: seconds }
    case "scheduled":
      return { type: kind, cron, timezone: timeZone() }
    case "webhook":
      return { type: kind }
  }
}

function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
