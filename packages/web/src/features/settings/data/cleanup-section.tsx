import { CleanupSettings } from "@switchyard/core/people/settings/cleanup-schema"
import { formatCount } from "@switchyard/core/text/format"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useStudio, useToast } from "../../../session/context/studio.ts"
import { useSessionsChanged } from "../../../session/list/use-sessions.ts"
import { Button } from "../../../ui/button.tsx"
import { Switch } from "../../../ui/controls.tsx"
import { Field } from "../../../ui/field.tsx"
import { dayOf } from "../../../ui/time.ts"
import { UnloadedList } from "../../../ui/unloaded-list.tsx"

const KEY = ["cleanup"]

/** The time for which untouched sessions are kept, and those that were deleted by it. */
export function CleanupSection() {
  const { api } = useStudio()
  const client = useQueryClient()
  const toast = useToast()
  const changed = useSessionsChanged()
  const settings = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /api/v1/config/cleanup", { response: CleanupSettings, signal }),
  })
  const change = useMutation({
    mutationFn: (body: { cleanup_days?: number; auto_cleanup?: boolean }) =>
      api.call("PUT /api/v1/config/cleanup", { body, response: CleanupSettings }),
    onSuccess: (stored) => {
      client.setQueryData(KEY, stored)
      changed()
    },
  })
  if (!settings.data) return <UnloadedList list={settings} lines={3} />
  const { cleanup_days, auto_cleanup, cleaned } = settings.data
  return (
    <section aria-labelledby="clean-up">
      <h2 id="clean-up" className="unseen">
        Clean-up
      </h2>
      <Switch
        label="Delete untouched sessions on my schedule"
        hint="Otherwise the server's own limit holds."
        on={auto_cleanup}
        onChange={(on) => change.mutate({ auto_cleanup: on })}
      />
      <Days
        key={cleanup_days}
        days={cleanup_days}
        isOff={!auto_cleanup}
        busy={change.isPending}
        error={change.error?.message ?? null}
        onSave={(days) =>
          change.mutate(
            { cleanup_days: days },
            { onSuccess: (stored) => toast(`Kept for ${formatCount(stored.cleanup_days, "day")}.`, "ok") },
          )
        }
      />
      {cleaned.length > 0 && (
        <details className="mb-4 text-sm">
          <summary className="w-fit cursor-pointer text-ink-2 hover:text-ink max-md:py-3.5">
            Deleted in the last 30 days: {formatCount(cleaned.length, "session")}
          </summary>
          <ul className="mt-2 border-l border-line pl-4">
            {cleaned.map(({ session_id, name, deleted_at }) => (
              <li key={session_id} className="flex justify-between gap-3 py-0.5">
                <span className="min-w-0 truncate">{name}</span>
                <span className="shrink-0 text-ink-3">{dayOf(deleted_at)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

interface DaysProps {
  days: number
  isOff: boolean
  busy: boolean
  error: string | null
  onSave(days: number): void
}

function Days({ days, isOff, busy, error, onSave }: DaysProps) {
  const [typed, setTyped] = useState(String(days))
  const isNumber = /^[1-9]\d{0,4}$/.test(typed.trim())
  const isSaved = Number(typed) === days
  return (
    <form
      className="mb-4 flex max-w-96 items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (isNumber && !isSaved && !busy) onSave(Number(typed))
      }}
    >
      <Field
        label="Days"
        inputMode="numeric"
        value={typed}
        disabled={isOff}
        onChange={({ target }) => setTyped(target.value)}
        error={isNumber ? error : "A whole number of days."}
        hint="For which an untouched session is kept. This holds for the sessions that are there, too."
        className="min-w-0 flex-1"
      />
      <Button
        type="submit"
        disabled={isOff || !isNumber || isSaved || busy}
        className="mt-[23px]"
        aria-label="Save the days"
      >
        Save
      </Button>
    </form>
  )
}
