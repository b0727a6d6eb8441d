import { choose, currentModel, type ModelChoice, providerOf, saveModelChoice } from "../../api/model-choice.ts"
import { useBrowser, useStudio } from "../context/studio.ts"
import { useProviderList } from "./use-model-providers.ts"

/** Returns the model for the next run. */
export function useModel() {
  const { config, keys, browser } = useStudio()
  const choice = useBrowser((state) => state.model)
  const keyed = useBrowser((state) => state.keyed)
  // Depends on the user's saved keys.
  const usual = useProviderList().data?.default_model ?? config.default_model
  const name = currentModel(choice, usual, keyed)
  const provider = providerOf(name)

  function save(next: ModelChoice) {
    saveModelChoice(localStorage, next)
    browser.setState({ model: next })
  }

  return {
    name,
    provider,
    recent: choice.recent,
    choose: (model: string) => save(choose(choice, model)),
    save,
    /** Returns the model fields for a run request. Sends only the key entered for this model's provider. */
    requested: () => ({
      model: name === usual && choice.chosen === null ? null : name,
      modelKey: keys.read(provider),
    }),
  }
}
