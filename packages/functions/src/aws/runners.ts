import { accountsOfRun } from "@switchyard/core/people/accounts/run-credentials"
import { readEntry } from "@switchyard/core/sessions/session-index"
import * as z from "zod"
import type { Cloud } from "./cloud.ts"
import { type EcsTarget, parseEcsTarget, SUSPENDS_TASKS, warmDefinition } from "./ecs-target.ts"
import { grantsOf } from "./follow-grants.ts"
import { imageWanted } from "./image-wanted.ts"
import { placeLimits } from "./place-rules.ts"
import { createRunnerLauncher, type RunnerLauncher } from "./runner-launcher.ts"
import { createStagePlaces } from "./stage-places.ts"
import { suspendParked } from "./suspend-parked.ts"
import { keepWarm } from "./warm-runners.ts"

const Settings = z.object({ RUNNER: z.string().transform(parseEcsTarget).optional() })

/** A stage's runners, both those working for a session and those waiting for one. */
export interface Runners extends RunnerLauncher {
  /**
   * Starts and stops runners until `WARM_RUNNERS` of them are waiting. Suspends parked runners if the driver supports
   * it.
   */
  tend(options: { signal: AbortSignal }): Promise<void>
}

/** Opens a stage's runners. Returns undefined if the stage has none. */
export function openRunners(cloud: Cloud, env: Record<string, string | undefined>): Runners | undefined {
  const target = Settings.parse(env).RUNNER
  const { core, masterKey, config, report, logLine } = cloud
  if (!target || !masterKey) return undefined
  async function openTasks() {
    const { createTasks } = await import("./ecs.ts")
    return createTasks(target as EcsTarget)
  }
  const limits = placeLimits(config.runners)
  const places = createStagePlaces({ ...core.executor, limits })
  const launcher = createRunnerLauncher({
    ...core.executor,
    ...{ place: target, masterKey, report, logLine, limits },
    ...{ verboseErrors: config.verboseErrors, allowedHosts: config.allowedHosts },
    ownerOf: async (sid, given) => (await readEntry(cloud.records, sid, given))?.owner ?? "",
    accountsOf: (launch, given) =>
      accountsOfRun({ ...core.executor, agentAccounts: core.agentAccounts }, launch, given),
    agentsOf: (sid, given) => imageWanted(core.executor, target, sid, given),
    containerSizeFor: (...about) => core.repositories.containerSizeFor(...about),
    openTasks,
  })
  const { records, clock } = core.executor
  const goal = { count: cloud.warmRunners, definition: warmDefinition(target) }
  return {
    ...launcher,
    async tend(options) {
      await keepWarm({ records, clock, openTasks, masterKey, report }, goal, options)
      if (!SUSPENDS_TASKS) return
      const suspend = (onGranted: (sid: string) => void) =>
        suspendParked({ ...core.executor, places, openTasks }, { onGranted, ...options })
      await launcher.follow(grantsOf(suspend), options)
    },
  }
}
