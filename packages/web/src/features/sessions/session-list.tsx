import { type ReactNode, useState } from "react"
import type { Session } from "../../api/session.ts"
import { useTold } from "../../session/context/studio.ts"
import { groupSessions } from "../../session/list/session-groups.ts"
import { useSessionActions } from "../../session/list/use-session-actions.ts"
import { type SessionsQuery, useSessions } from "../../session/list/use-sessions.ts"
import { Button } from "../../ui/button.tsx"
import { Search } from "../../ui/icons.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import type { MenuItem } from "../../ui/menu.tsx"
import { Skeleton } from "../../ui/notice.tsx"
import { useSettled } from "../../ui/use-settled.ts"
import type { SessionDraft } from "./session-dialogs.tsx"
import { SessionRow } from "./session-row.tsx"

const Menu = lazyPart(async () => (await import("../../ui/menu.tsx")).Menu)
const SessionDialogs = lazyPart(async () => (await import("./session-dialogs.tsx")).SessionDialogs)

/** Sessions shown at first, and added each time. */
const SHOWN = 50

/** Every session, those that need attention first, with a search by name and actions. */
export function SessionList() {
  const [search, setSearch] = useState("")
  const [draft, setDraft] = useState<SessionDraft>(null)
  const [menu, setMenu] = useState<{ session: Session; anchor: HTMLElement } | null>(null)
  const query = useSessions(useSettled(search.trim()))
  const [shown, setShown] = useState(SHOWN)
  const sessions = query.data?.sessions ?? []
  const listed = sessions.slice(0, shown)
  const { pin, archive } = useSessionActions()
  const told = useTold()
  const onRename = (session: Session) => setDraft({ type: "rename", session })
  const onDelete = (session: Session) => setDraft({ type: "delete", session })

  const actionsOn = (session: Session): MenuItem[] => [
    { name: "Rename", key: "F2", run: () => onRename(session) },
    { name: session.pinned ? "Unpin" : "Pin", run: () => void pin(session, !session.pinned) },
    { name: "Archive", run: () => void told(archive(session, true)) },
    { name: "Delete", key: "Del", danger: true, run: () => onDelete(session) },
  ]

  return (
    <>
      <SearchField search={search} onSearch={setSearch} />
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        <Found
          query={query}
          searching={search.trim() !== ""}
          onMore={sessions.length > shown ? () => setShown(shown + SHOWN) : null}
        >
          {groupSessions(listed).map(({ title, sessions }) => (
            <section key={title} aria-label={title} className="mt-1 mb-2">
              <h2 className="px-2 py-1 text-xs font-semibold text-ink-3">{title}</h2>
              <ul>
                {sessions.map((session) => (
                  <SessionRow
                    key={session.id}
                    session={session}
                    onMenu={(session, anchor) => setMenu({ session, anchor })}
                    onRename={onRename}
                    onDelete={onDelete}
                  />
                ))}
              </ul>
            </section>
          ))}
        </Found>
      </div>
      {menu && (
        <Menu
          label={`Actions for ${menu.session.name}`}
          items={actionsOn(menu.session)}
          anchor={menu.anchor}
          onClose={() => setMenu(null)}
        />
      )}
      {draft && <SessionDialogs draft={draft} onClose={() => setDraft(null)} />}
    </>
  )
}

function SearchField({ search, onSearch }: { search: string; onSearch(search: string): void }) {
  return (
    <div className="relative mx-2 mb-1">
      <Search size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3" />
      <input
        type="search"
        aria-label="Find a session"
        placeholder="Find a session"
        value={search}
        onChange={({ target }) => onSearch(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || search === "") return
          event.preventDefault()
          onSearch("")
        }}
        className="h-8 w-full rounded-md border border-line bg-sheet pr-2 pl-8 text-sm hover:border-strong max-md:h-11"
      />
    </div>
  )
}

interface FoundProps {
  query: SessionsQuery
  searching: boolean
  /** Shows more of the loaded sessions; null if all are shown. */
  onMore: (() => void) | null
  children: ReactNode[]
}

function Found({ query, searching, onMore, children }: FoundProps) {
  const { data, isPending, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (isPending) return <Skeleton lines={4} />
  if (error && !data) return <p className="p-2 text-sm text-ink-3">Couldn't load sessions.</p>
  if (children.length === 0) {
    return (
      <p role="status" className="p-2 text-sm text-ink-3">
        {searching ? "No matching sessions." : "No sessions yet."}
      </p>
    )
  }
  return (
    <>
      {children}
      {(onMore || hasNextPage) && (
        <Button
          size="sm"
          tone="quiet"
          className="w-full"
          disabled={isFetchingNextPage}
          onClick={() => (onMore ? onMore() : fetchNextPage())}
        >
          {isFetchingNextPage ? "Loading…" : "Show older sessions"}
        </Button>
      )}
    </>
  )
}
