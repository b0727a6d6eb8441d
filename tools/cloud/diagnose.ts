import { homedir } from "node:os"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { MACHINES } from "@switchyard/core/work/usage/machines"
import { concurrencyQuota } from "@switchyard/functions/aws/quota"
import { readContainerSize } from "@switchyard/functions/container-size"
import { parseStageSettings, stageSettingsIn } from "@switchyard/functions/stage-settings"
import { findAccount } from "./account.ts"
import { withAddedAgents } from "./added-agents.ts"
import { bedrockFound } from "./bedrock.ts"
import { cloudFrontFound } from "./cloudfront.ts"
import { containersFound, examineContainers, imagesFound } from "./containers.ts"
import { type DeployTarget, examineTarget } from "./deploy-target.ts"
import { examineDocker } from "./docker.ts"
import type { Finding } from "./finding.ts"
import { readNetwork } from "./network.ts"
import { concurrencyFor } from "./reservable.ts"
import { ALWAYS_UNRESERVED, parseReserved, suggestReserved, totalOf } from "./reserved.ts"
import { GENERATED, MODEL_KEYS, SEARCH_KEYS } from "./secrets.ts"
import type { Sst } from "./sst.ts"

export interface Diagnosis {
  findings: Finding[]
  /** Names of secrets that have a value. Absent if they couldn't be checked. */
  secrets?: string[]
  /** Current account and region. Absent if they couldn't be checked. */
  place?: DeployTarget
}

const NODE = 24
const ENOUGH_AT_ONCE = 100
const ANSWER_WITHIN_MS = 15_000
const REFUSED = "AWS rejects the credentials"
const MORE_AT_ONCE =
  "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000"

/** Finds out what is missing for deploying this stage. Sends requests only if there are credentials. */
export async function diagnose(stage: string, sst: Sst, intended?: string): Promise<Diagnosis> {
  const { credentials, region } = findAccount(process.env, homedir())
  const invalid = invalidSettings()
  const settings = invalid.length > 0 ? invalid : containersFound(process.env)
  const findings = [node(), credentialsFound(credentials), regionFound(region), docker(), ...settings]
  // Invalid settings, such as sizes and networks, can't be compared with the account.
  if (!credentials || !region || settings.some(({ kind }) => kind === "missing")) return { findings }

  const account = await accountAnswers(stage, credentials, region)
  findings.push(...account)
  if (account.some(({ kind }) => kind === "missing")) return { findings }
  const { place, finding } = await examineTarget(stage, region, intended)
  findings.push(finding)
  // Otherwise SST would create its state in the wrong place.
  if (finding.kind === "missing") return { findings }
  findings.push(...cloudFrontFound(region), ...(await bedrockFound(process.env, region)))
  if (process.env.AGENTS === "on") {
    const { vcpu: vcpuEach } = readContainerSize(process.env)
    const network = readNetwork(process.env)
    findings.push(imagesFound(process.env.AGENT_IMAGES), ...examineContainers(region, { vcpuEach, network }))
  }
  try {
    const secrets = sst.secrets()
    return { findings: [...findings, ...secretsFound(secrets, stage)], secrets, place }
  } catch (error) {
    findings.push({ kind: "missing", says: `The secrets of ${stage} couldn't be read: ${messageOf(error)}` })
    return { findings }
  }
}

/** Formats findings for the terminal. */
export function asText(findings: Finding[]): string {
  const mark = { missing: "✗", note: "!", fine: "✓" }
  return findings
    .map(({ kind, says, commands = [] }) =>
      [` ${mark[kind]} ${says}`, ...commands.map((line) => `     ${line}`)].join("\n"),
    )
    .join("\n")
}

/** Returns the first setting that the deployment would refuse. */
function invalidSettings(): Finding[] {
  try {
    parseStageSettings(stageSettingsIn(withAddedAgents(process.env)))
    return []
  } catch (error) {
    return [{ kind: "missing", says: messageOf(error) }]
  }
}

function node(): Finding {
  const { node: version } = process.versions
  if (Number.parseInt(version, 10) >= NODE) return { kind: "fine", says: `Node ${version}.` }
  return { kind: "missing", says: `This is Node ${version}, but version ${NODE} is required.`, commands: ["npm ci"] }
}

