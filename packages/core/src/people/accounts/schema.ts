import * as z from "zod"
import { CliId } from "../../agents/clis/schema.ts"
import { LOGIN_BYTES } from "../../agents/runner/login-schema.ts"
import { ONE_LINE } from "../access/schema.ts"

/** A kind of account: the command-line agent that works with it. */
export const Provider = z
  .object({
    type: CliId,
    name: z.string(),
    description: z.string(),
    supports_reasoning: z.boolean().describe("Whether one may choose how hard it thinks"),
    needs_key: z.boolean(),
    login: z
      .object({
        files: z.array(z.string()).describe("The files of its folder that are the log-in"),
        command: z.string().nullable().describe("Starts it in a terminal; null where only its own screen can"),
        notice: z.string().describe("What somebody agrees to who gives an account one"),
      })
      .nullable()
      .describe("Its own log-in, where an account can have that instead of a key"),
    server_key: z.boolean().describe("Whether it works without an account, on the server's own key if it needs one"),
  })
  .meta({ id: "Provider" })
export type Provider = z.infer<typeof Provider>

const AccountName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "A name must have 1 to 64 letters, digits, dots, hyphens and underscores.",
  )

const Line = z.string().trim().min(1).max(100).regex(ONE_LINE, "It must be a single line of text.")
const OptionalLine = Line.nullish()

/** Agents that other servers name after the company whose models they use. */
const COMPANIES = { anthropic: "claude", openai: "codex", mistral: "vibe" } as const

const ProviderName = z
  .enum([...CliId.options, ...(Object.keys(COMPANIES) as (keyof typeof COMPANIES)[])])
  .transform((name): CliId => (name in COMPANIES ? COMPANIES[name as keyof typeof COMPANIES] : (name as CliId)))
  .describe("The agent's id. `anthropic`, `openai` and `mistral` stand for `claude`, `codex` and `vibe`")

const ApiKey = z
  .string()
  .trim()
  .min(1)
  .max(4000)
  .regex(/^[!-~]+$/, "A key can't have spaces or special characters.")

/** The key of an account from the next task that is launched on. */
export const KeyChange = z
  .strictObject({ api_key: ApiKey.describe("Sealed, and never told again") })
  .meta({ id: "KeyChange" })

/** A log-in that an agent's program made by itself, for an account to work with instead of a key. */
export const LoginChange = z
  .strictObject({
    files: z
      .record(z.string().max(100), z.string().max(LOGIN_BYTES))
      .describe("The contents of its files, by their names. Sealed, and never told again"),
    consent: z.boolean().default(false).describe("Whether you agree to the notice of its provider"),
  })
  .meta({ id: "LoginChange" })
export type LoginChange = z.infer<typeof LoginChange>

/** A log-in that is to be made with the agent's own program, in a terminal. */
export const NewLoginTerminal = z
  .strictObject({
    provider: ProviderName.describe("The agent, as of the account if there is one"),
    consent: LoginChange.shape.consent,
  })
  .meta({ id: "NewLoginTerminal" })
export type NewLoginTerminal = z.infer<typeof NewLoginTerminal>

/** An account that is to be kept. */
export const NewAccount = z
  .strictObject({
    name: AccountName,
    provider: ProviderName,
    api_key: ApiKey.nullish().describe("Sealed, and never told again"),
    login: LoginChange.nullish().describe("In place of a key"),
    base_url: z
      .url({ protocol: /^https?$/, error: "The URL must begin with https:// or http://." })
      .max(2000)
      .refine(isPlainUrl, "The URL must not have a user, a query or a fragment.")
      .nullish()
      .describe("Where the provider's API is, if not where it usually is"),
    model: OptionalLine,
    reasoning: OptionalLine,
  })
  .meta({ id: "NewAccount" })
export type NewAccount = z.infer<typeof NewAccount>

/** The model of an account from its next task on. */
export const ModelChoice = z
  .strictObject({ model: Line.nullable().describe("Null or `default`: what the agent chooses") })
  .meta({ id: "ModelChoice" })

/** The reasoning effort of an account's agent, from its next task on. */
export const ReasoningChoice = z
  .strictObject({ reasoning: Line.nullable().describe("Null or `default`: what the agent chooses") })
  .meta({ id: "ReasoningChoice" })

export const RoleChoice = z
  .strictObject({
    role: z
      .enum(["CODING", "VERIFICATION"])
      .describe("`VERIFICATION`: the agent that reviews where nothing else is said"),
  })
  .meta({ id: "RoleChoice" })

/** An account as it is kept: all but its key or log-in. */
export const Account = z.object({
  name: z.string(),
  provider: CliId,
  model: z.string().nullable().describe("Null: what the agent chooses"),
  reasoning: z.string().nullable(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  has_login: z.boolean().describe("Whether it works with its agent's own log-in instead of a key"),
  ready: z.boolean().describe("Whether it has what its provider needs"),
  created_at: z.iso.datetime(),
})
export type Account = z.infer<typeof Account>

/** An account as the API shows it. */
export const AccountView = Account.extend({ role: RoleChoice.shape.role }).meta({ id: "Account" })
export type AccountView = z.infer<typeof AccountView>

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return `${username}${password}${search}${hash}` === ""
}
