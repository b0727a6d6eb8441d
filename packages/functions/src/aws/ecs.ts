import {
  DescribeTasksCommand,
  ECSClient,
  type ECSClientConfig,
  RunTaskCommand,
  StopTaskCommand,
} from "@aws-sdk/client-ecs"
import { isBrokenReply } from "@switchyard/core/storage/aws-errors"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"
import type { TaskPlace } from "./task-place.ts"

export interface TaskOrder {
  /** Of 1 to 64 ASCII characters: whoever orders with the same one again is given the same task. */
  token: string
  session: string
  environment: Record<string, string>
}

/** `busy`: AWS can't say now. `no_capacity`: it has no machine for us now. `spent`: this token stands for another order. */
export interface Problem {
  kind: "busy" | "no_capacity" | "spent"
  reason: string
}

export type Ordered = { task: string } | { problem: Problem }

/** `unknown`: ECS doesn't know the task, any more or yet. */
export type TaskStatus = { phase: "provisioning" | "pending" | "running" } | { stopped: string; unknown?: true }

/** Tasks of the one cluster. What can't get better by waiting is thrown. */
export interface Tasks {
  run(order: TaskOrder, options: { signal: AbortSignal }): Promise<Ordered>
  /** Undefined while AWS can't say. */
  describe(task: string, options: { signal: AbortSignal }): Promise<TaskStatus | undefined>
  /** A task that is gone is stopped. */
  stop(task: string, reason: string, options: { signal: AbortSignal }): Promise<void>
}

/** The container of the task definition in which the runner is. */
const CONTAINER = "runner"

/** ECS may think about a task for some seconds. */
const ANSWERED_WITHIN_MS = 10_000

export function createEcsClient(config: ECSClientConfig = {}): ECSClient {
  return new ECSClient({ requestHandler: smallCalls(ANSWERED_WITHIN_MS), ...config })
}

export function createTasks(place: TaskPlace, client: ECSClient = createEcsClient()): Tasks {
  const { cluster } = place
  return {
    async run({ token, session, environment }, { signal }) {
      const command = new RunTaskCommand({
        cluster,
        taskDefinition: place.task_definition,
        launchType: "FARGATE",
        count: 1,
        clientToken: token,
        enableExecuteCommand: false,
        networkConfiguration: {
          // A public address is the way out without a NAT gateway. Nothing comes in: the group has no ingress.
          awsvpcConfiguration: {
            subnets: place.subnets,
            securityGroups: [place.security_group],
            assignPublicIp: "ENABLED",
          },
        },
        overrides: {
          containerOverrides: [
            { name: CONTAINER, environment: Object.entries(environment).map(([name, value]) => ({ name, value })) },
          ],
        },
        tags: [{ key: "switchyard:session", value: session }],
      })
      try {
        const { tasks = [], failures = [] } = await client.send(command, { abortSignal: signal })
        const task = tasks[0]?.taskArn?.split("/").at(-1)
        if (task) return { task }
        const reason = failures[0]?.reason ?? "AWS started no task and gave no reason."
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

    async stop(task, reason, { signal }) {
      try {
        await client.send(new StopTaskCommand({ cluster, task, reason }), { abortSignal: signal })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    },
  }
}

interface DescribedTask {
  lastStatus?: string
  desiredStatus?: string
  stoppedReason?: string
  containers?: { reason?: string; exitCode?: number }[]
}

/** An hour after its end, ECS doesn't know a task any more. */
function statusOf(task: DescribedTask | undefined): TaskStatus {
  if (!task) return { stopped: "The task is gone.", unknown: true }
  const { lastStatus, desiredStatus, containers = [] } = task
  if (desiredStatus === "STOPPED" || lastStatus === "STOPPED") {
    const ends = containers.map(({ reason, exitCode }) => reason ?? (exitCode === undefined ? "" : `exit ${exitCode}`))
    return { stopped: [task.stoppedReason, ...ends].filter(Boolean).join("; ") || "The task stopped." }
  }
  if (lastStatus === "PROVISIONING") return { phase: "provisioning" }
  return { phase: lastStatus === "RUNNING" ? "running" : "pending" }
}

/** Failures that waiting may help against. ECS names some of them only in words. */
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
  const unheard = status === undefined && !name.endsWith("Exception") && name !== "CredentialsProviderError"
  const notAnswered = unheard || isBrokenReply(error)
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
