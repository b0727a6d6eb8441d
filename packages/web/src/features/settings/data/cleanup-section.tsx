import { CleanupSettings } from "@switchyard/core/people/settings/cleanup-schema"
import { formatCount } from "@switchyard/core/text/format"
import { useReplacement, useResponse } from "../../../session/context/requests.ts"
import { useToast } from "../../../session/context/studio.ts"
import { useSessionsChanged } from "../../../session/list/use-sessions.ts"
import { Switch } from "../../../ui/controls.tsx"
import { UnloadedList } from "../../../ui/notice.tsx"
import { dayOf } from "../../../ui/time.ts"
import { NumberForm } from "../list/number-form.tsx"

const KEY = ["cleanup"]

/** Setting for how long unused sessions are kept, and a list of those that were deleted. */
export function CleanupSection() {
  const toast = useToast()
  const changed = useSessionsChanged()
  const settings = useResponse(KEY, "GET /api/v1/config/cleanup", { response: CleanupSettings })
  const change = useReplacement(KEY, async (api, body: { cleanup_days?: number; auto_cleanup?: boolean }) => {
    const stored = await api.call("PUT /api/v1/config/cleanup", { body, response: CleanupSettings })
    changed()
    return stored
  })
  if (!settings.data) return <UnloadedList list={settings} lines={3} />
  const { cleanup_days, auto_cleanup, cleaned } = settings.data
  return (
    <section aria-labelledby="clean-up">
      <h2 id="clean-up" className="unseen">
        Cleanup
      </h2>
      <Switch
        label="Delete unused sessions automatically"
        hint="If off, the server's default applies."
        value={auto_cleanup}
        onChange={(on) => change.mutate({ auto_cleanup: on })}
      />
      <div className="mb-4">
        <NumberForm
          key={cleanup_days}
          label="Days to keep unused sessions"
          hint="Also applies to existing sessions."
          stored={cleanup_days}
          range={[1, 99_999]}
          fault="Enter a whole number of days."
          error={change.error}
          isOff={!auto_cleanup || change.isPending}
          action="Save number of days"
          onSave={(days) =>
            change.mutate(
              { cleanup_days: days },
              {
                onSuccess: (stored) =>
                  toast(`Unused sessions are kept for ${formatCount(stored.cleanup_days, "day")}.`, "ok"),
              },
            )
          }
        />
      </div>
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
