import { clis } from "@switchyard/core/agents/clis/clis"
import { CliId } from "@switchyard/core/agents/clis/schema"
import { createHostPolicy } from "@switchyard/core/host-policy"
import { misplacedKeys } from "@switchyard/core/models/resolve"
import type { Limits } from "@switchyard/core/sessions/owner-limits"
import * as z from "zod"
import { isLoopback } from "./http/guards.ts"

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
  PORT: z.coerce.number().int().min(0).max(65535).default(3000).describe("Port to listen on; 0 takes a free one"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Address by which browsers reach the server, where that isn't the one it listens on"),
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
  RATE_LIMIT_RUNS_PER_MINUTE: limit.describe(
    "Runs that an owner may start in a minute; 0 for no limit. 30, or 0 where AUTH_MODE is `open`",
  ),
  RATE_LIMIT_ARCHIVES_PER_MINUTE: limit.describe("The same for downloads"),
  ALLOWED_HOSTS: hosts.describe(
    "Hosts that repositories and accounts may name although they aren't public, separated by commas: `git.example.internal`, `*.example.internal`, `10.1.0.0/16`, or `*` for any. `*` in development on a machine of one's own, else none",
  ),
  RUNNERS_AT_ONCE: limit.describe(
    "Runners of agents that a server has at once, one a session; others wait. 0 for no limit. A quarter of the memory at 150 MB each",
  ),
  RUNNERS_PER_OWNER: limit.describe("The same for one owner. Half of them, or 0 where AUTH_MODE is `open`"),
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
  WORKFLOW_FILE_TOKENS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .optional()
    .describe(
      "Tokens, about, of a project's files that a workflow's model is given whole; of others, the names. 24000",
    ),
})

export type Config = ReturnType<typeof loadConfig>

/**
 * Reads the environment, once. Throws a `ZodError` that names every variable that is wrong. `deployed`: on a stage in the
 * cloud, which is open to the internet.
 */
export function loadConfig(env: Record<string, string | undefined>, { deployed = false } = {}) {
  const read = Env.parse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== "")))
  const production = read.APP_ENV === "production"
  const mode = read.AUTH_MODE ?? (production || isReachedByOthers(read) ? "token" : "open")
  if (mode === "open" && read.CORS_ALLOWED_ORIGINS.includes("*")) throw anyPage()
  if (mode === "open" && read.SWITCHYARD_AGENT_USER) throw anyAgent()
  const perMinute = mode === "open" ? 0 : PER_MINUTE
  return {
    appEnv: read.APP_ENV,
    production,
    auth: {
      mode,
      adminToken: read.ADMIN_TOKEN,
      /** Whether the server makes a token for the person at this machine, who would need none without others there. */
      makesToken: mode === "token" && !read.AUTH_MODE && !production,
    },
    perMinute: {
      runs: read.RATE_LIMIT_RUNS_PER_MINUTE ?? perMinute,
      archives: read.RATE_LIMIT_ARCHIVES_PER_MINUTE ?? perMinute,
    },
    host: read.HOST,
    port: read.PORT,
    publicUrl: read.PUBLIC_URL && new URL(read.PUBLIC_URL).origin,
    clientAddressHeader: read.CLIENT_ADDRESS_HEADER,
    dataFolder: read.SWITCHYARD_DATA,
    agents: { user: read.SWITCHYARD_AGENT_USER, sandbox: read.SWITCHYARD_AGENT_SANDBOX },
    allowedHosts: read.ALLOWED_HOSTS ?? (production || deployed ? [] : ["*"]),
    limits: limitsOf(read, mode),
    runners: {
      total: read.RUNNERS_AT_ONCE,
      perOwner: read.RUNNERS_PER_OWNER ?? (mode === "open" ? 0 : undefined),
    },
    retentionMs: read.RETENTION_DAYS * 86_400_000,
    workspaceAuth: workspaceAuth(mode, read.REQUIRE_WORKSPACE_AUTH ?? production),
    verboseErrors: read.EXPOSE_VERBOSE_ERRORS ?? !production,
    cors: corsOf(read),
    agentKeys: agentKeys(read),
    models: {
      groqApiKey: read.GROQ_API_KEY,
      groqBaseUrl: read.GROQ_BASE_URL,
      openaiApiKey: read.OPENAI_API_KEY,
      openaiBaseUrl: read.OPENAI_BASE_URL,
      anthropicApiKey: read.ANTHROPIC_API_KEY,
      anthropicBaseUrl: read.ANTHROPIC_BASE_URL,
      localApiKey: read.LOCAL_API_KEY,
      localBaseUrl: read.LOCAL_BASE_URL,
      development: !production,
      allowScripted: !production,
    },
    workflow: { fileTokens: read.WORKFLOW_FILE_TOKENS },
  }
}

