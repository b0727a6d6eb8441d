import { useEffect, useRef, useState } from "react"
import type { Session } from "../../api/session.ts"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { type SessionsQuery, useSessions } from "../../session/list/use-sessions.ts"
import { Button } from "../../ui/button.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { LateSkeleton, Notice } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { BoardColumn } from "./board-column.tsx"
import { ARCHIVED, type BoardFilter, boardColumns, isFiltered, noFilter } from "./board-filter.ts"
import { BoardFilters } from "./board-filters.tsx"
import { SelectionBar } from "./selection-bar.tsx"
import { useBoardActions } from "./use-board-actions.ts"
import { useBoardKeys, useKeptFocus } from "./use-board-keys.ts"
import { useMessageMatches } from "./use-message-matches.ts"
import { useSelection } from "./use-selection.ts"

const AnswerDialog = lazyPart(async () => (await import("./answer-dialog.tsx")).AnswerDialog)
const DeleteSessionsDialog = lazyPart(async () => (await import("./delete-sessions-dialog.tsx")).DeleteSessionsDialog)

/** Sessions on the board. Older ones are found by the sidebar's search. */
const MOST = 200

/** All sessions in four columns, by what they need from a person. */
export function Board() {
  const [filter, setFilter] = useState(noFilter)
  const query = useBoardSessions(filter.status === ARCHIVED)
  const sessions = query.data?.sessions ?? []
  const columns = boardColumns(sessions, filter, useMessageMatches(filter.text))
  const shown = columns.flatMap((column) => column.sessions)
  const selection = useSelection(shown.map(({ id }) => id))
  const selected = shown.filter(({ id }) => selection.ids.has(id))
  const [deleted, setDeleted] = useState<Session[]>([])
  const [answered, setAnswered] = useState<string | null>(null)
  const actions = useBoardActions()
  const field = useRef<HTMLInputElement>(null)
  useCommand("board.filter", "Filter sessions", () => field.current?.focus())

  /** Returns the selected sessions if the one with this ID is among them, otherwise only that one. */
  const meant = (id: string) => (selection.ids.has(id) ? selected : shown.filter((session) => session.id === id))
  const archive = (some: Session[]) => {
    selection.clear()
    void actions.archive(some)
  }
  const onKeyDown = useBoardKeys({
    onSelect: selection.toggle,
    onArchive: (id) => archive(meant(id)),
    onDelete: (id) => setDeleted(meant(id)),
    onClear: selection.clear,
  })
  const asking = sessions.filter(({ open_questions, id }) => open_questions > 0 || id === answered)
  const current = asking.find(({ id }) => id === answered)
  const next = asking.find(({ id }) => id !== answered)

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only handles keys of the links inside
    <div onKeyDown={onKeyDown} {...useKeptFocus()}>
      <BoardFilters sessions={sessions} filter={filter} field={field} onChange={setFilter} />
      <LoadError query={query} />
      {query.isPending ? (
        <LateSkeleton lines={6} className="mt-4" />
      ) : (
        <Columns filter={filter} columns={columns} selection={selection} onAnswer={({ id }) => setAnswered(id)} />
      )}
      {selected.length > 0 && (
        <SelectionBar
          sessions={selected}
          onArchive={() => archive(selected)}
          onStop={() => void actions.stop(selected)}
          onDelete={() => setDeleted(selected)}
          onClear={selection.clear}
        />
      )}
      {deleted.length > 0 && <DeleteSessionsDialog sessions={deleted} onClose={() => setDeleted([])} />}
      {current && (
        <AnswerDialog
          key={current.id}
          session={current}
          left={asking.length - 1}
          onAnswered={() => setAnswered(next?.id ?? null)}
          onClose={() => setAnswered(null)}
        />
      )}
    </div>
  )
}

interface ColumnsProps {
  filter: BoardFilter
  columns: ReturnType<typeof boardColumns>
  selection: ReturnType<typeof useSelection>
  onAnswer(session: Session): void
}

function Columns({ filter, columns, selection, onAnswer }: ColumnsProps) {
  const isEmpty = columns.every(({ sessions }) => sessions.length === 0)
  if (isEmpty && isFiltered(filter)) {
    const isArchive = filter.status === ARCHIVED
    return (
      <p role="status" className="mt-6 text-sm text-ink-3">
        {isArchive
          ? "No matching archived sessions."
          : "No matching sessions. To see archived sessions, set the status to “Archived”."}
      </p>
    )
  }
  return (
    <div className="mt-4 grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-4 lg:gap-3">
      {columns.map(({ column, sessions }) => (
        <BoardColumn key={column} column={column} sessions={sessions} selection={selection} onAnswer={onAnswer} />
      ))}
    </div>
  )
}

/** Loads the sessions, page by page up to the most that the board shows. */
function useBoardSessions(archived: boolean): SessionsQuery {
  const open = useSessions()
  const hidden = useSessions("", { archived: true, enabled: archived })
  const query = archived ? hidden : open
  const { data, error, hasNextPage, isFetching, fetchNextPage } = query
  // After an error, the list is refetched by itself, and then the next page.
  const isMissing = hasNextPage && !isFetching && !error && (data?.sessions.length ?? 0) < MOST
  useEffect(() => {
    if (isMissing) void fetchNextPage()
  }, [isMissing, fetchNextPage])
  return query
}

function LoadError({ query: { data, error, isFetching, refetch } }: { query: SessionsQuery }) {
  if (!error) return null
  return (
    <Notice tone="err" className="mt-3 flex flex-wrap items-center justify-between gap-3">
      <span className="min-w-0 flex-1 basis-72">
        {error.message} {data && "This list may be out of date."}{" "}
        <TextLink href={paths.connect()}>Check connection</TextLink>
      </span>
      <Button size="sm" disabled={isFetching} onClick={() => refetch()}>
        Retry
      </Button>
    </Notice>
  )
}
