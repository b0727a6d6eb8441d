import { type Blobs, readAll } from "../../storage/blobs.ts"
import { createWorkspaceStore } from "../workspaces/blob-store.ts"
import type { Workspace } from "../workspaces/files.ts"
import type { WorkspacePath } from "../workspaces/path.ts"
import { MAX_EDITABLE_BYTES } from "../workspaces/text.ts"
import { outlineInThread } from "./in-thread.ts"
import { Outline } from "./schema.ts"

/** Must be incremented whenever the outline of an unchanged text changes, so that older outlines are ignored. */
const VERSION = 1

/** Reads a file and returns its outline. Undefined if the file has no outline. */
export type ReadOutline = (
  files: Workspace,
  path: WorkspacePath,
  options: { signal: AbortSignal },
) => Promise<Outline | undefined>

/** Creates a function that computes the outline of each text once per session, and stores it by the text's hash. */
export function createReadOutline(blobs: Blobs, session: { sid: string; incarnation: number }): ReadOutline {
  const { prefixes } = createWorkspaceStore(blobs, session)

  return async (files, path, { signal }) => {
    // Load the grammars only with the first file that is too long, so that a worker starts without them.
    const { languageOf } = await import("./languages.ts")
    const file = files.stat(path)
    const language = languageOf(path)
    const isText = file?.type === "file" && !file.binary && file.size <= MAX_EDITABLE_BYTES
    if (!isText || language === undefined) return undefined
    const key = `${prefixes.outlines}${VERSION}/${language}/${file.sha256}`
    const stored = await blobs.get(key, { signal })
    if (stored) return Outline.parse(JSON.parse((await readAll(stored)).toString()))
    const outline = await outlineInThread(path, await files.readText(path, { signal }))
    if (!outline) return undefined
    await blobs.put(key, Buffer.from(JSON.stringify(outline)), { contentType: "application/json", signal })
    return outline
  }
}
