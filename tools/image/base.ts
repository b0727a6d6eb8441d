import { execFile, execFileSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Buildah } from "./buildah.ts"

/**
 * Builds a substitute for `node:24-bookworm-slim`, for machines without access to an image registry: Debian from its
 * mirrors, with this machine's Node and npm. Returns its name.
 */
export async function makeBase({ run }: Buildah): Promise<string> {
  const base = `localhost/switchyard-base:${process.version}`
  if ((await run("images", "--quiet", "--filter", `reference=${base}`)) !== "") return base
  const folder = await mkdtemp(join(tmpdir(), "switchyard-base-"))
  const system = join(folder, "system")
  // In memory, because dpkg syncs each file, which would take longer than everything else.
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1g", "tmpfs", folder])
  try {
    await promisify(execFile)("debootstrap", ["--variant=minbase", "bookworm", system], { maxBuffer: 2 ** 26 })
    await rm(join(system, "var/cache/apt/archives"), { recursive: true, force: true })
    // As in Debian's own images. Syncing is unnecessary, because an incomplete image is discarded anyway.
    await writeFile(join(system, "etc/dpkg/dpkg.cfg.d/image"), "force-unsafe-io\n")
    const container = await run("from", "scratch")
    await run("add", "--quiet", container, system, "/")
    await run("copy", "--quiet", container, process.execPath, "/usr/local/bin/node")
    await run("copy", "--quiet", container, npmFolder(), "/usr/local/lib/node_modules/npm")
    for (const name of ["npm", "npx"])
      await run("run", container, "ln", "-s", `../lib/node_modules/npm/bin/${name}-cli.js`, `/usr/local/bin/${name}`)
    await trustWhatWeTrust(run, container)
    await run("commit", "--quiet", "--rm", container, base)
    return base
  } finally {
    execFileSync("umount", [folder])
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the folder of the npm on the PATH, which is a symlink to `npm/bin/npm-cli.js`. */
function npmFolder(): string {
  const npm = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" })
  return dirname(dirname(realpathSync(npm.trim())))
}

/** Adds this machine's extra certificates, because a proxy in front of a registry may use its own. */
async function trustWhatWeTrust(run: Buildah["run"], container: string): Promise<void> {
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env
  if (!certificates) return
  await run("copy", "--quiet", container, certificates, "/usr/local/share/certificates.pem")
  await run("config", "--env", "NODE_EXTRA_CA_CERTS=/usr/local/share/certificates.pem", container)
}
