import { CreateClusterCommand, DescribeTasksCommand, RegisterTaskDefinitionCommand } from "@aws-sdk/client-ecs"
import { createEcsClient, createTasks } from "@switchyard/functions/aws/ecs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectAws } from "./connect.ts"

const { signal } = new AbortController()
const aws = connectAws("eu-west-1")

describe(`tasks in ECS on ${aws.name}`, () => {
  const client = createEcsClient(aws.config)
  let tasks: ReturnType<typeof createTasks>
  let definition = ""
  afterAll(() => client.destroy())

  beforeAll(async () => {
    await aws.keepRunning("ecs::task")
    await client.send(new CreateClusterCommand({ clusterName: "runners" }))
    const { taskDefinition } = await client.send(
      new RegisterTaskDefinitionCommand({
        family: "runner",
        requiresCompatibilities: ["FARGATE"],
        networkMode: "awsvpc",
        ...{ cpu: "1024", memory: "4096" },
        // Moto adds up what each container takes.
        containerDefinitions: [{ name: "runner", image: "runner", cpu: 1024, memory: 4096 }],
      }),
    )
    definition = taskDefinition?.taskDefinitionArn ?? ""
    tasks = createTasks(
      {
        cluster: "runners",
        task_definition: definition,
        agent_definitions: {},
        subnets: [await aws.findSubnet()],
        security_group: "sg-1",
      },
      client,
    )
  })

  async function start(session: string): Promise<string> {
    const environment = { RUNNER_SESSION: session }
    const started = await tasks.run({ token: session, session, definition, environment }, { signal })
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
    expect(await tasks.describe(task, { signal })).toEqual({ phase: "running" })
  })

  it("are stopped with the reason, and told apart from those that run and those that never were", async () => {
    const [stopped, running] = [await start("stopped"), await start("running")]
    await tasks.stop(stopped, "Nobody needs it.", { signal })
    expect(await tasks.describe(stopped, { signal })).toEqual({ stopped: expect.stringContaining("Nobody needs it.") })
    const strange = "0".repeat(32)
    expect(await tasks.describe(strange, { signal })).toMatchObject({ unknown: true })
    expect(await tasks.stoppedOf([running, strange, stopped], { signal })).toEqual([strange, stopped])
    // More than ECS describes in one answer.
    const many = Array.from({ length: 120 }, (_, index) => index.toString(16).padStart(32, "0"))
    expect(await tasks.stoppedOf([...many, running], { signal })).toEqual(many)
  })
})
