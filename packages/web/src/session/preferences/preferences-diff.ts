import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import type { Preferences } from "@switchyard/core/people/settings/schema"

const names = Object.keys(defaultPreferences) as (keyof Preferences)[]

/** Returns the smallest change that turns the first preferences into the second. */
export function preferencesDiff(from: Preferences, to: Preferences): Partial<Preferences> {
  return Object.fromEntries(names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name]]))
}

/** Returns the server's preferences with local changes on top, so that a late response can't undo a click. */
export function mergePreferences(stored: Preferences, before: Preferences, now: Preferences): Preferences {
  return { ...before, ...preferencesDiff(before, stored), ...preferencesDiff(before, now) }
}
