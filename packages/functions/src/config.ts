import type { AddedAgents } from "@switchyard/core/agents/added/added"
import { BuiltInCli, type CliId, clis } from "@switchyard/core/agents/clis/clis"
import { whyNoApiKey } from "@switchyard/core/models/key-forms"
import { keyedProviders, variablesOf } from "@switchyard/core/models/providers/providers"
import { type ModelsConfig, misplacedKeys } from "@switchyard/core/models/resolve"
import type { Limits } from "@switchyard/core/sessions/owner-limits"
import type * as z from "zod"
import { readContainerSizes } from "./container-size.ts"
import { Env, KeyEnv } from "./environment.ts"
import { isLoopback } from "./http/loopback.ts"
import { programsIn } from "./programs.ts"
import { settingError } from "./setting-error.ts"

export type Config = ReturnType<typeof loadConfig>

/**
 * Parses the environment once. Throws a `ZodError` that lists every invalid variable. `deployed` is true for a stage in
 * the cloud, which is reachable from the internet.
 */
export function loadConfig(
  env: Record<string, string | undefined>,
  { deployed = false, previewDomain }: { deployed?: boolean; previewDomain?: string | undefined } = {},
) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""))
  const read = Env.parse(set)
  const keys = KeyEnv.parse(set)
  const production = read.APP_ENV === "production"
  const mode = read.AUTH_MODE ?? (production || isReachedByOthers(read) ? "token" : "open")
  if (mode === "open" && allowsEveryOrigin(read)) throw anyPage(read)
  if (mode === "open" && read.SWITCHYARD_AGENT_USER) throw anyAgent()
  // A program uses the login of this machine's user, so other people must not reach it.
  const programs = mode === "open" && !deployed ? programsIn(set) : undefined
  const perMinute = mode === "open" ? 0 : PER_MINUTE
  return {
    appEnv: read.APP_ENV,
    production,
    auth: {
      mode,
      adminToken: read.ADMIN_TOKEN,
      /**
       * True if the server requires tokens only because others can reach it. It then creates one for this machine's
       * user.
       */
      makesToken: mode === "token" && !read.AUTH_MODE && !production,
    },
    perMinute: {
      runs: read.RATE_LIMIT_RUNS_PER_MINUTE ?? perMinute,
      archives: read.RATE_LIMIT_ARCHIVES_PER_MINUTE ?? perMinute,
    },
    host: read.HOST,
    /** Ports to try in order; the first free one is used. */
    ports: read.PORT === undefined ? USUAL_PORTS : [read.PORT],
    previews: read.PREVIEWS,
    /** Parent domain of published apps' host names. Undefined if apps are paths of a shared host. */
    appDomain: deployed ? previewDomain : read.PREVIEWS === "opaque" ? undefined : "localhost",
    publicUrl: read.PUBLIC_URL,
    clientAddressHeader: read.CLIENT_ADDRESS_HEADER,
    dataFolder: read.SWITCHYARD_DATA,
    /** Services that store records and blobs instead of the data folder. */
    services: { table: read.DYNAMODB_TABLE, bucket: read.S3_BUCKET, pathStyle: read.S3_PATH_STYLE ?? false },
    addedAgents: read.SWITCHYARD_AGENTS,
    agents: { user: read.SWITCHYARD_AGENT_USER, sandbox: read.SWITCHYARD_AGENT_SANDBOX },
    /** Home of the only person who uses this server. Undefined if there may be others. */
    home: mode === "open" && !deployed ? set.HOME : undefined,
    agentsPerSession: read.AGENTS_PER_SESSION || Number.POSITIVE_INFINITY,
    allowedHosts: read.ALLOWED_HOSTS ?? (production || deployed ? [] : ["*"]),
    parkAfterMs: read.PARK_AFTER_SECONDS === undefined ? undefined : read.PARK_AFTER_SECONDS * 1000,
    limits: limitsOf(read, mode),
    runners: {
      total: read.RUNNERS_AT_ONCE,
      perOwner: read.RUNNERS_PER_OWNER ?? (mode === "open" ? 0 : undefined),
    },
    /** Sizes of agents' containers on a stage, which determine their prices. */
    containers: readContainerSizes(read),
    retentionMs: read.RETENTION_DAYS * 86_400_000,
    workspaceAuth: workspaceAuth(mode, read.REQUIRE_WORKSPACE_AUTH ?? production),
    verboseErrors: read.EXPOSE_VERBOSE_ERRORS ?? !production,
    cors: corsOf(read),
    // On a stage, agents only use their owners' accounts: a task costs far more than a run, and has no limit.
    agentKeys: deployed ? {} : { ...addedKeys(read.SWITCHYARD_AGENTS, set), ...agentKeys(keys) },
    agentBedrock: deployed && read.BEDROCK_FOR_AGENTS ? agentBedrockOf(read) : undefined,
    models: {
      providers: { ...modelAccess(keys), bedrock: { baseUrl: read.BEDROCK_BASE_URL } },
      timeouts: timeouts(read.MODEL_FIRST_BYTE_SECONDS, read.MODEL_IDLE_SECONDS),
      localTimeouts: timeouts(read.LOCAL_FIRST_BYTE_SECONDS, read.LOCAL_IDLE_SECONDS),
      webSearch: {
        maxUses: read.WEB_SEARCH_MAX_USES ?? read.AGIRAPH_SEARCH_MAX_USES,
        anthropicTool: read.ANTHROPIC_WEB_SEARCH_TOOL,
      },
      bedrock: bedrockOf(read),
      development: !production,
      allowScripted: !production,
      locateProgram: programs?.locate,
    },
    programs,
    findsModelServer: (read.LOCAL_MODELS ?? true) && !keys.LOCAL_BASE_URL,
    searchKeys: { brave: read.BRAVE_API_KEY, serper: read.SERPER_API_KEY },
    workflow: {
      fileTokens: read.WORKFLOW_FILE_TOKENS,
      filesAtOnce: read.WORKFLOW_FILES_AT_ONCE,
      review: read.WORKFLOW_REVIEW,
      fallbackModels: read.MODEL_FALLBACKS,
    },
  }
}

