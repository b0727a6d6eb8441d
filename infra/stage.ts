/// <reference path="../.sst/platform/config.d.ts" />
import about from "../packages/functions/package.json"
import { HOST_LISTS, readAgentHosts } from "../packages/runner/src/network/agent-hosts.ts"
import { parseReserved } from "../tools/cloud/reserved.ts"
import { codeVersion } from "../tools/cloud/version.ts"
import { readWarmRunners } from "../tools/cloud/warm.ts"

/** Whether this stage holds what may not be lost. `sst.config.ts` decides. */
export const production = $app.protect === true

/** What whoever deploys may say otherwise, in the environment or in `.env.STAGE`. */
const ADJUSTABLE = [
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
  "ALLOWED_HOSTS",
  "RATE_LIMIT_RUNS_PER_MINUTE",
  "RATE_LIMIT_ARCHIVES_PER_MINUTE",
]

/** Whether agents can be put to work here, in containers. */
export const agents = process.env.AGENTS === "on"

/** How many containers wait for sessions. */
const warmRunners = readWarmRunners(process.env.WARM_RUNNERS, { agents })

/** Whether there are images with one agent alone, and with none, besides the one with all. */
export const ownImages = parseAgentImages(process.env.AGENT_IMAGES)

function parseAgentImages(setting: string | undefined): boolean {
  if (setting && !["one", "each"].includes(setting)) throw new Error('AGENT_IMAGES is "one" or "each".')
  return setting === "each"
}

/** The hosts that agents in containers, and checks there, are led to, for the containers' environment. */
export const agentHosts = Object.values(HOST_LISTS).flatMap((list) => {
  const value = process.env[list.name]
  // A container that can't read it would end at once.
  readAgentHosts(value, list)
  return value ? [{ name: list.name, value }] : []
})

/** Whether clients can have sockets. */
export const withSockets = process.env.SOCKETS === "on"

/** What logs and answers call the code that is deployed. */
const version = codeVersion($cli.paths.root, about.version)

/** The product's settings on this stage, for every function. */
export function settings(): Record<string, string> {
  return {
    VERSION: version,
    APP_ENV: production ? "production" : "development",
    EXPOSE_VERBOSE_ERRORS: String(!production),
    ...(agents && { AGENTS: "on", WARM_RUNNERS: String(warmRunners) }),
    ...(withSockets && { SOCKETS: "on" }),
    ...(previewDomain && { PREVIEW_DOMAIN: previewDomain.name }),
    ...(domain && { PUBLIC_URL: `https://${domain.name}` }),
    ...Object.fromEntries(ADJUSTABLE.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  }
}

/** Whether pages of other origins may call. */
export const pagesElsewhere = ["CORS_ALLOWED_ORIGINS", "CORS_ALLOWED_ORIGIN_REGEX"].some((name) => process.env[name])

/** Who hears of alarms. */
export const alarmEmail = process.env.ALARM_EMAIL

/** How many of each function can always run. Nothing is reserved unless somebody asks: an account starts with ten in all. */
export const reserved = parseReserved(process.env.RESERVED_CONCURRENCY)

/** Whether a page of charts is wanted. */
export const dashboard = process.env.DASHBOARD === "on"

/** Whether CloudFront refuses an address that asks too often. */
export const firewall = process.env.FIREWALL === "on"

/** Whether what is stored is sealed with a key of the account's own. */
export const ownKey = process.env.KMS_KEY === "on"

/** From what the account's month is thought to cost, mail is sent. */
export const budgetDollars = process.env.BUDGET_DOLLARS

/** The vault of another account in which each night's copy of what is stored is kept. */
export const backupVault = vaultFrom(process.env.BACKUP_VAULT)

function vaultFrom(arn: string | undefined) {
  if (!arn) return undefined
  if (/^arn:aws:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/.test(arn)) return arn
  throw new Error(
    "BACKUP_VAULT is the ARN of a vault of AWS Backup, as arn:aws:backup:eu-central-1:…:backup-vault:NAME.",
  )
}

/** The name that people type, and the certificate for it, which CloudFront wants to be in us-east-1. */
export const domain = domainFrom(process.env.DOMAIN, process.env.DOMAIN_CERTIFICATE)

/** The domain whose names are previews', and the certificate for all of them, which CloudFront wants to be in us-east-1. */
export const previewDomain = previewDomainFrom(process.env.PREVIEW_DOMAIN, process.env.PREVIEW_CERTIFICATE)

function previewDomainFrom(name: string | undefined, cert: string | undefined) {
  const example = "previews.example.net"
  const given = withCertificate(
    { name, cert },
    { setting: "PREVIEW_DOMAIN", example, certificate: "PREVIEW_CERTIFICATE" },
  )
  const studio = domain?.name
  if (given && studio && (`.${studio}`.endsWith(`.${given.name}`) || given.name.endsWith(`.${studio}`)))
    throw new Error(
      "PREVIEW_DOMAIN can't be a part of DOMAIN, or the other way round: what is previewed, a model wrote.",
    )
  return given
}

function domainFrom(name: string | undefined, cert: string | undefined) {
  const example = "studio.example.com"
  const given = withCertificate({ name, cert }, { setting: "DOMAIN", example, certificate: "DOMAIN_CERTIFICATE" })
  // Whoever runs the DNS points the name to CloudFront: it need not be AWS.
  return given && { ...given, dns: false as const }
}

function withCertificate(
  { name, cert }: { name: string | undefined; cert: string | undefined },
  { setting, example, certificate }: { setting: string; example: string; certificate: string },
) {
  if (!name && !cert) return undefined
  if (!name || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) throw new Error(`${setting} is a name such as ${example}.`)
  if (!cert?.startsWith("arn:aws:acm:us-east-1:"))
    throw new Error(`${setting} takes ${certificate}, the ARN of its certificate in us-east-1.`)
  return { name, cert }
}
