import {
  type RepositorySettings,
  StoredRepositoriesSettings,
} from "@switchyard/core/people/settings/repository-settings-schema"
import { useState } from "react"
import { useReplacement, useResponse } from "../../../session/context/requests.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Plus } from "../../../ui/icons.tsx"
import { UnloadedSection } from "../../../ui/notice.tsx"
import { EntryList, EntryText } from "../list/entry-list.tsx"
import { RepositoryDialog } from "./repository-dialog.tsx"
import { blankRepository, factsOf, toForm } from "./repository-form.ts"

/**
 * Returns the current verification settings. If the reviewer has changed, drops the previous one's reasoning setting.
 */
function withReviewer(before: RepositorySettings["verification"], now: RepositorySettings["verification"]) {
  const isSame = before?.verification_agent === now?.verification_agent
  return { ...before, ...now, ...(!isSame && { verification_reasoning: null }) }
}

/** Settings for setting up worktrees of the user's repositories. */
export function RepositoriesSection() {
  const { list, replace } = useRepositories()
  const toast = useToast()
  const [editing, setEditing] = useState<number | "new" | null>(null)
  if (!list.data) return <UnloadedSection list={list} lines={4} />
  const { repositories } = list.data
  const edited = typeof editing === "number" ? repositories[editing] : undefined
  const close = () => {
    setEditing(null)
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
      <EntryList
        entries={repositories}
        keyOf={({ repository }) => repository}
        row={(one) => <EntryText name={one.repository} facts={factsOf(one)} />}
        buttons={(one) => (
          <Button size="sm" aria-label={`Edit ${one.repository}`} onClick={() => setEditing(repositories.indexOf(one))}>
            Edit
          </Button>
        )}
        removal={{
          action: "Remove",
          nameOf: ({ repository }) => repository,
          question: ({ repository }) => ({
            title: "Remove these settings?",
            text: `Worktrees of ${repository} that exist keep what they were made with.`,
          }),
          done: () => "Removed.",
          remove: (removed, options) =>
            replace.mutate(
              repositories.filter((one) => one !== removed),
              options,
            ),
          mutation: replace,
        }}
      />
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
            // The form shows only some of the verification settings, so keep the others.
            const verification = withReviewer(edited?.verification, settings.verification)
            save(
              [...others, { ...edited, ...settings, verification }],
              `Saved. New worktrees of ${settings.repository} use it.`,
            )
          }}
        />
      )}
    </div>
  )
}

const KEY = ["repositories"]

/**
 * Returns the settings of the user's repositories. They are replaced as a whole, but never overwrite a concurrent
 * change.
 */
function useRepositories() {
  const list = useResponse(KEY, "GET /api/v1/config/repositories", { response: StoredRepositoriesSettings })
  const replace = useReplacement(KEY, (api, repositories: RepositorySettings[]) => {
    const body = { repositories, version: list.data?.version }
    return api.call("PUT /api/v1/config/repositories", { body, response: StoredRepositoriesSettings })
  })
  return { list, replace }
}
