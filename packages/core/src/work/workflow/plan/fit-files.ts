import type { UserMessage } from "../../../models/provider.ts"
import type { HarnessContext } from "../../harness/context.ts"
import { promptTokens, roomForMessages, type Sizes } from "../../harness/prompt-size.ts"

/** Limits for the project's files in a message. */
export interface Shares {
  /** Token budget for files shown in full. */
  fileTokens: number
  /** True to leave out the tasks of other files, and to show even the visit's own file only by name. */
  isBare: boolean
}

/** Smallest budget at which it is worthwhile to show whole files. */
const MIN_FILE_TOKENS = 400

/**
 * Builds a message with the largest file budget at which the prompt stays within the known limits. The budget is halved
 * until the prompt fits, so that successive prompts show mostly the same files and the provider's cache remains valid.
 */
export async function withFittingFiles<M extends string | UserMessage>(
  harness: HarnessContext,
  request: Omit<Sizes, "messages">,
  fileTokens: number,
  build: (shares: Shares) => Promise<M>,
): Promise<M> {
  const room = await roomForMessages(harness, request)
  for (let budget = fileTokens; ; budget = budget / 2 < MIN_FILE_TOKENS ? 0 : Math.floor(budget / 2)) {
    const message = await build({ fileTokens: budget, isBare: false })
    if (tokensOf(message) <= room) return message
    if (budget === 0) return build({ fileTokens: 0, isBare: true })
  }
}

function tokensOf(message: string | UserMessage): number {
  const first: UserMessage = typeof message === "string" ? { role: "user", content: message } : message
  return promptTokens({ system: "", messages: [first] })
}
