import { useState } from "react"
import { useStudio } from "../../../session/context/studio.ts"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ChoiceField, Field } from "../../../ui/field.tsx"
import { ErrorNotice, Notice } from "../../../ui/notice.tsx"
import { useAttempt } from "../../../ui/use-attempt.ts"
import { newTrigger } from "../data/responses.ts"

const kinds = {
  delayed: "Once, after some minutes",
  heartbeat: "Every so many minutes",
  scheduled: "By a schedule",
  on_idle: "After some minutes without work",
  webhook: "When another program asks",
}
type Kind = keyof typeof kinds

/** Adds a trigger to a team. A webhook trigger's URL is then shown, only once. */
export function TriggerDialog({ teamId, onClose }: { teamId: string; onClose(): void }) {
  const { api } = useStudio()
  const [kind, setKind] = useState<Kind>("scheduled")
  const [minutes, setMinutes] = useState("60")
  const [cron, setCron] = useState("0 7 * * *")
  const [message, setMessage] = useState("")
  const { attempt, error } = useAttempt()
  const [link, setLink] = useState<string | null>(null)
  const isTimed = kind !== "scheduled" && kind !== "webhook"

  async function submit(): Promise<void> {
    if (link !== null) return onClose()
    const body = { when: whenOf(kind, { minutes, cron }), action: { type: "wake_agent" as const, message } }
    await attempt(async () => {
      const path = { id: teamId }
      const made = await api.call("POST /api/v1/teams/{id}/triggers", { path, body, response: newTrigger })
      if (made.webhook === null) onClose()
      else setLink(made.webhook)
    })
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
        onChange={setMessage}
        autoComplete="off"
      />
      <ChoiceField label="When" of={kinds} value={kind} onChange={setKind} />
      {isTimed && <Field label="Minutes" type="number" min={1} value={minutes} onChange={setMinutes} />}
      {kind === "scheduled" && (
        <Field
          label="Schedule"
          hint={`Minute, hour, day, month, day of the week, in ${timeZone()}`}
          value={cron}
          maxLength={100}
          onChange={setCron}
        />
      )}
      {link !== null && (
        <Notice tone="info">
          Other programs send a POST to this address. It is shown only now:
          <code className="mt-1 block break-all select-all">{new URL(link, location.href).href}</code>
        </Notice>
      )}
      <ErrorNotice error={error} />
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
