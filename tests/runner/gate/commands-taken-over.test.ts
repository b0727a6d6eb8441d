import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Message } from "@switchyard/core/models/provider"
import { systemClock } from "@switchyard/core/time"
import { createShellCommandRun, type ShellCommandDeps } from "@switchyard/runner/gate/shell-command-run"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mortal } from "../../core/work/mortal-stores.ts"
import { openTeamBench } from "../../core/work/teams/team-bench.ts"
import { answerOf, isCoordinator, teamAnswer } from "../../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../../fixtures/scripted-model.ts"
import { openStores, type Stores } from "../../fixtures/stores.ts"
import { cases } from "../../settings.ts"

let stores: Stores
let folder: string
beforeAll(async () => {
  stores = await openStores()
  folder = mkdtempSync(join(tmpdir(), "commands-"))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await stores.close()
})

const commands = { mode: "bypass" as const, checks: {}, max_attempts: 5 }

/** A model whose worker creates its file with a command, and repeats the command if it was interrupted. */
function modelThatRuns(command: string) {
  return createScriptedProvider((request) => {
    if (isCoordinator(request.tools)) return teamAnswer(["a"], request)
    return answerOf(work(request.messages, command), request.messages.length)
  })
}

function work(messages: readonly Message[], command: string): [string, Record<string, unknown>][] {
  const last = messages.at(-1)
  const isThere = last?.role === "tool" && !last.isError
  return [isThere ? ["publish", { summary: "It is there." }] : ["bash", { command }]]
}

function runnerOn({ blobs }: Pick<Stores, "blobs">) {
  const nobody = {
    sandbox: undefined,
    supervisor: undefined,
    checkHosts: undefined,
    agentHosts: undefined,
    family: "test",
  }
  const confinement = async () => ({ confine: (_: unknown, program: unknown) => program }) as never
  const places = { folder, homes: join(folder, "homes"), host: process.env, report: () => {} }
  return createShellCommandRun({ ...nobody, ...places, blobs, clock: systemClock, confinement } as ShellCommandDeps)
}

describe("a command of a worker", () => {
  it.each(["lost", "done"] as const)(
    "whose processes die at any of their writes (the last one %s) is begun once, and told of as interrupted where it isn't known",
    async (lastWrite) => {
      const step = cases({ usual: 6, deep: 1 })
      let interrupted = 0
      for (let nth = 1; ; nth += step) {
        const where = `killed at write ${nth}`
        const ran = join(folder, `ran-${lastWrite}-${nth}`)
        writeFileSync(ran, "")
        const model = modelThatRuns(`echo ran >> ${ran}; echo made > a.txt`)
        const bench = await openTeamBench(stores)
        await bench.start("One file", 4, "finite", { commands })
        const { on, writes } = mortal(stores, nth, lastWrite)
        await bench.drive(model, { on, shell: runnerOn(on) }).catch(() => {})
        const isDead = writes() >= nth
        for (let again = 0; again < 4 && isDead; again++) {
          await bench.recover()
          await bench.drive(model, { shell: runnerOn(stores) })
        }
        expect((await bench.files())["a.txt"], where).toBe("made\n")
        const requested = await bench.eventsOf("shell_command_requested")
        const started = await bench.eventsOf("shell_command_started")
        const finished = await bench.eventsOf("shell_command_finished")
        const [ids, begun, ended] = [requested.map((one) => one.command_run_id), started, finished] as const
        expect(new Set(begun.map(({ run_id }) => run_id)).size, where).toBe(begun.length)
        expect(ended.map(({ run_id }) => run_id).sort(), where).toEqual(ids.toSorted())
        const times = readFileSync(ran, "utf8").split("\n").length - 1
        expect(times, where).toBeLessThanOrEqual(started.length)
        const lost = finished.filter(({ ending }) => ending === "interrupted").length
        expect(requested.length, where).toBe(1 + lost)
        interrupted += lost
        expect((await bench.eventsOf("work_node_completed")).length, where).toBe(1)
        expect((await bench.eventsOf("team_finished")).length, where).toBe(1)
        if (!isDead) {
          expect(lost, where).toBe(0)
          expect(times, where).toBe(1)
          break
        }
      }
      if (step === 1) expect(interrupted).toBeGreaterThan(0)
    },
    120_000,
  )

  it.each(["lost", "done"] as const)(
    "that is the worker itself, whose processes die at any of their writes (the last one %s), runs once, or its node fails with the words that this isn't known",
    async (lastWrite) => {
      const step = cases({ usual: 7, deep: 1 })
      for (let nth = 1; ; nth += step) {
        const where = `killed at write ${nth}`
        const ran = join(folder, `own-${lastWrite}-${nth}`)
        writeFileSync(ran, "")
        const command = `echo ran >> ${ran}; echo made > a.txt; echo It is there. > _result.md`
        const workers = [{ name: "maker", command, timeout_seconds: 60, network: false }]
        const bench = await openTeamBench(stores)
        await bench.start("One file", 4, "finite", { commands: { ...commands, workers } })
        const { on, writes } = mortal(stores, nth, lastWrite)
        await bench.drive(retrying, { on, shell: runnerOn(on) }).catch(() => {})
        const isDead = writes() >= nth
        for (let again = 0; again < 4 && isDead; again++) {
          await bench.recover()
          await bench.drive(retrying, { shell: runnerOn(stores) })
        }
        expect((await bench.files())["a.txt"], where).toBe("made\n")
        expect((await bench.files())["result.md"], where).toBe("It is there.\n")
        const started = await bench.eventsOf("shell_command_started")
        expect(new Set(started.map(({ run_id }) => run_id)).size, where).toBe(started.length)
        expect(readFileSync(ran, "utf8").split("\n").length - 1, where).toBeLessThanOrEqual(started.length)
        const finished = await bench.eventsOf("shell_command_finished")
        const lost = finished.filter(({ ending }) => ending === "interrupted").length
        expect((await bench.eventsOf("shell_command_requested")).length, where).toBe(1 + lost)
        const failed = await bench.eventsOf("work_node_failed")
        expect(
          failed.map(({ reason }) => reason.includes("was interrupted and may or may not have run")),
          where,
        ).toEqual(Array.from({ length: lost }, () => true))
        expect((await bench.eventsOf("work_node_completed")).length, where).toBe(1)
        expect((await bench.eventsOf("team_finished")).length, where).toBe(1)
        if (!isDead) {
          expect(lost, where).toBe(0)
          break
        }
      }
    },
    120_000,
  )
})

/** A coordinator that assigns a worker to node `a`, and retries the node after each failure. */
const retrying = createScriptedProvider((request) => {
  const { messages } = request
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  const failures = messages.filter(({ role, content }) => role === "user" && String(content).includes("a failed."))
  if (failures.length > calls.filter(({ name }) => name === "retry_node").length) {
    const again: [string, Record<string, unknown>][] = [
      ["retry_node", { node_id: "a" }],
      ["assign_worker", { node_id: "a", worker_id: "Ada" }],
    ]
    return answerOf(again, messages.length)
  }
  return teamAnswer(["a"], request).map((event) => {
    if (event.type !== "tool_call" || event.call.name !== "spawn_worker") return event
    const args = { name: "Ada", role: "Makes", type: "maker" }
    return { ...event, call: { ...event.call, args, rawArguments: JSON.stringify(args) } }
  })
})
