import { formatCount } from "@switchyard/core/text/format"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { Session } from "../../api/session.ts"
import { useToast } from "../../session/context/studio.ts"
import { useSessionActions } from "../../session/list/use-session-actions.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import { ConfirmDialog } from "../../ui/dialog.tsx"
import { ErrorNotice, Notice } from "../../ui/notice.tsx"

/** Confirms the deletion of one or more sessions. */
export function DeleteSessionsDialog({ sessions: chosen, onClose }: { sessions: Session[]; onClose(): void }) {
  const actions = useSessionActions()
  const changed = useSessionsChanged()
  const toast = useToast()
  // Sessions that can't be deleted remain, and the others aren't tried again.
  const [sessions, setSessions] = useState(chosen)
  const remove = useMutation({
    mutationFn: async () => {
      const failures = new Map<Session, unknown>()
      for (const session of sessions) {
        await actions.remove(session, { isOneOfMany: true }).catch((error: unknown) => failures.set(session, error))
      }
      changed()
      setSessions([...failures.keys()])
      for (const error of failures.values()) throw error
      toast(`Deleted ${formatCount(chosen.length, "session")}.`)
      onClose()
    },
  })
  const active = sessions.filter((session) => session.active)
  const unmerged = sessions.filter(({ unmerged_worktrees = [] }) => unmerged_worktrees.length > 0)
  const what = formatCount(sessions.length, "session")
  const done = chosen.length - sessions.length
  return (
    <ConfirmDialog
      title={`Delete ${what}?`}
      action={active.length > 0 ? "Stop and delete" : "Delete"}
      busy={remove.isPending}
      failure={
        <>
          {remove.isError && done > 0 && (
            <p className="mb-3">
              Deleted {done} of {formatCount(chosen.length, "session")}. Couldn't delete the rest.
            </p>
          )}
          <ErrorNotice error={remove.error} className="mb-3" />
        </>
      }
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {active.length > 0 && (
        <Notice tone="need" className="mb-3">
          Active runs in {formatCount(active.length, "session")} will be stopped.
        </Notice>
      )}
      <ul className="max-h-48 overflow-y-auto">
        {sessions.map(({ id, name }) => (
          <li key={id} className="truncate font-semibold">
            {name}
          </li>
        ))}
      </ul>
      <p className="mt-2">All session files will also be deleted. This can't be undone.</p>
      {unmerged.length > 0 && (
        <p className="mt-2 text-ink-2">
          {formatCount(unmerged.length, "session")} {unmerged.length === 1 ? "has" : "have"} unmerged changes.
        </p>
      )}
    </ConfirmDialog>
  )
}
