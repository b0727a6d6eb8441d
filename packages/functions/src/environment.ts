import { createHostPolicy } from "@switchyard/core/host-policy"
import * as z from "zod"

const ON = new Set(["1", "true", "yes", "on"])
const OFF = new Set(["0", "false", "no", "off"])

/** `undefined` for whatever is neither yes nor no, so that the default stands. */
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

/** At most a day: a longer timer would overflow and fire at once. */
const seconds = z.coerce.number().min(1).max(86_400).optional()

/** Entries of a policy of hosts; undefined where none are listed. */
const hosts = csv.transform((entries, context) => {
  try {
    createHostPolicy(entries)
  } catch {
    context.addIssue({ code: "custom", message: "A range of addresses is written like 10.0.0.0/8." })
    return z.NEVER
  }
  return entries.length > 0 ? entries : undefined
})

/** Of a whole text, not of a part of it. */
const pattern = text.transform((source, context) => {
  if (source === undefined) return undefined
  try {
    return new RegExp(`^(?:${source})$`)
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "Not a regular expression" })
    return z.NEVER
  }
})

/** Every variable that the product reads, with what it is for. `docs/` lists them from here. */
export const Env = z.object({
  APP_ENV: z
    .enum(["development", "production"])
    .default("development")
    .describe("`production` closes what development leaves open"),
  AUTH_MODE: z
    .enum(["open", "token"])
    .optional()
    .describe(
      "`open`: whoever reaches the loopback address may do everything; `token`: only who has a token. `open` in development, unless SWITCHYARD_AGENT_USER is set or HOST isn't loopback; else `token`",
    ),
  ADMIN_TOKEN: z
    .string()
    .trim()
    .min(32)
    .optional()
    .describe("Token of who makes the others, 32 characters or more; made in the data folder where there is none"),
  HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe("Port to listen on; 0 takes a free one. Where it isn't set, 3000 or the next that is free"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Address by which browsers reach the server, where that isn't the one it listens on"),
  PREVIEWS: z
    .enum(["hosts", "opaque"])
    .default("hosts")
    .describe(
      "Where previews are shown on a machine of one's own: each at a host of its own, or all at one, where a page has no origin and stores nothing, as on a stage without a domain for them (`opaque`)",
    ),
  CLIENT_ADDRESS_HEADER: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9-]+$/)
    .optional()
    .describe(
      "Header in which a proxy in front of the server reports its client, such as `x-forwarded-for`, whose last address counts; only where the server is reached through that proxy alone",
    ),
  SWITCHYARD_DATA: z.string().default(".switchyard").describe("Folder of everything that is kept"),
  SWITCHYARD_AGENT_USER: text.describe(
    "User of this machine whom command-line agents run as, where the server is root; without it, they run as the server does",
  ),
  SWITCHYARD_AGENT_SANDBOX: z
    .enum(["off", "auto", "require"])
    .optional()
    .describe(
      "Whether agents run in a sandbox: where this machine has one (`auto`), or not at all without (`require`). `auto` where they run as other users, else `off`",
    ),
  SWITCHYARD_AGENT_HOSTS: text.describe(
    "Hosts that agents in a sandbox may reach beside their model, and to which those that run as other users are led by a proxy, with commas between; `default` stands for registries of packages and servers of source code, `*` for every public host, `none` for no other, `machine` for the machine's own network. `default`",
  ),
  SWITCHYARD_CHECK_HOSTS: text.describe(
    "Hosts from which a check may fetch packages, in the same form and the same way; `default` stands for registries of packages. `default`",
  ),
  RATE_LIMIT_RUNS_PER_MINUTE: limit.describe(
    "Runs that an owner may start in a minute; 0 for no limit. 30, or 0 where AUTH_MODE is `open`",
  ),
  RATE_LIMIT_ARCHIVES_PER_MINUTE: limit.describe("The same for downloads"),
  ALLOWED_HOSTS: hosts.describe(
    "Hosts that repositories and accounts may name although they aren't public, separated by commas: `git.example.internal`, `*.example.internal`, `10.1.0.0/16`, or `*` for any. `*` in development on a machine of one's own, else none",
  ),
  RUNNERS_AT_ONCE: limit.describe(
    "Runners of agents that a server has at once, one a session; others wait. 0 for no limit. A quarter of the memory at 150 MB each; 100 containers where it is deployed",
  ),
  RUNNERS_PER_OWNER: limit.describe("The same for one owner. Half of them, or 0 where AUTH_MODE is `open`"),
  AGENTS_PER_SESSION: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(8)
    .describe("Agents of a session that are at work at once; messages to others wait. 0 for no limit"),
  SESSIONS_PER_OWNER: limit.describe(
    "Sessions that an owner may have at once; 0 for no limit. 1000, or 0 where AUTH_MODE is `open`",
  ),
  STORED_MB_PER_OWNER: z.coerce
    .number()
    .int()
    .min(0)
    .max(1e9)
    .optional()
    .describe(
      "Megabytes that an owner's sessions may hold, all versions included. 10000, or 0 where AUTH_MODE is `open`",
    ),
  TERMINALS_PER_OWNER: limit.describe(
    "Terminals of agents that an owner may have open or waiting at once, one for each run. 50, or 0 where AUTH_MODE is `open`",
  ),
  PARK_AFTER_SECONDS: seconds.describe(
    "Seconds after which an agent that waits for a person's answer is stopped, to go on once there is one. 900",
  ),
  RETENTION_DAYS: z.coerce.number().min(1).default(30).describe("Days for which an untouched session keeps its data"),
  CORS_ALLOWED_ORIGINS: csv.describe("Origins of browsers that may call, separated by commas"),
  CORS_ALLOWED_ORIGIN_REGEX: pattern.describe("Pattern of further origins, matched whole"),
  CORS_ALLOW_CREDENTIALS: flag.describe("Whether browsers may send cookies; never with `*`"),
  REQUIRE_WORKSPACE_AUTH: flag.describe(
    "Whether `/workspace/*` demands an `X-API-KEY` on a server without log-in; with log-in, a valid token is enough. On in production",
  ),
  EXPOSE_VERBOSE_ERRORS: flag.describe("Whether failures say what they came from; off in production"),
  GROQ_API_KEY: text.describe("Key for groq's models"),
  GROQ_BASE_URL: text.describe("Another address for groq's API"),
  OPENAI_API_KEY: text.describe("Key for OpenAI's models"),
  OPENAI_BASE_URL: text.describe("Another address for OpenAI's API"),
  ANTHROPIC_API_KEY: text.describe("Key for Anthropic's models"),
  ANTHROPIC_BASE_URL: text.describe("Another address for Anthropic's API"),
  CODEX_API_KEY: text.describe("Key for Codex alone, where nobody has an account for it"),
  GEMINI_API_KEY: text.describe("Key for the Gemini CLI, where nobody has an account for it"),
  MISTRAL_API_KEY: text.describe("Key for Mistral Vibe, where nobody has an account for it"),
  LOCAL_API_KEY: text.describe("Key for the server of `local/…` models, if it wants one"),
  LOCAL_BASE_URL: text.describe("Address of an OpenAI-compatible server, for `local/…` models"),
  MODEL_FIRST_BYTE_SECONDS: seconds.describe(
    "Seconds that a model's provider may take until the first byte of an answer; then the call fails and is tried again. 120",
  ),
  MODEL_IDLE_SECONDS: seconds.describe("Seconds of silence that a provider may have later in an answer. 120"),
  LOCAL_FIRST_BYTE_SECONDS: seconds.describe(
    "The same as MODEL_FIRST_BYTE_SECONDS for `local/…` models, which may have to be loaded first. 1200",
  ),
  LOCAL_IDLE_SECONDS: seconds.describe("The same as MODEL_IDLE_SECONDS for `local/…` models. 600"),
  BRAVE_API_KEY: text.describe("Key for Brave's search, which teams use where their model's provider has none"),
  SERPER_API_KEY: text.describe("The same for Serper's, where there is no key for Brave's"),
  WEB_SEARCH_MAX_USES: searches.describe("Searches that one answer of a model may make at its provider. 5"),
  AGIRAPH_SEARCH_MAX_USES: searches.describe("The same, by the name that other systems use"),
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
      "Tokens, about, of a project's files that a workflow's model is given whole; of others, in a fourth of that, what they declare. 24000",
    ),
  WORKFLOW_FILES_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe(
      "Files that don't depend on one another are written side by side, so many at most; fewer once the provider's limit is met. 5",
    ),
  WORKFLOW_REVIEW: flag.describe(
    "Whether a last call of the model compares a workflow's files with the request; else where its price is known, and a review costs 5 cents at most",
  ),
})
export type Env = z.infer<typeof Env>
