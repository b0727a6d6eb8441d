import { modelProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { demoModelName } from "@switchyard/core/models/providers/scripted"
import { type Decoded, decodeJson, list, object, orNull, text } from "./decode.ts"
import { storeItem } from "./store-item.ts"

const KEY = "switchyard.model"
const RECENT = 5

/** `chosen`: null for the server's default. `recent`: latest first. */
const ModelChoice = object({ chosen: orNull(text), recent: list(text) })
/** The model chosen in this browser, and recently chosen ones. */
export type ModelChoice = Decoded<typeof ModelChoice>

export function readModelChoice(storage: Storage): ModelChoice {
  return decodeJson(ModelChoice, storage.getItem(KEY) ?? "") ?? { chosen: null, recent: [] }
}

export function saveModelChoice(storage: Storage, choice: ModelChoice): void {
  storeItem(storage, KEY, JSON.stringify(choice))
}

export function choose({ recent }: ModelChoice, name: string): ModelChoice {
  return { chosen: name, recent: [name, ...recent.filter((other) => other !== name)].slice(0, RECENT) }
}

/**
 * Returns the model for the next run: the chosen one, else the server's default. Once there is a key, its provider's
 * default model replaces the demo.
 */
export function currentModel({ chosen }: ModelChoice, defaultModel: string, keyed: readonly ProviderId[]): string {
  if (chosen !== null) return chosen
  const own = keyed.flatMap((provider) => modelProviders[provider].defaultModel ?? [])
  return (defaultModel === demoModelName ? own[0] : undefined) ?? defaultModel
}

/** Returns the choice after a key was saved: a model from its provider, unless another real model was chosen. */
export function afterKeySaved(choice: ModelChoice, defaultModel: string, provider: ProviderId): ModelChoice {
  const isOpen = choice.chosen === null || providerOf(choice.chosen) === "scripted"
  const own = modelProviders[provider].defaultModel
  if (!isOpen || own === null || providerOf(defaultModel) === provider) return choice
  return { ...choice, chosen: own }
}

/** Returns the choice after a key was removed: no longer a model from its provider. */
export function afterKeyRemoved(choice: ModelChoice, provider: ProviderId): ModelChoice {
  return choice.chosen !== null && providerOf(choice.chosen) === provider ? { ...choice, chosen: null } : choice
}

export function providerOf(model: string): string {
  return model.split("/")[0] ?? ""
}

/** Returns a model's name without the provider's prefix. */
export function withoutProvider(model: string): string {
  return model.slice(providerOf(model).length + 1)
}
