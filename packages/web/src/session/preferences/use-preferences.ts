import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import type { Preferences, PreferencesChange, StoredPreferences } from "@switchyard/core/people/settings/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { PreferencesDecoder } from "../../api/preferences.ts"
import { storeItem } from "../../api/store-item.ts"
import { useBrowser, useStudio, useToast } from "../context/studio.ts"
import { mergePreferences, preferencesDiff } from "./preferences-diff.ts"

const KEY = ["preferences"]

interface PreferencesInUse {
  preferences: Preferences
  /** Applies the change immediately, then saves it on the server. */
  change(change: PreferencesChange): void
}

/** Returns the user's preferences as applied here. The server may not have them yet. */
export function usePreferences(): PreferencesInUse {
  const { api, browser } = useStudio()
  const client = useQueryClient()
  const toast = useToast()
  const preferences = useBrowser((state) => state.preferences)
  const someone = useBrowser((state) => state.me !== null)

  const shown = () => browser.getState().preferences
  const saved = () => client.getQueryData<StoredPreferences>(KEY)

  useQuery({
    queryKey: KEY,
    enabled: someone,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const before = saved() ?? shown()
      const read = await api.call("GET /api/v1/config/preferences", { response: PreferencesDecoder, signal })
      browser.setState({ preferences: mergePreferences(read, before, shown()) })
      return read
    },
  })

  // Sends every unsaved change, so a failed one is retried with the next.
  const saving = useMutation({
    scope: { id: "preferences" },
    networkMode: "always",
    mutationFn: async (before: Preferences) => {
      await client.cancelQueries({ queryKey: KEY })
      const body = preferencesDiff(saved() ?? before, shown())
      if (Object.keys(body).length === 0) return
      client.setQueryData(KEY, await api.call("PUT /api/v1/config/preferences", { body, response: PreferencesDecoder }))
    },
    onError: (error) => toast(`Applied in this browser, but not saved: ${error.message}`, "err"),
  })

  useEffect(() => {
    // Until the preferences are loaded, keep the remembered theme.
    if (preferences !== defaultPreferences) apply(preferences, document.documentElement, localStorage)
  }, [preferences])

  return {
    preferences,
    change: (change) => {
      const before = shown()
      browser.setState({ preferences: { ...before, ...change } })
      saving.mutate(before)
    },
  }
}

function apply({ theme, density, motion }: Preferences, page: HTMLElement, storage: Storage): void {
  page.dataset.theme = theme
  page.dataset.density = density
  page.dataset.motion = motion
  // Read before the first paint, when there is no time to ask the server.
  storeItem(storage, "switchyard.theme", theme)
}