/** True if others can send requests: other machines, or an untrusted agent that runs as its own user. */
function isReachedByOthers({ HOST, SWITCHYARD_AGENT_USER }: Env): boolean {
  return SWITCHYARD_AGENT_USER !== undefined || !isLoopback(HOST)
}

/**
 * True if the settings allow origins that can't have been listed deliberately: names under `.invalid` are never
 * registered (RFC 2606).
 */
function allowsEveryOrigin({ CORS_ALLOWED_ORIGINS, CORS_ALLOWED_ORIGIN_REGEX: pattern }: Env): boolean {
  const unlisted = ["https://any.invalid", "http://any.invalid", "https://any.invalid:8443"]
  return CORS_ALLOWED_ORIGINS.includes("*") || unlisted.some((origin) => pattern?.test(origin))
}

/** Creates the error for a server without login that any web page could use. */
function anyPage({ CORS_ALLOWED_ORIGINS }: Env): z.ZodError {
  const name = CORS_ALLOWED_ORIGINS.includes("*") ? "CORS_ALLOWED_ORIGINS" : "CORS_ALLOWED_ORIGIN_REGEX"
  const message =
    "If login is disabled, this setting would let any web page use the server. List the allowed origins, or set AUTH_MODE=token."
  return settingError(name, message, "")
}

/**
 * Creates the error for a server that requires no login while its agents run as a separate user: over loopback, they
 * could act as the server's owner.
 */
function anyAgent(): z.ZodError {
  const message =
    "Without login, an agent running as SWITCHYARD_AGENT_USER could use this server as you. Unset AUTH_MODE, so that the server creates a token for you."
  return settingError("AUTH_MODE", message, "open")
}

const NO_ORIGINS =
  "CORS is not configured, so browsers may only call from this server's own origin. Set CORS_ALLOWED_ORIGINS to allow others."
const NO_TLS =
  "Browsers on other machines can't sign in over plain HTTP. Put a proxy with TLS in front, and set PUBLIC_URL to its address."

/** Returns warnings about settings that are probably mistakes. */
export function warningsOf({ production, cors, auth, host, publicUrl, models }: Config): string[] {
  const isPlain = auth.makesToken && !isLoopback(host) && publicUrl === undefined
  return [
    ...(production && !cors.configured ? [NO_ORIGINS] : []),
    ...(isPlain ? [NO_TLS] : []),
    ...misplacedKeys(models),
  ]
}

