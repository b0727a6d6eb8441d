import { expect } from "vitest"
import { WATCHED, watched } from "./checks.ts"
import { of, one, type Resource, SECRETS, type Synth } from "./synth/synth.ts"

/** Capabilities that Docker (`--cap-add` in the reference of `docker run`) and Fargate give a container's root. */
const DEFAULT_CAPABILITIES = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
]

/** Host lists of the stage with agents in these checks. */
export const LISTED = {
  SWITCHYARD_AGENT_HOSTS: "npm.corp.example:8443,default",
  SWITCHYARD_CHECK_HOSTS: "npm.corp.example:8443",
}

/** Checks of agents' containers, on a stage that has them. Each throws if it fails. */
export const runnerChecks = {
  "a runner is a task of its own on arm64, of a size that Fargate has, and no service keeps one"(synth) {
    expect(of(synth, "Service")).toEqual([])
    const task = one(synth, "TaskDefinition", "Runner")
    expect(task).toMatchObject({
      requiresCompatibilities: ["FARGATE"],
      networkMode: "awsvpc",
      runtimePlatform: { cpuArchitecture: "ARM64", operatingSystemFamily: "LINUX" },
    })
    expect(MEMORY_GB[task.cpu] ?? [], `${task.memory} MB for ${task.cpu}`).toContain(Number(task.memory) / 1024)
  },

  "its image is ours, by its digest, and only the newest three are kept"(synth) {
    const repository = one(synth, "Repository", "RunnerImages").name
    expect(container(synth).image).toMatch(new RegExp(`/${repository}@sha256:[0-9a-f]{64}$`))
    expect(one(synth, "Image", "RunnerImage")).toMatchObject({
      platforms: ["linux/arm64"],
      push: true,
      tags: [expect.stringMatching(new RegExp(`/${repository}:`))],
    })
    const { rules } = JSON.parse(one(synth, "LifecyclePolicy", "RunnerImagesExpire").policy)
    expect(rules).toMatchObject([
      {
        selection: { tagStatus: "any", countType: "imageCountMoreThan", countNumber: 3 },
        action: { type: "expire" },
      },
    ])
  },

  "it is told where the table and the bucket are, and no secret"(synth) {
    const { environment, secrets = [] } = container(synth)
    expect(environment.map(({ name }: { name: string }) => name)).toEqual([
      ...["VERSION", "TABLE", "BUCKET", "AWS_REGION", "CREDENTIALS", "LOGINS"],
      ...Object.keys(LISTED),
    ])
    expect(secrets).toEqual([])
    const text = JSON.stringify(one(synth, "TaskDefinition", "Runner"))
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret)
  },

  "it is told which hosts agents and checks are led to, where whoever deploys lists any"(synth) {
    const listed = container(synth).environment.filter(({ name }: { name: string }) => name.startsWith("SWITCHYARD_"))
    expect(listed).toEqual(Object.entries(LISTED).map(([name, value]) => ({ name, value })))
  },

  "its root may switch users, change who owns files and end processes, and nothing else that a container's root may"(
    synth,
  ) {
    const { drop, add = [] } = container(synth).linuxParameters.capabilities
    expect(add).toEqual([])
    const kept = DEFAULT_CAPABILITIES.filter((capability) => !drop.includes(capability))
    expect(kept).toEqual(["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETPCAP", "SETUID"])
  },

  "it has time to park, and its words are kept for a month"(synth) {
    const { stopTimeout, logConfiguration } = container(synth)
    expect(stopTimeout).toBeGreaterThan(20)
    expect(logConfiguration).toMatchObject({ logDriver: "awslogs", options: { "awslogs-group": "RunnerLogs" } })
    expect(one(synth, "LogGroup", "RunnerLogs").retentionInDays).toBe(30)
  },

  "who gives it credentials is watched"(synth) {
    const own = ["Credentials", "Logins", "Slots"].flatMap((name) =>
      ["Errors", "Throttles"].map((metric) => `AWS/Lambda ${metric} ${name}Function`),
    )
    expect(watched(synth)).toEqual([...WATCHED, ...own, "LaunchesGivenUp"].sort())
  },

  "nothing comes into its network: no group has an ingress, and the one that AWS makes lets nobody"(synth) {
    const groups = [...of(synth, "SecurityGroup"), ...of(synth, "DefaultSecurityGroup")]
    expect(groups.map(({ name }) => name).sort()).toEqual(["RunnerGroup", "RunnerNobody"])
    for (const { inputs, name } of groups) expect(inputs.ingress, name).toEqual([])
    expect(of(synth, "DefaultSecurityGroup")[0]?.inputs.egress).toEqual([])
    expect(of(synth, "SecurityGroupRule")).toEqual([])
    expect(of(synth, "SecurityGroupIngressRule")).toEqual([])
    expect(place(synth).security_group).toBe("RunnerGroup-id")
  },

  "it reaches the internet without a NAT gateway, and the table and the bucket by gateways that cost nothing"(synth) {
    expect(of(synth, "NatGateway")).toEqual([])
    const endpoints = of(synth, "VpcEndpoint").map(({ inputs }) => [inputs.vpcEndpointType, inputs.serviceName])
    expect(endpoints.sort()).toEqual([
      ["Gateway", "com.amazonaws.eu-central-1.dynamodb"],
      ["Gateway", "com.amazonaws.eu-central-1.s3"],
    ])
    const routes = one(synth, "RouteTable", "RunnerRoutes")
    expect(routes.routes).toEqual([{ cidrBlock: "0.0.0.0/0", gatewayId: "RunnerInternet-id" }])
    for (const { inputs } of of(synth, "VpcEndpoint")) expect(inputs.routeTableIds).toEqual(["RunnerRoutes-id"])
    const routed = of(synth, "RouteTableAssociation").map(({ inputs }) => inputs.subnetId)
    expect(place(synth).subnets).toEqual(routed.sort())
    const zones = of(synth, "Subnet").map(({ inputs }) => inputs.availabilityZone)
    expect(zones.sort()).toEqual(["eu-central-1a", "eu-central-1b"])
  },

  "nothing of it costs money while nobody works, but the images"(synth) {
    const costly = /NatGateway|LoadBalancer|PrivateDnsNamespace|:Eip$|aws:ecs.*Service|efs|secretsmanager/
    expect(synth.resources.filter(({ type }) => costly.test(type)).map(({ name }) => name)).toEqual([])
    expect(of(synth, "VpcEndpoint").filter(({ inputs }) => inputs.vpcEndpointType !== "Gateway")).toEqual([])
    const { settings } = one(synth, "Cluster", "Runners")
    expect(settings).toEqual([{ name: "containerInsights", value: "disabled" }])
  },

  "what earlier versions of the worker start stays, for a rollback"(synth) {
    expect(of(synth, "TaskDefinition").map(({ inputs }) => inputs.skipDestroy)).not.toContainEqual(undefined)
  },

  "the end of each container in its cluster is told to the function that gives away slots, and to no other"(synth) {
    const { eventPattern } = one(synth, "EventRule", "RunnerStopped")
    expect(JSON.parse(eventPattern)).toEqual({
      source: ["aws.ecs"],
      "detail-type": ["ECS Task State Change"],
      detail: { clusterArn: [expect.stringMatching(/:cluster\/Runners$/)], lastStatus: ["STOPPED"] },
    })
    const { name: slots } = one(synth, "Function", "SlotsFunction")
    const targets = of(synth, "EventTarget").map(({ inputs }) => [
      inputs.rule,
      inputs.arn.split(":").slice(-2).join(":"),
    ])
    expect(targets).toEqual([["RunnerStopped", `${slots}:live`]])
    const { principal, function: invoked, sourceArn } = one(synth, "Permission", "RunnerStoppedInvoke")
    expect([principal, invoked]).toEqual(["events.amazonaws.com", slots])
    expect(sourceArn).toMatch(/RunnerStopped$/)
    const { CLUSTER, WORKER } = one(synth, "Function", "SlotsFunction").environment.variables
    expect([CLUSTER, WORKER]).toEqual(["Runners", `${one(synth, "Function", "WorkerFunction").name}:live`])
    expect(one(synth, "Function", "SweepFunction").environment.variables.SLOTS).toBe(`${slots}:live`)
  },

  "the worker knows where runners run, the others only that there are some"(synth) {
    for (const name of ["Api", "Stream", "Worker", "Sweep"]) {
      const { variables } = one(synth, "Function", `${name}Function`).environment
      expect([name, variables.AGENTS, "RUNNER" in variables]).toEqual([name, "on", name === "Worker"])
    }
    const { cluster, task_definition } = place(synth)
    expect([cluster, task_definition.replace(/:\d+$/, "").split("/").at(-1)]).toEqual(["Runners", "Runners-runner"])
  },
} satisfies Record<string, (synth: Synth) => void>

export type RunnerCheck = keyof typeof runnerChecks

/** Fargate's memory sizes for each number of CPU units, up to two vCPUs. */
const MEMORY_GB: Record<string, number[]> = {
  256: [0.5, 1, 2],
  512: [1, 2, 3, 4],
  1024: [2, 3, 4, 5, 6, 7, 8],
  2048: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
}

function container(synth: Synth): Resource["inputs"] {
  const containers = JSON.parse(one(synth, "TaskDefinition", "Runner").containerDefinitions)
  expect(containers).toHaveLength(1)
  return containers[0]
}

function place(synth: Synth) {
  return JSON.parse(one(synth, "Function", "WorkerFunction").environment.variables.RUNNER)
}
