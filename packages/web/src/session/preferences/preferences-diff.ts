import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import type { Preferences } from "@switchyard/core/people/settings/schema"

const names = Object.keys(defaultPreferences) as (keyof Preferences)[]

/** What makes the second of the first: the least that has to be said to somebody who has the first. */
export function preferencesDiff(from: Preferences, to: Preferences): Partial<Preferences> {
  return Object.fromEntries(names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name]]))
}

/** What the server keeps, with what was changed here in the meantime on top, so that no answer undoes a click. */
export function mergePreferences(kept: Preferences, before: Preferences, now: Preferences): Preferences {
  return { ...before, ...preferencesDiff(before, kept), ...preferencesDiff(before, now) }
}
