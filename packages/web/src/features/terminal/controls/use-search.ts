import type { ISearchOptions, SearchAddon } from "@xterm/addon-search"
import type { Terminal } from "@xterm/xterm"
import { useEffect, useState } from "react"
import { useTheme } from "../../../session/preferences/use-theme.ts"

export interface Found {
  /** The index from 0; -1 where there are too many to count. */
  at: number
  count: number
}

const marks = {
  light: { matchBackground: "#dcd9d0", activeMatchBackground: "#b9dcd6", activeMatchBorder: "#006762" },
  dark: { matchBackground: "#263438", activeMatchBackground: "#1f4a46", activeMatchBorder: "#68c4b8" },
} as const

/** Searches a terminal's screen and scrollback. The addon is loaded on first use. */
export function useSearch(terminal: Terminal) {
  const [theme] = useTheme()
  const [addon, setAddon] = useState<SearchAddon | null>(null)
  const [found, setFound] = useState<Found | null>(null)

  useEffect(() => {
    let gone = false
    let made: SearchAddon | undefined
    const load = async () => {
      const { SearchAddon: Addon } = await import("@xterm/addon-search")
      if (gone) return
      made = new Addon()
      terminal.loadAddon(made)
      made.onDidChangeResults(({ resultIndex, resultCount }) => setFound({ at: resultIndex, count: resultCount }))
      setAddon(made)
    }
    load().catch(() => undefined)
    return () => {
      gone = true
      made?.clearDecorations()
      made?.dispose()
    }
  }, [terminal])

  const options = (incremental: boolean): ISearchOptions => {
    const none = { matchOverviewRuler: "#000000", activeMatchColorOverviewRuler: "#000000" }
    return { incremental, decorations: { ...none, ...marks[theme] } }
  }
  return {
    ready: addon !== null,
    found,
    next: (words: string, incremental = false) => void addon?.findNext(words, options(incremental)),
    previous: (words: string) => void addon?.findPrevious(words, options(false)),
    clear: () => {
      addon?.clearDecorations()
      terminal.clearSelection()
      setFound(null)
    },
  }
}
