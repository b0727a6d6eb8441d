import { AppError } from "../../errors.ts"
import type { ModelCatalog } from "../../models/catalog.ts"
import { ModelError } from "../../models/errors.ts"
import { modelProviders } from "../../models/providers/providers.ts"
import type { ResolvedModel } from "../../models/resolve.ts"

/** Result of a test that didn't succeed. Only a key that was refused can't be saved. */
export type KeyTest = "refused" | "no_credit" | "rate_limited" | "unreachable"

/**
 * Tests a key by asking its provider for its models, which costs nothing. Throws `invalid_request` if the provider
 * refuses the key, or `model_error` if the test was inconclusive. `details.test` contains the result.
 */
export async function testKey(
  catalog: ModelCatalog,
  access: Pick<ResolvedModel, "provider" | "apiKey" | "baseUrl">,
  options: { signal: AbortSignal },
): Promise<void> {
  try {
    await catalog.list(access, { ...options, isFresh: true })
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const { provider } = access
    const test = resultOf(error)
    const message = describe(test, modelProviders[provider].name, error)
    const code = test === "refused" ? "invalid_request" : "model_error"
    throw new AppError(code, message, { test, provider }, { cause: error })
  }
}

function resultOf({ errorType, usedUp }: ModelError): KeyTest {
  if (errorType === "auth_error") return "refused"
  if (usedUp !== undefined) return "no_credit"
  return errorType === "rate_limit" ? "rate_limited" : "unreachable"
}

function describe(test: KeyTest, name: string, { message }: ModelError): string {
  if (test === "refused") return `${name} refused this key. Copy the whole key again, or create a new one.`
  if (test === "no_credit") return `The key is valid, but its ${name} account has no credit left.`
  if (test === "rate_limited") return `${name} limits requests with this key at the moment, so it couldn't be tested.`
  return `The key couldn't be tested. ${message}`
}
