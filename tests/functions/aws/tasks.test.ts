import { createEcsClient, createTasks } from "@switchyard/functions/aws/ecs"
import { tasksContract } from "../../contracts/tasks.ts"
import { createSuspendingTasks } from "../../fixtures/suspending-tasks.ts"
import { PLACE, startEcs } from "../../rehearsal/ecs.ts"

tasksContract("ECS", {}, async () => {
  const ecs = await startEcs({ folder: "", env: () => ({}), log: () => {} })
  const credentials = { accessKeyId: "test", secretAccessKey: "test" }
  const client = createEcsClient({ endpoint: ecs.endpoint, region: "eu-central-1", credentials })
  const driver = createTasks(PLACE, client)
  const tasks: typeof driver = {
    ...driver,
    run(request, options) {
      // These tests don't need the task's program.
      ecs.fates.set(request.session ?? "", ["late"])
      return driver.run(request, options)
    },
  }
  return {
    tasks,
    definition: PLACE.task_definition,
    async close() {
      client.destroy()
      await ecs.stop()
    },
  }
})

tasksContract("machines that can be suspended", { suspends: true }, async () => {
  const steps = new Map<string, number>()
  const { tasks, machines } = createSuspendingTasks(async (task, _request, { clock, stop }) => {
    for (;;) {
      await clock.sleep(1000, stop)
      steps.set(task, (steps.get(task) ?? 0) + 1)
    }
  })
  return {
    tasks,
    definition: "runner:1",
    steps: (task) => steps.get(task) ?? 0,
    async close() {
      for (const [task, { hasEnded }] of machines) if (!hasEnded) await tasks.stop(task)
    },
  }
})
