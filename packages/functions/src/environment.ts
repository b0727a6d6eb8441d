import { clis } from "@switchyard/core/agents/clis/clis"
import { parseModelName } from "@switchyard/core/models/names"
import {
  keyedProviders,
  modelProviders,
  type ProviderId,
  variablesOf,
} from "@switchyard/core/models/providers/providers"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import * as z from "zod"
import { addedAgentsIn } from "./added-agents.ts"
import { serverOrigin } from "./http/server-origin.ts"

const ON = new Set(["1", "true", "yes", "on"])
const OFF = new Set(["0", "false", "no", "off"])

/** Parses yes or no. For anything else, returns `undefined`, which selects the default. */
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

/** Returns a model's full name. Throws `invalid_request` for an unknown provider. */
function modelLabel(name: string): string {
  const { provider, model } = parseModelName(name, "workflow")
  return `${provider}/${model}`
}

const text = z
  .string()
  .optional()
  .transform((value) => value?.trim() || undefined)

/** Names of Bedrock models, as AWS writes them. */
const bedrockModels = csv.transform(
  refusable((names) => {
    for (const name of names) {
      if (/^bedrock\//.test(name)) throw new Error(`Leave out "bedrock/" in ${name}.`)
      parseModelName(`bedrock/${name}`, "general")
    }
    return names
  }),
)

const limit = z.coerce.number().int().min(0).max(10_000).optional()

const searches = z.coerce.number().int().min(1).max(100).optional()

/** Time in seconds, at most a day: longer timers overflow and fire immediately. */
const seconds = z.coerce.number().min(1).max(86_400).optional()

/** Parses the entries of a host policy. Returns undefined for an empty list. */
const hosts = csv.transform((entries, context) => {
  try {
    createHostPolicy(entries)
  } catch {
    context.addIssue({ code: "custom", message: "Write an address range as 10.0.0.0/8." })
    return z.NEVER
  }
  return entries.length > 0 ? entries : undefined
})

/** Turns a function that throws into a transformation that reports the error. */
function refusable<In, Out>(read: (value: In) => Out) {
  return (value: In, context: z.core.$RefinementCtx): Out => {
    try {
      return read(value)
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) })
      return z.NEVER
    }
  }
}

/** Returns an origin in the form that browsers send. Throws for entries that no browser sends. */
function browserOrigin(entry: string): string {
  if (!/^https?:/i.test(entry)) return entry
  const url = URL.parse(entry)
  if (url?.hostname.includes("*")) throw new Error(`${entry} is a pattern. Set CORS_ALLOWED_ORIGIN_REGEX instead.`)
  if (url?.href !== `${url?.origin}/`)
    throw new Error(`${entry} isn't a valid origin. Use a value such as https://app.example.com.`)
  return url.origin
}

/** Parses a regular expression that must match the entire text. */
const pattern = text.transform((source, context) => {
  if (source === undefined) return undefined
  try {
    return new RegExp(`^(?:${source})$`)
  } catch (error) {
    context.addIssue({
      code: "custom",
      message: error instanceof Error ? error.message : "This is not a valid regular expression.",
    })
    return z.NEVER
  }
})

const providerKeys = Object.fromEntries(keyedProviders.flatMap(providerVariables))
const agentKeys = Object.fromEntries(
  Object.values(clis).flatMap(({ title, keyVariables }) =>
    keyVariables.map((name) => [name, text.describe(`Key for ${title}, if the owner has no account for it`)]),
  ),
)

/** Variables for model providers' keys and addresses, and for agents' keys. */
export const KeyEnv = z.object({ ...providerKeys, ...agentKeys, ...providerKeys })

function providerVariables(id: ProviderId): [string, typeof text][] {
  const { apiKey, baseUrl } = variablesOf(id)
  const isOwn = modelProviders[id].kind === "own_server"
  const address = isOwn ? "Address of an OpenAI-compatible server, for" : "Alternative API address for"
  return [
    [apiKey, text.describe(`Key for \`${id}/…\` models${isOwn ? ", if their server needs one" : ""}`)],
    [baseUrl, text.describe(`${address} \`${id}/…\` models`)],
  ]
}

