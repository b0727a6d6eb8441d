import type { Completion } from "../../../models/provider.ts"
import type { AssembledPrompt } from "../prompt/assemble.ts"
import type { TurnUsage } from "../schema.ts"
import type { Turn } from "./turn.ts"

/** Facts about the prompt that are recorded with the answer. */
export type Shown = Pick<AssembledPrompt, "shown" | "droppedFiles" | "estimatedTokens">

export interface Answer extends Partial<Completion> {
  text: string
  shown: Shown
  finish_reason: string
  cancelled: boolean
  /** True if the model edited files that it hadn't seen, and continued its answer after they were added. */
  hasAdded?: boolean
}

/** Creates the event for a complete or partial answer. */
export function answered(turn: Turn, answer: Answer) {
  const { text, shown, cancelled, finish_reason, hasAdded = false } = answer
  const { added } = turn.journal
  const first = hasAdded && added !== null ? `${added.content}\n\n` : ""
  const content = first + text
  return {
    ...{ type: "chat_answered" as const, ...turn.ids, content, cancelled, finish_reason },
    usage: added === null ? usageOf(answer) : hasAdded ? sumOf(added.usage, usageOf(answer)) : added.usage,
    ...{ shown_version: shown.shown.version, shown_manifest: shown.shown.manifest, shed_files: shown.droppedFiles },
    ...(hasAdded && added !== null && { added_files: added.files, continued_at: first.length }),
  }
}

function usageOf({ usage, text, shown }: Answer): TurnUsage {
  const { input = null, cacheRead = null, cacheWrite = null, output = null } = usage ?? {}
  return {
    ...{ input, cache_read: cacheRead, cache_write: cacheWrite, output },
    estimated_input: input === null && cacheRead === null ? shown.estimatedTokens : null,
    estimated_output: output === null ? Math.ceil(text.length / 4) : null,
  }
}

function sumOf(first: TurnUsage, second: TurnUsage): TurnUsage {
  const sum = (name: keyof TurnUsage) => {
    return first[name] === null && second[name] === null ? null : (first[name] ?? 0) + (second[name] ?? 0)
  }
  return {
    ...{ input: sum("input"), cache_read: sum("cache_read"), cache_write: sum("cache_write"), output: sum("output") },
    ...{ estimated_input: sum("estimated_input"), estimated_output: sum("estimated_output") },
  }
}
