import type { ModelRequest, UserMessage } from "../../../models/provider.ts"
import { generateObject } from "../../harness/generate-object.ts"
import { withShorterPrompts } from "../../harness/prompt-size.ts"
import { type Shares, withFittingFiles } from "../plan/fit-files.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { NodeSpan } from "./node-journal.ts"

/**
 * Asks the model for an object. Shows as much of the files as the model's limits allow. Throws the same errors as
 * `generateObject`.
 */
export async function askWithFiles<T>(
  deps: NodeDeps,
  span: NodeSpan,
  {
    prompt,
    ...request
  }: Pick<ModelRequest, "system" | "output" | "tools"> & {
    prompt(shares: Shares): Promise<string | UserMessage>
    parse(answer: string): T
  },
): Promise<T> {
  const harness = deps.harness(span)
  return withShorterPrompts(harness, async () =>
    generateObject(harness, {
      ...request,
      prompt: await withFittingFiles(harness, request, deps.fileTokens, prompt),
    }),
  )
}
