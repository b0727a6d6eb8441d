import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import { newSecret } from "../access/secrets.ts"
import { type CreatedWebhook, type NewWebhook, type Webhook, WebhookEvent } from "./schema.ts"

/** URLs that receive an owner's events. */
export type Webhooks = ReturnType<typeof createWebhooks>

const MAX_WEBHOOKS = 10

const Stored = z.object({ id: z.string(), url: z.string(), events: z.array(WebhookEvent), created_at: z.number() })

export function createWebhooks(deps: { records: Records; sealer: Sealer; newId: NewId; clock: { now(): number } }) {
  const { records, sealer, newId, clock } = deps
  const keyOf = (owner: string, id: string) => ({ partition: `webhooks/${owner}`, sort: id })

  async function list(owner: string, options: { signal?: AbortSignal }): Promise<Webhook[]> {
    return (await Array.fromAsync(records.range(`webhooks/${owner}`, options))).map(toWebhook)
  }

  async function find(owner: string, id: string, options: { signal?: AbortSignal }) {
    return /^whk_\w{1,64}$/.test(id) ? records.get(keyOf(owner, id), options) : undefined
  }

  return {
    list,
    /** Creates a webhook. Throws `limit_reached` if the owner already has the maximum number of webhooks. */
    async create(owner: string, { url, events }: NewWebhook, options: { signal?: AbortSignal }) {
      if ((await list(owner, options)).length >= MAX_WEBHOOKS) {
        const message = `You have ${MAX_WEBHOOKS} webhooks, which is the maximum. Delete an unused webhook first.`
        throw new AppError("limit_reached", message, { maximum: MAX_WEBHOOKS })
      }
      const id = newId("whk")
      const secret = newSecret()
      const value = { id, url, events: [...new Set(events)], created_at: clock.now() }
      const bytes = sealer.seal(owner, sealName(id), secret)
      await records.put(keyOf(owner, id), { value, bytes }, options)
      return { ...toWebhook({ value }), secret }
    },
    /** Removes a webhook and its pending deliveries. Throws `not_found` if the owner has no such webhook. */
    async remove(owner: string, id: string, options: { signal?: AbortSignal }): Promise<void> {
      const record = await find(owner, id, options)
      if (!record) throw new AppError("not_found", "There is no webhook with this id.")
      await records.remove(record.key, options)
    },
    /** Returns the webhook with its secret. Undefined if there is none. */
    async open(owner: string, id: string, options: { signal?: AbortSignal }): Promise<CreatedWebhook | undefined> {
      const record = await find(owner, id, options)
      if (!record?.bytes) return undefined
      return { ...toWebhook(record), secret: sealer.open(owner, sealName(id), record.bytes) }
    },
  }
}

function sealName(id: string): string {
  return `webhook/${id}`
}

function toWebhook({ value }: Pick<StoredRecord, "value">): Webhook {
  const { created_at, ...webhook } = Stored.parse(value)
  return { ...webhook, created_at: new Date(created_at).toISOString() }
}
