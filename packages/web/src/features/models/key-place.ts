import { modelProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import type { RecognizedKey } from "@switchyard/core/models/recognize-key"

/** Use of a key: for a provider's models, for a coding agent, or for both. */
interface KeyPlace {
  provider: ProviderId | null
  /** Agent that can use the key. */
  agent: string | null
  /** Says what the key was recognized as; null for a key that isn't. */
  recognized: string | null
  /** Reason why the key can't be saved; null if it can. */
  fault: string | null
}

interface Wanted {
  /** Provider that was chosen for keys that don't show theirs. */
  chosen: ProviderId | null
  /** Agent that needs the key; null if it is for models. */
  needed: string | null
  agentOf(provider: ProviderId): string | null
}

/** Returns where a recognized key belongs. */
export function placeOf(found: RecognizedKey, { chosen, needed, agentOf }: Wanted): KeyPlace {
  if (found.type === "unusable") return { provider: null, agent: null, recognized: null, fault: found.fault }
  if (found.type === "agent") {
    const recognized = `Detected ${found.described}.`
    return { provider: null, agent: needed ?? found.agent, recognized, fault: null }
  }
  if (found.type === "provider") {
    const { provider } = found
    const recognized = `Detected ${modelProviders[provider].keyForm?.described ?? "a key"}.`
    const agent = agentOf(provider)
    // An agent of another company may accept this key, but then it is of no use for that company's models.
    if (needed !== null && agent !== needed) return { provider: null, agent: needed, recognized, fault: null }
    return { provider, agent, recognized, fault: null }
  }
  if (needed !== null) return { provider: null, agent: needed, recognized: null, fault: null }
  if (chosen === null) return { provider: null, agent: null, recognized: null, fault: "Choose a provider below." }
  return { provider: chosen, agent: agentOf(chosen), recognized: null, fault: null }
}
