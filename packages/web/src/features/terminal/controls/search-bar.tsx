import type { ISearchOptions, SearchAddon } from "@xterm/addon-search"
import type { Terminal } from "@xterm/xterm"
import { useEffect, useRef, useState } from "react"
import { useTheme } from "../../../session/preferences/use-theme.ts"
import { IconButton } from "../../../ui/button.tsx"
import { fieldClass } from "../../../ui/field.tsx"
import { ChevronDown, X } from "../../../ui/icons.tsx"
import { ChevronUp } from "../../../ui/more-icons.tsx"

/** Searches a terminal. Enter finds the next match, Shift+Enter the previous one; Esc returns to the terminal. */
export function SearchBar({ terminal, onClose }: { terminal: Terminal; onClose(): void }) {
  const { ready, found, next, previous, clear } = useSearch(terminal)
  const [words, setWords] = useState("")
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for anew when the words are others
  useEffect(() => {
    if (!ready) return
    if (words === "") clear()
    else next(words, true)
  }, [ready, words])

  return (
    <search className="flex items-center gap-1 border-b border-line bg-sheet py-1 pr-2 pl-3">
      <input
        ref={field}
        value={words}
        aria-label="Find in terminal"
        placeholder="Find in terminal"
        spellCheck={false}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose()
          if (event.key !== "Enter" || words === "") return
          event.preventDefault()
          if (event.shiftKey) previous(words)
          else next(words)
        }}
        className={`${fieldClass} h-7 max-w-72 text-sm max-md:h-11`}
      />
      <span role="status" className="min-w-20 px-1 text-xs text-ink-3 nums">
        {matchText(words, found)}
      </span>
      <IconButton label="Previous match" disabled={words === ""} onClick={() => previous(words)} className="ml-auto">
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <IconButton label="Next match" disabled={words === ""} onClick={() => next(words)}>
        <ChevronDown size={16} aria-hidden />
      </IconButton>
      <IconButton label="Close search" onClick={onClose}>
        <X size={16} aria-hidden />
      </IconButton>
    </search>
  )
}

function matchText(words: string, found: Found | null): string {
  if (words === "" || !found) return ""
  if (found.count === 0) return "Not found"
  return found.at < 0 ? `${found.count.toLocaleString()} or more` : `${found.at + 1} of ${found.count.toLocaleString()}`
}

interface Found {
  /** Zero-based index; -1 if there are too many to count. */
  at: number
  count: number
}

const marks = {
  light: { matchBackground: "#dcd9d0", activeMatchBackground: "#b9dcd6", activeMatchBorder: "#006762" },
  dark: { matchBackground: "#263438", activeMatchBackground: "#1f4a46", activeMatchBorder: "#68c4b8" },
} as const

/** Searches a terminal's screen and scrollback. The addon is loaded on first use. */
function useSearch(terminal: Terminal) {
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
