import type { Session } from "@switchyard/core/sessions/schema"
import { BookOpen, Plus, Settings } from "lucide-react"
import { useRef } from "react"
import { Link, useRoute } from "wouter"
import { paths } from "../session/context/routes.ts"
import { useBrowser } from "../session/context/studio.ts"
import { statusLabel } from "../session/list/session-labels.ts"
import { useSessions } from "../session/list/use-sessions.ts"
import { Skeleton } from "../ui/notice.tsx"
import { StatusIcon } from "../ui/status-icon.tsx"
import { ago } from "../ui/time.ts"
import { useListKeys } from "../ui/use-list-keys.ts"

const groups = [
  { title: "Needs you", states: ["needs_input"] },
  { title: "Working", states: ["busy"] },
  { title: "Recent", states: ["idle", "done", "error"] },
]

/** Every session, those that need attention first. */
export function Sidebar() {
  const rail = useRef<HTMLElement>(null)
  useListKeys(
    rail,
    useBrowser((state) => state.preferences.single_letter_keys),
  )
  return (
    <nav
      ref={rail}
      aria-label="Sessions"
      data-region="rail"
      tabIndex={-1}
      className="flex w-[232px] shrink-0 flex-col border-r border-line bg-paper max-md:hidden"
    >
      <div className="p-2">
        <Link
          href={paths.home()}
          className="flex h-9 items-center gap-2 rounded-md bg-accent px-3 text-sm font-semibold text-sheet hover:bg-accent-hover"
        >
          <Plus size={16} aria-hidden /> New session
        </Link>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        <SessionGroups />
      </div>
      <div className="border-t border-line p-2">
        <SidebarLink href={paths.guide()} icon={<BookOpen size={16} aria-hidden />}>
          Guide
        </SidebarLink>
        <SidebarLink href={paths.settings()} icon={<Settings size={16} aria-hidden />}>
          Settings
        </SidebarLink>
      </div>
    </nav>
  )
}

export function SessionGroups() {
  const { data, isPending, error } = useSessions()
  if (isPending) return <Skeleton lines={4} />
  if (error && !data) return <p className="p-2 text-sm text-ink-3">Sessions can't be loaded right now.</p>
  if (data?.sessions.length === 0) return <p className="p-2 text-sm text-ink-3">No sessions yet.</p>
  return groups.map(({ title, states }) => {
    const inGroup = data?.sessions.filter((session) => states.includes(session.status)) ?? []
    if (inGroup.length === 0) return null
    return (
      <section key={title} aria-label={title} className="mt-1 mb-2">
        <h2 className="px-2 py-1 text-xs font-semibold text-ink-3">{title}</h2>
        <ul>
          {inGroup.map((session) => (
            <SessionLine key={session.id} session={session} />
          ))}
        </ul>
      </section>
    )
  })
}

function SessionLine({ session }: { session: Session }) {
  const [here] = useRoute(`/s/${session.id}/*?`)
  return (
    <li>
      <Link
        href={paths.session(session.id)}
        aria-current={here ? "page" : undefined}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 rounded-md px-2 py-1.5 text-sm hover:bg-well aria-[current]:bg-well max-md:py-2.5"
      >
        <span className="truncate">{session.name}</span>
        <StatusIcon state={session.status} />
        <span className="col-span-2 truncate text-xs text-ink-3 nums">{lineOf(session)}</span>
      </Link>
    </li>
  )
}

/** A session at rest also shows when it was last active. */
function lineOf(session: Session): string {
  return session.active ? statusLabel(session) : `${statusLabel(session)} · ${ago(session.last_activity)}`
}

function SidebarLink({ href, icon, children }: { href: string; icon: React.ReactNode; children: string }) {
  return (
    <Link
      href={href}
      className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm text-ink-2 hover:bg-well hover:text-ink"
    >
      {icon}
      {children}
    </Link>
  )
}
