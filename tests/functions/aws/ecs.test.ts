import { DescribeTasksCommand, ECSClient, ListTasksCommand, RunTaskCommand, StopTaskCommand } from "@aws-sdk/client-ecs"
import { createTasks, runningTasks } from "@switchyard/functions/aws/ecs"
import { mockClient } from "aws-sdk-client-mock"
import { beforeEach, describe, expect, it } from "vitest"

const { signal } = new AbortController()
const ecs = mockClient(ECSClient)
const DEFINITION = "arn:aws:ecs:eu-central-1:1:task-definition/runner:3"
const target = {
  cluster: "runners",
  task_definition: DEFINITION,
  agent_definitions: {},
  subnets: ["subnet-a", "subnet-b"],
  security_group: "sg-runner",
}
const tasks = createTasks(target)
const order = { token: "t".repeat(64), session: "sid", definition: DEFINITION, environment: { RUNNER_SESSION: "sid" } }

/** Returns an error in the SDK's form. Without a status, ECS didn't respond. */
function failure(name: string, message = "", status?: number): Error {
  return Object.assign(new Error(message), { name, ...(status && { $metadata: { httpStatusCode: status } }) })
}

beforeEach(() => ecs.reset())

describe("a task", () => {
  it("is asked for on Fargate, once, where nothing comes in, and without a way into it", async () => {
    ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: "arn:aws:ecs:eu-central-1:1:task/runners/abc123" }] })
    expect(await tasks.run(order, { signal })).toEqual({ task: "abc123" })
    expect(ecs.commandCalls(RunTaskCommand)[0]?.args[0].input).toEqual({
      cluster: "runners",
      taskDefinition: DEFINITION,
      launchType: "FARGATE",
      count: 1,
      clientToken: "t".repeat(64),
      enableExecuteCommand: false,
      networkConfiguration: {
        awsvpcConfiguration: {
          subnets: ["subnet-a", "subnet-b"],
          securityGroups: ["sg-runner"],
          assignPublicIp: "ENABLED",
        },
      },
      overrides: {
        containerOverrides: [{ name: "runner", environment: [{ name: "RUNNER_SESSION", value: "sid" }] }],
      },
      tags: [{ key: "switchyard:session", value: "sid" }],
    })
  })

  it.each([
    ["4x16", { cpu: "4096", memory: "16384" }],
    ["16x120x200", { cpu: "16384", memory: "122880", ephemeralStorage: { sizeInGiB: 200 } }],
  ])("has the size %s in place of its definition's", async (size, expected) => {
    ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: "arn:aws:ecs:eu-central-1:1:task/runners/abc123" }] })
    await tasks.run({ ...order, size }, { signal })
    const { containerOverrides: _, ...overrides } = ecs.commandCalls(RunTaskCommand)[0]?.args[0].input.overrides ?? {}
    expect(overrides).toEqual(expected)
  })

  it("has no public address in an existing private network", async () => {
    ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: "arn:aws:ecs:eu-central-1:1:task/runners/abc123" }] })
    await createTasks({ ...target, has_private_network: true }).run(order, { signal })
    const { networkConfiguration } = ecs.commandCalls(RunTaskCommand)[0]?.args[0].input ?? {}
    expect(networkConfiguration?.awsvpcConfiguration?.assignPublicIp).toBe("DISABLED")
  })

  it.each([
    ["busy", failure("ThrottlingException", "Rate exceeded", 400)],
    ["busy", failure("ServerException", "", 500)],
    ["busy", failure("ServiceUnavailable", "", 503)],
    ["busy", failure("TimeoutError", "socket hang up")],
    ["busy", Object.assign(failure("Error", "aborted", 200), { code: "ECONNRESET" })],
    ["no_capacity", failure("ClientException", "You've reached the limit on the number of vCPUs.", 400)],
    ["no_capacity", failure("ClientException", "Capacity is unavailable at this time.", 400)],
    ["no_capacity", failure("LimitExceededException", "", 400)],
    ["spent", failure("ConflictException", "The token was used with other parameters.", 400)],
  ])("may be had later when it is %s: %s", async (kind, error) => {
    ecs.on(RunTaskCommand).rejects(error)
    expect(await tasks.run(order, { signal })).toEqual({ problem: { kind, reason: error.message || error.name } })
  })

  it("may be had later when ECS answers without one", async () => {
    ecs
      .on(RunTaskCommand)
      .resolvesOnce({ tasks: [], failures: [{ reason: "RESOURCE:CPU" }] })
      .resolves({})
    const reason = "RESOURCE:CPU"
    expect(await tasks.run(order, { signal })).toEqual({ problem: { kind: "no_capacity", reason } })
    expect(await tasks.run(order, { signal })).toMatchObject({ problem: { kind: "no_capacity" } })
  })

  it.each([
    failure("AccessDeniedException", "Not authorized to perform iam:PassRole", 400),
    failure("ClusterNotFoundException", "", 400),
    failure("InvalidParameterException", "TaskDefinition is inactive", 400),
    failure("ClientException", "TaskDefinition not found.", 400),
    failure("CredentialsProviderError", "Could not load credentials"),
  ])("can't be had by waiting when it is refused: %s", async (error) => {
    ecs.on(RunTaskCommand).rejects(error)
    await expect(tasks.run(order, { signal })).rejects.toBe(error)
  })

  it.each([
    [{ lastStatus: "PROVISIONING", desiredStatus: "RUNNING" }, { phase: "provisioning" }],
    [{ lastStatus: "PENDING", desiredStatus: "RUNNING" }, { phase: "pending" }],
    [{ lastStatus: "ACTIVATING", desiredStatus: "RUNNING" }, { phase: "pending" }],
    [{ lastStatus: "RUNNING", desiredStatus: "RUNNING" }, { phase: "running" }],
    [{ lastStatus: "RUNNING", desiredStatus: "STOPPED" }, { stopped: "The task stopped." }],
    [
      {
        ...{ lastStatus: "STOPPED", stoppedReason: "Essential container in task exited" },
        containers: [{ exitCode: 137, reason: "OutOfMemoryError" }, { exitCode: 1 }],
      },
      { stopped: "Essential container in task exited; OutOfMemoryError; exit 1" },
    ],
  ])("is as ECS says: %o", async (task, status) => {
    ecs.on(DescribeTasksCommand).resolves({ tasks: [task] })
    expect(await tasks.describe("abc", { signal })).toEqual(status)
  })

  it("that ECS doesn't know is gone, and of one that it can't tell of now nothing is said", async () => {
    ecs.on(DescribeTasksCommand).resolves({ tasks: [], failures: [{ reason: "MISSING" }] })
    expect(await tasks.describe("abc", { signal })).toEqual({ stopped: "The task no longer exists.", unknown: true })
    ecs.on(DescribeTasksCommand).rejects(failure("ThrottlingException", "", 400))
    expect(await tasks.describe("abc", { signal })).toBeUndefined()
    ecs.on(DescribeTasksCommand).rejects(failure("AccessDeniedException", "", 400))
    await expect(tasks.describe("abc", { signal })).rejects.toMatchObject({ name: "AccessDeniedException" })
  })

  it("that is gone needs no stopping, and any other failure to stop one is told", async () => {
    ecs.on(StopTaskCommand).rejects(failure("InvalidParameterException", "The referenced task was not found.", 400))
    await tasks.stop("abc", "why", { signal })
    ecs.on(StopTaskCommand).rejects(failure("InvalidParameterException", "Invalid reason.", 400))
    await expect(tasks.stop("abc", "why", { signal })).rejects.toThrow("Invalid reason.")
  })

  it("is known to have stopped, or to be gone, of many at once, but not while AWS doesn't answer", async () => {
    const named = Array.from({ length: 101 }, (_, index) => `task${index}`)
    ecs.on(DescribeTasksCommand).callsFakeOnce(({ tasks: asked }) => ({
      tasks: asked
        .slice(2)
        .map((task: string) => ({ taskArn: `arn:aws:ecs:eu-central-1:1:task/runners/${task}`, lastStatus: "RUNNING" }))
        .concat({ taskArn: "arn:aws:ecs:eu-central-1:1:task/runners/task1", lastStatus: "STOPPED" }),
    }))
    ecs.on(DescribeTasksCommand, { tasks: ["task100"] }).rejects(failure("ThrottlingException", "", 400))
    expect(await tasks.stoppedOf(named, { signal })).toEqual(["task0", "task1"])
    expect(ecs.commandCalls(DescribeTasksCommand).map(({ args }) => args[0].input.tasks?.length)).toEqual([100, 1])
  })
})

describe("the tasks of a cluster", () => {
  const client = new ECSClient({ region: "eu-central-1" })
  const arn = (id: string) => `arn:aws:ecs:eu-central-1:1:task/runners/${id}`

  it("are listed to the last page, without those that are being stopped", async () => {
    ecs
      .on(ListTasksCommand, { cluster: "runners", desiredStatus: "RUNNING" })
      .resolves({ taskArns: ["a", "b"].map(arn), nextToken: "more" })
      .on(ListTasksCommand, { cluster: "runners", desiredStatus: "RUNNING", nextToken: "more" })
      .resolves({ taskArns: [arn("c")] })
    expect(await runningTasks("runners", client, { signal })).toEqual(new Set(["a", "b", "c"]))
  })

  it("aren't said to be none where ECS doesn't answer", async () => {
    ecs.on(ListTasksCommand).rejects(failure("ThrottlingException", "Rate exceeded", 400))
    await expect(runningTasks("runners", client, { signal })).rejects.toThrow("Rate exceeded")
  })
})
