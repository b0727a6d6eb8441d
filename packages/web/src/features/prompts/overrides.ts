import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { useMemo, useSyncExternalStore } from "react"
import { object, optional, type Read, readJson, text } from "../../api/shape.ts"

/** What a person wrote in the place of the nodes' open parts, as they wrote it. */
const Overrides = object({ planner: optional(text), architect: optional(text), coder: optional(text) })
export type Overrides = Read<typeof Overrides>

/** What a run is told: only texts that say something, without the white space around them. */
export function effectiveOverrides(overrides: Overrides): Overrides {
  const told: Overrides = {}
  for (const node of NODE_NAMES) {
    const text = overrides[node]?.trim()
    if (text) told[node] = text
  }
  return told
}

export function isOverridden(overrides: Overrides, node: NodeName): boolean {
  return effectiveOverrides(overrides)[node] !== undefined
}

/** The overrides with one of them set, or, with null, back to the default. */
export function withOverride(overrides: Overrides, node: NodeName, text: string | null): Overrides {
  const { [node]: _, ...others } = overrides
  return text === null ? others : { ...others, [node]: text }
}

/** A session's overrides as this browser keeps them. */
export function readOverrides(storage: Storage, sessionId: string): Overrides {
  return parsed(storage.getItem(keyOf(sessionId)))
}

/** Says whether the browser kept them. */
export function keepOverrides(storage: Storage, sessionId: string, overrides: Overrides): boolean {
  try {
    if (Object.keys(overrides).length === 0) storage.removeItem(keyOf(sessionId))
    else storage.setItem(keyOf(sessionId), JSON.stringify(overrides))
    return true
  } catch {
    // Full, or switched off: the one who typed has to know.
    return false
  }
}

export interface OverridesInUse {
  overrides: Overrides
  /** Sets a node's text; null goes back to the default. Says whether the browser kept it. */
  set(node: NodeName, text: string | null): boolean
}

/** A session's overrides, the same wherever they are shown, in other tabs too. */
export function useOverrides(sessionId: string): OverridesInUse {
  const key = keyOf(sessionId)
  const kept = useSyncExternalStore(onStorage, () => localStorage.getItem(key))
  const overrides = useMemo(() => parsed(kept), [kept])
  return {
    overrides,
    set: (node, text) => {
      const done = keepOverrides(
        localStorage,
        sessionId,
        withOverride(readOverrides(localStorage, sessionId), node, text),
      )
      // Browsers tell the other tabs, but not the one in which it happened.
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

function parsed(kept: string | null): Overrides {
  return (kept !== null && readJson(Overrides, kept)) || {}
}
