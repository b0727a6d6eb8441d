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
const terminalThemes = {
  light: {
    background: "#f3f0e9",
    foreground: "#102127",
    cursor: "#006762",
    cursorAccent: "#f3f0e9",
    selectionBackground: "#b9dcd6",
    black: "#102127",
    red: "#b02b27",
    green: "#206b38",
    yellow: "#7d5a00",
    blue: "#295e90",
    magenta: "#86417f",
    cyan: "#006762",
    white: "#5a6a71",
    brightBlack: "#5a6a71",
    brightRed: "#c23a35",
    brightGreen: "#2a7d45",
    brightYellow: "#8c6500",
    brightBlue: "#3470a8",
    brightMagenta: "#995090",
    brightCyan: "#0a7a74",
    brightWhite: "#3f5057",
  },
  dark: {
    background: "#061013",
    foreground: "#eae8e1",
    cursor: "#68c4b8",
    cursorAccent: "#061013",
    selectionBackground: "#1f4a46",
    black: "#263438",
    red: "#f5837c",
    green: "#79ca8b",
    yellow: "#e3c173",
    blue: "#80b7e7",
    magenta: "#d79fd0",
    cyan: "#68c4b8",
    white: "#eae8e1",
    brightBlack: "#8b9b97",
    brightRed: "#ff9d96",
    brightGreen: "#98dca7",
    brightYellow: "#f2d592",
    brightBlue: "#a1cdf2",
    brightMagenta: "#e6b9e0",
    brightCyan: "#8edbd0",
    brightWhite: "#fffefc",
  },
} satisfies Record<"light" | "dark", ITheme>
