import { AppError } from "../errors.ts"
import type { ModelCatalog } from "./catalog.ts"
import { ModelError } from "./errors.ts"
import { modelProviders, modelRules, providerIds } from "./providers/providers.ts"
import type { ResolvedModel } from "./resolve.ts"

/**
 * Throws `invalid_request` if a model is known not to take images. Goes by the provider's model list if it states that,
 * or else by the model's name. If neither does, the provider decides when it receives the prompt.
 */
export async function requireVision(
  { catalog }: { catalog: Pick<ModelCatalog, "list"> },
  model: ResolvedModel,
  options: { signal: AbortSignal },
): Promise<void> {
  const { listsVision } = modelProviders[model.provider]
  const listed = listsVision ? await listedVision(catalog, model, options) : undefined
  if ((listed ?? seesImages(model)) !== false) return
  const name = `${model.provider}/${model.model}`
  throw new AppError("invalid_request", blindModel(name), { model: name })
}

/** Returns true if a model takes images. Undefined if that isn't clear from its name. */
export function seesImages({ provider, model }: Pick<ResolvedModel, "provider" | "model">): boolean | undefined {
  return modelRules[provider].seesImages?.(model)
}

/** Explains that a model takes no images, and suggests others. */
function blindModel(name: string): string {
  return `${name} can't look at images. Choose a model that can, such as ${seeingModels.join(" or ")}, or leave the images out.`
}

/** Default models that take images. */
const seeingModels = providerIds.flatMap((provider) => {
  const { defaultModel, kind } = modelProviders[provider]
  if (kind === "program") return []
  const model = defaultModel?.slice(provider.length + 1)
  return model !== undefined && defaultModel && seesImages({ provider, model }) ? [defaultModel] : []
})

async function listedVision(
  catalog: Pick<ModelCatalog, "list">,
  resolved: ResolvedModel,
  options: { signal: AbortSignal },
): Promise<boolean | undefined> {
  try {
    const { models } = await catalog.list(resolved, options)
    const name = `${resolved.provider}/${resolved.model}`
    return models.find((model) => model.name === name)?.sees_images ?? undefined
  } catch (error) {
    // If the provider can't be reached, the run itself reports that.
    if (error instanceof ModelError) return undefined
    throw error
  }
}
