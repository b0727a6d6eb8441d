import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot, type Root } from "react-dom/client"
import { replaceBlockedStorage } from "./api/blocked-storage.ts"
import { createApi } from "./api/client.ts"
import { type InstallationConfig, loadConfig } from "./api/config.ts"
import { type EarlyResponses, withEarlyResponses } from "./api/early-responses.ts"
import { readModelChoice } from "./api/model-choice.ts"
import { createKeyStore } from "./api/model-key.ts"
import { hasAddressToken, signInWith, takeAddressToken } from "./features/access/address-token.ts"
import { createBrowserClock } from "./session/context/browser-clock.ts"
import { createCommands } from "./session/context/command-registry.ts"
import { paths } from "./session/context/routes.ts"
import { createBrowserState, type Studio, StudioProvider } from "./session/context/studio.ts"
import { App } from "./shell/app.tsx"
import { ErrorBoundary } from "./shell/error-boundary.tsx"
import { syncLogin } from "./shell/sync-login.ts"
import { Unreachable } from "./shell/unreachable.tsx"
import { errorText } from "./ui/error-text.ts"
import { lazyPart } from "./ui/lazy-part.ts"
import "./styles/app.css"

const ConnectScreen = lazyPart(async () => (await import("./features/access/connect-screen.tsx")).ConnectScreen)

declare global {
  /** Set by index.html, unless the API is on another server. */
  var earlyResponses: EarlyResponses | undefined
}

const request = withEarlyResponses(globalThis.earlyResponses ?? {}, (...args) => fetch(...args))

function createStudio(config: InstallationConfig): Studio {
  const keys = createKeyStore(sessionStorage, () => browser.setState({ keyed: keys.providers() }))
  const start = {
    preferences: defaultPreferences,
    keyed: keys.providers(),
    model: readModelChoice(localStorage),
    // On a narrower screen, it would take up too much room.
    sidebarOpen: matchMedia("(min-width: 900px)").matches,
  }
  const browser = createBrowserState(start)
  const clock = createBrowserClock()
  const api = createApi({
    base: config.api_base,
    fetch: request,
    csrfToken: () => browser.getState().me?.csrf_token ?? null,
    onUnauthorized: () => browser.setState({ me: null, loggedOut: true }),
    onKeyMissing: (keyFor) => browser.setState({ dialog: "missing-key", keyFor }),
  })
  const studio: Studio = {
    config,
    api,
    keys,
    browser,
    clock,
    commands: createCommands(),
    sessions: new Map(),
    streams: null,
  }
  syncLogin(studio)
  return studio
}

const missingParts = new WeakSet<Error>()
addEventListener("vite:preloadError", ({ payload }) => missingParts.add(payload))

const addressToken = takeAddressToken(location, history)
// Browsers don't reload a page if only the fragment of its URL changes, so a new token needs an explicit reload.
addEventListener("hashchange", () => hasAddressToken(location) && location.reload())

async function start(root: Root): Promise<void> {
  try {
    const studio = createStudio(await loadConfig(request, localStorage))
    if (addressToken !== null) await signInWith(studio, addressToken)
    const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, refetchOnWindowFocus: true } } })
    root.render(
      <StrictMode>
        <QueryClientProvider client={queries}>
          <StudioProvider value={studio}>
            <ErrorBoundary isMissingPart={(error) => error instanceof Error && missingParts.has(error)}>
              <App />
            </ErrorBoundary>
          </StudioProvider>
        </QueryClientProvider>
      </StrictMode>,
    )
  } catch (error) {
    const reason = errorText(error)
    root.render(
      location.pathname === paths.connect() ? (
        <ConnectScreen reason={reason} />
      ) : (
        <Unreachable reason={reason} retry={() => start(root)} />
      ),
    )
  }
}

// Loads the session screen in parallel with the user's data.
if (location.pathname.startsWith("/s/")) import("./shell/session/session-screen.tsx").catch(() => undefined)
replaceBlockedStorage()
const place = document.getElementById("root")
if (place) start(createRoot(place))
