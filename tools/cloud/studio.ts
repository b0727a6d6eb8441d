import { spawnSync } from "node:child_process"
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
