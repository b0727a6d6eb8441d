import * as z from "zod"
import type { NewId } from "../../ids.ts"
import { type ProviderId, providerIds } from "../../models/providers/providers.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"

/** A saved key without the key itself. */
export type SavedKey = Omit<z.infer<typeof Stored>, "id">

const Stored = z.object({
  id: z.string(),
  provider: z.enum(providerIds),
  /** True if the provider accepted the key before it was saved. */
  tested: z.boolean(),
  saved_at: z.number(),
})

/** Creates the store for owners' keys for model providers, one per provider. */
export function createSavedKeys(deps: { records: Records; sealer: Sealer; newId: NewId; clock: { now(): number } }) {
  const { records, sealer, newId, clock } = deps
  return {
    list: async (owner: string, options: { signal?: AbortSignal }): Promise<SavedKey[]> =>
      (await Array.fromAsync(records.range(partitionOf(owner), options))).map(toSavedKey),
    /** Saves the key in place of the provider's previous one. */
    async put(
      owner: string,
      { provider, apiKey, tested }: { provider: ProviderId; apiKey: string; tested: boolean },
      options: { signal?: AbortSignal },
    ): Promise<SavedKey> {
      const id = newId("key")
      const value = { id, provider, tested, saved_at: clock.now() }
      const bytes = sealer.seal(owner, sealName(id), apiKey)
      await records.put(keyOf(owner, provider), { value, bytes }, options)
      return toSavedKey({ value })
    },
    /** Returns the decrypted key. It may only be passed to the provider. */
    async open(owner: string, provider: ProviderId, options: { signal?: AbortSignal }): Promise<string | undefined> {
      const record = await records.get(keyOf(owner, provider), options)
      return record?.bytes && sealer.open(owner, sealName(Stored.parse(record.value).id), record.bytes)
    },
    remove: async (owner: string, provider: ProviderId, options: { signal?: AbortSignal }): Promise<void> => {
      await records.remove(keyOf(owner, provider), options)
    },
  }
}

function partitionOf(owner: string): string {
  return `model-keys/${owner}`
}

function keyOf(owner: string, provider: ProviderId) {
  return { partition: partitionOf(owner), sort: provider }
}

/**
 * Returns the name that binds an encrypted key to this entry. A later key for the same provider has a different name.
 */
function sealName(id: string): string {
  return `model-key/${id}`
}

function toSavedKey({ value }: Pick<StoredRecord, "value">): SavedKey {
  const { id: _, ...key } = Stored.parse(value)
  return key
}