/** Whether somebody else can send requests: from another machine, or on this one as an agent that isn't trusted as its user is. */
function isReachedByOthers({ HOST, SWITCHYARD_AGENT_USER }: z.infer<typeof Env>): boolean {
  return SWITCHYARD_AGENT_USER !== undefined || !isLoopback(HOST)
}

/** The refusal of a server without log-in that any web page could use. */
function anyPage(): z.ZodError {
  const message = "Without log-in, * would let every web page use this server. Name origins, or set AUTH_MODE=token."
  return new z.ZodError([{ code: "custom", path: ["CORS_ALLOWED_ORIGINS"], message, input: "*" }])
}

/** The refusal of a server without log-in whose agents are kept apart from it: over loopback they would be its owner. */
function anyAgent(): z.ZodError {
  const message =
    "Without log-in, an agent that runs as SWITCHYARD_AGENT_USER could use this server as you do. Leave AUTH_MODE out: then the server makes a token for you."
  return new z.ZodError([{ code: "custom", path: ["AUTH_MODE"], message, input: "open" }])
}

const NO_ORIGINS =
  "CORS is not configured: browsers may call from this server's own origin only. CORS_ALLOWED_ORIGINS names others."
const NO_TLS =
  "Browsers on other machines can't sign in over plain HTTP. Put a proxy with TLS in front, and set PUBLIC_URL to its address."

/** Warnings about settings that may not be meant. */
export function warningsOf({ production, cors, auth, host, publicUrl, models }: Config): string[] {
  const isPlain = auth.makesToken && !isLoopback(host) && publicUrl === undefined
  return [
    ...(production && !cors.configured ? [NO_ORIGINS] : []),
    ...(isPlain ? [NO_TLS] : []),
    ...misplacedKeys(models),
  ]
}

/** The credential that `/workspace/*` demands: the gate by a key's presence is for servers without log-in. */
function workspaceAuth(mode: "open" | "token", required: boolean): "none" | "key" | "token" {
  if (mode === "token") return "token"
  return required ? "key" : "none"
}

/** The limits of one owner. Where there is only one, nobody has to be kept from taking all. */
function limitsOf(read: z.infer<typeof Env>, mode: "open" | "token"): Limits {
  const usual = mode === "open" ? NO_LIMITS : USUAL_LIMITS
  return {
    sessions: read.SESSIONS_PER_OWNER ?? usual.sessions,
    storedBytes: read.STORED_MB_PER_OWNER === undefined ? usual.storedBytes : read.STORED_MB_PER_OWNER * 1e6,
    terminals: read.TERMINALS_PER_OWNER ?? usual.terminals,
  }
}

const NO_LIMITS: Limits = { sessions: 0, storedBytes: 0, terminals: 0 }
const USUAL_LIMITS: Limits = { sessions: 1000, storedBytes: 10e9, terminals: 50 }

/** Keys that the server's own environment has for agents. */
function agentKeys(read: z.infer<typeof Env>): Partial<Record<CliId, string>> {
  const found = CliId.options.flatMap((id) => {
    const names: string[] = clis[id].keyVariables
    const key = names.map((name) => read[name as keyof typeof read]).find((value) => typeof value === "string")
    return key === undefined ? [] : [[id, key] as const]
  })
  return Object.fromEntries(found)
}

/** More than people do, and less than a loop that went wrong. */
const PER_MINUTE = 30

function corsOf(read: z.infer<typeof Env>) {
  const explicit = read.CORS_ALLOWED_ORIGINS
  const pattern = read.CORS_ALLOWED_ORIGIN_REGEX
  const wildcard = explicit.includes("*")
  return {
    origins: explicit,
    pattern,
    credentials: !wildcard && (read.CORS_ALLOW_CREDENTIALS ?? explicit.length > 0),
    configured: explicit.length > 0 || pattern !== undefined,
  }
}
