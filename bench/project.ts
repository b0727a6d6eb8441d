import { readdirSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { mapConcurrent } from "@switchyard/core/concurrency/map-concurrent"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { type WorkspacePath, workspacePath } from "@switchyard/core/files/workspaces/path"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { type Stage, signal } from "./stage.ts"

export interface ProjectFile {
  path: WorkspacePath
  bytes: Buffer
}

export interface SourceFile {
  path: string
  text: string
}

/**
 * Yields different files made of this project's own source, forty per folder. They compress as source does: a
 * repetition is too far away from its original for the compression to find it.
 */
export function* projectFiles(count: number, sizeBytes: number): Generator<ProjectFile> {
  const source = ownSource()
  const endless = Buffer.alloc(source.length + sizeBytes, source)
  for (let index = 0; index < count; index++) {
    const from = (index * sizeBytes) % source.length
    const passage = endless.subarray(from, from + sizeBytes)
    const bytes = Buffer.concat([Buffer.from(`// ${index}\n`), passage]).subarray(0, sizeBytes)
    yield { path: workspacePath(`src/folder-${Math.floor(index / 40)}/file-${index}.ts`), bytes }
  }
}

export async function commitFiles(stage: Stage, session: SessionLog, files: ProjectFile[]): Promise<void> {
  const changes = files.map(({ path, bytes }) => ({ op: "write" as const, path, bytes }))
  await commitChanges(stage, session, changes, { signal })
}

/** Writes the files to a folder, flushed to disk like blobs, and as many at the same time. */
export async function writeFolder(folder: string, files: ProjectFile[]): Promise<void> {
  for (const parent of new Set(files.map(({ path }) => dirname(join(folder, path))))) {
    await mkdir(parent, { recursive: true })
  }
  const write = ({ path, bytes }: ProjectFile) => writeFile(join(folder, path), bytes, { flush: true })
  for await (const _ of mapConcurrent(files, write, { atOnce: 16 }));
}

/** Returns the TypeScript files in a folder, sorted by path. */
export function sourcesIn(folder: string): SourceFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
  return paths.sort().map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }))
}

/** Yields copies of a folder's code. Each copy has its own folder and its own names. */
export function* copies(folder: string, count: number): Generator<SourceFile> {
  const sources = sourcesIn(folder)
  for (let at = 0; at < count; at++) {
    const copy = Math.floor(at / sources.length)
    const source = sources[at % sources.length]
    if (!source) return
    // A camel-case word is always a name, and never part of a path.
    const text = source.text.replaceAll(/\b[a-z]+[A-Z]\w*/g, (name) => `${name}${copy}`)
    yield { path: `copy-${copy}/${source.path}`, text }
  }
}

function ownSource(): Buffer {
  const root = fileURLToPath(new URL("../packages/core/src/", import.meta.url))
  return Buffer.concat(sourcesIn(root).map(({ text }) => Buffer.from(text)))
}
