import type { ModelRules, ProviderFacts } from "./provider-facts.ts"

/** Claude Code on this machine, with its own login. Runs once for each model call. */
export const claudeCode: ProviderFacts = {
  name: "Claude Code",
  kind: "program",
  api: "claude-code",
  program: { file: "claude", install: "npm install -g @anthropic-ai/claude-code", login: "claude auth login" },
  defaultModel: "claude-code/sonnet",
  smallModel: "haiku",
  // Names that Claude Code itself resolves to the newest version.
  models: ["sonnet", "opus", "haiku"],
}

export const claudeCodeRules: ModelRules = {
  seesImages: () => true,
}
