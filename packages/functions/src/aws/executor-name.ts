/** Returns the ECS task ID contained in a runner's executor name. */
export function ecsTaskIdOf(executor: string): string {
  return executor.replace(/^ecs-/, "")
}

/** Returns the executor name for a runner's ECS task. */
export function executorNameOf(task: string): string {
  return `ecs-${task}`
}
