import { Link, useLocation, useRoute } from "wouter"
import { paths } from "../session/context/routes.ts"
import { useBrowser, useStudio } from "../session/context/studio.ts"
import { useListedSession, useSessions } from "../session/list/use-sessions.ts"
import { useModel } from "../session/models/use-model.ts"
import { useTheme } from "../session/preferences/use-theme.ts"
import { IconButton } from "../ui/button.tsx"
import { CircleHelp, Hand, Moon, PanelLeft, Search, Sun } from "../ui/icons.tsx"
import { lazyPart } from "../ui/lazy-part.ts"
import { Logo } from "../ui/logo.tsx"
import { Toasts } from "./toasts.tsx"

const UserMenu = lazyPart(async () => (await import("./user-menu.tsx")).UserMenu, <span className="size-9" />)

export function Header() {
  const { browser } = useStudio()
  const { name, provider } = useModel()
  const [theme, flipTheme] = useTheme()
  const me = useBrowser((state) => state.me)
  return (
    <header className="flex items-center gap-1 border-b border-line pr-2 pl-3">
      <IconButton
        label="Sessions"
        aria-expanded={useBrowser((state) => state.sidebarOpen)}
        onClick={() => browser.setState(({ sidebarOpen }) => ({ sidebarOpen: !sidebarOpen }))}
        className="-ml-1 max-md:hidden"
      >
        <PanelLeft size={17} aria-hidden />
      </IconButton>
      <Place />
      {provider === "scripted" && (
        <span
          className="ml-2 hidden rounded-sm border border-line px-1.5 text-xs text-ink-3 md:inline [header:has(p)_&]:hidden"
          title={name}
        >
          demo model
        </span>
      )}
      <Toasts />
      <div className="flex items-center">
        <Needs />
        <button
          type="button"
          onClick={() => browser.setState({ dialog: "palette" })}
          className="mr-1 flex h-8 items-center gap-2 rounded-md border border-line px-2.5 text-sm text-ink-3 hover:border-strong hover:text-ink max-md:hidden"
        >
          <Search size={14} aria-hidden /> Search <kbd className="ml-4 border-line whitespace-nowrap">Ctrl K</kbd>
        </button>
        <IconButton label="Search" onClick={() => browser.setState({ dialog: "palette" })} className="md:hidden">
          <Search size={18} aria-hidden />
        </IconButton>
        <IconButton label="Keyboard" onClick={() => browser.setState({ dialog: "help" })} className="max-md:hidden">
          <CircleHelp size={17} aria-hidden />
        </IconButton>
        <IconButton label={theme === "dark" ? "Light theme" : "Dark theme"} onClick={flipTheme}>
          {theme === "dark" ? <Sun size={17} aria-hidden /> : <Moon size={17} aria-hidden />}
        </IconButton>
        {me && me.auth_mode !== "open" && <UserMenu owner={me.owner} />}
      </div>
    </header>
  )
}

/** Link to the questions in all sessions, if there are any. */
function Needs() {
  const waiting = useSessions().data?.openQuestions ?? 0
  if (waiting === 0) return null
  return (
    <Link
      href={paths.needs()}
      className="mr-2 flex h-8 shrink-0 items-center whitespace-nowrap gap-1.5 rounded-md border border-need bg-need-bg px-2.5 text-sm text-ink max-md:h-11"
    >
      <Hand size={14} aria-hidden /> {waiting} waiting <span className="unseen">for you</span>
    </Link>
  )
}

/** Current location: the product, and the session if there is one. */
function Place() {
  const [inSession, params] = useRoute("/s/:id/*?")
  const [location] = useLocation()
  return (
    // On a phone, a toast takes this place. The bottom bar leads home, too.
    <nav
      aria-label="Breadcrumb"
      className="flex min-w-0 items-center gap-2.5 text-sm md:min-w-28 max-md:[header:has(p)_&]:hidden"
    >
      <Link href={paths.home()} className="flex shrink-0 items-center gap-2 rounded-sm text-base font-semibold">
        <Logo size={20} />
        <span className={inSession ? "max-md:unseen" : undefined}>Switchyard</span>
      </Link>
      {inSession && params?.id && <SessionPlace id={params.id} />}
      {location.startsWith("/settings") && <Crumb>Settings</Crumb>}
    </nav>
  )
}

function SessionPlace({ id }: { id: string }) {
  const line = useListedSession(decodeURIComponent(id))
  return <Crumb>{line?.name ?? "Session"}</Crumb>
}

function Crumb({ children }: { children: string }) {
  return (
    <>
      <span aria-hidden className="text-ink-3">
        /
      </span>
      <span className="min-w-0 truncate text-ink-2" title={children}>
        {children}
      </span>
    </>
  )
}
