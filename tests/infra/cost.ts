import type { ContainerSize } from "@switchyard/core/work/usage/machines"
import { type CostLine, month, summed } from "../../tools/cloud/idle-month.ts"
import { PRICES } from "../../tools/cloud/prices.ts"
import { one, type Resource, type Synth } from "./synth/synth.ts"

/** Returns the costs of a month without any use. Throws for a resource of unknown cost. */
export function idleMonth(synth: Synth): CostLine[] {
  const unknown = synth.resources.filter(({ type, custom }) => custom && !(type in MONTHLY) && !FREE.has(type))
  if (unknown.length > 0) throw new Error(`What does it cost? ${unknown.map(({ type }) => type)}`)
  return summed(synth.resources.flatMap((resource) => MONTHLY[resource.type]?.(resource, synth) ?? []))
}

/** A run of five minutes, which sends 3 MB to its model. */
export const RUN = { seconds: 300, writes: 500, reads: 2000, blobs: 60, gbOut: 0.003 }

/**
 * The worker's time to start a container, and the container's hours for its start and the five idle minutes before it
 * exits.
 */
export const START = { workerSeconds: 60, idleHours: 6 / 60 }

/** Hourly traffic and logs of an agent's container: 400 requests to its model, each with a conversation of 0.5 MB. */
const SENT = { gbAnHour: 0.2, logBytes: 1e6 }

/** A waiting session asks for its slot twice. `tests/simulation/runner-load.test.ts` prints the writes. */
const WAIT = { workerSeconds: 2, writes: 12 }

/** Bytes that Lambda and the product log for an invocation. */
const CALL_LOG_BYTES = 1500

/**
 * Use of a stream per hour: its reconnections, and the table's reads while idle and during a run. The bench counts the
 * reads.
 */
export const OPEN_STREAM = { answers: 15, reads: 5000, busyReads: 70_000 }

/** Returns the costs of people's use. */
export function use(synth: Synth): CostLine[] {
  const perSecond = perSecondIn(synth)
  const run =
    RUN.seconds * perSecond("WorkerFunction") +
    RUN.writes * PRICES.recordWrite +
    RUN.reads * PRICES.recordRead +
    RUN.blobs * PRICES.blobWrite +
    RUN.gbOut * PRICES.machineTrafficGb +
    PRICES.trace +
    logged(CALL_LOG_BYTES)
  const shown = (OPEN_STREAM.busyReads - OPEN_STREAM.reads) * PRICES.recordRead
  return [
    { what: "a run of five minutes, without the model", dollars: run },
    { what: "an hour of one open stream", dollars: openStream(synth).dollars },
    { what: "in addition, an hour of work that it shows", dollars: shown },
    { what: "10,000 requests of 100 ms", dollars: 10_000 * (0.1 * perSecond("ApiFunction") + REQUEST) },
    { what: "1 GB of outgoing traffic", dollars: PRICES.trafficGb },
  ]
}

/**
 * Returns the costs of a running container. It is billed per second, at least for a minute, from the download of its
 * image.
 */
export function runnerUse(synth: Synth): CostLine[] {
  const { architecture, vcpu, gb, diskGb } = sizeOf(synth)
  const { fargateArmCpuHour, fargateArmGbHour, fargateAmdCpuHour, fargateAmdGbHour } = PRICES
  const arm = vcpu * fargateArmCpuHour + gb * fargateArmGbHour
  const amd = vcpu * fargateAmdCpuHour + gb * fargateAmdGbHour
  const hour =
    { arm64: arm, amd64: amd }[architecture] + (diskGb - 20) * PRICES.fargateDiskGbHour + PRICES.publicAddressHour
  const worker = perSecondIn(synth)("WorkerFunction")
  return [
    { what: "an hour of a runner", dollars: hour },
    {
      what: "an hour of an agent's outgoing traffic and log",
      dollars: SENT.gbAnHour * PRICES.machineTrafficGb + logged(SENT.logBytes),
    },
    {
      what: "the start of a runner, and its idle time",
      dollars: START.workerSeconds * worker + START.idleHours * hour,
    },
    { what: "a wait for a slot", dollars: WAIT.workerSeconds * worker + WAIT.writes * PRICES.recordWrite },
  ]
}

/** Returns the use and cost of an hour of a stream without events. Both are the same if its reader has left. */
export function openStream(synth: Pick<Synth, "resources">): { gbSeconds: number; dollars: number } {
  const gbSeconds = 3600 * (one(synth, "Function", "StreamFunction").memorySize / 1024)
  const answers = OPEN_STREAM.answers * REQUEST + OPEN_STREAM.reads * PRICES.recordRead
  return { gbSeconds, dollars: gbSeconds * PRICES.lambdaGbSecond + answers }
}

const logged = (bytes: number) => (bytes / 1e9) * (PRICES.logGb + PRICES.logGbMonth)

/** Cost of any request, without its work. */
const REQUEST =
  PRICES.lambdaRequest +
  PRICES.cloudFrontRequest +
  PRICES.cloudFrontFunctionCall +
  PRICES.trace +
  logged(CALL_LOG_BYTES)

const perSecondIn = (synth: Synth) => (name: string) =>
  (one(synth, "Function", name).memorySize / 1024) * PRICES.lambdaGbSecond

function sizeOf(synth: Synth): ContainerSize {
  const { cpu, memory, ephemeralStorage, runtimePlatform } = one(synth, "TaskDefinition", "Runner")
  const architecture = runtimePlatform.cpuArchitecture === "ARM64" ? "arm64" : "amd64"
  return {
    ...{ architecture, vcpu: Number(cpu) / 1024, gb: Number(memory) / 1024 },
    diskGb: ephemeralStorage?.sizeInGib ?? 20,
  }
}

