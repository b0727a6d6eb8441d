import type { DiffFile } from "@switchyard/core/files/worktrees/diff-schema"
import * as z from "zod"
import { createJsonStore } from "../worktree/json-store.ts"

const Marks = z.record(z.string(), z.string())
/** Fingerprints of viewed files, by path. */
export type Marks = z.infer<typeof Marks>

/**
 * Returns a fingerprint of a file's diff. A file without lines counts as new after every change to the worktree,
 * because it's better to review it twice than never.
 */
export function printOf(file: DiffFile, changedAt: number): string {
  if (file.hunks.length === 0 || file.is_binary || file.marks.includes("too_large")) return `at:${changedAt}`
  let hash = 5381
  const take = (text: string) => {
    for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 33) ^ text.charCodeAt(at)) >>> 0
  }
  let length = 0
  take(`${file.old_path}\n${file.old_mode}\n${file.new_mode}`)
  for (const { lines } of file.hunks) {
    for (const { type, content } of lines) {
      take(`\n${type} ${content}`)
      length += content.length + 1
    }
    take("\n@")
  }
  return `${hash.toString(36)}.${length.toString(36)}`
}

/** Creates the store for a session's marks, which are kept in this browser. */
export function createMarks(storage: Storage, sessionId: string) {
  return createJsonStore(storage, `switchyard.viewed.${sessionId}`, Marks, {})
}
