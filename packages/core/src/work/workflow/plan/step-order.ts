import type { ImplementationStep, Plan, PlannedFile } from "../schema.ts"
import { isReadme } from "./file-kinds.ts"
import { targetOf } from "./plan.ts"

/** A step of the coder, and the steps that it comes after. */
export interface Step extends ImplementationStep {
  index: number
  /** The file as it was planned; undefined for a plan that could not be read. */
  file: PlannedFile | undefined
  /** Paths without which the step can't be done. */
  needs: string[]
  /** Paths whose steps come before this one, even if they fail. */
  follows: string[]
}

/** The paths of steps that were done, and of those that failed. */
export interface StepsSoFar {
  finished: readonly string[]
  failed: readonly { path: string }[]
}

/**
 * The steps in their order. A file whose dependencies the plan doesn't tell comes after all steps before it; what is deleted
 * goes when everything else is written, for it may still be read, and the README describes what there is in the end.
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

/** The steps that can be done now, side by side: at most `atOnce`, in their order. */
export function nextWave(steps: Step[], so: StepsSoFar, atOnce: number): Step[] {
  const failed = new Set(so.failed.map(({ path }) => path))
  const settled = new Set([...so.finished, ...failed])
  const isReady = ({ file_path, needs, follows }: Step) =>
    !settled.has(file_path) &&
    needs.every((path) => settled.has(path) && !failed.has(path)) &&
    follows.every((path) => settled.has(path) || isBlocked(steps, failed, path))
  return steps.filter(isReady).slice(0, atOnce)
}

/** The steps that can't be done because others failed, each with those that it needs. */
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
