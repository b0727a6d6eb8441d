import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Builds what `infra/web.ts` puts into the bucket. Returns whether it worked; people see what it says. */
export function buildStudio(): boolean {
  const { status } = spawnSync("npm", ["run", "build", "-w", "@switchyard/web"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: "inherit",
    shell: process.platform === "win32",
  })
  return status === 0
}

/** The names in the bucket of what is deployed of it now and named by its contents. */
export function studioAssets(): Set<string> {
  const folder = process.env.STUDIO_FOLDER ?? "packages/web/dist"
  const assets = join(fileURLToPath(new URL("../..", import.meta.url)), folder, "assets")
  const files = readdirSync(assets, { recursive: true, encoding: "utf8" })
  return new Set(files.map((file) => `assets/${file.replaceAll("\\", "/")}`))
}
