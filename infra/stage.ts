/// <reference path="../.sst/platform/config.d.ts" />

import about from "../packages/functions/package.json"
import { readContainerSizes } from "../packages/functions/src/container-size.ts"
import { parseStageSettings, stageSettingsIn } from "../packages/functions/src/stage-settings.ts"
import { HOST_LISTS, readAgentHosts } from "../packages/runner/src/network/agent-hosts.ts"
import { withAddedAgents } from "../tools/cloud/added-agents.ts"
import { readFirewall } from "../tools/cloud/firewall.ts"
import { readImagePackages, readRunnerBrowser } from "../tools/cloud/image-packages.ts"
import { readNetwork, readProxies } from "../tools/cloud/network.ts"
import { parseReserved } from "../tools/cloud/reserved.ts"
import { codeVersion } from "../tools/cloud/version.ts"
import { readWarmRunners } from "../tools/cloud/warm.ts"

/** True if this stage contains data that must not be lost. `sst.config.ts` decides that. */
export const production = $app.protect === true

/** Settings that are set in the environment or in `.env.STAGE`. */
const given = stageSettingsIn(withAddedAgents(process.env))
// Fail before the deployment, because no function would start with an invalid value.
const read = parseStageSettings(given)

/** Models of Amazon Bedrock that runs may use, and their region. Without a region, they are in the stage's own. */
export const bedrock = {
  models: read.BEDROCK_MODELS,
  region: read.BEDROCK_REGION,
  /** True if agents may use the Claude models in `models`. */
  forAgents: read.BEDROCK_FOR_AGENTS === true,
}

/** Settings of the runner, as environment variables of its containers. */
export const runnerSettings = given.PARK_AFTER_SECONDS
  ? [{ name: "PARK_AFTER_SECONDS", value: given.PARK_AFTER_SECONDS }]
  : []

/** True if the stage runs agents, in containers. */
export const agents = process.env.AGENTS === "on"

/** Default size of agents' containers. */
export const { usual: containerSize } = readContainerSizes(read)

/** Existing network for containers. Undefined if the stage creates its own. */
export const existingNetwork = readNetwork({
  RUNNER_SUBNETS: process.env.RUNNER_SUBNETS,
  RUNNER_SECURITY_GROUP: process.env.RUNNER_SECURITY_GROUP,
})

/** Proxies that containers use, as environment variables of the containers. */
export const proxies = readProxies({
  RUNNER_HTTPS_PROXY: process.env.RUNNER_HTTPS_PROXY,
  RUNNER_HTTP_PROXY: process.env.RUNNER_HTTP_PROXY,
  RUNNER_NO_PROXY: process.env.RUNNER_NO_PROXY,
})

/** Number of containers kept waiting for sessions. */
const warmRunners = readWarmRunners(process.env.WARM_RUNNERS, { agents })

/** True if the stage also builds one image per agent and one without agents, not only the image with all agents. */
export const ownImages = parseAgentImages(process.env.AGENT_IMAGES)

/** Debian packages that this stage adds to the runner's images. */
export const imagePackages = readImagePackages(process.env.RUNNER_PACKAGES, { agents })

/** True if the stage also builds an image with a browser, for containers that check pages. */
export const browserImage = readRunnerBrowser(process.env.RUNNER_BROWSER, { agents })

function parseAgentImages(setting: string | undefined): boolean {
  if (setting && !["one", "each"].includes(setting)) throw new Error('AGENT_IMAGES must be "one" or "each".')
  return setting === "each"
}

/** Hosts that agents and checks in containers may reach, as environment variables of the containers. */
export const agentHosts = Object.values(HOST_LISTS).flatMap((list) => {
  const value = process.env[list.name]
  // Fail before the deployment, because a container with an invalid list would exit immediately.
  readAgentHosts(value, list)
  return value ? [{ name: list.name, value }] : []
})

/** True if the stage has WebSockets. */
export const withSockets = process.env.SOCKETS === "on"

/** Version of the deployed code, for logs and response headers. */
export const version = codeVersion($cli.paths.root, about.version)

/** Returns the product settings for every function on this stage. */
export function settings(): Record<string, string> {
  return {
    VERSION: version,
    APP_ENV: production ? "production" : "development",
    EXPOSE_VERBOSE_ERRORS: String(!production),
    ...(agents && { AGENTS: "on", WARM_RUNNERS: String(warmRunners) }),
    ...(withSockets && { SOCKETS: "on" }),
    ...(previewDomain && { PREVIEW_DOMAIN: previewDomain.name }),
    ...(domain && { PUBLIC_URL: `https://${domain.name}` }),
    ...given,
  }
}

/** True if pages from other origins may call the API. */
export const pagesElsewhere = ["CORS_ALLOWED_ORIGINS", "CORS_ALLOWED_ORIGIN_REGEX"].some((name) => process.env[name])

/** Email address for alarms. */
export const alarmEmail = process.env.ALARM_EMAIL

/**
 * Reserved concurrency of each function, which is also its maximum. Functions without it share the account's
 * concurrency. By default, none is reserved, because a new account may run only ten calls at the same time.
 */
export const reserved = parseReserved(process.env.RESERVED_CONCURRENCY)

/** True if the stage has a dashboard. */
export const dashboard = process.env.DASHBOARD === "on"

/** Requests that CloudFront accepts per client address in five minutes. Undefined for no limit. */
export const firewallRate = readFirewall(process.env.FIREWALL)

/** True if stored data is encrypted with a customer-managed key. */
export const ownKey = process.env.KMS_KEY === "on"

/** Monthly budget. If the bill is forecast to exceed it, an email is sent. */
export const budgetDollars = process.env.BUDGET_DOLLARS

/** Vault in another account for the nightly backups. */
export const backupVault = vaultFrom(process.env.BACKUP_VAULT)

function vaultFrom(arn: string | undefined) {
  if (!arn) return undefined
  if (/^arn:aws:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/.test(arn)) return arn
  throw new Error(
    "BACKUP_VAULT must be the ARN of an AWS Backup vault, for example arn:aws:backup:eu-central-1:…:backup-vault:NAME.",
  )
}

/** Public host name and its certificate. CloudFront requires the certificate to be in us-east-1. */
export const domain = domainFrom(process.env.DOMAIN, process.env.DOMAIN_CERTIFICATE)

/**
 * Parent domain of previews' host names and its wildcard certificate. CloudFront requires the certificate to be in
 * us-east-1.
 */
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
      "Neither PREVIEW_DOMAIN nor DOMAIN may contain the other, because previewed pages are written by a model.",
    )
  return given
}

function domainFrom(name: string | undefined, cert: string | undefined) {
  const example = "studio.example.com"
  const given = withCertificate({ name, cert }, { setting: "DOMAIN", example, certificate: "DOMAIN_CERTIFICATE" })
  // SST doesn't create DNS records. The operator points the name to CloudFront, using any DNS provider.
  return given && { ...given, dns: false as const }
}

function withCertificate(
  { name, cert }: { name: string | undefined; cert: string | undefined },
  { setting, example, certificate }: { setting: string; example: string; certificate: string },
) {
  if (!name && !cert) return undefined
  if (!name || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name))
    throw new Error(`${setting} must be a name such as ${example}.`)
  if (!cert?.startsWith("arn:aws:acm:us-east-1:"))
    throw new Error(`${setting} needs ${certificate}, the ARN of its certificate in us-east-1.`)
  return { name, cert }
}
