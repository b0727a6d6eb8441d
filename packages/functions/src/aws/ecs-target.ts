import * as z from "zod"

/** Whether the tasks of the driver can be suspended, as `Tasks` has it: ECS has nothing of the kind. The sweep doesn't load the driver. */
export const SUSPENDS_TASKS: boolean = false

/** The ECS target of runners, as `infra/runner.ts` passes it. */
const EcsTarget = z.object({
  cluster: z.string(),
  /** With all agents. */
  task_definition: z.string(),
  /** With one agent each, by its name, and "plain" with none; empty where there is only the one with all. */
  agent_definitions: z.record(z.string(), z.string()),
  subnets: z.array(z.string()).min(1),
  security_group: z.string(),
})
export type EcsTarget = z.infer<typeof EcsTarget>

export function parseEcsTarget(json: string): EcsTarget {
  return EcsTarget.parse(JSON.parse(json))
}
