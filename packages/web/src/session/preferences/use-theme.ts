import { useEffect, useState } from "react"
import { usePreferences } from "./use-preferences.ts"

export function useTheme(): [shown: "light" | "dark", flip: () => void] {
  const { preferences, change } = usePreferences()
  const system = useSystemTheme()
  const shown = preferences.theme === "system" ? system : preferences.theme
  return [shown, () => change({ theme: shown === "dark" ? "light" : "dark" })]
}

function useSystemTheme(): "light" | "dark" {
  const [dark, setDark] = useState(() => matchMedia(DARK).matches)
  useEffect(() => {
    const media = matchMedia(DARK)
    const changed = () => setDark(media.matches)
    media.addEventListener("change", changed)
    return () => media.removeEventListener("change", changed)
  }, [])
  return dark ? "dark" : "light"
}

const DARK = "(prefers-color-scheme: dark)"
