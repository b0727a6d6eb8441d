import type { ImplementationStep, Plan, PlannedFile } from "../schema.ts"
import { isReadme } from "./file-kinds.ts"
import { targetOf } from "./plan.ts"

/** A step of the coder, and the steps that it waits for. */
export interface Step extends ImplementationStep {
  index: number
  /** The planned file. Undefined if the plan couldn't be read. */
  file: PlannedFile | undefined
  /** Paths whose steps must have succeeded before this one. */
  needs: string[]
  /** Paths whose steps must have run before this one, even if they failed. */
  follows: string[]
}

/** Paths of finished and failed steps. */
export interface StepsSoFar {
  finished: readonly string[]
  failed: readonly { path: string }[]
}

/**
 * Orders the steps. If a file has no planned dependencies, its step follows all earlier steps. Deletions come after all
 * writes, because those steps may still read the files. The README comes last, because it describes the result.
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

/** Returns the steps that can run concurrently now, in order, up to `atOnce`. */
export function nextWave(steps: Step[], so: StepsSoFar, atOnce: number): Step[] {
  const failed = new Set(so.failed.map(({ path }) => path))
  const settled = new Set([...so.finished, ...failed])
  const isReady = ({ file_path, needs, follows }: Step) =>
    !settled.has(file_path) &&
    needs.every((path) => settled.has(path) && !failed.has(path)) &&
    follows.every((path) => settled.has(path) || isBlocked(steps, failed, path))
  return steps.filter(isReady).slice(0, atOnce)
}

/** Returns the steps that can't run because other steps failed, each with its missing dependencies. */
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
