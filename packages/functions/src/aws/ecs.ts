import {
  DescribeTasksCommand,
  ECSClient,
  type ECSClientConfig,
  paginateListTasks,
  RunTaskCommand,
  StopTaskCommand,
} from "@aws-sdk/client-ecs"
import { repeatingOnlyWrongTimes } from "@switchyard/core/storage/aws-clock"
import { isBrokenResponse } from "@switchyard/core/storage/aws-errors"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"
import { sizeNamed } from "@switchyard/core/work/usage/machines"
import type { EcsTarget } from "./ecs-target.ts"

export interface TaskRequest {
  /** ECS's idempotency token: 1 to 64 ASCII characters. A repeated request returns the same task. */
  token: string
  /** Null for a runner that will wait for a session. */
  session: string | null
  definition: string
  /** Name of the task's size. The default is the size in its definition. */
  size?: string | undefined
  environment: Record<string, string>
}

/**
 * `busy`: AWS didn't respond. `no_capacity`: AWS has no machine available. `spent`: the token was already used for a
 * different request.
 */
export interface Problem {
  kind: "busy" | "no_capacity" | "spent"
  reason: string
}

export type TaskResult = { task: string } | { problem: Problem }

/** `unknown`: ECS doesn't know the task yet, or no longer knows it. */
export type TaskStatus = { phase: "provisioning" | "pending" | "running" } | { stopped: string; unknown?: true }

/** Runner tasks. Throws only if retrying can't help. */
export interface Tasks {
  run(order: TaskRequest, options: { signal: AbortSignal }): Promise<TaskResult>
  /** Returns undefined if AWS doesn't respond. */
  describe(task: string, options: { signal: AbortSignal }): Promise<TaskStatus | undefined>
  /** Returns the tasks that have stopped or no longer exist. Omits tasks whose state AWS doesn't return. */
  stoppedOf(tasks: string[], options: { signal: AbortSignal }): Promise<string[]>
  /** Stops a task. Does nothing if it no longer exists. */
  stop(task: string, reason: string, options: { signal: AbortSignal }): Promise<void>
  /**
   * Suspends the task and keeps its memory. Does nothing if it is already suspended or stopped. Defined only together
   * with `resume`.
   */
  suspend?(task: string, options: { signal: AbortSignal }): Promise<void>
  /** Resumes a suspended task. Returns true for a running one, and false for a task that can't be resumed. */
  resume?(task: string, options: { signal: AbortSignal }): Promise<boolean>
}

/** Name of the runner's container in the task definition. */
const CONTAINER = "runner"

/**
 * Tag of a runner that was started ahead of time. It replaces the session ID. ECS doesn't let a worker change the tag
 * later.
 */
const WAITING = { key: "switchyard:session", value: "-" }

/** Maximum number of tasks per DescribeTasks call. */
const DESCRIBED_AT_ONCE = 100

/** Time limit of a call. ECS may need a few seconds to start a task. */
const ANSWERED_WITHIN_MS = 10_000

export function createEcsClient(config: ECSClientConfig = {}): ECSClient {
  return repeatingOnlyWrongTimes(new ECSClient({ requestHandler: smallCalls(ANSWERED_WITHIN_MS), ...config }))
}

