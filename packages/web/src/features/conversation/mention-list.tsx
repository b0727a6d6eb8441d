import { matchingPaths } from "@switchyard/core/files/worktrees/matching-paths"
import { type KeyboardEvent, type RefObject, type SyntheticEvent, useEffect, useId, useMemo, useState } from "react"
import { insertMention, mentionAt } from "./mentions.ts"

const MOST = 8

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  onWrite(text: string): void
  /** Paths that can be mentioned. */
  files: readonly string[]
  /** Called with the text after the `@` while a mention is being typed; null otherwise. */
  onMention(query: string | null): void
}

/**
 * Lets a message mention files with `@`. Returns the list of files that match what is typed, and the field's props,
 * whose `onKeyDown` handles the keys that choose one.
 */
export function useMentions({ field, text, onWrite, files, onMention }: Props) {
  const id = useId()
  const [caret, setCaret] = useState(0)
  const [closedFor, setClosedFor] = useState<string | null>(null)
  const [chosen, setChosen] = useState({ query: "", at: 0 })
  const mention = mentionAt(text, caret)
  const query = mention?.query ?? null
  const paths = useMemo(() => (query === null ? [] : matchingPaths(files, query, MOST)), [files, query])
  useEffect(() => onMention(query), [onMention, query])
  const isOpen = query !== null && paths.length > 0 && closedFor !== query
  const at = chosen.query === query ? Math.min(chosen.at, paths.length - 1) : 0
  const move = (to: number) => setChosen({ query: query ?? "", at: (to + paths.length) % paths.length })

  function choose(path: string): void {
    if (!mention) return
    const next = insertMention(text, mention, path)
    onWrite(next.text)
    setCaret(next.caret)
    requestAnimationFrame(() => field.current?.setSelectionRange(next.caret, next.caret))
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!isOpen) return
    const path = paths[at]
    if (event.key === "ArrowDown") move(at + 1)
    else if (event.key === "ArrowUp") move(at - 1)
    else if (event.key === "Escape") setClosedFor(query)
    else if ((event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) && path !== undefined) choose(path)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return {
    list: isOpen && <MentionList {...{ id, paths, at }} onChoose={choose} />,
    props: {
      ref: field,
      onKeyDown,
      onChange: (next: string) => {
        onWrite(next)
        setCaret(field.current?.selectionStart ?? next.length)
      },
      onSelect: (event: SyntheticEvent<HTMLTextAreaElement>) => setCaret(event.currentTarget.selectionStart),
      // A text area can't be a combobox, whose only use here would be to say that the list is open.
      "aria-haspopup": "listbox" as const,
      "aria-controls": isOpen ? id : undefined,
      "aria-autocomplete": "list" as const,
      "aria-activedescendant": isOpen ? `${id}-${at}` : undefined,
    },
  }
}

interface ListProps {
  id: string
  paths: readonly string[]
  at: number
  onChoose(path: string): void
}

function MentionList({ id, paths, at, onChoose }: ListProps) {
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
