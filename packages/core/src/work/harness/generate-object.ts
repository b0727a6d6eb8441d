import { AppError } from "../../errors.ts"
import type { Completion, ModelRequest, UserMessage } from "../../models/provider.ts"
import { callModel } from "./call-model.ts"
import type { HarnessContext } from "./context.ts"
import { createConversation } from "./conversation.ts"
import { reportRejected } from "./report-rejected.ts"

/**
 * Asks the model for an object that `parse` accepts. If `parse` throws `invalid_request`, sends the reason to the model
 * and asks again. Throws `workflow_error` if the second answer isn't accepted either. Tools are included only so that
 * the prompt matches a cached prefix. Tool calls aren't run.
 */
export async function generateObject<T>(
  context: HarnessContext,
  request: Pick<ModelRequest, "system" | "output" | "tools"> & {
    prompt: string | UserMessage
    parse(answer: string): T
  },
): Promise<T> {
  const { prompt, parse, ...rest } = request
  const conversation = createConversation(prompt)
  const first = await callModel(context, { ...rest, messages: conversation.messages })
  const parsed = tryToParse(first, parse)
  if (parsed.problem === undefined) return parsed.value

  await reportRejected(context, parsed.problem)
  conversation.addCompletion(withoutCalls(first))
  conversation.addUserMessage(
    `Your answer can't be used:\n${parsed.problem}${isCut(first) ? " Be briefer." : ""}\n\nAnswer again with the complete, corrected JSON object and nothing else.`,
  )
  const second = tryToParse(await callModel(context, { ...rest, messages: conversation.messages }), parse)
  if (second.problem === undefined) return second.value
  const { node } = context.nodeRef
  const message = `The ${node ?? "model"}'s answer couldn't be used, even after a second try: ${second.problem}`
  throw new AppError("workflow_error", message, node && { node })
}

type Parsed<T> = { value: T; problem?: undefined } | { problem: string }

/** Parses an answer. If that fails, returns the problem, described for readers of the log. */
function tryToParse<T>(completion: Completion, parse: (answer: string) => T): Parsed<T> {
  try {
    return { value: parse(completion.text) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_request") throw error
    return { problem: error.message + (isCut(completion) ? "\nThe answer was cut off at the output limit." : "") }
  }
}

function withoutCalls(completion: Completion): Completion {
  if (completion.toolCalls.length === 0) return completion
  return { ...completion, text: completion.text || "I called a tool.", toolCalls: [], raw: undefined }
}

function isCut({ stopReason }: Completion): boolean {
  return stopReason === "max_tokens"
}
