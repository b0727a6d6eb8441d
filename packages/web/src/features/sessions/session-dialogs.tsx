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
      title="Rename the session"
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
  build: "Its run is active and will be stopped.",
  chat: "Its chat is answering and will be stopped.",
  agent: "An agent is working in it and will be stopped.",
  team: "A team is working in it and will be stopped.",
} satisfies Record<Session["kind"], string>

/** Lists the worktrees with unmerged changes. Only a repository on this machine keeps them. */
function unmerged(names: string[], repository: string | null): string {
  const what =
    names.length === 1
      ? "Its worktree has changes that aren't merged."
      : `Changes of ${names.join(", ")} aren't merged.`
  return repository?.startsWith("/")
    ? `${what} They are kept in ${repository}, under refs/switchyard/kept, until the session's retention ends.`
    : `${what} They are deleted with it.`
}

function DeleteDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const actions = useSessionActions()
  const remove = useMutation({ mutationFn: () => actions.remove(session), onSuccess: onClose })
  const { name, active, kind, file_count, unmerged_worktrees = [], repository } = session
  const files = file_count ? ` and its ${formatCount(file_count, "file")}` : ""
  return (
    <ConfirmDialog
      title="Delete the session?"
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
        {files} will be deleted, for you and in every other tab. This can't be undone.
      </p>
      {unmerged_worktrees.length > 0 && (
        <p className="mt-2 text-ink-2 break-words">{unmerged(unmerged_worktrees, repository)}</p>
      )}
      {Boolean(file_count) && <p className="mt-2 text-ink-2">Download the zip first if you want to keep the files.</p>}
    </ConfirmDialog>
  )
}
