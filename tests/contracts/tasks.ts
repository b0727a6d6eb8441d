import { setImmediate as nextTurn } from "node:timers/promises"
import type { TaskRequest, Tasks } from "@switchyard/functions/aws/ecs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { never } from "../settings.ts"

export interface TaskDriver {
  tasks: Tasks
  /** Name of an existing task definition. */
  definition: string
  /** Returns how many steps the task's program has run. Set for drivers that suspend machines. */
  steps?: (task: string) => number
  close(): Promise<void>
}

const options = { signal: never }
const UNKNOWN = "0".repeat(32)

/**
 * Registers the tests that every driver of `Tasks` must pass. A `rough` emulator is excused from the tests of request
 * tokens and of stopping an unknown task.
 */
export function tasksContract(name: string, { rough = false, suspends = false }, open: () => Promise<TaskDriver>) {
  describe(`tasks contract: ${name}`, () => {
    let driver: TaskDriver
    let tasks: Tasks
    let requests = 0

    beforeAll(async () => {
      driver = await open()
      tasks = driver.tasks
    })
    afterAll(() => driver?.close())

    function newRequest(): TaskRequest {
      const session = `session-${++requests}`
      return { token: session, session, definition: driver.definition, environment: { RUNNER_SESSION: session } }
    }
    async function start(request = newRequest()): Promise<string> {
      const started = await tasks.run(request, options)
      if ("problem" in started) throw new Error(started.problem.reason)
      return started.task
    }

    it("starts a task for each request", async () => {
      const [one, another] = [await start(), await start()]
      expect(one).not.toBe(another)
      expect(await tasks.describe(one, options)).toHaveProperty("phase")
      expect(await tasks.stoppedOf([one, another], options)).toEqual([])
    })

    if (!rough) {
      it("starts one task for a repeated request, and none for another with its token", async () => {
        const request = newRequest()
        expect(await start(request)).toBe(await start(request))
        const other = { ...request, environment: { ...request.environment, MORE: "yes" } }
        expect(await tasks.run(other, options)).toMatchObject({ problem: { kind: "spent" } })
      })

      it("does nothing if the task to stop never was", async () => {
        await tasks.stop(UNKNOWN, "It never was.", options)
      })
    }

    it("stops a task, once or twice, and tells it from a running and an unknown one", async () => {
      const [stopped, running] = [await start(), await start()]
      for (let times = 0; times < 2; times++) await tasks.stop(stopped, "Nobody needs it.", options)
      await until(async () => "stopped" in ((await tasks.describe(stopped, options)) ?? {}))
      expect(await tasks.describe(stopped, options)).not.toHaveProperty("unknown")
      expect(await tasks.describe(UNKNOWN, options)).toMatchObject({ stopped: expect.any(String), unknown: true })
      expect(await tasks.stoppedOf([running, UNKNOWN, stopped], options)).toEqual([UNKNOWN, stopped])
    })

    it("can resume tasks if it can suspend them", () => {
      expect([tasks.suspend, tasks.resume].map((method) => method !== undefined)).toEqual([suspends, suspends])
    })

    if (!suspends) return
    describe("a suspended task", () => {
      const steps = (task: string) => driver.steps?.(task) ?? 0
      const isWorking = async (task: string) => {
        const before = steps(task)
        await until(async () => steps(task) > before)
      }

      it("stands still, isn't stopped, and goes on from there once it is resumed", async () => {
        const task = await start()
        await isWorking(task)
        for (let times = 0; times < 2; times++) await tasks.suspend?.(task, options)
        await nextTurn()
        const before = steps(task)
        for (let turn = 0; turn < 100; turn++) await nextTurn()
        expect(steps(task)).toBe(before)
        expect(await tasks.describe(task, options)).not.toHaveProperty("stopped")
        expect(await tasks.stoppedOf([task], options)).toEqual([])
        expect(await tasks.resume?.(task, options)).toBe(true)
        await isWorking(task)
      })

      it("may be running again already when it is resumed", async () => {
        const task = await start()
        expect(await tasks.resume?.(task, options)).toBe(true)
        await isWorking(task)
      })

      it("can be stopped, and can't be resumed or suspended after that", async () => {
        const task = await start()
        await tasks.suspend?.(task, options)
        await tasks.stop(task, "Nobody needs it.", options)
        await until(async () => "stopped" in ((await tasks.describe(task, options)) ?? {}))
        expect(await tasks.resume?.(task, options)).toBe(false)
        expect(await tasks.resume?.(UNKNOWN, options)).toBe(false)
        await tasks.suspend?.(task, options)
        expect(await tasks.describe(task, options)).toHaveProperty("stopped")
      })
    })
  })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await nextTurn()
}
