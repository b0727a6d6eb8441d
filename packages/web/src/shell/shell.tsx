import { type ReactNode, type RefObject, useEffect, useRef } from "react"
import { useLocation, useRoute } from "wouter"
import { useCommand } from "../session/context/commands.ts"
import { paths } from "../session/context/routes.ts"
import { useBrowser, useStudio } from "../session/context/studio.ts"
import { useSessions } from "../session/list/use-sessions.ts"
import { useModel } from "../session/models/use-model.ts"
import { useTheme } from "../session/preferences/use-theme.ts"
import { lazyPart } from "../ui/lazy-part.ts"
import { SearchFrame, SearchRow, searchField } from "../ui/search-frame.tsx"
import { Header } from "./header.tsx"
import { focusRegion, useKeyboard } from "./keyboard.ts"
import { MobileBar } from "./mobile-bar.tsx"
import { Sidebar } from "./sidebar.tsx"

const loadPalette = async () => (await import("../features/command-palette/command-palette.tsx")).CommandPalette
const CommandPalette = lazyPart(loadPalette, (props) => <TypeAhead {...props} />)
const HelpDialog = lazyPart(async () => (await import("../features/command-palette/help-dialog.tsx")).HelpDialog)
const KeyDialog = lazyPart(async () => (await import("../features/models/key-dialog.tsx")).KeyDialog)

const SessionUpdates = lazyPart(async () => (await import("../session/list/session-updates.tsx")).SessionUpdates)

/** Frame of every screen: header, sidebar, and the bottom bar on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const { browser } = useStudio()
  const [, go] = useLocation()
  const sidebarOpen = useBrowser((state) => state.sidebarOpen)
  const [theme, flipTheme] = useTheme()
  useKeyboard()
  useAhead(loadPalette)
  useFocusKept()
  useCommand("palette", "Search everything", () => browser.setState({ dialog: "palette" }))
  useCommand("help", "Show keyboard shortcuts", () => browser.setState({ dialog: "help" }))
  useCommand("rail", "Show or hide sidebar", () => browser.setState({ sidebarOpen: !sidebarOpen }))
  useCommand("next-region", "Go to next region", () => focusRegion(1))
  useCommand("previous-region", "Go to previous region", () => focusRegion(-1))
  useCommand("new-session", "New session", () => go(paths.home()))
  useCommand("theme", theme === "dark" ? "Use light theme" : "Use dark theme", flipTheme)
  useCommand("go-home", "Go home", () => go(paths.home()))
  useCommand("go-needs", "Go to agents' questions", () => go(paths.needs()))
  useCommand("go-usage", "Go to usage", () => go(paths.usage()))
  useCommand("go-settings", "Go to settings", () => go(paths.settings()))
  useCommand("go-models", "Go to keys and models", () => go(paths.settings("model")))
  useCommand("go-accounts", "Go to accounts", () => go(paths.settings("accounts")))
  useCommand("go-tokens", "Go to access tokens", () => go(paths.settings("tokens")))
  useCommand("go-guide", "Go to guide", () => go(paths.guide()))

  return (
    <div className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[44px_minmax(0,1fr)] max-md:grid-rows-[48px_minmax(0,1fr)_auto]">
      <a href="#main" className="unseen focus:not-sr-only focus:absolute focus:z-10 focus:bg-sheet focus:p-2">
        Skip to content
      </a>
      <Header />
      <div className="flex min-h-0">
        {sidebarOpen && <Sidebar />}
        {/* Clipped, because visually hidden content must not make the page longer. */}
        <main id="main" tabIndex={-1} className="relative min-w-0 flex-1 overflow-clip outline-none">
          {children}
        </main>
      </div>
      <MobileBar />
      <OpenDialog />
      <Updates />
    </div>
  )
}

/** Keeps the lists of sessions up to date. Loaded only if a session can change. */
function Updates() {
  const [inSession, params] = useRoute("/s/:id/*?")
  const { data } = useSessions()
  const shown = inSession ? decodeURIComponent(params.id ?? "") : null
  const isActive = data?.sessions.some(({ active }) => active)
  return (isActive || shown !== null) && <SessionUpdates shown={shown} />
}

/** For this long, only the current screen is loaded. */
const AHEAD_AFTER_MS = 3000

/** Preloads a part that most users need, once the current screen has loaded. */
function useAhead(load: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => load().catch(() => undefined), AHEAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [load])
}

function OpenDialog() {
  const { browser } = useStudio()
  const dialog = useBrowser((state) => state.dialog)
  const { provider } = useModel()
  const keyFor = useBrowser((state) => state.keyFor) ?? provider
  const typed = useRef("")
  const close = () => browser.setState({ dialog: null })
  if (dialog !== "palette") typed.current = ""
  if (dialog === "palette") return <CommandPalette onClose={close} typed={typed} />
  if (dialog === "help") return <HelpDialog onClose={close} />
  if (dialog === "model-key") return <KeyDialog onClose={close} keyFor={keyFor} />
  if (dialog === "missing-key") return <KeyDialog onClose={close} keyFor={keyFor} missing />
  return null
}

/** The palette's field, shown while the rest of the palette is loading, so that nothing typed meanwhile is lost. */
function TypeAhead({ typed, onClose }: { typed: RefObject<string>; onClose(): void }) {
  return (
    <SearchFrame label="Search everything" onClose={onClose}>
      <SearchRow>
        <input
          aria-label="Search everything"
          className={searchField}
          onChange={({ target }) => {
            typed.current = target.value
          }}
        />
      </SearchRow>
    </SearchFrame>
  )
}

/** Moves the focus to the new screen if the focused element disappeared with the old one. */
function useFocusKept(): void {
  const [path] = useLocation()
  const last = useRef(path)
  useEffect(() => {
    const { activeElement } = document
    // While the new screen is loading, the old one is hidden, including its focused element.
    const isLost = activeElement === document.body || activeElement?.checkVisibility() === false
    if (path !== last.current && isLost) document.getElementById("main")?.focus()
    last.current = path
  }, [path])
}