/**
 * Returns the credential that `/workspace/*` requires. Without login, the server can only require that a key is
 * present.
 */
function workspaceAuth(mode: "open" | "token", required: boolean): "none" | "key" | "token" {
  if (mode === "token") return "token"
  return required ? "key" : "none"
}

/** Returns the limits per owner. Without login there is only one owner, so the default is no limits. */
function limitsOf(read: Env, mode: "open" | "token"): Limits {
  const usual = mode === "open" ? NO_LIMITS : USUAL_LIMITS
  return {
    sessions: read.SESSIONS_PER_OWNER ?? usual.sessions,
    storedBytes: read.STORED_MB_PER_OWNER === undefined ? usual.storedBytes : read.STORED_MB_PER_OWNER * 1e6,
    terminals: read.TERMINALS_PER_OWNER ?? usual.terminals,
  }
}

const NO_LIMITS: Limits = { sessions: 0, storedBytes: 0, terminals: 0 }
const USUAL_LIMITS: Limits = { sessions: 1000, storedBytes: 10e9, terminals: 50 }

function timeouts(firstByteSeconds: number | undefined, idleSeconds: number | undefined) {
  const ms = (value: number | undefined) => (value === undefined ? undefined : value * 1000)
  return { firstByteMs: ms(firstByteSeconds), idleMs: ms(idleSeconds) }
}

type Keys = z.infer<typeof KeyEnv>

/** Returns the keys of added agents from the server's own environment. */
function addedKeys(added: AddedAgents, env: Record<string, string | undefined>): Partial<Record<CliId, string>> {
  return Object.fromEntries([...added].flatMap(([id, { key }]) => (key && env[key] ? [[id, env[key]] as const] : [])))
}

/** Returns the built-in agents' API keys from the server's own environment. Omits values that aren't API keys. */
function agentKeys(keys: Keys): Partial<Record<CliId, string>> {
  const found = BuiltInCli.options.flatMap((id) => {
    const set = clis[id].keyVariables.map((name) => keys[name])
    const key = set.find((value) => value !== undefined && whyNoApiKey(value) === undefined)
    return key === undefined ? [] : [[id, key] as const]
  })
  return Object.fromEntries(found)
}

function modelAccess(keys: Keys): NonNullable<ModelsConfig["providers"]> {
  return Object.fromEntries(
    keyedProviders.map((id) => {
      const { apiKey, baseUrl } = variablesOf(id)
      return [id, { apiKey: keys[apiKey], baseUrl: keys[baseUrl] }]
    }),
  )
}

/** Returns the models of Bedrock. Throws if there is no region to ask for them. */
function bedrockOf({ BEDROCK_MODELS: models, BEDROCK_REGION, AWS_REGION }: Env): ModelsConfig["bedrock"] {
  if (models.length === 0) return undefined
  const region = BEDROCK_REGION ?? AWS_REGION
  if (region !== undefined && /^[a-z]{2,4}(-[a-z]+)+-\d$/.test(region)) return { models, region }
  const message = "Set BEDROCK_REGION to the AWS region of the models in BEDROCK_MODELS, such as us-east-1."
  throw settingError("BEDROCK_REGION", message, region)
}

/** Returns the models of Bedrock for agents. */
function agentBedrockOf(read: Env) {
  const bedrock = bedrockOf(read)
  return bedrock && { ...bedrock, baseUrl: read.BEDROCK_BASE_URL ?? null }
}

/** Ports to try by default: 3000 to 3019. */
const USUAL_PORTS = Array.from({ length: 20 }, (_, index) => 3000 + index)

/** Default rate limit. People need less, and it stops a runaway loop. */
const PER_MINUTE = 30

function corsOf(read: Env) {
  const explicit = read.CORS_ALLOWED_ORIGINS
  const pattern = read.CORS_ALLOWED_ORIGIN_REGEX
  const wildcard = allowsEveryOrigin(read)
  return {
    origins: explicit,
    pattern,
    credentials: !wildcard && (read.CORS_ALLOW_CREDENTIALS ?? explicit.length > 0),
    configured: explicit.length > 0 || pattern !== undefined,
  }
}
