import { isDeepStrictEqual } from "node:util"
import { AppError } from "./errors.ts"

/** Options for a call that may change one of an owner's protections. */
export interface ProtectedOptions {
  signal: AbortSignal
  /** True if the call may weaken protections. By default, it may only tighten them. */
  mayLoosen?: boolean | undefined
}

/** Returns true if a change weakens a protection. Each setting that contains a protection defines such a function. */
export type Loosens<T> = (before: T, after: T) => boolean

/** Comparison for a limit. Raising or removing the limit weakens the protection. */
export const higher: Loosens<number | null> = (before, after) => before !== null && (after === null || after > before)

/** Comparison for a switch that protects while it is on. */
export const off: Loosens<boolean> = (before, after) => before && !after

/** Comparison for a switch that protects while it is off. */
export const on: Loosens<boolean> = (before, after) => !before && after

/**
 * Comparison for a choice between values that have no order. Replacing or removing the value weakens the protection.
 */
export const other: Loosens<unknown> = (before, after) => before != null && !isDeepStrictEqual(before, after)

/** Comparison for a setting whose values have no order. Any change may weaken the protection. */
export const changed: Loosens<unknown> = (before, after) => !isDeepStrictEqual(before, after)

/** Creates the comparison for a setting with several fields. Fields without a comparison don't protect anything. */
export function anyOf<T extends object>(rules: { [F in keyof T]?: Loosens<T[F]> }): Loosens<T> {
  const fields = Object.keys(rules) as (keyof T)[]
  return (before, after) => fields.some((field) => rules[field]?.(before[field], after[field]))
}

/**
 * Throws `forbidden` if the caller isn't allowed to weaken a protection. `setting` names the protection, for example
 * "your budget".
 */
export function requireLoosening(setting: string, { mayLoosen }: Pick<ProtectedOptions, "mayLoosen">): void {
  const refused = looseningRefused(setting, { mayLoosen })
  if (refused) throw refused
}

/**
 * Returns the error that `requireLoosening` would throw. Undefined if it wouldn't throw. Used in rules for a session
 * log.
 */
export function looseningRefused(
  setting: string,
  { mayLoosen = false }: Pick<ProtectedOptions, "mayLoosen">,
): AppError | undefined {
  if (mayLoosen) return undefined
  const message = `This weakens ${setting}, but tokens with the scope \`run\` may only tighten it. Use a token with the scope \`admin\`, or run a server without login on your own machine.`
  return new AppError("forbidden", message, { scope: "admin", setting })
}
