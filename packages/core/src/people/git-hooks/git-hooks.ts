import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import { newSecret } from "../access/secrets.ts"
import { type CreatedGitHook, type GitHook, type NewGitHook, NewGitHook as Settings } from "./schema.ts"

/** A git hook with its owner and secret. */
export interface OpenedGitHook extends CreatedGitHook {
  owner: string
}

/** Owners' git hooks. They let the hosts of repositories start runs. */
export type GitHooks = ReturnType<typeof createGitHooks>

const MAX_HOOKS = 50
const ID = /^ghk_\w{1,64}$/

const Stored = z.object({ id: z.string(), owner: z.string(), settings: Settings, created_at: z.number() })

export function createGitHooks(deps: { records: Records; sealer: Sealer; newId: NewId; clock: { now(): number } }) {
  const { records, sealer, newId, clock } = deps
  const keyOf = (id: string) => ({ partition: `git-hook/${id}`, sort: "hook" })
  const listOf = (owner: string) => `git-hooks/${owner}`

  async function list(owner: string, options: { signal?: AbortSignal }): Promise<GitHook[]> {
    return (await Array.fromAsync(records.byList(listOf(owner), options))).map(toGitHook)
  }

  async function find(id: string, options: { signal?: AbortSignal }): Promise<StoredRecord | undefined> {
    return ID.test(id) ? records.get(keyOf(id), options) : undefined
  }

  return {
    list,
    /** Creates a git hook. Throws `limit_reached` if the owner already has the maximum number of git hooks. */
    async create(owner: string, settings: NewGitHook, options: { signal?: AbortSignal }): Promise<CreatedGitHook> {
      if ((await list(owner, options)).length >= MAX_HOOKS) {
        const message = `You have ${MAX_HOOKS} git hooks, which is the maximum. Delete an unused hook first.`
        throw new AppError("limit_reached", message, { maximum: MAX_HOOKS })
      }
      const id = newId("ghk")
      const secret = newSecret()
      const value = { id, owner, settings, created_at: clock.now() }
      const bytes = sealer.seal(owner, sealName(id), secret)
      await records.put(keyOf(id), { value, bytes }, { listed: { list: listOf(owner), order: id }, ...options })
      return { ...toGitHook({ value }), secret }
    },
    /** Removes a git hook. Throws `not_found` if the owner has no such hook. */
    async remove(owner: string, id: string, options: { signal?: AbortSignal }): Promise<void> {
      const record = await find(id, options)
      if (!record || Stored.parse(record.value).owner !== owner) {
        throw new AppError("not_found", "There is no git hook with this id.")
      }
      await records.remove(record.key, options)
    },
    /** Returns the hook with this ID, regardless of its owner. Undefined if there is none. */
    async open(id: string, options: { signal?: AbortSignal }): Promise<OpenedGitHook | undefined> {
      const record = await find(id, options)
      if (!record?.bytes) return undefined
      const { owner } = Stored.parse(record.value)
      return { ...toGitHook(record), owner, secret: sealer.open(owner, sealName(id), record.bytes) }
    },
  }
}

function sealName(id: string): string {
  return `git-hook/${id}`
}

function toGitHook({ value }: Pick<StoredRecord, "value">): GitHook {
  const { id, settings, created_at } = Stored.parse(value)
  return { ...settings, id, path: `/api/v1/git-hooks/${id}/deliveries`, created_at: new Date(created_at).toISOString() }
}
