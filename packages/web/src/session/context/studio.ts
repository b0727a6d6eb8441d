import type { ProviderId } from "@switchyard/core/models/providers/providers"
import type { Me } from "@switchyard/core/people/access/schema"
import type { Preferences } from "@switchyard/core/people/settings/schema"
import { createContext, useCallback, useContext } from "react"
import { createStore, type StoreApi, useStore } from "zustand"
import type { Api } from "../../api/client.ts"
import type { InstallationConfig } from "../../api/config.ts"
import type { ModelChoice } from "../../api/model-choice.ts"
import type { KeyStore } from "../../api/model-key.ts"
import type { Streams } from "../connection/tab-streams.ts"
import type { SessionStore } from "../stream/session-store.ts"
import type { BrowserClock } from "./browser-clock.ts"
import type { Commands } from "./command-registry.ts"

/** The dependencies of all screens, created once in `main.tsx`. */
export interface Studio {
  config: InstallationConfig
  api: Api
  keys: KeyStore
  clock: BrowserClock
  /** The stores of recent sessions, least recently used first. */
  sessions: Map<string, SessionStore>
  /** The streams of the current user, once one was opened. */
  streams: Streams | null
  commands: Commands
  browser: StoreApi<BrowserState>
}

/** The state of this browser and its user. */
export interface BrowserState {
  me: Me | null
  /** Whether a login is required. */
  loggedOut: boolean
  /** The providers that this browser has a key for. */
  keyed: ProviderId[]
  model: ModelChoice
  /** The provider that the dialog for a key is about; null for the current model's. */
  keyFor: string | null
  preferences: Preferences
  /** Toasts, newest last. They disappear on their own, and decide nothing. */
  toasts: { id: number; text: string; tone: "info" | "ok" | "err" }[]
  /** The open dialog. `missing-key`: the model key's, opened by an action that needs one. */
  dialog: "palette" | "help" | "model-key" | "missing-key" | null
  sidebarOpen: boolean
}

export function createBrowserState(
  start: Pick<BrowserState, "preferences" | "keyed" | "model" | "sidebarOpen">,
): StoreApi<BrowserState> {
  return createStore<BrowserState>(() => ({
    me: null,
    loggedOut: false,
    toasts: [],
    dialog: null,
    keyFor: null,
    ...start,
  }))
}

const Context = createContext<Studio | null>(null)
export const StudioProvider = Context.Provider

export function useStudio(): Studio {
  const studio = useContext(Context)
  if (!studio) throw new Error("A screen of the studio was shown outside of it.")
  return studio
}

/** A part of the browser's state; the component re-renders when it changes. */
export function useBrowser<T>(pick: (state: BrowserState) => T): T {
  return useStore(useStudio().browser, pick)
}

export function useToast(): (text: string, tone?: "info" | "ok" | "err") => void {
  const { browser } = useStudio()
  return useCallback(
    (text, tone = "info") => {
      const id = Math.max(0, ...browser.getState().toasts.map((toast) => toast.id)) + 1
      browser.setState(({ toasts }) => ({ toasts: [...toasts.slice(-3), { id, text, tone }] }))
    },
    [browser],
  )
}
