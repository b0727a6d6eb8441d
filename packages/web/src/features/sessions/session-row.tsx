import { Link, useRoute } from "wouter"
import type { Session } from "../../api/session.ts"
import { paths } from "../../session/context/routes.ts"
import { lastRequest, statusLabel } from "../../session/list/session-labels.ts"
import { Ellipsis, Pin, StatusIcon } from "../../ui/icons.tsx"
import { ago } from "../../ui/time.ts"

interface Props {
  session: Session
  onMenu(session: Session, anchor: HTMLElement): void
  onRename(session: Session): void
  onDelete(session: Session): void
}

/** A session in the list. F2 renames it and Del deletes it, as in the file tree. */
export function SessionRow({ session, onMenu, onRename, onDelete }: Props) {
  const [here] = useRoute(`/s/${session.id}/*?`)
  const keys: Record<string, () => void> = { F2: () => onRename(session), Delete: () => onDelete(session) }
  return (
    <li className="group relative">
      <Link
        href={paths.session(session.id)}
        aria-current={here ? "page" : undefined}
        aria-keyshortcuts="F2 Delete"
        onContextMenu={(event) => {
          event.preventDefault()
          onMenu(session, event.currentTarget)
        }}
        onKeyDown={(event) => {
          const act = keys[event.key]
          if (!act) return
          event.preventDefault()
          act()
        }}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 rounded-md px-2 py-1.5 text-sm group-hover:bg-well aria-[current]:bg-well max-md:py-2.5 pointer-coarse:pr-12"
      >
        <span className="truncate" title={[session.name, lastRequest(session)].filter(Boolean).join("\n")}>
          {session.name}
        </span>
        <span className="flex items-center gap-1 pointer-fine:group-hover:invisible">
          {session.pinned && (
            <>
              <Pin size={12} aria-hidden className="text-ink-3" />
              <span className="unseen">Pinned</span>
            </>
          )}
          <StatusIcon state={session.status} />
        </span>
        <span className="col-span-2 truncate text-xs text-ink-3 nums">{lineOf(session)}</span>
      </Link>
      <button
        type="button"
        // On a keyboard, Shift+F10 on the row opens the menu.
        tabIndex={-1}
        aria-label={`Actions for ${session.name}`}
        onClick={(event) => onMenu(session, event.currentTarget)}
        className="absolute top-1 right-1 hidden size-7 items-center justify-center rounded-sm text-ink-3 group-hover:flex hover:bg-line hover:text-ink pointer-coarse:flex pointer-coarse:size-11"
      >
        <Ellipsis size={15} aria-hidden />
      </button>
    </li>
  )
}

/** Returns the status line. For an inactive session, includes when it was last active. */
function lineOf(session: Session): string {
  return session.active ? statusLabel(session) : `${statusLabel(session)} · ${ago(session.last_activity)}`
}
