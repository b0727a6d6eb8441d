import { formatCount } from "@switchyard/core/text/format"
import type { Session } from "../../api/session.ts"
import { useToast, useTold } from "../../session/context/studio.ts"
import { useSessionActions } from "../../session/list/use-session-actions.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"

/** Actions on several sessions at once. A failure shows a toast; the other sessions are still changed. */
export function useBoardActions() {
  const { archive, stop } = useSessionActions()
  const changed = useSessionsChanged()
  const toast = useToast()
  const told = useTold()
  return {
    /** Archives the sessions, or restores them if all are archived. */
    async archive(sessions: Session[]): Promise<void> {
      const archived = !sessions.every((session) => session.archived)
      const archiving = sessions.map((session) => told(archive(session, archived, { isOneOfMany: true })))
      const done = await Promise.all(archiving)
      changed()
      const count = done.filter((one) => one !== null).length
      if (count > 0) toast(`${archived ? "Archived" : "Restored"} ${formatCount(count, "session")}.`)
    },
    async stop(sessions: Session[]): Promise<void> {
      await Promise.all(sessions.filter(({ active }) => active).map((session) => told(stop(session))))
    },
  }
}
