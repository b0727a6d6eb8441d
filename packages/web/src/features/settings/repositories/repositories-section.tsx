import type { RepositorySettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx"
import { Plus } from "../../../ui/icons.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { UnloadedList } from "../../../ui/unloaded-list.tsx"
import { RepositoryDialog } from "./repository-dialog.tsx"
import { blankRepository, factsOf, toForm } from "./repository-form.ts"
import { useRepositories } from "./use-repositories.ts"

/** The verification as it is set now; another reviewer has no reasoning of the one before. */
function withReviewer(before: RepositorySettings["verification"], now: RepositorySettings["verification"]) {
  const isSame = before?.verification_agent === now?.verification_agent
  return { ...before, ...now, ...(!isSame && { verification_reasoning: null }) }
}

/** The settings by which worktrees of the user's repositories are set up. */
export function RepositoriesSection() {
  const { list, replace } = useRepositories()
  const toast = useToast()
  const [editing, setEditing] = useState<number | "new" | null>(null)
  const [doomed, setDoomed] = useState<RepositorySettings | null>(null)
  if (!list.data) {
    return (
      <div className="border-t border-line pt-5">
        <UnloadedList list={list} lines={4} />
      </div>
    )
  }
  const { repositories } = list.data
  const edited = typeof editing === "number" ? repositories[editing] : undefined
  const close = () => {
    setEditing(null)
    setDoomed(null)
    replace.reset()
  }
  const save = (next: RepositorySettings[], said: string) => {
    const onSuccess = () => {
      toast(said, "ok")
      close()
    }
    replace.mutate(next, { onSuccess })
  }
  return (
    <div className="border-t border-line pt-5">
      {repositories.length === 0 && (
        <p className="text-ink-2">
          Nothing is set. Next to a repository of this machine, new worktrees link its node_modules and virtual
          environments.
        </p>
      )}
      <ul>
        {repositories.map((one, index) => (
          <li key={one.repository} className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line py-3">
            <div className="min-w-0 flex-1 basis-[240px]">
              <p className="font-semibold break-all">{one.repository}</p>
              <p className="text-sm break-words text-ink-3">{factsOf(one)}</p>
            </div>
            <div className="flex gap-3 max-md:w-full">
              <Button size="sm" aria-label={`Edit ${one.repository}`} onClick={() => setEditing(index)}>
                Edit
              </Button>
              <Button size="sm" aria-label={`Remove ${one.repository}`} onClick={() => setDoomed(one)}>
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <Button className="mt-4" onClick={() => setEditing("new")}>
        <Plus size={14} aria-hidden /> Add a repository
      </Button>
      {editing !== null && (
        <RepositoryDialog
          title={edited ? "Edit the repository" : "Add a repository"}
          initial={edited ? toForm(edited) : blankRepository}
          busy={replace.isPending}
          error={replace.error}
          onClose={close}
          onSave={(settings) => {
            const others = repositories.filter((one) => one !== edited && one.repository !== settings.repository)
            // The form has only some of the settings of verification.
            const verification = withReviewer(edited?.verification, settings.verification)
            save(
              [...others, { ...edited, ...settings, verification }],
              `Saved. New worktrees of ${settings.repository} use it.`,
            )
          }}
        />
      )}
      {doomed && (
        <ConfirmDialog
          title="Remove these settings?"
          action="Remove"
          busy={replace.isPending}
          failure={replace.error && <Notice tone="err">{replace.error.message}</Notice>}
          onClose={close}
          onConfirm={() =>
            save(
              repositories.filter((one) => one !== doomed),
              "Removed.",
            )
          }
        >
          Worktrees of {doomed.repository} that exist keep what they were made with.
        </ConfirmDialog>
      )}
    </div>
  )
}
