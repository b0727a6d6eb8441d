import {
  type RepositorySettings,
  StoredRepositoriesSettings,
} from "@switchyard/core/people/settings/repository-settings-schema"
import { useReplacement, useResponse } from "../../../session/context/requests.ts"
import { useToast } from "../../../session/context/studio.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"
import { RepositoryDialog } from "./repository-dialog.tsx"
import { factsOf } from "./repository-form.ts"

/** Settings for setting up worktrees of the user's repositories. */
export function RepositoriesSection() {
  const { list, replace } = useRepositories()
  const toast = useToast()
  const repositories = list.data?.repositories ?? []
  const save = (edited: RepositorySettings | null, settings: RepositorySettings, close: () => void) => {
    const others = repositories.filter(
      ({ repository }) => repository !== edited?.repository && repository !== settings.repository,
    )
    // The form shows only some of the settings, so keep the others.
    const verification = withReviewer(edited?.verification, settings.verification)
    const onSuccess = () => {
      toast("Saved. New worktrees will use these settings.", "ok")
      close()
    }
    replace.mutate([...others, { ...edited, ...settings, verification }], { onSuccess })
  }
  return (
    <CrudSection
      title="Repositories"
      isPage
      hint="By default, worktrees of a local repository link to its node_modules and virtual environments."
      list={list}
      entries={list.data?.repositories}
      empty="No repository settings yet. Repositories that aren't listed here use the defaults."
      keyOf={({ repository }) => repository}
      nameOf={({ repository }) => repository}
      row={(settings) => <EntryText name={settings.repository} facts={factsOf(settings)} />}
      add="Add repository"
      edit="Edit"
      form={(entry, close) => (
        <RepositoryDialog
          entry={entry}
          change={replace}
          onSave={(settings) => save(entry, settings, close)}
          onClose={close}
        />
      )}
      removal={{
        action: "Remove",
        text: () => "Existing worktrees keep their setup, and new ones use the defaults. The repository won't change.",
        remove: (removed, options) =>
          replace.mutate(
            repositories.filter(({ repository }) => repository !== removed.repository),
            options,
          ),
        mutation: replace,
      }}
    />
  )
}

/** Returns the new verification settings. If the reviewer has changed, drops the previous one's reasoning setting. */
function withReviewer(before: RepositorySettings["verification"], now: RepositorySettings["verification"]) {
  const isSame = before?.verification_agent === now?.verification_agent
  return { ...before, ...now, ...(!isSame && { verification_reasoning: null }) }
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
