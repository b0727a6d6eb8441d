import * as z from "zod"
import { balancedObjects } from "./extract-json.ts"
import { Summary } from "./schema.ts"

/** A summary as agents write it: what they leave out is filled in, for what counts is that they said they are done. */
const Loose = z.object({
  change_summary: z.string().min(1),
  files_changed: z.union([z.array(z.string()), z.string()]).optional(),
  completion_status: z.string().optional(),
  hypothesis: z.string().optional(),
})

/** The last completion summary in what an agent said: fenced or bare, with back-ticks or braces in it or not. */
export function findSummary(text: string): Summary | undefined {
  for (const object of balancedObjects(text).reverse()) {
    const loose = Loose.safeParse(parse(object))
    if (loose.success && loose.data.change_summary !== EXAMPLE_SUMMARY) return filled(loose.data)
  }
  return undefined
}

/** An agent's words without a completion summary at their end; where there is nothing else, what that says. */
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

/** Stands in the prompt, so an agent that repeats its instructions isn't done. */
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
