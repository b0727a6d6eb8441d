import type { ModelRules, ProviderFacts } from "./provider-facts.ts"

/**
 * Models of the operator's AWS account. Requests are signed with the server's own AWS role or login, so there is no
 * key. Models are named by their Bedrock ID, or by the ID or ARN of an inference profile.
 */
export const bedrock: ProviderFacts = {
  name: "Amazon Bedrock",
  kind: "cloud",
  api: "bedrock",
  defaultModel: null,
  pricesUrl: "https://aws.amazon.com/bedrock/pricing/",
}

export const bedrockRules: ModelRules = {
  cacheOf: (model) => (takesCachePoints(model) ? "marked" : undefined),
  seesImages,
}

/** Prefixes of inference profiles, which route requests to several regions. */
const PROFILE_PREFIX = /^(?:us|eu|apac|jp|au|ca|sa|me|mx|in|global|us-gov)\./

/** Returns the ID of a model or inference profile, which decides its price. Undefined for an ARN without such an ID. */
export function bedrockIdOf(name: string): string | undefined {
  const id = foundationArn.exec(name)?.[1] ?? name
  return id.startsWith("arn:") ? undefined : id
}

/**
 * Returns the ID of the model behind a name, such as `anthropic.claude-haiku-4-5-20251001-v1:0`. Undefined if the name
 * is an ARN that doesn't contain it, such as that of an application inference profile.
 */
export function foundationModelOf(name: string): string | undefined {
  return bedrockIdOf(name)?.replace(PROFILE_PREFIX, "")
}

const foundationArn = /^arn:[a-z-]+:bedrock:[^:]*:\d*:(?:foundation-model|inference-profile)\/(.+)$/

/** Returns true for an inference profile. Its name has the prefix of a geography, or is an ARN. */
export function isInferenceProfile(name: string): boolean {
  return PROFILE_PREFIX.test(name) || /^arn:[^/]*:(application-)?inference-profile\//.test(name)
}

/** Returns Anthropic's own name of a Claude model, without the version of Bedrock. Undefined for other models. */
export function claudeNameOf(model: string): string | undefined {
  return /^anthropic\.(claude-[^:]*?)(?:-v\d+)?(?::|$)/.exec(foundationModelOf(model) ?? "")?.[1]
}

/** Returns true for Amazon's Nova models. */
export function isNova(model: string): boolean {
  return /^amazon\.nova-/.test(foundationModelOf(model) ?? "")
}

/**
 * Returns true if a model accepts cache points. Others reject the whole request:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function takesCachePoints(model: string): boolean {
  const claude = claudeNameOf(model)
  if (claude !== undefined) return /^claude-(?:3-7|3-5-haiku|(?!v?\d|instant))/.test(claude)
  return isNova(model)
}

/** Returns true if a model accepts a tool choice and marked failures of tools. Others reject the whole request. */
export function takesToolChoice(model: string): boolean {
  return isNova(model) || /^claude-(?!v?2|instant)/.test(claudeNameOf(model) ?? "")
}

/**
 * Returns true if a model's output can be constrained to a schema. Not for Claude: only some versions can, in some
 * regions, and the others reject the request. All of them take a required tool instead.
 */
export function takesSchemas(model: string): boolean {
  return /^(?:qwen\.qwen3-(?!coder-next)|deepseek\.v3)/.test(foundationModelOf(model) ?? "")
}

/** Decides by model family, because Bedrock's answers about availability don't contain this. */
function seesImages(model: string): boolean | undefined {
  const id = foundationModelOf(model)
  if (id === undefined) return undefined
  if (/^anthropic\.claude-(?:v?2|instant|3-5-haiku)|nova-micro|gpt-oss|deepseek|titan-text/.test(id)) return false
  return /^anthropic\.claude-|nova-(?:lite|pro|premier|2)|llama4|llama3-2-(?:11|90)b|pixtral|-vl-/.test(id) || undefined
}
