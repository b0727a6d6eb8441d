import * as z from "zod"

/**
 * True if the driver implements `suspend` and `resume` of `Tasks`. ECS can't suspend tasks. Declared in this file
 * because the sweep doesn't load the driver.
 */
export const SUSPENDS_TASKS: boolean = false

/** Name of the image with all agents and a browser, among the task definitions of a target. */
export const BROWSER_IMAGE = "browser"

/** ECS target for runners, as passed by `infra/runner.ts`. */
const EcsTarget = z.object({
  cluster: z.string(),
  /** Task definition that includes all agents. */
  task_definition: z.string(),
  /**
   * Task definitions with a single agent, by agent name, "plain" without agents, and "browser" with all agents and a
   * browser. Empty if `task_definition` is the only one.
   */
  agent_definitions: z.record(z.string(), z.string()),
  subnets: z.array(z.string()).min(1),
  security_group: z.string(),
  /** True if the containers need no public address. */
  has_private_network: z.boolean().optional(),
})
export type EcsTarget = z.infer<typeof EcsTarget>

/** Returns the task definition of waiting runners. It must suit every session. */
export function warmDefinition({ task_definition, agent_definitions }: EcsTarget): string {
  return agent_definitions[BROWSER_IMAGE] ?? task_definition
}

export function parseEcsTarget(json: string): EcsTarget {
  return EcsTarget.parse(JSON.parse(json))
}
