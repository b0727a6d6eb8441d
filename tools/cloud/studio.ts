import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Builds the files that `infra/web.ts` uploads, with output on the terminal. Returns true on success. */
export function buildStudio(): boolean {
  const { status } = spawnSync("npm", ["run", "build", "-w", "@switchyard/web"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: "inherit",
    shell: process.platform === "win32",
  })
  return status === 0
}

/** Returns the bucket keys of the current assets, which contain a content hash. */
export function studioAssets(): Set<string> {
  const folder = process.env.STUDIO_FOLDER ?? "packages/web/dist"
  const assets = join(fileURLToPath(new URL("../..", import.meta.url)), folder, "assets")
  const files = readdirSync(assets, { recursive: true, encoding: "utf8" })
  return new Set(files.map((file) => `assets/${file.replaceAll("\\", "/")}`))
}
