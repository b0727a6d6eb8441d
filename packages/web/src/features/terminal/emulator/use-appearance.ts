import type { Terminal } from "@xterm/xterm"
import { useEffect } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { useTheme } from "../../../session/preferences/use-theme.ts"
import { terminalThemes } from "./terminal-themes.ts"

/** Applies the page's theme and the user's preferences to a terminal. */
export function useAppearance(terminal: Terminal | null): void {
  const [theme] = useTheme()
  const screenReaderMode = useBrowser((state) => state.preferences.screen_reader_terminal)
  useEffect(() => {
    if (!terminal) return
    terminal.options.theme = terminalThemes[theme]
    terminal.options.screenReaderMode = screenReaderMode
  }, [terminal, theme, screenReaderMode])
}
