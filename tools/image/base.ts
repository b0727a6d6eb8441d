import { execFile, execFileSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Buildah } from "./buildah.ts"

/**
 * What `node:24-bookworm-slim` is, as far as we use it, for where no registry of images can be reached: Debian from its own
 * mirrors, and the Node and npm that this machine has from npm. Resolves to its name.
 */
export async function makeBase({ run }: Buildah): Promise<string> {
  const base = `localhost/switchyard-base:${process.version}`
  if ((await run("images", "--quiet", "--filter", `reference=${base}`)) !== "") return base
  const folder = await mkdtemp(join(tmpdir(), "switchyard-base-"))
  const system = join(folder, "system")
  // In memory: dpkg makes sure of each file, which takes longer than all the rest.
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1g", "tmpfs", folder])
  try {
    await promisify(execFile)("debootstrap", ["--variant=minbase", "bookworm", system], { maxBuffer: 2 ** 26 })
    await rm(join(system, "var/cache/apt/archives"), { recursive: true, force: true })
    // As in the images that Debian publishes: an image that was only half made is thrown away.
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

/** The one that would be called: `npm` is a link to `npm/bin/npm-cli.js`. */
function npmFolder(): string {
  const npm = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" })
  return dirname(dirname(realpathSync(npm.trim())))
}

/** A registry may be reached through something whose certificate only this machine knows. */
async function trustWhatWeTrust(run: Buildah["run"], container: string): Promise<void> {
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env
  if (!certificates) return
  await run("copy", "--quiet", container, certificates, "/usr/local/share/certificates.pem")
  await run("config", "--env", "NODE_EXTRA_CA_CERTS=/usr/local/share/certificates.pem", container)
}
