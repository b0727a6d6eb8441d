import { CreateClusterCommand, DescribeTasksCommand, RegisterTaskDefinitionCommand } from "@aws-sdk/client-ecs"
import { createEcsClient, createTasks, runningTasks } from "@switchyard/functions/aws/ecs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tasksContract } from "../contracts/tasks.ts"
import { connectAws } from "./connect.ts"

const { signal } = new AbortController()
const aws = connectAws("eu-west-1")

const client = createEcsClient(aws.config)

/** Creates a cluster with a task definition. */
async function openDriver() {
  await aws.keepRunning("ecs::task")
  await client.send(new CreateClusterCommand({ clusterName: "runners" }))
  const { taskDefinition } = await client.send(
    new RegisterTaskDefinitionCommand({
      family: "runner",
      requiresCompatibilities: ["FARGATE"],
      networkMode: "awsvpc",
      ...{ cpu: "1024", memory: "4096" },
      // Moto adds up the CPU and memory of the containers.
      containerDefinitions: [{ name: "runner", image: "runner", cpu: 1024, memory: 4096 }],
    }),
  )
  const definition = taskDefinition?.taskDefinitionArn ?? ""
  const target = { cluster: "runners", task_definition: definition, agent_definitions: {}, security_group: "sg-1" }
  const tasks = createTasks({ ...target, subnets: [await aws.findSubnet()] }, client)
  return { tasks, definition, async close() {} }
}

tasksContract(`ECS on ${aws.name}`, { rough: true }, openDriver)

describe(`tasks in ECS on ${aws.name}`, () => {
  let driver: Awaited<ReturnType<typeof openDriver>>
  afterAll(() => client.destroy())
  beforeAll(async () => {
    driver = await openDriver()
  })

  async function start(session: string): Promise<string> {
    const environment = { RUNNER_SESSION: session }
    const { definition } = driver
    const started = await driver.tasks.run({ token: session, session, definition, environment }, { signal })
    if ("problem" in started) throw new Error(started.problem.reason)
    return started.task
  }

  it("are started for one session, with what they are told", async () => {
    const task = await start("first")
    const described = await client.send(
      new DescribeTasksCommand({ cluster: "runners", tasks: [task], include: ["TAGS"] }),
    )
    expect(described.tasks?.[0]).toMatchObject({
      launchType: "FARGATE",
      tags: [{ key: "switchyard:session", value: "first" }],
      overrides: {
        containerOverrides: [{ name: "runner", environment: [{ name: "RUNNER_SESSION", value: "first" }] }],
      },
    })
    expect(await driver.tasks.describe(task, { signal })).toEqual({ phase: "running" })
  })

  it("are stopped with the reason, and described in any number", async () => {
    const [stopped, running] = [await start("stopped"), await start("running")]
    await driver.tasks.stop(stopped, "Nobody needs it.", { signal })
    expect(await driver.tasks.describe(stopped, { signal })).toEqual({
      stopped: expect.stringContaining("Nobody needs it."),
    })
    // ECS describes at most 100 tasks per request.
    const many = Array.from({ length: 120 }, (_, index) => index.toString(16).padStart(32, "0"))
    expect(await driver.tasks.stoppedOf([...many, running], { signal })).toEqual(many)
  })

  it("are listed until they stop", async () => {
    const [stopped, running] = [await start("ended"), await start("listed")]
    await driver.tasks.stop(stopped, "Nobody needs it.", { signal })
    const listed = await runningTasks("runners", client, { signal })
    expect([listed.has(running), listed.has(stopped)]).toEqual([true, false])
  })
})
