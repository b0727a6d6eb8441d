import type { ModelRules, ProviderFacts } from "./provider-facts.ts"

export const demoModelName = "scripted/demo"

/** The demo model, and scripted models for tests. */
export const scripted: ProviderFacts = {
  name: "Demo",
  kind: "built_in",
  api: "scripted",
  defaultModel: demoModelName,
}

export const scriptedRules: ModelRules = {
  seesImages: (model) => (`scripted/${model}` === demoModelName ? false : undefined),
}
