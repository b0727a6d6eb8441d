import { AppError } from "../../errors.ts"
import type { Records } from "../../storage/records.ts"
import { defaultPreferences } from "./default-preferences.ts"
import { Preferences, type PreferencesChange, type StoredPreferences } from "./schema.ts"

/** The settings of an owner. */
export interface Settings {
  preferences(owner: string, options: { signal?: AbortSignal }): Promise<StoredPreferences>
  /** Changes what is said, and resolves to all. Throws `storage_conflict` if they are another version than the change says. */
  changePreferences(
    owner: string,
    change: PreferencesChange,
    options: { signal?: AbortSignal },
  ): Promise<StoredPreferences>
}

const ATTEMPTS = 5

export function createSettings({ records }: { records: Records }): Settings {
  const keyOf = (owner: string) => ({ partition: `settings/${owner}`, sort: "preferences" })

  async function read(owner: string, { signal }: { signal?: AbortSignal }): Promise<StoredPreferences> {
    const record = await records.get(keyOf(owner), { signal })
    if (!record) return { ...defaultPreferences, version: 0 }
    // Settings of another release may have more, fewer or other values.
    const valid = Object.entries(Preferences.shape).flatMap(([name, schema]) => {
      const { success, data } = schema.safeParse(record.value[name])
      return success ? [[name, data]] : []
    })
    return { ...defaultPreferences, ...Object.fromEntries(valid), version: record.version }
  }

  return {
    preferences: read,
    async changePreferences(owner, { version: expected, ...change }, options) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { version, ...now } = await read(owner, options)
        if (expected !== undefined && expected !== version) break
        const value = { ...now, ...change }
        const condition = version === 0 ? { ifAbsent: true as const } : { ifVersion: version }
        const stored = await records.put(keyOf(owner), { value }, { ...condition, ...options })
        if (stored !== undefined) return { ...value, version: stored }
      }
      throw new AppError("storage_conflict", "The preferences were changed elsewhere. Reload them.")
    },
  }
}