function credentialsFound(source: string | undefined): Finding {
  if (source) return { kind: "fine", says: `AWS credentials come from ${source}.` }
  const commands = ["aws configure sso", "export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…   # for example"]
  return { kind: "missing", says: "There are no AWS credentials.", commands }
}

function regionFound(region: string | undefined): Finding {
  if (region) return { kind: "fine", says: `The region is ${region}.` }
  return { kind: "missing", says: "No AWS region is set.", commands: ["export AWS_REGION=eu-central-1"] }
}

function docker(): Finding {
  if (process.env.AGENTS !== "on")
    return { kind: "fine", says: "Docker isn't needed, because there is no container to build." }
  return examineDocker(process.env.RUNNER_ARCHITECTURE || MACHINES.container.architecture)
}

async function accountAnswers(stage: string, credentials: string, region: string): Promise<Finding[]> {
  try {
    const quota = await concurrencyQuota(region, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    return [enoughAtOnce(quota.total), ...reservable(await concurrencyFor(new LambdaClient({ region }), stage, quota))]
  } catch (error) {
    return [{ kind: "missing", says: `${REFUSED} from ${credentials}: ${messageOf(error)}` }]
  }
}

function enoughAtOnce(atOnce: number): Finding {
  const says = `The account may run ${atOnce} functions at once.`
  if (atOnce >= ENOUGH_AT_ONCE) return { kind: "fine", says }
  const why = "Every run and every open stream needs one. To request more:"
  return { kind: "note", says: `${says} ${why}`, commands: [MORE_AT_ONCE] }
}

/**
 * Checked now, because AWS would refuse it in the middle of a deployment. `atOnce` doesn't include the reservations of
 * functions outside the stage.
 */
function reservable(atOnce: number): Finding[] {
  const text = process.env.RESERVED_CONCURRENCY
  if (!text) return shareable(atOnce)
  try {
    const wanted = totalOf(parseReserved(text))
    const says = `RESERVED_CONCURRENCY reserves ${wanted} of the ${atOnce} available`
    if (wanted + ALWAYS_UNRESERVED <= atOnce) return [{ kind: "fine", says: `${says}.` }]
    const rest = `AWS requires ${ALWAYS_UNRESERVED} unreserved ones. Reserve less, or request more:`
    return [{ kind: "missing", says: `${says}, but ${rest}`, commands: [MORE_AT_ONCE] }]
  } catch (error) {
    return [{ kind: "missing", says: messageOf(error) }]
  }
}

function shareable(atOnce: number): Finding[] {
  const value = suggestReserved(atOnce, { sockets: process.env.SOCKETS === "on" })
  if (value === undefined) return []
  const says = "Open tabs and runs may use all of them. To keep a share for everything else, set:"
  return [{ kind: "note", says, commands: [`RESERVED_CONCURRENCY=${value}`] }]
}

function secretsFound(set: string[], stage: string): Finding[] {
  const generated = Object.entries(GENERATED).filter(([name]) => !set.includes(name))
  const findings: Finding[] = []
  if (generated.length > 0) {
    findings.push({
      kind: "note",
      says: "These secrets have no value yet. The deployment generates them, unless you set them:",
      commands: generated.map(([name, { command }]) => `npx sst secret set ${name} "$(${command})" --stage ${stage}`),
    })
  }
  const withoutModels = "Every caller needs their own model key, unless you set BEDROCK_MODELS or one of these:"
  const hasModels = Boolean(process.env.BEDROCK_MODELS || process.env.LOCAL_BASE_URL)
  if (!hasModels) findings.push(...noneSet(MODEL_KEYS, set, stage, withoutModels))
  const withoutSearch = "Teams can only search the web if their model's provider can, unless you set one of these:"
  findings.push(...noneSet(SEARCH_KEYS, set, stage, withoutSearch))
  return findings.length > 0 ? findings : [{ kind: "fine", says: "Every secret has a value." }]
}

/** Returns a note if none of these optional secrets is set. */
function noneSet(names: string[], set: string[], stage: string, says: string): Finding[] {
  if (names.some((name) => set.includes(name))) return []
  return [{ kind: "note", says, commands: names.map((name) => `npx sst secret set ${name} YOUR_KEY --stage ${stage}`) }]
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
