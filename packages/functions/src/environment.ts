import { clis } from "@switchyard/core/agents/clis/clis"
import {
  keyedProviders,
  modelProviders,
  type ProviderId,
  variablesOf,
} from "@switchyard/core/models/providers/providers"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import * as z from "zod"

const ON = new Set(["1", "true", "yes", "on"])
const OFF = new Set(["0", "false", "no", "off"])

/** Parses yes or no. Any other text is `undefined`, so that the default applies. */
const flag = z
  .string()
  .optional()
  .transform((text) => {
    const word = text?.trim().toLowerCase() ?? ""
    return ON.has(word) ? true : OFF.has(word) ? false : undefined
  })

const csv = z
  .string()
  .default("")
  .transform((text) => text.split(",").flatMap((part) => part.trim() || []))

const text = z
  .string()
  .optional()
  .transform((value) => value?.trim() || undefined)

const limit = z.coerce.number().int().min(0).max(10_000).optional()

const searches = z.coerce.number().int().min(1).max(100).optional()

/** At most a day, because a longer timer would overflow and fire at once. */
const seconds = z.coerce.number().min(1).max(86_400).optional()

/** Parses entries of a host policy, or undefined for an empty list. */
const hosts = csv.transform((entries, context) => {
  try {
    createHostPolicy(entries)
  } catch {
    context.addIssue({ code: "custom", message: "Write a range of addresses like 10.0.0.0/8." })
    return z.NEVER
  }
  return entries.length > 0 ? entries : undefined
})

/** Parses a pattern that must match the whole text. */
const pattern = text.transform((source, context) => {
  if (source === undefined) return undefined
  try {
    return new RegExp(`^(?:${source})$`)
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "Not a regular expression" })
    return z.NEVER
  }
})

const providerKeys = Object.fromEntries(keyedProviders.flatMap(providerVariables))
const agentKeys = Object.fromEntries(
  Object.values(clis).flatMap(({ title, keyVariables }) =>
    keyVariables.map((name) => [name, text.describe(`Key for ${title}, if the owner has no account for it`)]),
  ),
)

/** Variables with keys and addresses of model providers, and with further keys for agents. */
export const KeyEnv = z.object({ ...providerKeys, ...agentKeys, ...providerKeys })

function providerVariables(id: ProviderId): [string, typeof text][] {
  const { apiKey, baseUrl } = variablesOf(id)
  const isOwn = modelProviders[id].kind === "own_server"
  const address = isOwn ? "Address of an OpenAI-compatible server, for" : "Another address of the API of"
  return [
    [apiKey, text.describe(`Key for \`${id}/…\` models${isOwn ? ", if their server needs one" : ""}`)],
    [baseUrl, text.describe(`${address} \`${id}/…\` models`)],
  ]
}

