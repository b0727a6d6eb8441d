import * as z from "zod"
import { parseJson } from "../../text/parse-json.ts"
import type { Review, ReviewFinding } from "../../work/verification/review-schema.ts"
import { balancedObjects } from "../conversations/extract-json.ts"
import { clip } from "../protocols/tool-kinds.ts"

const TEXT_CHARS = 1000
const MAX_FINDINGS = 30

/** A finding as reviewers write it: either an object or a sentence. */
const LooseFinding = z.union([
  z
    .string()
    .min(1)
    .transform((text) => ({ text, file: undefined, line: undefined })),
  z.object({
    text: z.string().min(1),
    file: z.string().min(1).optional().catch(undefined),
    line: z.int().positive().optional().catch(undefined),
  }),
])

const Loose = z.object({
  passed: z.boolean(),
  summary: z.string().default(""),
  findings: z.array(LooseFinding).default([]),
})

/** Parses the verdict at the end of a reviewer's text. Undefined if there is none. */
export function readReview(text: string): Omit<Review, "reviewer"> | undefined {
  for (const object of balancedObjects(text).reverse()) {
    const { data } = Loose.safeParse(parseJson(object))
    if (!data) continue
    const findings = data.findings.slice(0, MAX_FINDINGS).map(findingOf)
    return { passed: data.passed, summary: clip(data.summary.trim(), TEXT_CHARS), findings }
  }
  return undefined
}

function findingOf({ text, file, line }: z.infer<typeof LooseFinding>): ReviewFinding {
  const place = file === undefined ? {} : { file: clip(file, TEXT_CHARS), ...(line !== undefined && { line }) }
  return { text: clip(text.replace(/\s+/g, " ").trim(), TEXT_CHARS), ...place }
}
