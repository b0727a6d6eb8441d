import * as z from "zod"
import { BuiltInCli, CliId, clis } from "../../agents/clis/clis.ts"
import { LOGIN_BYTES } from "../../agents/runner/login-schema.ts"
import { providerIds } from "../../models/providers/providers.ts"
import { ONE_LINE } from "../access/schema.ts"

/** Kind of account, named after its command-line agent. */
export const Provider = z
  .object({
    type: CliId,
    name: z.string(),
    description: z.string(),
    supports_reasoning: z.boolean().describe("True if its reasoning effort is configurable"),
    needs_key: z.boolean(),
    login: z
      .object({
        files: z.array(z.string()).describe("Files in its folder that make up the login"),
        command: z
          .string()
          .nullable()
          .describe("Command that logs in from a terminal; null if logging in is possible only inside of the CLI's UI"),
        notice: z.string().describe("Notice that must be agreed to when adding a login to an account"),
      })
      .nullable()
      .describe("The agent's own login, if accounts can use it instead of a key"),
    server_key: z
      .boolean()
      .describe("True if the agent works without an account, using the server's own key if it needs one"),
  })
  .meta({ id: "Provider" })
export type Provider = z.infer<typeof Provider>

const AccountName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "A name must consist of 1 to 64 letters, digits, dots, hyphens and underscores.",
  )

const Line = z.string().trim().min(1).max(100).regex(ONE_LINE, "It must be a single line of text.")
const OptionalLine = Line.nullish()

/** Agents by company. Needed for requests in the format of other servers, which contain company names. */
const agentsByCompany = new Map(
  BuiltInCli.options.flatMap((id) => (clis[id].company ? [[clis[id].company, id] as const] : [])),
)

const ProviderName = z
  .string()
  .max(50)
  .transform((name) => agentsByCompany.get(name) ?? name)
  .pipe(CliId)
  .describe(
    `The agent's ID or company: ${[...agentsByCompany].map(([name, id]) => `\`${name}\` stands for \`${id}\``).join(", ")}`,
  )

const ApiKey = z
  .string()
  .trim()
  .min(1)
  .max(4000)
  .regex(/^[!-~]+$/, "A key can't contain spaces or special characters.")

/** A new key for an account. It applies to tasks launched afterwards. */
export const KeyChange = z
  .strictObject({ api_key: ApiKey.describe("Stored encrypted and never shown again") })
  .meta({ id: "KeyChange" })

/** A key for a provider's models. It applies to runs started afterwards. */
export const NewSavedKey = KeyChange.extend({
  test: z
    .boolean()
    .default(true)
    .describe("True to ask the provider for its models first, and to save the key only if that succeeds"),
  use_for_agent: z
    .boolean()
    .default(false)
    .describe("True to also create an account with this key for the company's coding agent"),
}).meta({ id: "NewSavedKey" })

/** A saved key without the key itself. */
export const SavedKeyView = z
  .object({
    provider: z.enum(providerIds),
    name: z.string().describe("The provider's name"),
    saved_at: z.iso.datetime(),
    tested: z.boolean().describe("True if the provider accepted the key before it was saved"),
    accounts: z.array(z.string()).describe("Accounts that use the same key. They are deleted together with it"),
  })
  .meta({ id: "SavedKey" })
export type SavedKeyView = z.infer<typeof SavedKeyView>

/** A login created with an agent's own program. The account uses it instead of a key. */
export const LoginChange = z
  .strictObject({
    files: z
      .record(z.string().max(100), z.string().max(LOGIN_BYTES))
      .describe("Contents of the login files, by name. Stored encrypted and never shown again"),
    consent: z.boolean().default(false).describe("True if you agree to the provider's notice"),
  })
  .meta({ id: "LoginChange" })
export type LoginChange = z.infer<typeof LoginChange>

/** Request to create a login in a terminal, with the agent's own program. */
export const NewLoginTerminal = z
  .strictObject({
    provider: ProviderName.describe("Agent; must match the account's if the account exists"),
    consent: LoginChange.shape.consent,
  })
  .meta({ id: "NewLoginTerminal" })
export type NewLoginTerminal = z.infer<typeof NewLoginTerminal>

export const NewAccount = z
  .strictObject({
    name: AccountName,
    provider: ProviderName,
    api_key: ApiKey.nullish().describe("Stored encrypted and never shown again"),
    login: LoginChange.nullish().describe("Login to use instead of a key"),
    base_url: z
      .url({ protocol: /^https?$/, error: "The URL must start with https:// or http://." })
      .max(2000)
      .refine(isPlainUrl, "The URL must not contain credentials, a query or a fragment.")
      .nullish()
      .describe("URL of the provider's API, if it isn't the default"),
    model: OptionalLine,
    reasoning: OptionalLine,
  })
  .meta({ id: "NewAccount" })
export type NewAccount = z.infer<typeof NewAccount>

/** Model for an account. Applies from the account's next task on. */
export const ModelChoice = z
  .strictObject({ model: Line.nullable().describe("Null or `default` leaves the choice to the agent") })
  .meta({ id: "ModelChoice" })

/** Reasoning effort for an account's agent. Applies from the account's next task on. */
export const ReasoningChoice = z
  .strictObject({ reasoning: Line.nullable().describe("Null or `default` leaves the choice to the agent") })
  .meta({ id: "ReasoningChoice" })

export const RoleChoice = z
  .strictObject({
    role: z.enum(["CODING", "VERIFICATION"]).describe("`VERIFICATION` makes it the default reviewer"),
  })
  .meta({ id: "RoleChoice" })

/** A stored account without its key or login. */
export const Account = z.object({
  name: z.string(),
  provider: CliId,
  model: z.string().nullable().describe("Null leaves the choice to the agent"),
  reasoning: z.string().nullable(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  has_login: z.boolean().describe("True if it uses the agent's own login instead of a key"),
  ready: z.boolean().describe("True if it has the credentials required by its provider"),
  created_at: z.iso.datetime(),
})
export type Account = z.infer<typeof Account>

/** An account as returned by the API. */
export const AccountView = Account.extend({ role: RoleChoice.shape.role }).meta({ id: "Account" })
export type AccountView = z.infer<typeof AccountView>

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return `${username}${password}${search}${hash}` === ""
}
