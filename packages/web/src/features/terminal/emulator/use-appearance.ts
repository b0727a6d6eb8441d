import type { ITheme, Terminal } from "@xterm/xterm"
import { useEffect } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { useTheme } from "../../../session/preferences/use-theme.ts"

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

/** The sixteen colours, chosen for the page's backgrounds. xterm ensures contrast for all other combinations. */
const colours: Partial<Record<keyof ITheme, readonly [light: string, dark: string]>> = {
  background: ["#f3f0e9", "#061013"],
  foreground: ["#102127", "#eae8e1"],
  cursor: ["#006762", "#68c4b8"],
  cursorAccent: ["#f3f0e9", "#061013"],
  selectionBackground: ["#b9dcd6", "#1f4a46"],
  black: ["#102127", "#263438"],
  red: ["#b02b27", "#f5837c"],
  green: ["#206b38", "#79ca8b"],
  yellow: ["#7d5a00", "#e3c173"],
  blue: ["#295e90", "#80b7e7"],
  magenta: ["#86417f", "#d79fd0"],
  cyan: ["#006762", "#68c4b8"],
  white: ["#5a6a71", "#eae8e1"],
  brightBlack: ["#5a6a71", "#8b9b97"],
  brightRed: ["#c23a35", "#ff9d96"],
  brightGreen: ["#2a7d45", "#98dca7"],
  brightYellow: ["#8c6500", "#f2d592"],
  brightBlue: ["#3470a8", "#a1cdf2"],
  brightMagenta: ["#995090", "#e6b9e0"],
  brightCyan: ["#0a7a74", "#8edbd0"],
  brightWhite: ["#3f5057", "#fffefc"],
}

function themeOf(isDark: boolean): ITheme {
  return Object.fromEntries(Object.entries(colours).map(([name, [light, dark]]) => [name, isDark ? dark : light]))
}

const terminalThemes = { light: themeOf(false), dark: themeOf(true) }
