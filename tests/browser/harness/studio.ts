import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const GIVEN = process.env.STUDIO_FOLDER
/** Folder of the tested studio: `STUDIO_FOLDER` if set, or the build of this checkout. */
export const STUDIO_FOLDER = GIVEN ?? fileURLToPath(new URL("../../../packages/web/dist", import.meta.url))
const BUILD = fileURLToPath(new URL("../../../tools/build-studio.mjs", import.meta.url))

export function buildStudio(): void {
  if (GIVEN) return
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}