/** All variables that the product reads, with descriptions for `docs/`. */
export const Env = z.object({
  APP_ENV: z
    .enum(["development", "production"])
    .default("development")
    .describe("`production` closes what development leaves open"),
  AUTH_MODE: z
    .enum(["open", "token"])
    .optional()
    .describe(
      "`open`: every client of the loopback address may do everything; `token`: clients need a token. `open` in development, unless SWITCHYARD_AGENT_USER is set or HOST isn't loopback; else `token`",
    ),
  ADMIN_TOKEN: z
    .string()
    .trim()
    .min(32)
    .optional()
    .describe(
      "The administrator's token, which can create others; at least 32 characters. By default it is created in the data folder",
    ),
  HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe("Port to listen on; 0 takes a free one. By default 3000 or the next free one"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Address of the server for browsers, if it differs from the listening address"),
  PREVIEWS: z
    .enum(["hosts", "opaque"])
    .default("hosts")
    .describe(
      "How a local server shows previews: each at its own host (`hosts`), or all at one host (`opaque`), where pages have no origin and no storage, as on a stage without a domain for previews",
    ),
  CLIENT_ADDRESS_HEADER: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9-]+$/)
    .optional()
    .describe(
      "Header that a proxy in front of the server sets to the client's address, such as `x-forwarded-for`; its last address counts. Only set this if the server is reached through that proxy alone",
    ),
  SWITCHYARD_DATA: z.string().default(".switchyard").describe("Folder of all stored data"),
  S3_BUCKET: text.describe("Bucket for files and logs of a local server, instead of its folder"),
  S3_PATH_STYLE: flag.describe(
    "The bucket's name is in the path of its URLs, as MinIO needs it, and not in their host",
  ),
  DYNAMODB_TABLE: text.describe("Table for records of a local server, instead of its folder"),
  AWS_ENDPOINT_URL_S3: text.describe("Address of an S3-compatible service. Amazon's by default"),
  AWS_ENDPOINT_URL_DYNAMODB: text.describe("Address of a DynamoDB-compatible service. Amazon's by default"),
  AWS_REGION: text.describe("Region of these services. Cloudflare R2 needs `auto`"),
  SWITCHYARD_AGENT_USER: text.describe(
    "User of this machine for command-line agents, if the server is root; by default agents run as the server's user",
  ),
  SWITCHYARD_AGENT_SANDBOX: z
    .enum(["off", "auto", "require"])
    .optional()
    .describe(
      "Sandbox for agents: used if this machine has one (`auto`), required (`require`), or unused (`off`). `auto` if agents run as another user, else `off`",
    ),
  SWITCHYARD_AGENT_HOSTS: text.describe(
    "Hosts that sandboxed agents may reach beside their model, separated by commas. Agents that run as another user reach them through a proxy. `default` means registries of packages and servers of source code, `*` every public host, `none` no other host, `machine` the machine's own network. `default`",
  ),
  SWITCHYARD_CHECK_HOSTS: text.describe(
    "Hosts that a check may fetch packages from, in the same form. `default` means registries of packages. `default`",
  ),
  RATE_LIMIT_RUNS_PER_MINUTE: limit.describe(
    "Runs that an owner may start per minute; 0 for no limit. 30, or 0 if AUTH_MODE is `open`",
  ),
  RATE_LIMIT_ARCHIVES_PER_MINUTE: limit.describe("The same for downloads"),
  ALLOWED_HOSTS: hosts.describe(
    "Non-public hosts that repositories and accounts may name, separated by commas: `git.example.internal`, `*.example.internal`, `10.1.0.0/16`, or `*` for any. `*` for a local server in development, else none",
  ),
  RUNNERS_AT_ONCE: limit.describe(
    "Concurrent agent runners of a server, one per session; others wait. 0 for no limit. A quarter of the memory at 150 MB each; 100 containers on a deployed server",
  ),
  RUNNERS_PER_OWNER: limit.describe("The same for one owner. Half of them, or 0 if AUTH_MODE is `open`"),
  AGENTS_PER_SESSION: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(8)
    .describe("Concurrent agents of a session; messages to others wait. 0 for no limit"),
  SESSIONS_PER_OWNER: limit.describe("Sessions per owner; 0 for no limit. 1000, or 0 if AUTH_MODE is `open`"),
  STORED_MB_PER_OWNER: z.coerce
    .number()
    .int()
    .min(0)
    .max(1e9)
    .optional()
    .describe("Stored megabytes of an owner's sessions, including all versions. 10000, or 0 if AUTH_MODE is `open`"),
  TERMINALS_PER_OWNER: limit.describe(
    "Open or waiting agent terminals per owner, one for each run. 50, or 0 if AUTH_MODE is `open`",
  ),
  PARK_AFTER_SECONDS: seconds.describe(
    "Seconds after which an agent that waits for a person's answer is stopped. It continues after the answer. 900",
  ),
  RETENTION_DAYS: z.coerce.number().min(1).default(30).describe("Days that an untouched session is kept"),
  CORS_ALLOWED_ORIGINS: csv.describe("Browser origins that may call the API, separated by commas"),
  CORS_ALLOWED_ORIGIN_REGEX: pattern.describe("Pattern for further origins, matched whole"),
  CORS_ALLOW_CREDENTIALS: flag.describe("Allows browsers to send cookies; never with `*`"),
  REQUIRE_WORKSPACE_AUTH: flag.describe(
    "Requires an `X-API-KEY` for `/workspace/*` on a server without log-in; with log-in, a valid token is enough. On in production",
  ),
  EXPOSE_VERBOSE_ERRORS: flag.describe("Includes causes in error messages; off in production"),
  ...KeyEnv.shape,
  MODEL_FIRST_BYTE_SECONDS: seconds.describe(
    "Seconds until a provider's first byte of an answer; then the call fails and is retried. 120",
  ),
  MODEL_IDLE_SECONDS: seconds.describe("Seconds of silence allowed later in an answer. 120"),
  LOCAL_FIRST_BYTE_SECONDS: seconds.describe(
    "The same as MODEL_FIRST_BYTE_SECONDS for `local/…` models, which may have to be loaded first. 1200",
  ),
  LOCAL_IDLE_SECONDS: seconds.describe("The same as MODEL_IDLE_SECONDS for `local/…` models. 600"),
  BRAVE_API_KEY: text.describe("Key for Brave's search, for teams whose model provider has no search"),
  SERPER_API_KEY: text.describe("Key for Serper's search, used without a key for Brave's"),
  WEB_SEARCH_MAX_USES: searches.describe("Searches that a provider may make for one answer. 5"),
  AGIRAPH_SEARCH_MAX_USES: searches.describe("The same, under the name that other systems use"),
  ANTHROPIC_WEB_SEARCH_TOOL: z
    .string()
    .trim()
    .regex(/^web_search_\d{8}$/)
    .optional()
    .describe("Version of Anthropic's search. `web_search_20250305`"),
  WORKFLOW_FILE_TOKENS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .optional()
    .describe(
      "Approximate tokens of project files that a workflow's model reads in full. A quarter of that remains for the declarations of other files. 24000",
    ),
  WORKFLOW_FILES_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe("Maximum independent files to write in parallel; fewer after the provider's limit is reached. 5"),
  WORKFLOW_REVIEW: flag.describe(
    "A final model call compares a workflow's files with the request. By default only if the price is known, and a review costs at most 5 cents",
  ),
})
export type Env = z.infer<typeof Env>
