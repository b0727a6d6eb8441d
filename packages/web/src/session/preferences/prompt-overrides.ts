import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { useMemo, useSyncExternalStore } from "react"
import { type Decoded, decodeJson, object, optional, text } from "../../api/decode.ts"
import { useShownSession } from "../../session/view/use-session.ts"

/** The user's text for each node's editable part, as typed. */
const Overrides = object({ planner: optional(text), architect: optional(text), coder: optional(text) })
export type Overrides = Decoded<typeof Overrides>

/** Returns the overrides to send with a run: trimmed, without blank ones. */
export function effectiveOverrides(overrides: Overrides): Overrides {
  const effective: Overrides = {}
  for (const node of NODE_NAMES) {
    const text = overrides[node]?.trim()
    if (text) effective[node] = text
  }
  return effective
}

export function isOverridden(overrides: Overrides, node: NodeName): boolean {
  return effectiveOverrides(overrides)[node] !== undefined
}

/** Returns the overrides with one of them changed; null restores its default. */
export function withOverride(overrides: Overrides, node: NodeName, text: string | null): Overrides {
  const { [node]: _, ...others } = overrides
  return text === null ? others : { ...others, [node]: text }
}

/** Reads a session's overrides from this browser's storage. */
export function readOverrides(storage: Storage, sessionId: string): Overrides {
  return parse(storage.getItem(keyOf(sessionId)))
}

/** Stores the overrides. Returns false if there was no room. */
export function saveOverrides(storage: Storage, sessionId: string, overrides: Overrides): boolean {
  try {
    if (Object.keys(overrides).length === 0) storage.removeItem(keyOf(sessionId))
    else storage.setItem(keyOf(sessionId), JSON.stringify(overrides))
    return true
  } catch {
    // Storage is full or disabled, which the user has to know.
    return false
  }
}

export interface OverridesInUse {
  overrides: Overrides
  /** Sets a node's text; null restores the default. Returns false if there was no room for it. */
  set(node: NodeName, text: string | null): boolean
}

/** Returns a session's overrides, in sync across components and tabs. */
export function useOverrides(): OverridesInUse {
  const { sessionId } = useShownSession()
  const key = keyOf(sessionId)
  const stored = useSyncExternalStore(onStorage, () => localStorage.getItem(key))
  const overrides = useMemo(() => parse(stored), [stored])
  return {
    overrides,
    set: (node, text) => {
      const done = saveOverrides(
        localStorage,
        sessionId,
        withOverride(readOverrides(localStorage, sessionId), node, text),
      )
      // Browsers notify other tabs of a storage change, but not the tab that made it.
      window.dispatchEvent(new StorageEvent("storage", { key }))
      return done
    },
  }
}

function keyOf(sessionId: string): string {
  return `switchyard.overrides.${sessionId}`
}

function onStorage(changed: () => void): () => void {
  window.addEventListener("storage", changed)
  return () => window.removeEventListener("storage", changed)
}

function parse(stored: string | null): Overrides {
  return (stored !== null && decodeJson(Overrides, stored)) || {}
}
