/** Returns the ECS task of a runner's executor name. */
export function taskOf(executor: string): string {
  return executor.replace(/^ecs-/, "")
}

/** Returns the executor name of a runner's ECS task. */
export function executorOf(task: string): string {
  return `ecs-${task}`
}