/** Returns the cost of an hour of the worker, without its work. */
export function workerHour(synth: Synth): number {
  return 3600 * (one(synth, "Function", "WorkerFunction").memorySize / 1024) * PRICES.lambdaGbSecond
}

/** Formats lines like `docs/cost.md`. */
export function asTable(lines: CostLine[]): string {
  const cents = (dollars: number) => (dollars < 0.01 ? "under 0.01" : dollars.toFixed(2))
  return lines.map(({ what, dollars }) => `| ${what} | ${cents(dollars)} |`).join("\n")
}

const MONTHLY: Record<string, (resource: Resource, synth: Synth) => CostLine | CostLine[]> = {
  "aws:scheduler/schedule:Schedule": ({ inputs }, synth) => {
    const { memorySize, environment } = one(synth, "Function", "SweepFunction")
    const waiting = Number(environment.variables.WARM_RUNNERS ?? 0)
    const sweep = month.sweep({ everyMinutes: minutesOf(inputs.scheduleExpression), gb: memorySize / 1024 })
    return waiting > 0 ? [...sweep, month.waiting(waiting, sizeOf(synth))] : sweep
  },
  "aws:cloudwatch/metricAlarm:MetricAlarm": () => month.alarms(1),
  "aws:cloudwatch/dashboard:Dashboard": () => month.dashboard(),
  "aws:wafv2/webAcl:WebAcl": ({ inputs }) => month.firewall(inputs.rules.length),
  "aws:kms/key:Key": () => month.key(),
  "aws:backup/plan:Plan": ({ inputs }) => {
    const [{ lifecycle, copyActions }] = inputs.rules
    const kept = [lifecycle, ...copyActions.map((copy: { lifecycle: unknown }) => copy.lifecycle)]
    return month.copies(kept.map(({ deleteAfter }) => deleteAfter))
  },
  "aws:ecr/repository:Repository": ({ name }, synth) => {
    const { rules } = JSON.parse(one(synth, "LifecyclePolicy", `${name}Expire`).policy)
    const kinds = { RunnerImages: "all", RunnerPlainImages: "plain", RunnerBrowserImages: "browser" } as const
    return month.images(kinds[name as keyof typeof kinds] ?? "agent", rules[0].selection.countNumber)
  },
  "aws:ec2/vpcEndpoint:VpcEndpoint": ({ name, inputs }) => {
    if (inputs.vpcEndpointType !== "Gateway") throw new Error(`What does it cost? ${name}`)
    return []
  },
  "aws:dynamodb/table:Table": ({ inputs }) => month.records(inputs.pointInTimeRecovery?.enabled === true),
  "aws:s3/bucket:Bucket": ({ name }) => (name === "BlobsBucket" ? month.files() : []),
  "aws:s3/bucketObjectv2:BucketObjectv2": ({ name }, { builds }) => {
    if (name.startsWith("Studio/assets/")) return month.studio()
    return month.code(Math.ceil((builds[name.replace(/Code$/, "")]?.totalBytes ?? 0) / 1e6))
  },
}

/** Resources that cost nothing, or nothing before they are used. */
const FREE = new Set([
  "aws:backup/selection:Selection",
  "aws:backup/vault:Vault",
  "aws:apigatewayv2/api:Api",
  "aws:apigatewayv2/integration:Integration",
  "aws:apigatewayv2/route:Route",
  "aws:apigatewayv2/stage:Stage",
  // A budget's mails are free. Actions on the bill would not be.
  "aws:budgets/budget:Budget",
  "aws:cloudfront/cachePolicy:CachePolicy",
  "aws:cloudfront/distribution:Distribution",
  "aws:cloudfront/function:Function",
  "aws:cloudfront/keyValueStore:KeyValueStore",
  "aws:cloudfront/originRequestPolicy:OriginRequestPolicy",
  "aws:cloudfront/originAccessControl:OriginAccessControl",
  "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy",
  // AWS's own events and their delivery to a function are free.
  "aws:cloudwatch/eventRule:EventRule",
  "aws:cloudwatch/eventTarget:EventTarget",
  "aws:cloudwatch/logGroup:LogGroup",
  // Filters are free. Their metrics cost only in hours with matching lines.
  "aws:cloudwatch/logMetricFilter:LogMetricFilter",
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
  "aws:ec2/internetGateway:InternetGateway",
  "aws:ec2/routeTable:RouteTable",
  "aws:ec2/routeTableAssociation:RouteTableAssociation",
  "aws:ec2/securityGroup:SecurityGroup",
  "aws:ec2/subnet:Subnet",
  "aws:ec2/vpc:Vpc",
  "aws:ecr/lifecyclePolicy:LifecyclePolicy",
  "aws:ecs/cluster:Cluster",
  "aws:ecs/taskDefinition:TaskDefinition",
  "aws:iam/role:Role",
  "aws:lambda/alias:Alias",
  "aws:lambda/function:Function",
  "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig",
  "aws:lambda/functionUrl:FunctionUrl",
  "aws:lambda/permission:Permission",
  "aws:sns/topic:Topic",
  "aws:sns/topicSubscription:TopicSubscription",
  "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
  "aws:s3/bucketPolicy:BucketPolicy",
  "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
  "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
  "aws:s3/bucketVersioning:BucketVersioning",
  // The image's storage is part of its repository's cost.
  "docker-build:index:Image",
  "pulumi-nodejs:dynamic:Resource",
  "pulumi:providers:aws",
  "random:index/randomBytes:RandomBytes",
])

function minutesOf(schedule: string): number {
  const minutes = Number(/^rate\((\d+) minutes?\)$/.exec(schedule)?.[1])
  if (!minutes) throw new Error(`How often is ${schedule}?`)
  return minutes
}
