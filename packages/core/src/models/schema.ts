import * as z from "zod"
import { providerIds } from "./providers/providers.ts"

/** Token counts as reported by the provider, or null if unreported. */
export const UsageCounts = z.object({
  input: z.number().nullable(),
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  output: z.number().nullable(),
})

/**
 * Source of a provider's key for runs. `request` means that the request contained the key, and `saved` that the owner
 * saved it on the server.
 */
const KeySource = z.enum(["request", "saved", "environment", "account", "none"])

/** A model provider as available to the caller's runs. Doesn't reveal anything about a key except that it exists. */
export const ModelProviderView = z
  .object({
    id: z.enum(providerIds),
    name: z.string(),
    ready: z.boolean().describe("True if runs can use it without a key in the request"),
    key: KeySource.describe("Source of the key"),
    account: z.string().nullable().describe("Name of the account whose key is used; null unless `key` is `account`"),
    agent: z.string().nullable().describe("Coding agent of the same company, whose account can use the same key"),
    needs_key: z.boolean(),
    default_model: z.string().nullable().describe("Null if it depends on which models the provider lists"),
    variable: z.string().nullable().describe("Server environment variable that makes the provider ready"),
  })
  .meta({ id: "ModelProvider" })
export type ModelProviderView = z.infer<typeof ModelProviderView>

/** A model listed by a provider. */
export const ListedModel = z
  .object({
    name: z.string().describe("`provider/model`, as used in run requests"),
    title: z.string().nullable().describe("Display name given by the provider"),
    created_at: z.iso.datetime().nullable(),
    sees_images: z.boolean().nullable().describe("True if it takes images; null if that isn't known"),
  })
  .meta({ id: "Model" })
export type ListedModel = z.infer<typeof ListedModel>
