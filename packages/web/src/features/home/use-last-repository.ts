import { usePreferences } from "../../session/preferences/use-preferences.ts"

/** Returns the repository that the user last worked in, in any browser, and a function that stores another. */
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

/** Removes credentials from a URL. The server seals those in a task's URL, but nothing in preferences is sealed. */
export function withoutCredentials(repository: string): string {
  return repository.replace(/^(https?:\/\/)[^/?#]*@/i, "$1")
}
