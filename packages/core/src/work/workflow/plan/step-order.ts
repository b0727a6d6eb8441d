import type { ImplementationStep, Plan, PlannedFile } from "../schema.ts"
import { isReadme } from "./file-kinds.ts"
import { targetOf } from "./plan.ts"

/** A step of the coder, with the steps that it waits for. */
export interface Step extends ImplementationStep {
  index: number
  /** The planned file. Undefined if the plan couldn't be read. */
  file: PlannedFile | undefined
  /** Paths of files whose steps must succeed before this step. */
  needs: string[]
  /** Paths of files whose steps must run before this step, even if they fail. */
  follows: string[]
}

/** Paths of finished and failed steps. */
export interface StepsSoFar {
  finished: readonly string[]
  failed: readonly { path: string }[]
}

/**
 * Orders the steps. If the plan doesn't list a file's dependencies, the file's step follows all earlier steps.
 * Deletions come after all writes, because the steps that write may still read the deleted files. The README comes
 * last, because it describes the result.
 */
export function orderSteps(steps: ImplementationStep[], plan: Plan | undefined): Step[] {
  const fileAt = (path: string) => plan?.files.find((file) => targetOf(file) === path)
  const isDeletion = (path: string) => fileAt(path)?.action === "delete"
  return steps.map((step, index) => {
    const path = step.file_path
    const file = fileAt(path)
    const others = steps.map(({ file_path }) => file_path).filter((other) => other !== path)
    const earlier = others.slice(0, index)
    const isLast = isReadme(path) || isDeletion(path)
    const last = others.filter((other) => !isReadme(other) && (isReadme(path) || !isDeletion(other)))
    const follows = isLast ? last : file?.depends_on ? [] : earlier
    return { ...step, index, file, needs: file?.depends_on ?? [], follows }
  })
}

/** Returns up to `atOnce` steps that can run concurrently now, in order. */
export function nextWave(steps: Step[], so: StepsSoFar, atOnce: number): Step[] {
  const failed = new Set(so.failed.map(({ path }) => path))
  const settled = new Set([...so.finished, ...failed])
  const isReady = ({ file_path, needs, follows }: Step) =>
    !settled.has(file_path) &&
    needs.every((path) => settled.has(path) && !failed.has(path)) &&
    follows.every((path) => settled.has(path) || isBlocked(steps, failed, path))
  return steps.filter(isReady).slice(0, atOnce)
}

/** Returns the steps that can't run because other steps failed, each with the dependencies that it lacks. */
export function blockedSteps(steps: Step[], { finished, failed }: StepsSoFar): { path: string; needs: string[] }[] {
  const settled = [...finished, ...failed.map(({ path }) => path)]
  return steps.flatMap(({ file_path: path, needs }) =>
    settled.includes(path) ? [] : [{ path, needs: needs.filter((other) => !finished.includes(other)) }],
  )
}

function isBlocked(steps: Step[], failed: Set<string>, path: string): boolean {
  const step = steps.find(({ file_path }) => file_path === path)
  return step?.needs.some((other) => failed.has(other) || isBlocked(steps, failed, other)) ?? false
}
