import { useRef } from "react"
import { Link } from "wouter"
import { SessionList } from "../features/sessions/session-list.tsx"
import { paths } from "../session/context/routes.ts"
import { useBrowser } from "../session/context/studio.ts"
import { BookOpen, ChartColumn, Plus, Settings } from "../ui/icons.tsx"
import { useListKeys } from "../ui/use-list-keys.ts"

/** Links to a new session, to every session, and to the pages about the studio itself. */
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
      <SessionList />
      <div className="border-t border-line p-2">
        <SidebarLink href={paths.guide()} icon={<BookOpen size={16} aria-hidden />}>
          Guide
        </SidebarLink>
        <SidebarLink href={paths.usage()} icon={<ChartColumn size={16} aria-hidden />}>
          Usage
        </SidebarLink>
        <SidebarLink href={paths.settings()} icon={<Settings size={16} aria-hidden />}>
          Settings
        </SidebarLink>
      </div>
    </nav>
  )
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
