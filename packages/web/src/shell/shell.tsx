import { type ReactNode, type RefObject, useEffect, useRef } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../session/context/commands.ts"
import { paths } from "../session/context/routes.ts"
import { useBrowser, useStudio } from "../session/context/studio.ts"
import { useModel } from "../session/models/use-model.ts"
import { useTheme } from "../session/preferences/use-theme.ts"
import { lazyPart } from "../ui/lazy-part.ts"
import { SearchFrame, SearchRow, searchField } from "../ui/search-frame.tsx"
import { Header } from "./header.tsx"
import { focusRegion, useKeyboard } from "./keyboard.ts"
import { MobileBar } from "./mobile-bar.tsx"
import { Sidebar } from "./sidebar.tsx"
import { Toasts } from "./toasts.tsx"

const loadPalette = async () => (await import("../features/command-palette/command-palette.tsx")).CommandPalette
const CommandPalette = lazyPart(loadPalette, (props) => <TypeAhead {...props} />)
const HelpDialog = lazyPart(async () => (await import("../features/command-palette/help-dialog.tsx")).HelpDialog)
const ModelKeyDialog = lazyPart(async () => (await import("../features/access/model-key-dialog.tsx")).ModelKeyDialog)

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
  useCommand("rail", "Show or hide the sessions", () => browser.setState({ sidebarOpen: !sidebarOpen }))
  useCommand("next-region", "Next region", () => focusRegion(1))
  useCommand("previous-region", "Previous region", () => focusRegion(-1))
  useCommand("new-session", "New session", () => go(paths.home()))
  useCommand("theme", theme === "dark" ? "Use the light theme" : "Use the dark theme", flipTheme)
  useCommand("go-home", "Go home", () => go(paths.home()))
  useCommand("go-needs", "Go to what agents ask", () => go(paths.needs()))
  useCommand("go-usage", "Go to the usage", () => go(paths.usage()))
  useCommand("go-settings", "Go to the settings", () => go(paths.settings()))
  useCommand("go-models", "Choose the model and its keys", () => go(paths.settings("model")))
  useCommand("go-accounts", "Go to the agents' accounts", () => go(paths.settings("accounts")))
  useCommand("go-tokens", "Go to the access tokens", () => go(paths.settings("tokens")))
  useCommand("go-guide", "Read the guide", () => go(paths.guide()))

  return (
    <div className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[44px_minmax(0,1fr)] max-md:grid-rows-[48px_minmax(0,1fr)_auto]">
      <a href="#main" className="unseen focus:not-sr-only focus:absolute focus:z-10 focus:bg-sheet focus:p-2">
        Skip to the content
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
      <Toasts />
      <OpenDialog />
    </div>
  )
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
  if (dialog === "model-key") return <ModelKeyDialog onClose={close} provider={keyFor} />
  if (dialog === "missing-key") return <ModelKeyDialog onClose={close} provider={keyFor} missing />
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
