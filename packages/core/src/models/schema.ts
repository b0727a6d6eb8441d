import * as z from "zod"

/** Token counts as the provider reported them; null where it did not. */
export const UsageCounts = z.object({
  input: z.number().nullable(),
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  output: z.number().nullable(),
})

/** The source of a provider's key for runs; `request`: the key that came with the question. */
const KeySource = z.enum(["request", "environment", "account", "none"])

/** A provider of models, as runs of the caller can use it. Nothing here tells anything of a key but that there is one. */
export const ModelProviderView = z
  .object({
    id: z.enum(["groq", "anthropic", "openai", "local", "scripted"]),
    name: z.string(),
    ready: z.boolean().describe("Whether runs can use it without a key of the request's own"),
    key: KeySource.describe("The source of its key"),
    account: z.string().nullable().describe("Name of the account whose key is used; null unless `key` is `account`"),
    needs_key: z.boolean(),
    default_model: z.string().nullable().describe("Null where it depends on what the provider lists"),
    variable: z.string().nullable().describe("The server's environment variable that makes it ready"),
  })
  .meta({ id: "ModelProvider" })
export type ModelProviderView = z.infer<typeof ModelProviderView>

/** A model that a provider lists. */
export const ListedModel = z
  .object({
    name: z.string().describe("`provider/model`, as requests for runs take it"),
    title: z.string().nullable().describe("The provider's name of it for people"),
    created_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Model" })
export type ListedModel = z.infer<typeof ListedModel>
