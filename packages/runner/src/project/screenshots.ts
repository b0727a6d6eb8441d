import { join } from "node:path"
import { imageExtension } from "@switchyard/core/files/images/image-header"
import { artifactBlobs } from "@switchyard/core/kernel/keys"
import { type Blobs, readAll } from "@switchyard/core/storage/blobs"
import type { Files } from "../files/files.ts"

/**
 * Folder for a task's images. It is inside the worktree, because the agent must be able to read it, and git ignores it.
 */
const FOLDER = ".switchyard-uploads"

/** Writes a task's images to the worktree, without adding them to its history. Returns the images' absolute paths. */
export async function bringScreenshots(
  { blobs, files }: { blobs: Blobs; files: Pick<Files, "replace"> },
  {
    sid,
    incarnation,
    folder,
    screenshots,
  }: { sid: string; incarnation: number; folder: string; screenshots: string[] },
  options: { signal: AbortSignal },
): Promise<string[]> {
  if (screenshots.length === 0) return []
  await files.replace(folder, join(FOLDER, ".gitignore"), 0o644, Buffer.from("*\n"))
  const paths: string[] = []
  for (const sha256 of screenshots) {
    const source = await blobs.get(`${artifactBlobs(sid, incarnation)}${sha256}`, options)
    if (!source) continue
    const bytes = await readAll(source)
    const path = join(FOLDER, `${sha256.slice(0, 12)}.${imageExtension(bytes) ?? "img"}`)
    await files.replace(folder, path, 0o644, bytes)
    paths.push(join(folder, path))
  }
  return paths
}
