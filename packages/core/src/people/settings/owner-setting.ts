import type * as z from "zod"
import { AppError } from "../../errors.ts"
import { type Loosens, requireLoosening } from "../../protections.ts"
import type { Json, Records } from "../../storage/records.ts"

/** An owner's setting. All of its fields have defaults. */
export interface OwnerSetting<T extends object> {
  /** Returns the whole setting with its version, which increases with every change. */
  read(owner: string, options: { signal?: AbortSignal }): Promise<T & { version: number }>
  /**
   * Changes the given fields and returns the whole setting. Throws `storage_conflict` if the change contains a version
   * that isn't the stored version. Throws `forbidden` if the change weakens a protection and the caller isn't allowed
   * to do that.
   */
  change(
    owner: string,
    change: Partial<T> & { version?: number },
    options: { signal?: AbortSignal; mayLoosen?: boolean | undefined },
  ): Promise<T & { version: number }>
}

const ATTEMPTS = 5

/** Creates a setting. It is stored under its name, once per owner. */
export function createOwnerSetting<T extends { [Field in keyof T]: Json }>(
  { records }: { records: Records },
  {
    name,
    schema,
    defaults,
    protects,
  }: {
    name: string
    schema: z.ZodObject & z.ZodType<T>
    defaults: T
    /** Name of the protection in this setting, as a noun phrase, and a test that detects changes that weaken it. */
    protects?: { what: string; loosens: Loosens<T> }
  },
): OwnerSetting<T> {
  const keyOf = (owner: string) => ({ partition: `settings/${owner}`, sort: name })

  async function read(owner: string, { signal }: { signal?: AbortSignal }) {
    const record = await records.get(keyOf(owner), { signal })
    if (!record) return { value: defaults, stored: {}, version: 0 }
    // Leave out invalid fields. Another release may have stored different fields or values.
    const valid = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([field, type]) => {
      const { success, data } = type.safeParse(record.value[field])
      return success ? [[field, data]] : []
    })
    return { value: { ...defaults, ...Object.fromEntries(valid) } as T, stored: record.value, version: record.version }
  }

  return {
    async read(owner, options) {
      const { value, version } = await read(owner, options)
      return { ...value, version }
    },
    async change(owner, { version: expected, ...change }, options) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { value: now, stored: before, version } = await read(owner, options)
        if (expected !== undefined && expected !== version) break
        if (protects?.loosens(now, { ...now, ...change })) requireLoosening(protects.what, options)
        const condition = version === 0 ? { ifAbsent: true as const } : { ifVersion: version }
        // Keep fields that another release wrote. That release may be running again after a rollback.
        const value = { ...now, ...before, ...change }
        const stored = await records.put(keyOf(owner), { value }, { ...condition, ...options })
        if (stored !== undefined) return { ...now, ...change, version: stored }
      }
      throw new AppError("storage_conflict", "The settings were changed elsewhere. Reload them and try again.")
    },
  }
}
