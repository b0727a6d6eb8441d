import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FromRunner } from "@switchyard/core/agents/runner/messages"
import { expect, it, onTestFinished } from "vitest"
import { type StartMessage, startRunnerProcess } from "../../../packages/functions/src/local/runner-process.ts"

it("says how a runner died", async () => {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-runner-process-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const program = join(folder, "runner.mjs")
  await writeFile(program, 'process.kill(process.pid, "SIGKILL")')
  const hears = { receive: () => {}, report: () => {} }
  const { exited } = startRunnerProcess(program, { type: "start" } as StartMessage, hears)
  expect(await exited).toEqual({ parked: false, how: "was killed by SIGKILL (memory probably ran out)" })
})

it("hears a runner's messages between lines that are none, as the half of one that it died with", async () => {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-runner-process-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const program = join(folder, "runner.mjs")
  const said = ["npm notice", "null", '{"type":"accepted"}', '{"type":"wake","log":"s/1/log"}', '{"type":"wake","lo']
  await writeFile(program, `process.stdout.write(${JSON.stringify(said.join("\n"))})`)
  const [received, reported]: [FromRunner[], unknown[]] = [[], []]
  const runner = startRunnerProcess(program, { type: "start" } as StartMessage, {
    receive: (message) => received.push(message),
    report: (error) => reported.push(error),
  })
  expect(await runner.exited).toMatchObject({ parked: true })
  expect(received).toEqual([{ type: "wake", log: "s/1/log" }])
  expect(reported.map(String)).toEqual([
    'Error: Unexpected output from a runner: "npm notice"',
    'Error: Unexpected output from a runner: "null"',
    'Error: Unexpected output from a runner: "{\\"type\\":\\"accepted\\"}"',
    'Error: Unexpected output from a runner: "{\\"type\\":\\"wake\\",\\"lo"',
  ])
})
