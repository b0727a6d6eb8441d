import { type ContainerSize, machineHourUsd } from "@switchyard/core/work/usage/machines"
import { readContainerSize } from "@switchyard/functions/container-size"
import { type Answer, askAws } from "./aws-cli.ts"
import type { Finding } from "./finding.ts"
import { readFirewall } from "./firewall.ts"
import { idleMonth, total } from "./idle-month.ts"
import { readImagePackages, readRunnerBrowser } from "./image-packages.ts"
import { type ExistingNetwork, readNetwork, readProxies } from "./network.ts"
import { readWarmRunners } from "./warm.ts"

/** Enough for most teams. New accounts have six vCPUs. */
const ENOUGH_CONTAINERS = 32

const VCPUS = "service-quotas get-service-quota --service-code fargate --quota-code L-3032A538 --query Quota.Value"
const MORE_VCPUS =
  "aws service-quotas request-service-quota-increase --service-code fargate --quota-code L-3032A538 --desired-value"
const ROLE = "iam get-role --role-name AWSServiceRoleForECS --query Role.RoleName"
const MAKE_ROLE = "aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com"
/** Excludes local zones that the account has opted in to, because Fargate doesn't run there. */
const ZONES =
  "ec2 describe-availability-zones --filters Name=opt-in-status,Values=opt-in-not-required Name=state,Values=available --query length(AvailabilityZones)"
/** Number of zones used by the runners' network. */
const ENOUGH_ZONES = 2

/**
 * Uses the AWS CLI to check the account's limits for agents' containers. Without the CLI, returns the commands to run.
 * Returns `missing` only for a region with too few zones, or an existing network that can't be used.
 */
export function examineContainers(
  region: string,
  { vcpuEach, network }: { vcpuEach: number; network: ExistingNetwork | undefined },
): Finding[] {
  const vcpus = askAws(VCPUS, region)
  const role = askAws(ROLE, region)
  if (vcpus.isThere && role.isThere) {
    const where = network ? networkFound(network, region) : enoughZones(askAws(ZONES, region), region)
    return [enoughContainers(vcpus, vcpuEach), serviceRole(role), where]
  }
  const says =
    "Install the AWS CLI to check how many containers the account may run, in which zones, and whether it has ECS's role. Or run:"
  return [{ kind: "note", says, commands: [`aws ${VCPUS}`, `aws ${ZONES}`, `aws ${ROLE}`] }]
}

/** Describes the images loaded by agents' containers, depending on AGENT_IMAGES. */
export function imagesFound(setting: string | undefined): Finding {
  const [each, one] = ["each", "one"].map((images) => total(idleMonth({ AGENTS: "on", AGENT_IMAGES: images })))
  const cents = Math.round(((each ?? 0) - (one ?? 0)) * 100)
  const saved = `a container with one agent loads 360 to 530 MB at startup instead of 760, and one without agents even less. Storing the images costs ${cents} cents more a month.`
  if (setting === "each") return { kind: "fine", says: `Each agent has its own image: ${saved}` }
  return { kind: "fine", says: `One image contains all agents. With AGENT_IMAGES=each, ${saved}` }
}

/**
 * Describes the containers' size, and how many of them wait for sessions. Without agents, only checks the settings,
 * because a deployment refuses wrong ones either way.
 */
export function containersFound(env: Record<string, string | undefined>): Finding[] {
  try {
    const agents = env.AGENTS === "on"
    const count = readWarmRunners(env.WARM_RUNNERS, { agents })
    const size = sizeFound(readContainerSize(env))
    readNetwork(env)
    readProxies(env)
    readImagePackages(env.RUNNER_PACKAGES, { agents })
    readRunnerBrowser(env.RUNNER_BROWSER, { agents })
    readFirewall(env.FIREWALL)
    if (!agents) return []
    const price = (one: number) => {
      const months = [one, 0].map((waiting) => total(idleMonth({ ...env, WARM_RUNNERS: String(waiting) })))
      return Math.round((months[0] ?? 0) - (months[1] ?? 0))
    }
    const saved = "starts immediately instead of after about a minute"
    if (count > 0) {
      const says = `WARM_RUNNERS=${count}: the waiting containers cost ${price(count)} dollars a month. An agent that gets one ${saved}.`
      return [size, { kind: "fine", says }]
    }
    const says = `No containers are waiting for sessions. WARM_RUNNERS=1 costs ${price(1)} dollars a month, and an agent that gets the container ${saved}.`
    return [size, { kind: "fine", says }]
  } catch (error) {
    return [{ kind: "missing", says: error instanceof Error ? error.message : String(error) }]
  }
}

function sizeFound(size: ContainerSize): Finding {
  const { architecture, vcpu, gb, diskGb } = size
  const cents = (100 * machineHourUsd("container", size)).toFixed(1)
  const says = `A container has ${vcpu} vCPU (${architecture}), ${gb} GB of memory and ${diskGb} GB of disk, for ${cents} cents an hour.`
  return { kind: "fine", says }
}

function enoughContainers({ ok, text }: Answer, vcpuEach: number): Finding {
  const vcpus = Number(text)
  if (!ok || !Number.isFinite(vcpus)) {
    return { kind: "note", says: `The account's container limit couldn't be read: ${text}` }
  }
  const count = Math.floor(vcpus / vcpuEach)
  const says = `The account may run ${count} agent containers at once: one per session, plus waiting ones.`
  if (count >= ENOUGH_CONTAINERS) return { kind: "fine", says }
  return { kind: "note", says: `${says} To request more:`, commands: [`${MORE_VCPUS} ${100 * vcpuEach}`] }
}

function serviceRole({ ok, text }: Answer): Finding {
  if (ok) return { kind: "fine", says: "The account has ECS's service role." }
  if (!text.includes("NoSuchEntity")) {
    return { kind: "note", says: `ECS's service role couldn't be checked: ${text}` }
  }
  const says = "The account lacks ECS's service role. It is usually created with the first cluster. To make sure:"
  return { kind: "note", says, commands: [MAKE_ROLE] }
}

/** Checks that an existing network's subnets and security group exist, in the same VPC. */
function networkFound({ subnets, group }: ExistingNetwork, region: string): Finding {
  const answers = [
    askAws(`ec2 describe-subnets --subnet-ids ${subnets.join(" ")} --query Subnets[].VpcId`, region),
    askAws(`ec2 describe-security-groups --group-ids ${group} --query SecurityGroups[].VpcId`, region),
  ]
  const refused = answers.find(({ ok }) => !ok)
  if (refused) return { kind: "missing", says: `The containers' network can't be used: ${refused.text}` }
  const vpcs = [...new Set(answers.flatMap(({ text }) => text.split(/\s+/)))]
  if (vpcs.length === 1) return { kind: "fine", says: `Containers start in ${subnets.join(", ")} of ${vpcs[0]}.` }
  const says = `RUNNER_SUBNETS and RUNNER_SECURITY_GROUP must be in one VPC, but are in ${vpcs.join(" and ")}.`
  return { kind: "missing", says }
}

function enoughZones({ ok, text }: Answer, region: string): Finding {
  const zones = Number(text)
  if (!ok || !Number.isInteger(zones)) return { kind: "note", says: `The zones in ${region} couldn't be read: ${text}` }
  const says = `${region} has ${zones} zones for containers, not counting opt-in zones`
  if (zones >= ENOUGH_ZONES) return { kind: "fine", says: `${says}.` }
  return { kind: "missing", says: `${says}; a stage with agents needs ${ENOUGH_ZONES}. Choose another AWS_REGION.` }
}
