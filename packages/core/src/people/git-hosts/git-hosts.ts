import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import { kindOfHost, usualApiUrl } from "./defaults.ts"
import { type GitHost, GitHostKind, type NewGitHost } from "./schema.ts"

/** A git host with its token. The ID changes with the token. */
export interface OpenedGitHost extends GitHost {
  id: string
  token: string
}

/** An owner's credentials for git hosts, one token per host. */
export type GitHosts = ReturnType<typeof createGitHosts>

const MAX_HOSTS = 50

const Stored = z.object({
  id: z.string(),
  host: z.string(),
  kind: GitHostKind,
  username: z.string().nullable(),
  scheme: z.enum(["https", "http"]),
  api_url: z.string(),
  created_at: z.number(),
  rotated_at: z.number(),
})

export function createGitHosts(deps: { records: Records; sealer: Sealer; newId: NewId; clock: { now(): number } }) {
  const { records, sealer, newId, clock } = deps
  /** Lists an owner's git hosts by name. */
  async function list(owner: string, options: { signal?: AbortSignal }): Promise<GitHost[]> {
    return (await Array.fromAsync(records.range(partitionOf(owner), options))).map(toGitHost)
  }

  return {
    list,
    /**
     * Adds the host, or replaces its token and all of its settings. Throws `limit_reached` if the owner already has the
     * maximum number of hosts.
     */
    async put(owner: string, host: string, settings: NewGitHost, options: { signal?: AbortSignal }): Promise<GitHost> {
      const kind = settings.kind ?? kindOfHost(host)
      if (!kind) throw new AppError("validation_error", "Specify this host's kind: github, gitlab or gitea.")
      const existing = await records.get(keyOf(owner, host), options)
      if (!existing && (await list(owner, options)).length >= MAX_HOSTS) {
        const message = `You have tokens for ${MAX_HOSTS} git hosts, which is the maximum. Delete an unused token first.`
        throw new AppError("limit_reached", message, { maximum: MAX_HOSTS })
      }
      const id = newId("ght")
      const { scheme, username = null } = settings
      const api_url = settings.api_url ?? usualApiUrl({ host, kind, scheme })
      const now = clock.now()
      const created_at = existing ? Stored.parse(existing.value).created_at : now
      const value = { id, host, kind, username, scheme, api_url, created_at, rotated_at: now }
      const bytes = sealer.seal(owner, sealName(id, host), settings.token)
      await records.put(keyOf(owner, host), { value, bytes }, options)
      return toGitHost({ value })
    },
    /** Removes the host and its token. Returns true if the host existed. */
    async remove(owner: string, host: string, options: { signal?: AbortSignal }): Promise<boolean> {
      const existing = await records.get(keyOf(owner, host), options)
      await records.remove(keyOf(owner, host), options)
      return existing !== undefined
    },
    /** Returns the host with its decrypted token. Undefined if there is no such host. */
    async open(owner: string, host: string, options: { signal?: AbortSignal }): Promise<OpenedGitHost | undefined> {
      const record = await records.get(keyOf(owner, host), options)
      if (!record?.bytes) return undefined
      const { id } = Stored.parse(record.value)
      return { ...toGitHost(record), id, token: sealer.open(owner, sealName(id, host), record.bytes) }
    },
  }
}

function partitionOf(owner: string): string {
  return `git-hosts/${owner}`
}

function keyOf(owner: string, host: string) {
  return { partition: partitionOf(owner), sort: host }
}

/**
 * Returns the name that binds an encrypted token to this entry. A later entry for the same host can't decrypt the
 * token.
 */
function sealName(id: string, host: string): string {
  return `git-host/${id}/${host}`
}

function toGitHost({ value }: Pick<StoredRecord, "value">): GitHost {
  const { id: _, created_at, rotated_at, ...host } = Stored.parse(value)
  return {
    ...host,
    created_at: new Date(created_at).toISOString(),
    rotated_at: new Date(rotated_at).toISOString(),
  }
}
