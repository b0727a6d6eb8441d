import { choose, currentModel, type ModelChoice, providerOf, saveModelChoice } from "../../api/model-choice.ts"
import { useBrowser, useStudio } from "../context/studio.ts"

/** The model of the next run. */
export function useModel() {
  const { config, keys, browser } = useStudio()
  const choice = useBrowser((state) => state.model)
  const keyed = useBrowser((state) => state.keyed)
  const name = currentModel(choice, config.default_model, keyed)
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
    /** The fields of a request for a run. The key is the one that was entered for the model's provider, and no other. */
    requested: () => ({
      model: name === config.default_model && choice.chosen === null ? null : name,
      modelKey: keys.read(provider),
    }),
  }
}
