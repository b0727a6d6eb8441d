import { accountsOfRun, soleAgentOf } from "@switchyard/core/people/accounts/run-credentials"
import { readEntry } from "@switchyard/core/sessions/session-index"
import * as z from "zod"
import type { Cloud } from "./cloud.ts"
import { parseEcsTarget } from "./ecs-target.ts"
import { createRunnerLauncher, type RunnerLauncher } from "./runner-launcher.ts"
import type { PlaceLimits } from "./stage-places.ts"

const Settings = z.object({ RUNNER: z.string().transform(parseEcsTarget).optional() })

/** Runners of a stage at once, where nothing else is said: half of them an owner's. */
const USUAL_RUNNERS = 100

/** Runners, on a stage that has a place for them. */
export function openRunners(cloud: Cloud, env: Record<string, string | undefined>): RunnerLauncher | undefined {
  const target = Settings.parse(env).RUNNER
  const { core, masterKey, config, report } = cloud
  if (!target || !masterKey) return undefined
  return createRunnerLauncher({
    ...core.executor,
    ...{ place: target, masterKey, report, verboseErrors: config.verboseErrors, allowedHosts: config.allowedHosts },
    limits: limitsOf(config.runners),
    ownerOf: async (sid, given) => (await readEntry(cloud.records, sid, given))?.owner ?? "",
    accountsOf: (launch, given) =>
      accountsOfRun({ ...core.executor, agentAccounts: core.agentAccounts }, launch, given),
    async agentOf(launch, given) {
      if (Object.keys(target.agent_definitions).length === 0) return undefined
      return soleAgentOf(core.executor, launch, given)
    },
    async openTasks() {
      const { createTasks } = await import("./ecs.ts")
      return createTasks(target)
    },
  })
}

function limitsOf({ total = USUAL_RUNNERS, perOwner }: Cloud["config"]["runners"]): PlaceLimits {
  const limitOf = (limit: number) => limit || Number.POSITIVE_INFINITY
  return { total: limitOf(total), perOwner: limitOf(perOwner ?? Math.ceil((total || USUAL_RUNNERS) / 2)) }
}