/** All variables that the product reads. Their descriptions appear in `docs/`. */
export const Env = z.object({
  APP_ENV: z
    .enum(["development", "production"])
    .default("development")
    .describe("`production` turns on the protection that `development` leaves off"),
  AUTH_MODE: z
    .enum(["open", "token"])
    .optional()
    .describe(
      "`open`: any client on the loopback address may do anything; `token`: clients need a token. Default: `open` in development, unless SWITCHYARD_AGENT_USER is set or HOST isn't loopback; else `token`",
    ),
  ADMIN_TOKEN: z
    .string()
    .trim()
    .min(32)
    .optional()
    .describe(
      "The administrator's token, which can create other tokens; at least 32 characters. By default, it is created in the data folder",
    ),
  HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe("Port to listen on; 0 picks any free port. Default: 3000 or the next free port"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform(refusable(serverOrigin))
    .optional()
    .describe("Server address for browsers, without a path, if it differs from the listening address"),
  PREVIEWS: z
    .enum(["hosts", "opaque"])
    .default("hosts")
    .describe(
      "How a local server shows previews: each on its own host (`hosts`), or all on one host (`opaque`). Pages on one host have neither an origin nor storage, as on a stage without a preview domain",
    ),
  CLIENT_ADDRESS_HEADER: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9-]+$/)
    .optional()
    .describe(
      "Header with the client's address, set by a proxy in front of the server, such as `x-forwarded-for`; the last address is used. Set this only if the server is reachable exclusively through that proxy",
    ),
  SWITCHYARD_DATA: z.string().default(".switchyard").describe("Folder for all stored data"),
  S3_BUCKET: text.describe("Bucket for a local server's files and logs, instead of its folder"),
  S3_PATH_STYLE: flag.describe("Puts the bucket name in the path of URLs instead of the host, as required by MinIO"),
  DYNAMODB_TABLE: text.describe("Table for a local server's records, instead of its folder"),
  AWS_ENDPOINT_URL_S3: text.describe("Address of an S3-compatible service. Default: Amazon's"),
  AWS_ENDPOINT_URL_DYNAMODB: text.describe("Address of a DynamoDB-compatible service. Default: Amazon's"),
  AWS_REGION: text.describe("Region for these services. Cloudflare R2 needs `auto`"),
  SWITCHYARD_AGENTS: text
    .transform(refusable(addedAgentsIn))
    .describe("YAML file with more agents, or the same as JSON. See docs/agents.md"),
  SWITCHYARD_AGENT_USER: text.describe(
    "User on this machine that runs command-line agents, if the server is root. By default, agents run as the server's user",
  ),
  SWITCHYARD_AGENT_SANDBOX: z
    .enum(["off", "auto", "require"])
    .optional()
    .describe(
      "Sandbox for agents: used if this machine has one (`auto`), required (`require`), or unused (`off`). Default: `auto` if agents run as another user, else `off`",
    ),
  SWITCHYARD_AGENT_HOSTS: text.describe(
    "Hosts that sandboxed agents may reach besides their model, separated by commas. Agents that run as another user reach them through a proxy. `default` means package registries and source code hosts, `*` every public host, `none` no other host, `machine` the machine's own network. Default: `default`",
  ),
  SWITCHYARD_CHECK_HOSTS: text.describe(
    "Hosts that a check may fetch packages from, in the same form. `default` means package registries. Default: `default`",
  ),
  RATE_LIMIT_RUNS_PER_MINUTE: limit.describe(
    "Runs that an owner may start per minute; 0 for no limit. Default: 30, or 0 if AUTH_MODE is `open`",
  ),
  RATE_LIMIT_ARCHIVES_PER_MINUTE: limit.describe(
    "Zips that an owner may download per minute; 0 for no limit. Default: 30, or 0 if AUTH_MODE is `open`",
  ),
  ALLOWED_HOSTS: hosts.describe(
    "Non-public hosts that repositories and accounts may name, separated by commas: `git.example.internal`, `*.example.internal`, `10.1.0.0/16`, or `*` for any but metadata addresses. Default: `*` for a local server in development, else none",
  ),
  RUNNERS_AT_ONCE: limit.describe(
    "Concurrent agent runners per server, one per session; other sessions wait. 0 for no limit. Default: as many as fit into a quarter of the memory at 150 MB each; 100 containers on a deployed server",
  ),
  RUNNERS_PER_OWNER: limit.describe(
    "The same per owner. Default: half of RUNNERS_AT_ONCE, or 0 if AUTH_MODE is `open`",
  ),
  RUNNER_ARCHITECTURE: z
    .string()
    .optional()
    .describe("On a stage, processors of the agents' containers: `arm64` or `amd64`. Default: `arm64`"),
  RUNNER_VCPUS: z.coerce.number().optional().describe("On a stage, vCPUs of an agents' container. Default: 1"),
  RUNNER_MEMORY_GB: z.coerce
    .number()
    .optional()
    .describe("On a stage, memory of an agents' container in GB. Default: 4 per vCPU"),
  RUNNER_DISK_GB: z.coerce.number().optional().describe("On a stage, disk of an agents' container in GB. Default: 20"),
  RUNNER_SIZES: text.describe(
    "On a stage, further sizes that a repository's settings may name, separated by commas: `4,8x32,16x64x100` (vCPUs, GB of memory, GB of disk). Default: none",
  ),
  AGENTS_PER_SESSION: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(8)
    .describe("Concurrent agents per session; messages to other agents wait. 0 for no limit"),
  SESSIONS_PER_OWNER: limit.describe("Sessions per owner; 0 for no limit. Default: 1000, or 0 if AUTH_MODE is `open`"),
  STORED_MB_PER_OWNER: z.coerce
    .number()
    .int()
    .min(0)
    .max(1e9)
    .optional()
    .describe(
      "Stored megabytes of an owner's sessions, including all versions. Default: 10000, or 0 if AUTH_MODE is `open`",
    ),
  TERMINALS_PER_OWNER: limit.describe(
    "Open or waiting agent terminals per owner, one for each run. Default: 50, or 0 if AUTH_MODE is `open`",
  ),
  PARK_AFTER_SECONDS: seconds.describe(
    "Seconds after which an agent waiting for a person's answer is stopped. It continues once it is answered. Default: 900",
  ),
  RETENTION_DAYS: z.coerce.number().min(1).default(30).describe("Days that an unused session is kept"),
  CORS_ALLOWED_ORIGINS: csv
    .transform(refusable((entries) => entries.map(browserOrigin)))
    .describe("Browser origins that may call the API, separated by commas"),
  CORS_ALLOWED_ORIGIN_REGEX: pattern.describe(
    "Regular expression for additional origins, which must match the whole origin",
  ),
  CORS_ALLOW_CREDENTIALS: flag.describe("Allows browsers to send cookies; never applies to `*`"),
  REQUIRE_WORKSPACE_AUTH: flag.describe(
    "Requires an `X-API-KEY` for `/workspace/*` on a server without login; with login, a valid token is enough. Default: on in production",
  ),
  EXPOSE_VERBOSE_ERRORS: flag.describe("Includes causes in error messages. Default: off in production"),
  ...KeyEnv.shape,
  BEDROCK_MODELS: bedrockModels.describe(
    "Models of Amazon Bedrock, separated by commas: `us.anthropic.claude-sonnet-4-5-20250929-v1:0,amazon.nova-pro-v1:0`, or ARNs of inference profiles. They are paid by the AWS account whose role or login the server has. The first one is the default if there is no key for Groq",
  ),
  BEDROCK_REGION: text.describe("AWS region of these models. Default: AWS_REGION"),
  BEDROCK_BASE_URL: text.describe("Alternative API address for `bedrock/…` models, such as that of a VPC endpoint"),
  BEDROCK_FOR_AGENTS: flag.describe(
    "On a stage: lets every owner's Claude Code use the Claude models in BEDROCK_MODELS without an account. A task costs far more than a run. Default: off",
  ),
  MODEL_FIRST_BYTE_SECONDS: seconds.describe(
    "Seconds to wait for the first byte of a provider's answer before the call fails and is retried. Default: 120",
  ),
  MODEL_IDLE_SECONDS: seconds.describe("Seconds of silence allowed later in an answer. Default: 120"),
  LOCAL_FIRST_BYTE_SECONDS: seconds.describe(
    "The same as MODEL_FIRST_BYTE_SECONDS for `local/…` models, which may have to be loaded first. Default: 1200",
  ),
  LOCAL_MODELS: flag.describe(
    "Looks for Ollama, LM Studio and llama.cpp at their usual addresses on this machine when `npm start` begins, unless LOCAL_BASE_URL is set. Sends them one request for their models. Default: on",
  ),
  MODEL_FALLBACKS: csv
    .transform(refusable((names) => names.map(modelLabel)))
    .describe(
      "Models that continue a build, in this order, if the provider of its model is down: `groq/openai/gpt-oss-120b,anthropic/claude-sonnet-4-5`. They use the server's keys. Default: none",
    ),
  LOCAL_IDLE_SECONDS: seconds.describe("The same as MODEL_IDLE_SECONDS for `local/…` models. Default: 600"),
  BRAVE_API_KEY: text.describe("Key for Brave Search, for teams whose model provider doesn't offer web search"),
  SERPER_API_KEY: text.describe("Key for Serper's search, used if there is no key for Brave"),
  WEB_SEARCH_MAX_USES: searches.describe("Searches that a provider may make per answer. Default: 5"),
  AGIRAPH_SEARCH_MAX_USES: searches.describe("The same, under the name used by other systems"),
  ANTHROPIC_WEB_SEARCH_TOOL: z
    .string()
    .trim()
    .regex(/^web_search_\d{8}$/)
    .optional()
    .describe("Version of Anthropic's search. Default: `web_search_20250305`"),
  WORKFLOW_FILE_TOKENS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .optional()
    .describe(
      "Approximate tokens of project files that a workflow's model reads in full. A further quarter of that is for the declarations in other files. Default: 24000",
    ),
  WORKFLOW_FILES_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe(
      "Maximum number of independent files to write in parallel; fewer after hitting the provider's limit. Default: 5",
    ),
  WORKFLOW_REVIEW: flag.describe(
    "Whether workflows end with a model call that compares their files with the request. Default: true",
  ),
})
export type Env = z.infer<typeof Env>
