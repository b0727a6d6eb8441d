import { spawn } from "node:child_process"
import { once } from "node:events"
import { createLocalLauncher, executorName } from "@switchyard/functions/local/launcher"
import { expect, it } from "vitest"
import { needs } from "../../needs.ts"

const nothing = async () => {}
const NO_PROC = process.platform === "linux" ? undefined : "Linux tells whether a process is stopped"

it("tells its own executor that is stopped by a signal from one that runs or is gone", needs(NO_PROC), async () => {
  const self = executorName(process.pid, "here")
  const launcher = createLocalLauncher({ self, execute: nothing, deliver: nothing, report: () => {} })
  const child = spawn("cat", { stdio: "pipe" })
  await once(child, "spawn")
  const executor = executorName(child.pid ?? 0, "there")
  expect([launcher.isPaused?.(executor), launcher.isGone?.(executor)]).toEqual([false, false])
  child.kill("SIGSTOP")
  await expect.poll(() => launcher.isPaused?.(executor)).toBe(true)
  child.kill("SIGCONT")
  await expect.poll(() => launcher.isPaused?.(executor)).toBe(false)
  child.kill("SIGKILL")
  await once(child, "exit")
  expect([launcher.isPaused?.(executor), launcher.isGone?.(executor)]).toEqual([false, true])
  expect([launcher.isPaused?.(self), launcher.isGone?.(self)]).toEqual([false, false])
})
