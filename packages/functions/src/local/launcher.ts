import type { DeliveryLaunch, Launch, Launcher } from "@switchyard/core/work/runs/launcher"

/** Executes runs in this very process. */
export interface LocalLauncher extends Launcher {
  /** Resolves when no run is being executed here any more. */
  idle(): Promise<void>
}

/** The name of an executor in this process; `instance` tells it from one that had the same pid before. */
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
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** Whether the process of an executor may still be running. */
function mayBeRunning(executor: string): boolean {
  const pid = Number(/^local-(\d+)-/.exec(executor)?.[1])
  if (!pid) return true
  // After a restart in a container our own pid is often that of our predecessor.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}
