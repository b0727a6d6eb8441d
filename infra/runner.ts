/// <reference path="../.sst/platform/config.d.ts" />
import { createImage } from "./image.ts"
import { createNetwork } from "./network.ts"
import { production } from "./stage.ts"
import type { Storage } from "./storage.ts"

export type Runner = Awaited<ReturnType<typeof createRunner>>

/**
 * The containers in which agents work: a cluster and a task definition, and no service. The worker has ECS run one for a
 * session that needs it, and it ends by itself.
 *
 * SST's `Task` is not used: the roles that it makes may read every parameter and secret of the account and let people into the
 * container, and its images lie where nobody clears them away.
 */
export async function createRunner({ storage }: { storage: Storage }) {
  // What an agent did there with a runner's rights, it could do to every session: they are not kept to one yet.
  if (production) throw new Error("AGENTS=on is not for production yet: docs/deploy.md says why.")
  const { subnets, group } = createNetwork()
  const image = await createImage()
  const cluster = new aws.ecs.Cluster("Runners", { settings: [{ name: "containerInsights", value: "disabled" }] })
  const logs = new aws.cloudwatch.LogGroup("RunnerLogs", { retentionInDays: 30 })
  const { region } = aws.getRegionOutput({})

  const executionRole = createRole("RunnerStartRole", [
    // It names no repository: what it gives is of use only with the next line.
    { actions: ["ecr:GetAuthorizationToken"], resources: ["*"] },
    { actions: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"], resources: [image.repositoryArn] },
    { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${logs.arn}:*`] },
  ])
  const taskRole = createRole("RunnerRole", [
    { ...storage.records, conditions: [OF_SESSIONS] },
    storage.blobNames,
    storage.readBlobs,
    storage.writeBlobs,
    storage.deleteBlobs,
  ])

  const definition = new aws.ecs.TaskDefinition("Runner", {
    family: $interpolate`${cluster.name}-runner`,
    requiresCompatibilities: ["FARGATE"],
    networkMode: "awsvpc",
    cpu: "1024",
    memory: "4096",
    runtimePlatform: { cpuArchitecture: "ARM64", operatingSystemFamily: "LINUX" },
    executionRoleArn: executionRole.arn,
    taskRoleArn: taskRole.arn,
    containerDefinitions: $jsonStringify([
      {
        name: "runner",
        image: image.ref,
        essential: true,
        // It parks within twenty.
        stopTimeout: 30,
        // Of what a container's root has by default. It needs the others: to switch users, and to keep their files apart.
        linuxParameters: {
          capabilities: { drop: ["AUDIT_WRITE", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SYS_CHROOT"] },
        },
        environment: [
          { name: "TABLE", value: storage.environment.TABLE },
          { name: "BUCKET", value: storage.environment.BUCKET },
          { name: "AWS_REGION", value: region },
        ],
        logConfiguration: {
          logDriver: "awslogs",
          options: { "awslogs-group": logs.name, "awslogs-region": region, "awslogs-stream-prefix": "runner" },
        },
      },
    ]),
  })

  const tasks = cluster.arn.apply((arn) => `${arn.replace(":cluster/", ":task/")}/*`)
  const inCluster = { test: "ArnEquals", variable: "ecs:cluster", values: [cluster.arn] }
  return {
    /** What the worker is told of it. */
    place: $jsonStringify({
      cluster: cluster.name,
      task_definition: definition.arn,
      subnets,
      security_group: group,
    }),
    /** May have it run, look at it, and end it. */
    launch: [
      // Any revision: a worker that was deployed before this one asks for its own.
      {
        actions: ["ecs:RunTask"],
        resources: [$interpolate`${definition.arnWithoutRevision}:*`],
        conditions: [inCluster],
      },
      { actions: ["ecs:DescribeTasks", "ecs:StopTask"], resources: [tasks] },
      {
        actions: ["ecs:TagResource"],
        resources: [tasks],
        conditions: [{ test: "StringEquals", variable: "ecs:CreateAction", values: ["RunTask"] }],
      },
      {
        actions: ["iam:PassRole"],
        resources: [executionRole.arn, taskRole.arn],
        conditions: [{ test: "StringEquals", variable: "iam:PassedToService", values: ["ecs-tasks.amazonaws.com"] }],
      },
    ],
  }
}

/** Of the table, a runner is given what lies in sessions: nothing of people, no due hint, no caller's key. */
const OF_SESSIONS = {
  test: "ForAllValues:StringLike",
  variable: "dynamodb:LeadingKeys",
  values: ["s/*"],
}

interface Statement {
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: string[] }[]
}

/** What only ECS may be, and only for this account's tasks. */
function createRole(name: string, statements: Statement[]): aws.iam.Role {
  const { accountId } = aws.getCallerIdentityOutput({})
  const policy = aws.iam.getPolicyDocumentOutput({ statements: statements.map((one) => ({ effect: "Allow", ...one })) })
  return new aws.iam.Role(name, {
    assumeRolePolicy: $jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Action: "sts:AssumeRole",
          Principal: { Service: "ecs-tasks.amazonaws.com" },
          Condition: { StringEquals: { "aws:SourceAccount": accountId } },
        },
      ],
    }),
    inlinePolicies: [{ name: "inline", policy: policy.json }],
  })
}
