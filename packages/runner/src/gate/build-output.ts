import { join } from "node:path"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import { BUILD_FOLDERS } from "@switchyard/core/sessions/apps/app-files"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { keepFiles } from "./kept-files.ts"
import { diskOf, type Workdir } from "./workdir.ts"

/**
 * Stores the page that a project's build has created, so that it can be published. Does nothing if there is no such
 * page, or if it consists of too many files. Doesn't follow links, because a build can make them point anywhere.
 */
export async function storeBuildOutput(
  { blobs }: { blobs: Blobs },
  { sid, state, write, signal }: Pick<RunContext<unknown>, "sid" | "state" | "write" | "signal">,
  workdir: Workdir,
  workspace_version: number,
): Promise<void> {
  const disk = diskOf(workdir)
  const isIn = async (folder: string, name: string, kind: string) =>
    (await disk.list(folder)).some((entry) => entry.kind === kind && entry.name.toString() === name)
  for (const folder of BUILD_FOLDERS) {
    const path = join(workdir.cwd, folder)
    if (!(await isIn(workdir.cwd, folder, "folder")) || !(await isIn(path, "index.html", "file"))) continue
    const store = createWorkspaceStore(blobs, { sid, incarnation: state().session.incarnation })
    const manifest = await keepFiles({ disk, store }, path, emptyManifest, { signal })
    if (manifest !== undefined) await write([{ type: "build_output_stored", workspace_version, folder, manifest }])
    return
  }
}
