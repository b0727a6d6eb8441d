import { AppError } from "../../errors.ts"
import { immutableRules, NO_MUTABLE, promptLayers } from "./prompt-layers.ts"
import { NodeName } from "./schema.ts"

/** The most that a person may put in the place of a node's mutable layer, in code points: what people count as characters. */
export const MAX_MUTABLE_PROMPT_CHARS = 4000

const MAX_NAMED = 20

/** A person's texts in place of the mutable layers: one for all nodes, or one for each. */
export interface MutablePrompts {
  mutable_prompt?: string
  prompt_overrides?: { [node: string]: string | undefined }
}

/**
 * A node's prompt: the rules of all nodes, the node's own layer, the mutable layer, and the context of this run, if there
 * is any to say here.
 */
export function composePrompt(node: NodeName, prompts: MutablePrompts, context = ""): string {
  const rules = ["Rules that always hold:", ...immutableRules.map((rule) => `- ${rule}`)].join("\n")
  return [rules, promptLayers[node].immutablePrefix, mutableLayer(node, prompts), context]
    .map((section) => section.trim())
    .filter((section) => section !== "")
    .join("\n\n")
}

/** The node's own override, else the text for all nodes, else the default. Blank counts as absent. */
export function mutableLayer(node: NodeName, prompts: MutablePrompts): string {
  checkMutablePrompts(prompts)
  const choices = [prompts.prompt_overrides?.[node], prompts.mutable_prompt, promptLayers[node].defaultMutable]
  return choices.find((text) => text !== undefined && text.trim() !== "")?.trim() ?? NO_MUTABLE
}

/** Throws `invalid_request` for overrides of nodes that there are not, then for a text that is too long, and says which. */
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
      `prompt_overrides has unknown keys: ${names.join(", ")}. Allowed are: ${allowed.join(", ")}.`,
      { unknown: names, allowed },
    )
  }
  checkLength("mutable_prompt", mutable_prompt)
  for (const node of NodeName.options) checkLength(`prompt_overrides.${node}`, prompt_overrides[node])
}

/** The layers and limits of all prompts, for an editor. */
export function promptSchema() {
  return {
    nodes: {
      planner: nodePrompt("planner"),
      architect: nodePrompt("architect"),
      coder: nodePrompt("coder"),
    } satisfies Record<NodeName, unknown>,
    policy: { max_mutable_prompt_chars: MAX_MUTABLE_PROMPT_CHARS, immutable_rules: [...immutableRules] },
  }
}

function nodePrompt(node: NodeName) {
  const { immutablePrefix, defaultMutable } = promptLayers[node]
  return { immutable_prefix: immutablePrefix, default_mutable: defaultMutable }
}

function checkLength(source: string, text = ""): void {
  const chars = text.length <= MAX_MUTABLE_PROMPT_CHARS ? text.length : [...text].length
  if (chars <= MAX_MUTABLE_PROMPT_CHARS) return
  throw new AppError(
    "invalid_request",
    `${source} is too long: ${chars} characters, and at most ${MAX_MUTABLE_PROMPT_CHARS} are allowed.`,
    { source, chars, limit: MAX_MUTABLE_PROMPT_CHARS },
  )
}
