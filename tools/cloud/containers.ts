import { spawnSync } from "node:child_process"
import type { Finding } from "./finding.ts"
import { idleMonth, total } from "./idle-month.ts"
import { readWarmRunners } from "./warm.ts"

/** A session's runner takes one. New accounts have six. */
const ENOUGH_VCPUS = 32
const ANSWER_WITHIN_MS = 20_000

const VCPUS = "service-quotas get-service-quota --service-code fargate --quota-code L-3032A538 --query Quota.Value"
const MORE_VCPUS =
  "aws service-quotas request-service-quota-increase --service-code fargate --quota-code L-3032A538 --desired-value 100"
const ROLE = "iam get-role --role-name AWSServiceRoleForECS --query Role.RoleName"
const MAKE_ROLE = "aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com"
/** Local zones that the account has opted in to run no Fargate. */
const ZONES =
  "ec2 describe-availability-zones --filters Name=opt-in-status,Values=opt-in-not-required Name=state,Values=available --query length(AvailabilityZones)"
/** The zones that the network of runners takes. */
const ENOUGH_ZONES = 2

/**
 * What the account has for agents' containers, as the AWS CLI says; without the CLI, the commands with which to look.
 * `missing` only for a region with too few zones.
 */
export function examineContainers(region: string): Finding[] {
  const vcpus = askAws(VCPUS, region)
  const role = askAws(ROLE, region)
  const zones = askAws(ZONES, region)
  if (vcpus.isThere && role.isThere) return [enoughContainers(vcpus), serviceRole(role), enoughZones(zones, region)]
  const says =
    "The AWS CLI isn't here to ask how many containers the account may run, in which zones, and whether it has ECS's role:"
  return [{ kind: "note", says, commands: [`aws ${VCPUS}`, `aws ${ZONES}`, `aws ${ROLE}`] }]
}

/** The images that containers of agents load at their start, by the setting AGENT_IMAGES. */
export function imagesFound(setting: string | undefined): Finding {
  const [each, one] = ["each", "one"].map((images) => total(idleMonth({ AGENTS: "on", AGENT_IMAGES: images })))
  const cents = Math.round(((each ?? 0) - (one ?? 0)) * 100)
  const saved = `200 to 370 MB instead of 600 are loaded at the start of a container that takes one agent, and less where it takes none; the images are kept for ${cents} cents more a month.`
  if (setting === "each") return { kind: "fine", says: `Each agent has an image of its own: ${saved}` }
  return { kind: "fine", says: `One image has all agents. With AGENT_IMAGES=each, ${saved}` }
}

/** The containers that wait for sessions, by the setting WARM_RUNNERS. */
export function waitingFound(env: Record<string, string | undefined>): Finding[] {
  try {
    const agents = env.AGENTS === "on"
    const count = readWarmRunners(env.WARM_RUNNERS, { agents })
    if (!agents) return []
    const price = (one: number) => {
      const months = [one, 0].map((waiting) => total(idleMonth({ AGENTS: "on", WARM_RUNNERS: String(waiting) })))
      return Math.round((months[0] ?? 0) - (months[1] ?? 0))
    }
    const saved = "begins at once instead of in about a minute"
    if (count > 0) {
      const says = `WARM_RUNNERS=${count}: so many containers wait for sessions, for ${price(count)} dollars a month; an agent that gets one ${saved}.`
      return [{ kind: "fine", says }]
    }
    const says = `No container waits for a session. With WARM_RUNNERS=1 one does, for ${price(1)} dollars a month, and an agent that gets it ${saved}.`
    return [{ kind: "fine", says }]
  } catch (error) {
    return [{ kind: "missing", says: error instanceof Error ? error.message : String(error) }]
  }
}

function enoughContainers({ ok, text }: Answer): Finding {
  const vcpus = Number(text)
  if (!ok || !Number.isFinite(vcpus)) {
    return { kind: "note", says: `How many containers the account may run can't be read: ${text}` }
  }
  const says = `The account may run ${vcpus} containers of agents at once: one a session, and those that wait.`
  if (vcpus >= ENOUGH_VCPUS) return { kind: "fine", says }
  return { kind: "note", says: `${says} Ask for more:`, commands: [MORE_VCPUS] }
}

function serviceRole({ ok, text }: Answer): Finding {
  if (ok) return { kind: "fine", says: "The account has the role with which ECS runs containers." }
  if (!text.includes("NoSuchEntity")) {
    return { kind: "note", says: `Whether the account has ECS's role can't be read: ${text}` }
  }
  const says =
    "The account lacks the role with which ECS runs containers. The first cluster mostly makes it; to be sure:"
  return { kind: "note", says, commands: [MAKE_ROLE] }
}

function enoughZones({ ok, text }: Answer, region: string): Finding {
  const zones = Number(text)
  if (!ok || !Number.isInteger(zones)) return { kind: "note", says: `The zones of ${region} can't be read: ${text}` }
  const says = `${region} has ${zones} zones for containers, besides those that the account had to opt in to`
  if (zones >= ENOUGH_ZONES) return { kind: "fine", says: `${says}.` }
  return { kind: "missing", says: `${says}; a stage with agents takes ${ENOUGH_ZONES}. Choose another AWS_REGION.` }
}

interface Answer {
  /** Whether the CLI is installed. */
  isThere: boolean
  ok: boolean
  text: string
}

function askAws(command: string, region: string): Answer {
  const args = [...command.split(" "), "--output", "text", "--region", region]
  const { error, status, stdout, stderr } = spawnSync("aws", args, { encoding: "utf8", timeout: ANSWER_WITHIN_MS })
  if (error) return { isThere: !("code" in error && error.code === "ENOENT"), ok: false, text: error.message }
  return { isThere: true, ok: status === 0, text: (status === 0 ? stdout : stderr).trim() }
}
