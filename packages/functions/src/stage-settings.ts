import { Env } from "./environment.ts"
import { settingError } from "./setting-error.ts"

/**
 * Table of all settings, which both the local server and a stage read. `environment.ts` describes and parses them. Here,
 * each one belongs to exactly one of three groups: settings of a stage, its keys, and settings that a stage can't have.
 */

/** Settings that a stage takes from the environment of its deployment, or from `.env.STAGE`. */
export const STAGE_SETTINGS = [
  "APP_ENV",
  "PUBLIC_URL",
  "CORS_ALLOWED_ORIGINS",
  "CORS_ALLOWED_ORIGIN_REGEX",
  "CORS_ALLOW_CREDENTIALS",
  "EXPOSE_VERBOSE_ERRORS",
  "RETENTION_DAYS",
  "SESSIONS_PER_OWNER",
  "STORED_MB_PER_OWNER",
  "TERMINALS_PER_OWNER",
  "RUNNERS_AT_ONCE",
  "RUNNERS_PER_OWNER",
  "RUNNER_ARCHITECTURE",
  "RUNNER_VCPUS",
  "RUNNER_MEMORY_GB",
  "RUNNER_DISK_GB",
  "RUNNER_SIZES",
  "AGENTS_PER_SESSION",
  "SWITCHYARD_AGENTS",
  "PARK_AFTER_SECONDS",
  "ALLOWED_HOSTS",
  "RATE_LIMIT_RUNS_PER_MINUTE",
  "RATE_LIMIT_ARCHIVES_PER_MINUTE",
  "BEDROCK_MODELS",
  "BEDROCK_REGION",
  "BEDROCK_BASE_URL",
  "BEDROCK_FOR_AGENTS",
  "ANTHROPIC_BASE_URL",
  "GROQ_BASE_URL",
  "LOCAL_BASE_URL",
  "OPENAI_BASE_URL",
  "MODEL_FALLBACKS",
  "MODEL_FIRST_BYTE_SECONDS",
  "MODEL_IDLE_SECONDS",
  "LOCAL_FIRST_BYTE_SECONDS",
  "LOCAL_IDLE_SECONDS",
  "WEB_SEARCH_MAX_USES",
  "AGIRAPH_SEARCH_MAX_USES",
  "ANTHROPIC_WEB_SEARCH_TOOL",
  "WORKFLOW_FILE_TOKENS",
  "WORKFLOW_FILES_AT_ONCE",
  "WORKFLOW_REVIEW",
]

/** Returns the settings of a stage that are set in an environment. */
export function stageSettingsIn(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(STAGE_SETTINGS.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])))
}

/** Parses the settings of a stage. Throws if one of them isn't valid on a stage, and names it. */
export function parseStageSettings(settings: Record<string, string>): Env {
  const { data, error } = Env.safeParse(settings)
  const [first] = error?.issues ?? []
  if (!data) throw new Error(`${first?.path.join(".")}: ${first?.message}`)
  const { BEDROCK_MODELS: models, BEDROCK_REGION: region = "" } = data
  const elsewhere = models.find((name) => /^us-gov\.|^arn:(?!aws:)/.test(name))
  if (elsewhere !== undefined) throw settingError("BEDROCK_MODELS", `${elsewhere} is ${OTHER_PARTITION}`, elsewhere)
  if (/^(us-gov|cn)-/.test(region)) throw settingError("BEDROCK_REGION", `${region} is ${OTHER_PARTITION}`, region)
  return data
}

/** A stage's ARNs and services are those of the partition `aws`. */
const OTHER_PARTITION = "in AWS GovCloud or China, where a stage can't call models."

/** Keys for models, with the names of a stage's secrets. Only the worker receives them. */
export const STAGE_MODEL_KEYS: Record<string, string> = {
  GROQ_API_KEY: "GroqApiKey",
  ANTHROPIC_API_KEY: "AnthropicApiKey",
  OPENAI_API_KEY: "OpenaiApiKey",
  LOCAL_API_KEY: "LocalApiKey",
}

/** Keys for web search, likewise. */
export const STAGE_SEARCH_KEYS: Record<string, string> = {
  BRAVE_API_KEY: "BraveApiKey",
  SERPER_API_KEY: "SerperApiKey",
}

/** Settings without an effect on a stage, and the reason. */
export const NOT_ON_A_STAGE: Record<string, string> = {
  AUTH_MODE: "A stage always requires a token.",
  ADMIN_TOKEN: "The deployment creates it.",
  HOST: "CloudFront listens.",
  PORT: "CloudFront listens.",
  PREVIEWS: "PREVIEW_DOMAIN decides it.",
  CLIENT_ADDRESS_HEADER: "CloudFront sends its own header.",
  SWITCHYARD_DATA: "Data is in the stage's table and bucket.",
  S3_BUCKET: "The stage has a bucket.",
  S3_PATH_STYLE: "The stage has a bucket.",
  DYNAMODB_TABLE: "The stage has a table.",
  AWS_ENDPOINT_URL_S3: "The stage has a bucket.",
  AWS_ENDPOINT_URL_DYNAMODB: "The stage has a table.",
  AWS_REGION: "The stage's region is the deployment's.",
  SWITCHYARD_AGENT_USER: "The image has a user for agents.",
  SWITCHYARD_AGENT_SANDBOX: "Fargate has no sandbox.",
  SWITCHYARD_AGENT_HOSTS: "The containers have it, not the functions.",
  SWITCHYARD_CHECK_HOSTS: "The containers have it, not the functions.",
  REQUIRE_WORKSPACE_AUTH: "A stage always requires a token.",
  LOCAL_MODELS: "A function has no model server beside it.",
  CODEX_API_KEY: "Agents use their owners' accounts.",
  GEMINI_API_KEY: "Agents use their owners' accounts.",
  MISTRAL_API_KEY: "Agents use their owners' accounts.",
}
