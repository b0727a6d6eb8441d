import { accountsOfRun } from "@switchyard/core/people/accounts/run-credentials"
import * as z from "zod"
import type { Cloud } from "./cloud.ts"
import { parseEcsTarget } from "./ecs-target.ts"
import { createRunnerLauncher, type RunnerLauncher } from "./runner-launcher.ts"

const Settings = z.object({ RUNNER: z.string().transform(parseEcsTarget).optional() })

/** Runners, on a stage that has a place for them. */
export function openRunners(cloud: Cloud, env: Record<string, string | undefined>): RunnerLauncher | undefined {
  const target = Settings.parse(env).RUNNER
  const { core, masterKey, config, report } = cloud
  if (!target || !masterKey) return undefined
  return createRunnerLauncher({
    ...core.executor,
    ...{ place: target, masterKey, report, verboseErrors: config.verboseErrors, allowedHosts: config.allowedHosts },
    accountsOf: (launch, given) =>
      accountsOfRun({ ...core.executor, agentAccounts: core.agentAccounts }, launch, given),
    async openTasks() {
      const { createTasks } = await import("./ecs.ts")
      return createTasks(target)
    },
  })
}
