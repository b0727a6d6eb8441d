import type { RefObject } from "react"
import type { Session } from "../../api/session.ts"
import { Button } from "../../ui/button.tsx"
import { Search } from "../../ui/icons.tsx"
import {
  ARCHIVED,
  agentOf,
  type BoardFilter,
  choicesOf,
  columnTitles,
  isFiltered,
  kindTitles,
  noFilter,
  repositoryChoices,
} from "./board-filter.ts"

interface Props {
  sessions: Session[]
  filter: BoardFilter
  field: RefObject<HTMLInputElement | null>
  onChange(filter: BoardFilter): void
}

/** The board's filters, in one row. */
export function BoardFilters({ sessions, filter, field, onChange }: Props) {
  const set = (change: Partial<BoardFilter>) => onChange({ ...filter, ...change })
  return (
    <search aria-label="Filter sessions" className="flex min-w-0 flex-wrap items-center gap-2">
      <div className="relative min-w-40 flex-1 basis-56 max-md:basis-full">
        <Search size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3" />
        <input
          ref={field}
          type="search"
          aria-label="Filter by name, prompt or message"
          placeholder="Filter by name, prompt or message"
          value={filter.text}
          onChange={({ target }) => set({ text: target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return
            event.preventDefault()
            if (filter.text === "") event.currentTarget.blur()
            else set({ text: "" })
          }}
          className="h-8 w-full rounded-md border border-line bg-sheet pr-2 pl-8 text-sm hover:border-strong max-md:h-11"
        />
      </div>
      <Choice
        label="type"
        all="All types"
        of={Object.entries(kindTitles)}
        value={filter.kind}
        onChange={(kind) => set({ kind })}
      />
      <Choice
        label="repository"
        all="All repositories"
        of={repositoryChoices(sessions)}
        value={filter.repository}
        onChange={(repository) => set({ repository })}
      />
      <Choice
        label="agent"
        all="All agents"
        of={choicesOf(sessions.map(agentOf))}
        value={filter.agent}
        onChange={(agent) => set({ agent })}
      />
      <Choice
        label="status"
        all="Any status"
        of={[...Object.entries(columnTitles), ["error", "Failed"], [ARCHIVED, "Archived"]]}
        value={filter.status}
        onChange={(status) => set({ status })}
      />
      {isFiltered(filter) && (
        <Button size="sm" tone="quiet" onClick={() => onChange(noFilter)}>
          Clear filters
        </Button>
      )}
    </search>
  )
}

interface ChoiceProps {
  label: string
  /** Label of the choice of everything. */
  all: string
  of: [value: string, text: string][]
  value: string
  onChange(value: string): void
}

/** A choice among values; absent if there is nothing to choose. */
function Choice({ label, all, of, value, onChange }: ChoiceProps) {
  if (of.length < 2 && value === "") return null
  return (
    <select
      aria-label={`Filter by ${label}`}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className="h-8 max-w-40 min-w-0 truncate rounded-md border border-line bg-sheet px-1.5 text-sm hover:border-strong max-md:h-11 max-md:min-w-24 max-md:flex-1"
    >
      <option value="">{all}</option>
      {of.map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </select>
  )
}
