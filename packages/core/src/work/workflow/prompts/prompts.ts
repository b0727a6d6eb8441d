import type { NodeName } from "../schema.ts"
import { checkMutablePrompts, MAX_MUTABLE_PROMPT_CHARS, type MutablePrompts } from "./mutable-prompts.ts"
import { immutableRules, NO_MUTABLE, promptLayers } from "./prompt-layers.ts"

/**
 * Composes a node's prompt: the rules for all nodes, the node's own layer, the mutable layer, and this run's context,
 * if any.
 */
export function composePrompt(node: NodeName, prompts: MutablePrompts, context = ""): string {
  const rules = ["Rules that always hold:", ...immutableRules.map((rule) => `- ${rule}`)].join("\n")
  return [rules, promptLayers[node].immutablePrefix, mutableLayer(node, prompts), context]
    .map((section) => section.trim())
    .filter((section) => section !== "")
    .join("\n\n")
}

/**
 * Returns the node's own override if there is one, otherwise the custom text for all nodes, otherwise the default.
 * Blank texts count as absent.
 */
export function mutableLayer(node: NodeName, prompts: MutablePrompts): string {
  checkMutablePrompts(prompts)
  const choices = [prompts.prompt_overrides?.[node], prompts.mutable_prompt, promptLayers[node].defaultMutable]
  return choices.find((text) => text !== undefined && text.trim() !== "")?.trim() ?? NO_MUTABLE
}

/** Returns the layers and limits of all prompts, for an editor. */
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
