import { formatCount } from "@switchyard/core/text/format"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { Session } from "../../api/session.ts"
import { useSessionActions } from "../../session/list/use-session-actions.ts"
import { ConfirmDialog, FormDialog } from "../../ui/dialog.tsx"
import { Field } from "../../ui/field.tsx"
import { ErrorNotice, Notice } from "../../ui/notice.tsx"

/** An action on a session that the user has begun. */
export type SessionDraft = { type: "rename" | "delete"; session: Session } | null

export function SessionDialogs({ draft, onClose }: { draft: SessionDraft; onClose(): void }) {
  if (draft === null) return null
  return draft.type === "rename" ? (
    <RenameDialog session={draft.session} onClose={onClose} />
  ) : (
    <DeleteDialog session={draft.session} onClose={onClose} />
  )
}

const MAX_CHARS = 100

function RenameDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const actions = useSessionActions()
  const [name, setName] = useState(session.name.slice(0, MAX_CHARS))
  const rename = useMutation({ mutationFn: () => actions.rename(session, name.trim() || null), onSuccess: onClose })
  return (
    <FormDialog
      title="Rename session"
      action="Rename"
      blocked={rename.isPending}
      onSubmit={rename.mutate}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        maxLength={MAX_CHARS}
        onChange={setName}
        onFocus={({ target }) => target.select()}
        hint="Leave empty to use the project's name."
        error={rename.error?.message}
      />
    </FormDialog>
  )
}

const stops = {
  build: "The active run will be stopped.",
  chat: "The chat response in progress will be stopped.",
  agent: "Agents working in this session will be stopped.",
  team: "The team working in this session will be stopped.",
} satisfies Record<Session["kind"], string>

/** Lists the worktrees with unmerged changes. Only a repository on this machine keeps them. */
function unmerged(names: string[], repository: string | null): string {
  const what =
    names.length === 1
      ? "The session's worktree has unmerged changes."
      : `These worktrees have unmerged changes: ${names.join(", ")}.`
  return repository?.startsWith("/")
    ? `${what} The changes will be kept in ${repository} under refs/switchyard/kept until the session's retention period ends.`
    : `${what} The changes will be deleted too.`
}

function DeleteDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const actions = useSessionActions()
  const remove = useMutation({ mutationFn: () => actions.remove(session), onSuccess: onClose })
  const { name, active, kind, file_count, unmerged_worktrees = [], repository } = session
  const files = file_count ? ` and its ${formatCount(file_count, "file")}` : ""
  return (
    <ConfirmDialog
      title="Delete session?"
      action={active ? "Stop and delete" : "Delete"}
      busy={remove.isPending}
      failure={<ErrorNotice error={remove.error} className="mb-3" />}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {active && (
        <Notice tone="need" className="mb-3">
          {stops[kind]}
        </Notice>
      )}
      <p>
        <strong className="break-words">{name}</strong>
        {files} will be permanently deleted. This can't be undone.
      </p>
      {unmerged_worktrees.length > 0 && (
        <p className="mt-2 text-ink-2 break-words">{unmerged(unmerged_worktrees, repository)}</p>
      )}
      {Boolean(file_count) && <p className="mt-2 text-ink-2">To keep the files, download the zip first.</p>}
    </ConfirmDialog>
  )
}
