/// <reference path="../.sst/platform/config.d.ts" />
import { BROWSER_IMAGE } from "../packages/functions/src/aws/ecs-target.ts"
import { OWN_IMAGES } from "../tools/cloud/kept.ts"
import { createCredentials } from "./credentials.ts"
import { createImage, titled } from "./image.ts"
import { createLogins } from "./logins.ts"
import { createNetwork } from "./network.ts"
import { assumedBy, createRole } from "./role.ts"
import type { Secrets } from "./secrets.ts"
import {
  agentHosts,
  browserImage,
  containerSize,
  existingNetwork,
  ownImages,
  proxies,
  runnerSettings,
  version,
} from "./stage.ts"
import type { Storage } from "./storage.ts"

export type Runner = Awaited<ReturnType<typeof createRunner>>

/**
 * Creates the containers for agents: a cluster and a task definition, but no service. The worker starts a container for
 * each session that needs one, and the container exits by itself.
 *
 * SST's `Task` isn't used. Its roles may read all of the account's parameters and secrets and open shells in the
 * container, and its images are never cleaned up.
 */
export async function createRunner({ storage, secrets }: { storage: Storage; secrets: Secrets }) {
  const { subnets, group } = existingNetwork ?? createNetwork()
  const image = await createImage()
  const kinds = [...(ownImages ? [...OWN_IMAGES, "plain"] : []), ...(browserImage ? [BROWSER_IMAGE] : [])]
  const others = await Promise.all(kinds.map(async (kind) => ({ kind, image: await createImage(kind) })))
  const cluster = new aws.ecs.Cluster("Runners", { settings: [{ name: "containerInsights", value: "disabled" }] })
  const { key } = storage
  const logs = new aws.cloudwatch.LogGroup("RunnerLogs", { retentionInDays: 30, ...(key && { kmsKeyId: key.arn }) })
  const { region } = aws.getRegionOutput({})
  const credentials = createCredentials({ storage })
  const logins = createLogins({ storage, secrets })
  const { accountId } = aws.getCallerIdentityOutput({})
  // Only ECS may assume these roles, and only for this account's tasks.
  const trusts = assumedBy({
    principals: { Service: "ecs-tasks.amazonaws.com" },
    actions: ["sts:AssumeRole"],
    conditions: { StringEquals: { "aws:SourceAccount": accountId } },
  })

  const startsTasks = [
    // This action can't be limited to a repository. It is useless without the next permission.
    { actions: ["ecr:GetAuthorizationToken"], resources: ["*"] },
    {
      actions: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
      resources: [image, ...others.map((each) => each.image)].map(({ repositoryArn }) => repositoryArn),
    },
    { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${logs.arn}:*`] },
  ]
  const executionRole = createRole("RunnerStartRole", { trusts, statements: startsTasks })
  // A runner exchanges its ticket for credentials to its session. Without a ticket, this role is useless.
  const taskRole = createRole("RunnerRole", { trusts, statements: [credentials.invoke, logins.invoke] })

  const define = (image: Awaited<ReturnType<typeof createImage>>, kind = "") =>
    new aws.ecs.TaskDefinition(`Runner${titled(kind)}`, {
      // Earlier versions of the worker start their own revisions.
      skipDestroy: true,
      family: $interpolate`${cluster.name}-runner${kind && `-${kind}`}`,
      requiresCompatibilities: ["FARGATE"],
      networkMode: "awsvpc",
      cpu: String(containerSize.vcpu * 1024),
      memory: String(containerSize.gb * 1024),
      // Fargate rejects its own default as a size.
      ...(containerSize.diskGb > 20 && { ephemeralStorage: { sizeInGib: containerSize.diskGb } }),
      runtimePlatform: {
        cpuArchitecture: containerSize.architecture === "arm64" ? "ARM64" : "X86_64",
        operatingSystemFamily: "LINUX",
      },
      executionRoleArn: executionRole.arn,
      taskRoleArn: taskRole.arn,
      containerDefinitions: $jsonStringify([
        {
          name: "runner",
          image: image.ref,
          essential: true,
          // A runner takes up to 20 seconds to park.
          stopTimeout: 30,
          // Drop the default capabilities of a container's root user, except those needed to switch users and to
          // separate their files.
          linuxParameters: {
            capabilities: { drop: ["AUDIT_WRITE", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SYS_CHROOT"] },
          },
          environment: [
            { name: "VERSION", value: version },
            { name: "TABLE", value: storage.environment.TABLE },
            { name: "BUCKET", value: storage.environment.BUCKET },
            { name: "AWS_REGION", value: region },
            { name: "CREDENTIALS", value: credentials.name },
            { name: "LOGINS", value: logins.name },
            ...agentHosts,
            ...proxies,
            ...runnerSettings,
          ],
          logConfiguration: {
            logDriver: "awslogs",
            options: { "awslogs-group": logs.name, "awslogs-region": region, "awslogs-stream-prefix": "runner" },
          },
        },
      ]),
    })
  const definition = define(image)
  const definitions = others.map(({ kind, image }) => [kind, define(image, kind)] as const)

  const tasks = cluster.arn.apply((arn) => `${arn.replace(":cluster/", ":task/")}/*`)
  const inCluster = { test: "ArnEquals", variable: "ecs:cluster", values: [cluster.arn] }
  return {
    credentials: credentials.fn,
    logins: logins.fn,
    cluster,
    logs: logs.name,
    /** Cluster and network for runners launched by the worker. */
    place: $jsonStringify({
      cluster: cluster.name,
      task_definition: definition.arn,
      agent_definitions: Object.fromEntries(definitions.map(([kind, { arn }]) => [kind, arn])),
      subnets,
      security_group: group,
      // Without a public address, containers reach the internet through the network's own NAT gateway or proxy.
      has_private_network: existingNetwork !== undefined,
    }),
    /** Permissions to start, describe and stop tasks. */
    launch: [
      // Allow all revisions of a definition, because an older worker still starts its own.
      {
        actions: ["ecs:RunTask"],
        resources: [definition, ...definitions.map(([, own]) => own)].map(
          ({ arnWithoutRevision }) => $interpolate`${arnWithoutRevision}:*`,
        ),
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
