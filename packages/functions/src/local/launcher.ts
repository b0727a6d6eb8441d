import { readFileSync } from "node:fs"
import type { DeliveryLaunch, Launch, Launcher } from "@switchyard/core/work/runs/launcher"

/** Executes runs in this process. */
export interface LocalLauncher extends Launcher {
  /** Resolves once no runs are executing in this process. */
  idle(): Promise<void>
}

/**
 * Returns the name of an executor in this process. `instance` distinguishes it from executors of an earlier process
 * with the same PID.
 */
export function executorName(pid: number, instance: string): string {
  return `local-${pid}-${instance}`
}

export function createLocalLauncher(deps: {
  self: string
  execute: (launch: Launch) => Promise<void>
  deliver: (launch: DeliveryLaunch) => Promise<void>
  report: (error: unknown) => void
}): LocalLauncher {
  const running = new Set<Promise<void>>()
  const background = (begun: Promise<void>) => {
    const work = begun.catch(deps.report).finally(() => running.delete(work))
    running.add(work)
  }
  return {
    start: async (launch) => background(deps.execute(launch)),
    startDelivery: async (launch) => background(deps.deliver(launch)),
    isGone: (executor) => executor !== deps.self && !mayBeRunning(executor),
    isPaused: isStoppedChild,
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

const pidOf = (executor: string) => Number(/^local-(\d+)-/.exec(executor)?.[1])

/**
 * True if an executor's process is a child of this process and was suspended by a signal. False if the system doesn't
 * provide that information.
 */
function isStoppedChild(executor: string): boolean {
  try {
    // The state and the parent's PID follow the program's name in parentheses. The name may contain any character.
    const [, parent] = /\) [Tt] (\d+) [^)]*$/.exec(readFileSync(`/proc/${pidOf(executor)}/stat`, "utf8")) ?? []
    return Number(parent) === process.pid
  } catch {
    return false
  }
}

/** True if an executor's process may still be running. */
function mayBeRunning(executor: string): boolean {
  const pid = pidOf(executor)
  if (!pid) return true
  // After a container restart, this process often has its predecessor's PID.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}
