import { useState } from "react"
import { useStudio } from "../../../session/context/studio.ts"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ChoiceField, Field, useFields } from "../../../ui/field.tsx"
import { ErrorNotice, Notice } from "../../../ui/notice.tsx"
import { useAttempt } from "../../../ui/use-attempt.ts"
import { newTrigger } from "../data/responses.ts"

const kinds = {
  delayed: "Once, after a delay",
  heartbeat: "At a fixed interval",
  scheduled: "On a schedule",
  on_idle: "When the team is idle",
  webhook: "When a webhook is called",
}
const initial = { kind: "scheduled" as keyof typeof kinds, minutes: "60", cron: "0 7 * * *", message: "" }

/** Adds a trigger to a team. A webhook trigger's URL is then shown, only once. */
export function TriggerDialog({ teamId, onClose }: { teamId: string; onClose(): void }) {
  const { api } = useStudio()
  const { form, field } = useFields(initial)
  const { kind, minutes, message } = form
  const { attempt, error } = useAttempt()
  const [link, setLink] = useState<string | null>(null)
  const isTimed = kind !== "scheduled" && kind !== "webhook"

  async function submit(): Promise<void> {
    if (link !== null) return onClose()
    const body = { when: whenOf(form), action: { type: "wake_agent" as const, message } }
    await attempt(async () => {
      const path = { id: teamId }
      const made = await api.call("POST /api/v1/teams/{id}/triggers", { path, body, response: newTrigger })
      if (made.webhook === null) onClose()
      else setLink(made.webhook)
    })
  }
  return (
    <FormDialog
      title="Add trigger"
      action={link === null ? "Add" : "Done"}
      blocked={message.trim() === "" || (isTimed && !(Number(minutes) >= 1))}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Message to the coordinator"
        placeholder="Check the news about tea"
        maxLength={1000}
        {...field("message")}
        autoComplete="off"
      />
      <ChoiceField label="When" of={kinds} {...field("kind")} />
      {isTimed && <Field label="Minutes" type="number" min={1} {...field("minutes")} />}
      {kind === "scheduled" && (
        <Field
          label="Schedule"
          hint={`Enter a cron expression in ${timeZone()}: minute, hour, day, month, day of the week.`}
          maxLength={100}
          {...field("cron")}
        />
      )}
      {link !== null && (
        <Notice tone="info">
          To fire this trigger, send a POST request to this URL. It's shown only once:
          <code className="mt-1 block break-all select-all">{new URL(link, location.href).href}</code>
        </Notice>
      )}
      <ErrorNotice error={error} />
    </FormDialog>
  )
}

function whenOf({ kind, minutes, cron }: Omit<typeof initial, "message">) {
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
