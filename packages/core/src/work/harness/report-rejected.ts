import type { HarnessContext } from "./context.ts"

const MAX_REASON_CHARS = 500

/**
 * Logs that the answer of a workflow's model couldn't be used. Rewords error messages from tools and schemas so that
 * people understand them.
 */
export async function reportRejected({ nodeRef, filePath, write }: HarnessContext, reason: string): Promise<void> {
  if (nodeRef.node === undefined) return
  const path = filePath === undefined ? {} : { path: filePath }
  await write([{ type: "answer_rejected", ...nodeRef, ...path, reason: inWords(reason).slice(0, MAX_REASON_CHARS) }])
}

/** Removes machine-oriented markers from error messages. */
export function inWords(reason: string): string {
  return reason
    .replaceAll(/^(?:ERROR: )?(?:✖ )?/gm, "")
    .replaceAll(/\n +→ at ([^\n]+)/g, " ($1)")
    .replaceAll(/Invalid input: expected \w+, received undefined \(([^()\n]+)\)/g, "A call is missing $1.")
    .trim()
}
