import { isDeepStrictEqual } from "node:util"
import { AppError } from "./errors.ts"

/** Options of a call that may change a protection of its owner. */
export interface ProtectedOptions {
  signal: AbortSignal
  /** Allows the call to weaken a protection. If absent, it may only tighten one. */
  mayLoosen?: boolean | undefined
}

/** Returns true if a change weakens a protection. Each protecting setting declares one. */
export type Loosens<T> = (before: T, after: T) => boolean

/** Comparison for a limit: a higher or removed limit weakens it. */
export const higher: Loosens<number | null> = (before, after) => before !== null && (after === null || after > before)

/** Comparison for a switch that protects while it is on. */
export const off: Loosens<boolean> = (before, after) => before && !after

/** Comparison for a switch that protects while it is off. */
export const on: Loosens<boolean> = (before, after) => !before && after

/** Comparison for a choice without an order: once made, any other choice weakens it. */
export const other: Loosens<unknown> = (before, after) => before != null && !isDeepStrictEqual(before, after)

/** Comparison for a setting without an order: any change may weaken it. */
export const changed: Loosens<unknown> = (before, after) => !isDeepStrictEqual(before, after)

/** Comparison for a setting with several fields. Fields without a rule protect nothing. */
export function anyOf<T extends object>(rules: { [F in keyof T]?: Loosens<T[F]> }): Loosens<T> {
  const fields = Object.keys(rules) as (keyof T)[]
  return (before, after) => fields.some((field) => rules[field]?.(before[field], after[field]))
}

/** Throws `forbidden` if the caller may not weaken a protection. `setting` is its name in a sentence, such as "your budget". */
export function requireLoosening(setting: string, { mayLoosen }: Pick<ProtectedOptions, "mayLoosen">): void {
  const refused = looseningRefused(setting, { mayLoosen })
  if (refused) throw refused
}

/** Returns the same error, for a rule of a session's log. */
export function looseningRefused(
  setting: string,
  { mayLoosen = false }: Pick<ProtectedOptions, "mayLoosen">,
): AppError | undefined {
  if (mayLoosen) return undefined
  const message = `This weakens ${setting}, but the scope \`run\` may only tighten it. Use one of your tokens with the scope \`admin\`, or a server without login on your own machine.`
  return new AppError("forbidden", message, { scope: "admin", setting })
}
