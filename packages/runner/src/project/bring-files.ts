import { createHash } from "node:crypto"
import { lstat, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import type { Manifest } from "@switchyard/core/workspaces/manifest"
import type { WorkspaceStore } from "@switchyard/core/workspaces/store"
import * as z from "zod"
import { readIfThere, writeWhole } from "../git/journal.ts"
import { placeFile } from "./place-file.ts"

const Level = z.object({ manifest: z.string().nullable() })

/** Of a worktree: the version of the session's files that it was level with last. Undefined if it never was. */
export async function levelOf(notes: string): Promise<string | null | undefined> {
  const text = await readIfThere(levelFile(notes))
  return text === undefined ? undefined : Level.parse(JSON.parse(text)).manifest
}

export function noteLevel(notes: string, manifest: string | null): Promise<void> {
  return writeWhole(levelFile(notes), { manifest })
}

const levelFile = (notes: string) => `${notes}.level.json`

/**
 * Brings what has changed in the session's files since the worktree was level with them, by whomever. Anything else stays
 * as it is in the worktree: an agent may have changed it, and died before that was saved.
 */
export async function bringFiles(
  root: string,
  { manifest, level, store }: { manifest: string | null; level: string | null | undefined; store: WorkspaceStore },
  options: { signal: AbortSignal },
): Promise<void> {
  const before = level === undefined ? new Map() : await filesOf(store, level, options)
  const { files } = await store.readManifest(manifest, options)
  for (const { path, sha256, mode } of files) {
    options.signal.throwIfAborted()
    if (before.get(path) === sha256 || (await standing(join(root, path))) === sha256) continue
    const source = await store.read(sha256, options)
    await placeFile(root, path, Buffer.concat(await Array.fromAsync(source)), mode)
  }
  const kept = new Set<string>(files.map(({ path }) => path))
  for (const [path, sha256] of before) {
    if (!kept.has(path) && (await standing(join(root, path))) === sha256) await rm(join(root, path))
  }
}

async function filesOf(store: WorkspaceStore, manifest: string | null, options: { signal: AbortSignal }) {
  try {
    const { files }: Manifest = await store.readManifest(manifest, options)
    return new Map<string, string>(files.map(({ path, sha256 }) => [path, sha256]))
  } catch (error) {
    // Old versions are collected in time: then nothing is known of what the worktree was level with.
    if (!isAppError(error, "workspace_error")) throw error
    return new Map<string, string>()
  }
}

async function standing(place: string): Promise<string | undefined> {
  const found = await lstat(place).catch(() => undefined)
  if (!found?.isFile()) return undefined
  return createHash("sha256")
    .update(await readFile(place))
    .digest("hex")
}