export function createTasks(target: EcsTarget, client: ECSClient = createEcsClient()): Tasks {
  const { cluster } = target
  return {
    async run({ token, session, definition, size, environment }, { signal }) {
      const command = new RunTaskCommand({
        cluster,
        taskDefinition: definition,
        launchType: "FARGATE",
        count: 1,
        clientToken: token,
        enableExecuteCommand: false,
        networkConfiguration: {
          // In the stage's own network, the public IP avoids a NAT gateway for outgoing traffic. The security group has
          // no ingress rules, so nothing can connect.
          awsvpcConfiguration: {
            subnets: target.subnets,
            securityGroups: [target.security_group],
            assignPublicIp: target.has_private_network ? "DISABLED" : "ENABLED",
          },
        },
        overrides: {
          ...sizeOverrides(size),
          containerOverrides: [
            { name: CONTAINER, environment: Object.entries(environment).map(([name, value]) => ({ name, value })) },
          ],
        },
        tags: [session === null ? WAITING : { key: "switchyard:session", value: session }],
      })
      try {
        const { tasks = [], failures = [] } = await client.send(command, { abortSignal: signal })
        const task = tasks[0]?.taskArn?.split("/").at(-1)
        if (task) return { task }
        const reason = failures[0]?.reason ?? "AWS didn't start a task and gave no reason."
        return { problem: { kind: "no_capacity", reason } }
      } catch (error) {
        const problem = problemOf(error)
        if (!problem || signal.aborted) throw error
        return { problem }
      }
    },

    async describe(task, { signal }) {
      try {
        const command = new DescribeTasksCommand({ cluster, tasks: [task] })
        const { tasks = [] } = await client.send(command, { abortSignal: signal })
        return statusOf(tasks[0])
      } catch (error) {
        if (problemOf(error)?.kind !== "busy" || signal.aborted) throw error
        return undefined
      }
    },

    async stoppedOf(named, { signal }) {
      const stopped: string[] = []
      for (let at = 0; at < named.length; at += DESCRIBED_AT_ONCE) {
        const asked = named.slice(at, at + DESCRIBED_AT_ONCE)
        try {
          const command = new DescribeTasksCommand({ cluster, tasks: asked })
          const { tasks = [] } = await client.send(command, { abortSignal: signal })
          const known = new Map(tasks.map((task) => [task.taskArn?.split("/").at(-1), task]))
          stopped.push(...asked.filter((task) => "stopped" in statusOf(known.get(task))))
        } catch (error) {
          if (problemOf(error)?.kind !== "busy" || signal.aborted) throw error
        }
      }
      return stopped
    },

    async stop(task, reason, { signal }) {
      try {
        await client.send(new StopTaskCommand({ cluster, task, reason }), { abortSignal: signal })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    },
  }
}

function sizeOverrides(name: string | undefined) {
  const size = name === undefined ? undefined : sizeNamed(name)
  if (!size) return {}
  return {
    cpu: String(size.vcpu * 1024),
    memory: String(size.gb * 1024),
    // Fargate rejects its own default as a size.
    ...(size.diskGb > 20 && { ephemeralStorage: { sizeInGiB: size.diskGb } }),
  }
}

/** Returns the IDs of the cluster's tasks that are running or starting. Throws if AWS doesn't list them. */
export async function runningTasks(
  cluster: string,
  client: ECSClient,
  { signal }: { signal: AbortSignal },
): Promise<Set<string>> {
  const running = new Set<string>()
  for await (const { taskArns = [] } of paginateListTasks(
    { client },
    { cluster, desiredStatus: "RUNNING" },
    { abortSignal: signal },
  )) {
    for (const arn of taskArns) running.add(arn.split("/").at(-1) ?? arn)
  }
  return running
}

interface DescribedTask {
  lastStatus?: string
  desiredStatus?: string
  stoppedReason?: string
  containers?: { reason?: string; exitCode?: number }[]
}

/** Returns a task's status. An unknown task counts as stopped, because ECS forgets tasks an hour after they stop. */
function statusOf(task: DescribedTask | undefined): TaskStatus {
  if (!task) return { stopped: "The task no longer exists.", unknown: true }
  const { lastStatus, desiredStatus, containers = [] } = task
  if (desiredStatus === "STOPPED" || lastStatus === "STOPPED") {
    const ends = containers.map(({ reason, exitCode }) => reason ?? (exitCode === undefined ? "" : `exit ${exitCode}`))
    return { stopped: [task.stoppedReason, ...ends].filter(Boolean).join("; ") || "The task stopped." }
  }
  if (lastStatus === "PROVISIONING") return { phase: "provisioning" }
  return { phase: lastStatus === "RUNNING" ? "running" : "pending" }
}

/**
 * Converts an error to a `Problem` if a retry may help. Returns undefined for other errors. ECS identifies some errors
 * only by their message.
 */
function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { name, message } = error
  const status = statusCode(error)
  const described = { reason: message || name }
  if (name === "ConflictException") return { kind: "spent", ...described }
  if (name === "LimitExceededException" || (name === "ClientException" && /capacity|limit/i.test(message))) {
    return { kind: "no_capacity", ...described }
  }
  const busy = /^(Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|ServerException)$/
  const noReply = status === undefined && !name.endsWith("Exception") && name !== "CredentialsProviderError"
  const notAnswered = noReply || isBrokenResponse(error)
  if (busy.test(name) || status === 429 || (status ?? 0) >= 500 || notAnswered) return { kind: "busy", ...described }
  return undefined
}

function statusCode(error: Error): number | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  return $metadata?.httpStatusCode
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === "InvalidParameterException" && /not found/i.test(error.message)
}
