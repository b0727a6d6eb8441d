import { useMedia } from "../../ui/use-media.ts"
import { usePreferences } from "./use-preferences.ts"

export function useTheme(): [shown: "light" | "dark", flip: () => void] {
  const { preferences, change } = usePreferences()
  const system = useMedia("(prefers-color-scheme: dark)") ? "dark" : "light"
  const shown = preferences.theme === "system" ? system : preferences.theme
  return [shown, () => change({ theme: shown === "dark" ? "light" : "dark" })]
}
