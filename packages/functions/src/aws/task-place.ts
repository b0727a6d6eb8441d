import * as z from "zod"

/** The ECS target of runners, as `infra/runner.ts` passes it. */
const TaskPlace = z.object({
  cluster: z.string(),
  task_definition: z.string(),
  subnets: z.array(z.string()).min(1),
  security_group: z.string(),
})
export type TaskPlace = z.infer<typeof TaskPlace>

export function placeIn(json: string): TaskPlace {
  return TaskPlace.parse(JSON.parse(json))
}
