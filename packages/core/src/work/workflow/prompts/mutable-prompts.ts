import { AppError } from "../../../errors.ts"
import { NodeName } from "../schema.ts"

/** Maximum length of a custom mutable layer, in Unicode code points. */
export const MAX_MUTABLE_PROMPT_CHARS = 4000

const MAX_NAMED = 20

/** A person's own text for the part of the prompts that can be changed, for all nodes and for single nodes. */
export interface MutablePrompts {
  mutable_prompt?: string
  prompt_overrides?: { [node: string]: string | undefined }
}

/**
 * Throws `invalid_request` if an override is for an unknown node or, after that, if a text is too long. The error names
 * the nodes or texts.
 */
export function checkMutablePrompts({ mutable_prompt, prompt_overrides = {} }: MutablePrompts): void {
  const allowed = [...NodeName.options].sort()
  const unknown = Object.keys(prompt_overrides).filter((key) => !NodeName.safeParse(key).success)
  if (unknown.length > 0) {
    const names = unknown
      .sort()
      .slice(0, MAX_NAMED)
      .map((key) => key.slice(0, 100))
    throw new AppError(
      "invalid_request",
      `prompt_overrides has unknown keys: ${names.join(", ")}. Allowed keys: ${allowed.join(", ")}.`,
      { unknown: names, allowed },
    )
  }
  checkLength("mutable_prompt", mutable_prompt)
  for (const node of NodeName.options) checkLength(`prompt_overrides.${node}`, prompt_overrides[node])
}

function checkLength(source: string, text = ""): void {
  const chars = text.length <= MAX_MUTABLE_PROMPT_CHARS ? text.length : [...text].length
  if (chars <= MAX_MUTABLE_PROMPT_CHARS) return
  throw new AppError(
    "invalid_request",
    `${source} is too long: ${chars} characters, but at most ${MAX_MUTABLE_PROMPT_CHARS} are allowed.`,
    { source, chars, limit: MAX_MUTABLE_PROMPT_CHARS },
  )
}
