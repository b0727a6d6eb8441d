import type { NodeDeps } from "../nodes/node-deps.ts"
import { missingFrom } from "./find-literals.ts"
import { type Literal, literalsIn } from "./literals.ts"

const NAMED = 12

/** Returns the literal parts of the request that no file contains. Calls no model. */
export async function missingWishes({ openFiles, context }: NodeDeps, request: string): Promise<Literal[]> {
  const literals = literalsIn(request)
  if (literals.length === 0) return []
  const { files, skippedLarge } = await (await openFiles()).readAllTexts({ signal: context.signal })
  // If a file wasn't read, it may contain the literals, so none of them is certainly missing.
  return skippedLarge.length > 0 ? [] : missingFrom(files, literals)
}

/** Returns a prompt that asks the coder to add the literals of the request that no file contains. */
export function wishesTask(missing: readonly Literal[]): string {
  const lines = missing.slice(0, NAMED).map(({ shown, clause }) => `- ${shown} (in: ${clause.trim()})`)
  return [
    "All files are written. The user's request contains these texts, addresses and numbers, and no file contains them as they stand there:",
    ...lines,
    "Put each in the place that the request gives it. If the files meet one in another form, or the request doesn't want it in the files, leave that one. Change nothing else.",
  ].join("\n")
}

/** Describes for people the literals that are still missing. */
export function describeWishes(missing: readonly Literal[]): string {
  const named = missing.slice(0, NAMED).map(({ shown }) => JSON.stringify(shown))
  const more = missing.length > NAMED ? [`${missing.length - NAMED} more`] : []
  return `The request mentions these, and no file contains them as written: ${[...named, ...more].join(", ")}.`
}
