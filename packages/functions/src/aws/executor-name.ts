/** The task of a runner in ECS, which is called after it. */
export function taskOf(executor: string): string {
  return executor.replace(/^ecs-/, "")
}

/** The executor's name of a runner in ECS. */
export function executorOf(task: string): string {
  return `ecs-${task}`
}
