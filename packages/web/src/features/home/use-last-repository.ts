import { usePreferences } from "../../session/preferences/use-preferences.ts"

/** The repository that somebody worked in last, whatever the browser, and a function that remembers another. */
export function useLastRepository(): [repository: string, remember: (repository: string) => void] {
  const { preferences, change } = usePreferences()
  const { last_project_path: last } = preferences
  return [
    last ?? "",
    (repository) => {
      const named = withoutCredentials(repository.trim()) || null
      if (named !== last) change({ last_project_path: named })
    },
  ]
}

/** The server seals the credentials of a URL that a task names; preferences have nothing sealed. */
export function withoutCredentials(repository: string): string {
  return repository.replace(/^(https?:\/\/)[^/?#]*@/i, "$1")
}
