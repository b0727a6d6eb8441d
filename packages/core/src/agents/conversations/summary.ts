import * as z from "zod"
import { balancedObjects } from "./extract-json.ts"
import { Summary } from "./schema.ts"

/**
 * Summary as agents write it. Missing fields are filled in, because even an incomplete summary shows that the agent has
 * finished.
 */
const Loose = z.object({
  change_summary: z.string().min(1),
  files_changed: z.union([z.array(z.string()), z.string()]).optional(),
  completion_status: z.string().optional(),
  hypothesis: z.string().optional(),
})

/**
 * Finds the last completion summary in an agent's text. The summary may be in a code fence, and may contain backticks
 * or braces.
 */
export function findSummary(text: string): Summary | undefined {
  for (const object of balancedObjects(text).reverse()) {
    const loose = Loose.safeParse(parse(object))
    if (loose.success && loose.data.change_summary !== EXAMPLE_SUMMARY) return filled(loose.data)
  }
  return undefined
}

/**
 * Removes a completion summary from the end of an agent's text. If nothing else remains, returns the summary's text.
 */
export function withoutSummary(text: string): string {
  const object = balancedObjects(text).at(-1)
  const summary = object && findSummary(object)
  if (!object || !summary) return text
  const at = text.lastIndexOf(object)
  const after = text.slice(at + object.length).trim()
  if (after !== "" && after !== "```") return text
  const words = text
    .slice(0, at)
    .trimEnd()
    .replace(/```(?:json)?$/, "")
    .trimEnd()
  return words === "" ? summary.change_summary : words
}

/** Example in the prompt. An agent that only repeats it hasn't finished. */
export const EXAMPLE_SUMMARY = "One or two sentences on what is different now"

function filled({ change_summary, files_changed, completion_status, hypothesis }: z.infer<typeof Loose>): Summary {
  const status = Summary.shape.completion_status.safeParse(completion_status)
  return {
    change_summary,
    files_changed: Array.isArray(files_changed) ? files_changed : [],
    completion_status: status.success ? status.data : "success",
    ...(hypothesis && { hypothesis }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
