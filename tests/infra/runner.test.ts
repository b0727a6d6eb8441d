import { clis } from "@switchyard/core/agents/clis/clis"
import { readLockfile, unpinned } from "@switchyard/runner/programs/lockfile"
import { npmProgram } from "@switchyard/runner/programs/npm-program"
import { beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { granted } from "./granted.ts"
import { LISTED, type RunnerCheck, runnerChecks } from "./runner-checks.ts"
import { type Edit, missing, one, type Synth, synthesise, synthesiseAll } from "./synth/synth.ts"

const env = { AGENTS: "on", ...LISTED }

const SESSION = "s/$" + "{aws:PrincipalTag/session}/*"
const OF_SESSION = `if dynamodb:LeadingKeys is ${SESSION} if dynamodb:LeadingKeys is false`

/** Containers from before there were aliases call the function itself. */
const invokes = (fn: string) => [`lambda:InvokeFunction ${fn}`, `lambda:InvokeFunction ${fn}:live`]

/** Permissions that a stage with agents adds to its roles. Any other is a fault. */
const ALLOWED = {
  RunnerStartRole: [
    // This action has no resource.
    "ecr:GetAuthorizationToken *",
    "ecr:BatchGetImage repository/switchyard-dev-runner",
    "ecr:GetDownloadUrlForLayer repository/switchyard-dev-runner",
    "logs:CreateLogStream RunnerLogs:*",
    "logs:PutLogEvents RunnerLogs:*",
  ],
  RunnerRole: [...invokes("CredentialsFunction"), ...invokes("LoginsFunction")],
  CredentialsRole: [
    ...["GetItem", "PutItem", "Query"].map((action) => `dynamodb:${action} table`),
    ...["s3:GetObject bucket/s/*", "s3:ListBucket bucket"],
    ...["DeleteObject", "GetObject", "PutObject"].map((action) => `s3:${action} bucket/prepared/*`),
    ...["sts:AssumeRole", "sts:TagSession"].map((action) => `${action} role/switchyard-dev-session-eu-central-1`),
    ...["logs:CreateLogStream CredentialsLogs:*", "logs:PutLogEvents CredentialsLogs:*"],
  ],
  LoginsRole: [
    ...["GetItem", "PutItem", "Query"].map((action) => `dynamodb:${action} table`),
    ...["s3:GetObject bucket/s/*", "s3:ListBucket bucket"],
    ...["logs:CreateLogStream LoginsLogs:*", "logs:PutLogEvents LoginsLogs:*"],
  ],
  SlotsRole: [
    ...["DeleteItem", "GetItem", "PutItem", "Query"].map((action) => `dynamodb:${action} table`),
    ...["s3:GetObject bucket/s/*", "s3:ListBucket bucket"],
    // This function starts no task, and sees only the stage's tasks.
    "ecs:ListTasks * if ecs:cluster is cluster/Runners",
    ...invokes("WorkerFunction"),
    ...["logs:CreateLogStream SlotsLogs:*", "logs:PutLogEvents SlotsLogs:*"],
  ],
  SweepRole: invokes("SlotsFunction"),
  // tests/infra/confinement.test.ts evaluates these permissions.
  SessionRole: [
    ...["DeleteItem", "GetItem", "PutItem", "Query"].map((action) => `dynamodb:${action} table ${OF_SESSION}`),
    ...["AbortMultipartUpload", "DeleteObject", "GetObject", "PutObject"].map(
      (action) => `s3:${action} bucket/${SESSION}`,
    ),
    `s3:ListBucket bucket if s3:prefix is ${SESSION}`,
  ],
  WorkerRole: [
    "ecs:RunTask task-definition/Runners-runner:* if ecs:cluster is cluster/Runners",
    "ecs:DescribeTasks task/Runners/*",
    "ecs:StopTask task/Runners/*",
    "ecs:TagResource task/Runners/* if ecs:CreateAction is RunTask",
    "iam:PassRole role/RunnerStartRole if iam:PassedToService is ecs-tasks.amazonaws.com",
    "iam:PassRole role/RunnerRole if iam:PassedToService is ecs-tasks.amazonaws.com",
  ],
}

/** Returns the permissions of a stage with agents that one without them lacks, by role. */
function more(withAgents: Synth, without: Synth) {
  const before = granted(without)
  const roles = Object.entries(granted(withAgents)).map(([role, { may }]) => {
    const news = may.filter((one) => !before[role]?.may.includes(one))
    return [role, news] as const
  })
  return Object.fromEntries(roles.filter(([, news]) => news.length > 0))
}

const sorted = Object.fromEntries(Object.entries(ALLOWED).map(([role, may]) => [role, [...may].sort()]))

/**
 * Faults, each with the check that must detect it. A stage has all faults of a round, each detected by a different
 * check.
 */
const faults: Record<string, { edit: Edit; seenBy: RunnerCheck; round: 0 | 1 | 2 }> = {
  "a size that Fargate hasn't": {
    edit: { file: "infra/runner.ts", from: "memory: String(containerSize.gb * 1024)", to: 'memory: "16384"' },
    seenBy: "a runner is a task of its own on arm64, of a size that Fargate has, and no service keeps one",
    round: 0,
  },
  "the right to send packets of its own making": {
    edit: { file: "infra/runner.ts", from: '"NET_RAW", ', to: "" },
    seenBy:
      "its root may switch users, change who owns files and end processes, and nothing else that a container's root may",
    round: 0,
  },
  "another processor than the image's": {
    edit: { file: "infra/runner.ts", from: '"ARM64"', to: '"X86_64"' },
    seenBy: "a runner is a task of its own on arm64, of a size that Fargate has, and no service keeps one",
    round: 1,
  },
  "an image by its tag": {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: so it stands in the file
    edit: { file: "infra/image.ts", from: "@${image.digest}", to: ":latest" },
    seenBy: "its image is ours, by its digest, and only the newest three are kept",
    round: 0,
  },
  "images that are kept for ever": {
    edit: { file: "infra/image.ts", from: "countNumber: IMAGES_KEPT", to: "countNumber: 1000" },
    seenBy: "its image is ours, by its digest, and only the newest three are kept",
    round: 1,
  },
  "a secret in the task definition": {
    edit: {
      file: "infra/runner.ts",
      from: '{ name: "BUCKET"',
      to: '{ name: "KEY", value: process.env.SST_SECRET_MasterKey ?? "" }, { name: "BUCKET"',
    },
    seenBy: "it is told where the table and the bucket are, and no secret",
    round: 0,
  },
  "hosts that are listed for nobody": {
    edit: { file: "infra/runner.ts", from: "          ...agentHosts,\n", to: "" },
    seenBy: "it is told which hosts agents and checks are led to, where whoever deploys lists any",
    round: 2,
  },
  "a runner that is killed before it has parked": {
    edit: { file: "infra/runner.ts", from: "stopTimeout: 30", to: "stopTimeout: 10" },
    seenBy: "it has time to park, and its words are kept for a month",
    round: 0,
  },
  "a group that lets the network in": {
    edit: {
      file: "infra/network.ts",
      from: "ingress: [],\n    egress: [{",
      to: 'ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["10.0.0.0/16"] }],\n    egress: [{',
    },
    seenBy: "nothing comes into its network: no group has an ingress, and the one that AWS makes lets nobody",
    round: 0,
  },
  "AWS's own group as it is": {
    edit: { file: "infra/network.ts", from: "new aws.ec2.DefaultSecurityGroup(", to: "void (" },
    seenBy: "nothing comes into its network: no group has an ingress, and the one that AWS makes lets nobody",
    round: 1,
  },
  "a NAT gateway": {
    edit: {
      file: "infra/network.ts",
      from: "  const group =",
      to: '  new aws.ec2.NatGateway("Nat", { subnetId: subnets[0] ?? "" })\n  const group =',
    },
    seenBy: "it reaches the internet without a NAT gateway, and the table and the bucket by gateways that cost nothing",
    round: 0,
  },
  "no way to the table but the internet": {
    edit: { file: "infra/network.ts", from: '["s3", "dynamodb"]', to: '["s3"]' },
    seenBy: "it reaches the internet without a NAT gateway, and the table and the bucket by gateways that cost nothing",
    round: 1,
  },
  "endpoints that cost money": {
    edit: { file: "infra/network.ts", from: '"Gateway"', to: '"Interface"' },
    seenBy: "nothing of it costs money while nobody works, but the images",
    round: 2,
  },
  "SST's own network": {
    edit: { file: "infra/network.ts", from: "  const group =", to: '  new sst.aws.Vpc("Vpc")\n  const group =' },
    seenBy: "nothing comes into its network: no group has an ingress, and the one that AWS makes lets nobody",
    round: 2,
  },
  "credentials that fail unseen": {
    edit: { file: "sst.config.ts", from: "sweep, credentials, logins,", to: "sweep, logins," },
    seenBy: "who gives it credentials is watched",
    round: 0,
  },
  "containers of the whole account": {
    edit: { file: "infra/slots.ts", from: "clusterArn: [runner.cluster.arn], ", to: "" },
    seenBy: "the end of each container in its cluster is told to the function that gives away slots, and to no other",
    round: 0,
  },
  "an event that nobody may pass on": {
    edit: { file: "infra/slots.ts", from: ", sourceArn: rule.arn", to: "" },
    seenBy: "the end of each container in its cluster is told to the function that gives away slots, and to no other",
    round: 1,
  },
  "an api that starts tasks itself": {
    edit: { file: "infra/stage.ts", from: '{ AGENTS: "on",', to: '{ AGENTS: "on", RUNNER: "{}",' },
    seenBy: "the worker knows where runners run, the others only that there are some",
    round: 0,
  },
}

/** Excess permissions, each with the line that reveals it. */
const excesses: Record<string, { edit: Edit; adds: string }> = {
  "a way into the container": {
    edit: {
      file: "infra/runner.ts",
      from: "statements: [credentials.invoke, logins.invoke]",
      to: 'statements: [credentials.invoke, logins.invoke, { actions: ["ssmmessages:CreateControlChannel"], resources: ["*"] }]',
    },
    adds: "ssmmessages:CreateControlChannel *",
  },
  "every parameter and secret of the account": {
    edit: {
      file: "infra/runner.ts",
      from: '["ecr:GetAuthorizationToken"]',
      to: '["ecr:GetAuthorizationToken", "ssm:GetParameters", "secretsmanager:GetSecretValue"]',
    },
    adds: "secretsmanager:GetSecretValue *",
  },
  "images of every repository": {
    edit: { file: "infra/runner.ts", from: "({ repositoryArn }) => repositoryArn", to: '() => "*"' },
    adds: "ecr:BatchGetImage *",
  },
  "the records of people too": {
    edit: {
      file: "infra/runner.ts",
      from: "statements: startsTasks",
      to: "statements: [...startsTasks, storage.records]",
    },
    adds: "dynamodb:DeleteItem table",
  },
  "tasks in any cluster": {
    edit: { file: "infra/runner.ts", from: "conditions: [inCluster],", to: "" },
    adds: "ecs:RunTask task-definition/Runners-runner:*",
  },
  "the tasks of every cluster": {
    edit: {
      file: "infra/slots.ts",
      from: 'conditions: [{ test: "ArnEquals", variable: "ecs:cluster", values: [runner.cluster.arn] }],',
      to: "",
    },
    adds: "ecs:ListTasks *",
  },
  "any role for any service": {
    edit: { file: "infra/runner.ts", from: "resources: [executionRole.arn, taskRole.arn]", to: 'resources: ["*"]' },
    adds: "iam:PassRole * if iam:PassedToService is ecs-tasks.amazonaws.com",
  },
  "what a link to a task allows": {
    edit: {
      file: "infra/runner.ts",
      from: 'actions: ["ecs:DescribeTasks", "ecs:StopTask"]',
      to: 'actions: ["ecs:*"]',
    },
    adds: "ecs:* task/Runners/*",
  },
}

describe("on a stage with agents", needs(missing), () => {
  let synth: Synth
  let without: Synth
  let excessive: Synth
  let faulty: Synth[]
  beforeAll(async () => {
    const rounds = [0, 1, 2].map((wanted) => Object.values(faults).filter(({ round }) => round === wanted))
    const edits = [[], ...[Object.values(excesses), ...rounds].map((each) => each.map(({ edit }) => edit))]
    const all = await synthesiseAll(
      edits.map((edits) => ({ stage: "dev", edits, bundle: false })),
      env,
    )
    ;[synth, excessive, ...faulty] = all as [Synth, Synth, ...Synth[]]
    without = await synthesise("dev", { bundle: false })
  })

  it.each(Object.entries(runnerChecks))("%s", (_name, check) => check(synth))

  it("the containers' roles, and the worker, may do what is written here more, and nobody else anything", () => {
    expect(more(synth, without)).toEqual(sorted)
    const trusted = Object.entries(granted(synth)).filter(([role]) => role.startsWith("Runner"))
    expect(trusted.map(([, { is }]) => is)).toEqual(["ecs-tasks.amazonaws.com", "ecs-tasks.amazonaws.com"])
  })

  it.each(Object.entries(faults))("the checks see %s", (_fault, { seenBy, round }) => {
    expect(() => runnerChecks[seenBy](faulty[round] as Synth)).toThrow()
  })

  it.each(Object.entries(excesses))("the table of permissions would show %s", (_excess, { adds }) => {
    const allowed: Record<string, string[]> = sorted
    const found = Object.entries(more(excessive, without)).filter(([, may]) => may.includes(adds))
    expect(found.filter(([role]) => !allowed[role]?.includes(adds))).not.toEqual([])
  })

  describe("with an image for each agent", () => {
    const AGENTS = ["claude", "codex", "gemini", "qwen"]
    /** The plain image has no agent. */
    const IMAGES = [...AGENTS, "plain"].sort()
    const packages = { RUNNER_PACKAGES: "golang-go  maven" }
    let each: Synth
    beforeAll(async () => {
      each = await synthesise("dev", { env: { ...env, ...packages, AGENT_IMAGES: "each" }, bundle: false })
    })

    it("has those whose lockfile has one for arm64", async () => {
      const platform = { platform: "linux", arch: "arm64" } as const
      const there = Object.entries(clis).map(async ([agent, { package: found }]) => {
        if (found?.registry !== "npm") return []
        const { needed } = npmProgram(agent, found, platform)
        return unpinned(await readLockfile(agent), needed).length === 0 ? [agent] : []
      })
      expect(AGENTS).toEqual((await Promise.all(there)).flat().sort())
    })

    it("has a task of each, which differs from the one with all by its image alone, and the worker knows them", () => {
      const { environment } = one(each, "Function", "WorkerFunction")
      const { agent_definitions, task_definition } = JSON.parse(environment.variables.RUNNER)
      expect(Object.keys(agent_definitions).sort()).toEqual(IMAGES)
      const withAll = one(each, "TaskDefinition", "Runner")
      expect(one(each, "Image", "RunnerImage").buildArgs).toEqual({ PACKAGES: "golang-go maven" })
      for (const check of Object.values(runnerChecks)) check(each)
      for (const agent of IMAGES) {
        const title = `Runner${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`
        const repository = `switchyard-dev-runner-${agent}`
        expect(one(each, "Repository", `${title}Images`).name).toBe(repository)
        const { buildArgs, tags, platforms } = one(each, "Image", `${title}Image`)
        expect([buildArgs, platforms]).toEqual([{ AGENTS: agent, PACKAGES: "golang-go maven" }, ["linux/arm64"]])
        expect(tags).toEqual([expect.stringMatching(new RegExp(`/${repository}:latest$`))])
        const { family, containerDefinitions, ...rest } = one(each, "TaskDefinition", title)
        expect(family).toBe(`Runners-runner-${agent}`)
        expect(agent_definitions[agent]).toBe(task_definition.replace("Runners-runner", family))
        const image = (definitions: string) => definitions.replace(/switchyard-dev-runner[\w-]*@/, "@")
        expect({ ...rest, containerDefinitions: image(containerDefinitions) }).toEqual({
          ...Object.fromEntries(Object.entries(withAll).filter(([name]) => name !== "family")),
          containerDefinitions: image(withAll.containerDefinitions),
        })
        expect(containerDefinitions).toContain(`/${repository}@sha256:`)
      }
    })

    it("may do only the same with these", () => {
      const news = more(each, synth)
      expect(Object.keys(news).sort()).toEqual(["RunnerStartRole", "WorkerRole"])
      expect(news.RunnerStartRole).toEqual(
        ["BatchGetImage", "GetDownloadUrlForLayer"].flatMap((action) =>
          IMAGES.map((agent) => `ecr:${action} repository/switchyard-dev-runner-${agent}`),
        ),
      )
      expect(news.WorkerRole).toEqual(
        IMAGES.map(
          (agent) => `ecs:RunTask task-definition/Runners-runner-${agent}:* if ecs:cluster is cluster/Runners`,
        ),
      )
    })
  })

  it("may have an image with a browser, which differs from the usual one by Debian's packages alone", async () => {
    const given = { RUNNER_BROWSER: "on", RUNNER_PACKAGES: "maven", WARM_RUNNERS: "1" }
    const withBrowser = await synthesise("dev", { env: { ...env, ...given }, bundle: false })
    const args = (name: string) => one(withBrowser, "Image", name).buildArgs
    expect(args("RunnerImage")).toEqual({ PACKAGES: "maven" })
    expect(args("RunnerBrowserImage")).toEqual({ PACKAGES: "maven chromium-headless-shell" })
    const { agent_definitions, task_definition } = JSON.parse(
      one(withBrowser, "Function", "WorkerFunction").environment.variables.RUNNER,
    )
    const family = "Runners-runner-browser"
    expect(agent_definitions).toEqual({ browser: task_definition.replace("Runners-runner", family) })
    expect(one(withBrowser, "TaskDefinition", "RunnerBrowser")).toMatchObject({
      family,
      containerDefinitions: expect.stringContaining("/switchyard-dev-runner-browser@sha256:"),
    })
    expect(more(withBrowser, synth)).toEqual({
      RunnerStartRole: ["BatchGetImage", "GetDownloadUrlForLayer"].map(
        (action) => `ecr:${action} repository/switchyard-dev-runner-browser`,
      ),
      WorkerRole: [`ecs:RunTask task-definition/${family}:* if ecs:cluster is cluster/Runners`],
    })
    const refused = synthesise("dev", { env: { RUNNER_BROWSER: "on" }, bundle: false })
    await expect(refused).rejects.toThrow("RUNNER_BROWSER needs AGENTS=on")
  })

  it("may be as large as Fargate has them, and the functions know their size, by which work is priced", async () => {
    const size = { RUNNER_VCPUS: "16", RUNNER_MEMORY_GB: "120", RUNNER_DISK_GB: "21" }
    const large = await synthesise("dev", { env: { ...env, ...size }, bundle: false })
    const { cpu, memory, ephemeralStorage } = one(large, "TaskDefinition", "Runner")
    expect([cpu, memory, ephemeralStorage]).toEqual(["16384", "122880", { sizeInGib: 21 }])
    expect(one(synth, "TaskDefinition", "Runner").ephemeralStorage).toBeUndefined()
    expect(one(large, "Function", "ApiFunction").environment.variables).toMatchObject(size)
    const refused = synthesise("dev", { env: { ...env, RUNNER_VCPUS: "8", RUNNER_MEMORY_GB: "18" }, bundle: false })
    await expect(refused).rejects.toThrow(
      "RUNNER_MEMORY_GB: With RUNNER_VCPUS=8, Fargate only has 16 to 60 GB, in steps of 4",
    )
  })

  it("may have processors of amd64, for which the image is then built, and the functions know it", async () => {
    const amd = await synthesise("dev", { env: { ...env, RUNNER_ARCHITECTURE: "amd64" }, bundle: false })
    expect(one(amd, "TaskDefinition", "Runner").runtimePlatform.cpuArchitecture).toBe("X86_64")
    expect(one(amd, "Image", "RunnerImage").platforms).toEqual(["linux/amd64"])
    expect(one(amd, "Function", "ApiFunction").environment.variables).toMatchObject({ RUNNER_ARCHITECTURE: "amd64" })
  })

  it("may be in a network that exists, which then has none of the stage's own, and behind its proxy", async () => {
    const network = { RUNNER_SUBNETS: "subnet-0a1b2c3d, subnet-0a1b2c3e", RUNNER_SECURITY_GROUP: "sg-0a1b2c3d" }
    const proxy = { RUNNER_HTTPS_PROXY: "http://proxy.corp:3128", RUNNER_NO_PROXY: ".corp", HTTPS_PROXY: "http://x:1" }
    const there = await synthesise("dev", { env: { ...env, ...network, ...proxy }, bundle: false })
    expect(there.resources.filter(({ type }) => type.startsWith("aws:ec2/")).map(({ name }) => name)).toEqual([])
    expect(JSON.parse(one(there, "Function", "WorkerFunction").environment.variables.RUNNER)).toMatchObject({
      subnets: ["subnet-0a1b2c3d", "subnet-0a1b2c3e"],
      security_group: "sg-0a1b2c3d",
      has_private_network: true,
    })
    const [{ environment }] = JSON.parse(one(there, "TaskDefinition", "Runner").containerDefinitions)
    const passed = environment.filter(({ name }: { name: string }) => name.includes("PROXY"))
    expect(passed).toEqual([
      { name: "HTTPS_PROXY", value: "http://proxy.corp:3128" },
      { name: "NO_PROXY", value: ".corp,localhost,127.0.0.1,169.254.170.2" },
    ])
    const { RUNNER } = one(synth, "Function", "WorkerFunction").environment.variables
    expect(JSON.parse(RUNNER).has_private_network).toBe(false)
    const refused = synthesise("dev", { env: { ...env, RUNNER_SUBNETS: "subnet-0a1b2c3d" }, bundle: false })
    await expect(refused).rejects.toThrow("RUNNER_SUBNETS and RUNNER_SECURITY_GROUP must both be set")
  })

  it("nothing of this stands on one without", () => {
    const types = without.resources.map(({ type }) => type)
    expect(types.filter((type) => /:(ecs|ecr|ec2)\/|docker/.test(type))).toEqual([])
  })

  it("production has the same roles", async () => {
    const plain = (of: Synth) => JSON.stringify(granted(of)).replaceAll(/-(prod|dev)-|(?<=CredentialsRole)-\w+/g, "-")
    expect(plain(await synthesise("prod", { env, bundle: false }))).toEqual(plain(synth))
  })
})
