import type { ProviderId } from "@switchyard/core/models/providers/providers"
import type { Me } from "@switchyard/core/people/access/schema"
import type { Preferences } from "@switchyard/core/people/settings/schema"
import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import { createContext, useCallback, useContext } from "react"
import { createStore, type StoreApi, useStore } from "zustand"
import type { Api } from "../../api/client.ts"
import type { InstallationConfig } from "../../api/config.ts"
import type { ModelChoice } from "../../api/model-choice.ts"
import type { KeyStore } from "../../api/model-key.ts"
import { errorText } from "../../ui/error-text.ts"
import type { Streams } from "../connection/tab-streams.ts"
import type { SessionStore } from "../stream/session-store.ts"
import type { BrowserClock } from "./browser-clock.ts"
import type { Commands } from "./command-registry.ts"

/** Dependencies of all screens, created once in `main.tsx`. */
export interface Studio {
  config: InstallationConfig
  api: Api
  keys: KeyStore
  clock: BrowserClock
  /** Stores of recent sessions, least recently used first. */
  sessions: Map<string, SessionStore>
  /** The current user's streams; null until one is opened. */
  streams: Streams | null
  commands: Commands
  browser: StoreApi<BrowserState>
}

/** State of this browser and its user. */
export interface BrowserState {
  me: Me | null
  /** True if a login is required. */
  loggedOut: boolean
  /** Providers for which this tab has a key that the server doesn't save. */
  keyed: ProviderId[]
  model: ModelChoice
  /** Provider or coding agent that the key dialog is for; null for the current model's provider. */
  keyFor: string | null
  preferences: Preferences
  /** Toasts, latest last. Errors stay until they are dismissed or the user goes elsewhere; the others disappear. */
  toasts: { id: number; text: string; tone: "info" | "ok" | "err" }[]
  /** The open dialog. `missing-key` is the key dialog when opened by an action that needs a key. */
  dialog: "palette" | "help" | "model-key" | "missing-key" | null
  sidebarOpen: boolean
  /** Elements that the next request of each session is about. */
  elements: Record<string, readonly SelectedElement[]>
}

/** An element of the next request, perhaps with its picture. */
export interface SelectedElement extends PageElement {
  picture?: ElementPicture | undefined
}

/** An element as its page drew it. It can't be trusted: a hostile page can draw anything. */
export interface ElementPicture {
  /** Data URI. */
  src: string
  /** True once it is on the screen. Only then may it be sent. */
  shown: boolean
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
    elements: {},
    ...start,
  }))
}

const Context = createContext<Studio | null>(null)
export const StudioProvider = Context.Provider

export function useStudio(): Studio {
  const studio = useContext(Context)
  if (!studio) throw new Error("Couldn't show this screen. Reload the page.")
  return studio
}

/** Returns a part of the browser's state. The component re-renders when it changes. */
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

/** Waits for a response. If the request fails, shows why in a toast and resolves to null. */
export function useTold(): <T>(answer: Promise<T>) => Promise<T | null> {
  const toast = useToast()
  return (answer) =>
    answer.catch((failure: unknown) => {
      toast(errorText(failure), "err")
      return null
    })
}
