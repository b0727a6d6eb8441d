import { matchingPaths } from "@switchyard/core/files/worktrees/matching-paths"
import { type KeyboardEvent, useId, useMemo, useState } from "react"

const MOST = 8

/**
 * Returns the files that match what is typed after an `@`, and handles the keys that choose one. `query` is null
 * outside of a mention.
 */
export function useMentions(files: readonly string[], query: string | null) {
  const id = useId()
  const [closedFor, setClosedFor] = useState<string | null>(null)
  const [chosen, setChosen] = useState({ query: "", at: 0 })
  const paths = useMemo(() => (query === null ? [] : matchingPaths(files, query, MOST)), [files, query])
  const isOpen = query !== null && paths.length > 0 && closedFor !== query
  const at = chosen.query === query ? Math.min(chosen.at, paths.length - 1) : 0
  const move = (to: number) => setChosen({ query: query ?? "", at: (to + paths.length) % paths.length })

  /** Returns true if the list handled the key. */
  function pressed(event: KeyboardEvent, choose: (path: string) => void): boolean {
    if (!isOpen || event.nativeEvent.isComposing) return false
    const path = paths[at]
    if (event.key === "ArrowDown") move(at + 1)
    else if (event.key === "ArrowUp") move(at - 1)
    else if (event.key === "Escape") setClosedFor(query)
    else if ((event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) && path !== undefined) choose(path)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }

  const field = {
    role: "combobox",
    "aria-expanded": isOpen,
    "aria-controls": isOpen ? id : undefined,
    "aria-autocomplete": "list" as const,
    "aria-activedescendant": isOpen ? `${id}-${at}` : undefined,
  }
  return { id, paths, at, isOpen, pressed, field }
}

interface Props {
  mentions: ReturnType<typeof useMentions>
  onChoose(path: string): void
}

export function MentionList({ mentions: { id, paths, at, isOpen }, onChoose }: Props) {
  if (!isOpen) return null
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Files"
      className="absolute right-2 bottom-full left-2 z-10 mb-1 overflow-hidden rounded-md border border-strong bg-sheet p-1"
    >
      {paths.map((path, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        <div
          key={path}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          // Keeps the focus in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(path)}
          className="flex min-h-7 cursor-pointer items-center truncate rounded-sm px-2 font-mono text-xs text-ink-2 hover:bg-well aria-selected:bg-accent-bg aria-selected:text-ink max-md:min-h-11"
        >
          {path}
        </div>
      ))}
    </div>
  )
}
