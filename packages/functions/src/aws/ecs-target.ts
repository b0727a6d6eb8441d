import * as z from "zod"

/**
 * True if the driver can suspend tasks, as `Tasks` defines it. ECS can't. The constant is here so that the sweep
 * doesn't load the driver.
 */
export const SUSPENDS_TASKS: boolean = false

/** ECS target of runners, as `infra/runner.ts` passes it. */
const EcsTarget = z.object({
  cluster: z.string(),
  /** Task definition with all agents. */
  task_definition: z.string(),
  /**
   * Task definitions with a single agent, by the agent's name, and "plain" without any. Empty if there is only the
   * definition with all agents.
   */
  agent_definitions: z.record(z.string(), z.string()),
  subnets: z.array(z.string()).min(1),
  security_group: z.string(),
})
export type EcsTarget = z.infer<typeof EcsTarget>

export function parseEcsTarget(json: string): EcsTarget {
  return EcsTarget.parse(JSON.parse(json))
}
