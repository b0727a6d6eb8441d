import { execFile, execFileSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Buildah } from "./buildah.ts"

/** Architectures for which images are built, by Docker's names, with Node's names. */
export const ARCHITECTURES = { amd64: "x64", arm64: "arm64" }
export type Architecture = keyof typeof ARCHITECTURES

/** Folder of the certificates that an administrator has added to those of Debian. */
const OWN_CERTIFICATES = "usr/local/share/ca-certificates"

/**
 * Builds a substitute for `node:24-bookworm-slim`, for machines without access to an image registry: Debian from its
 * mirrors, with this machine's version of Node and its npm. Returns its name.
 */
export async function makeBase({ run }: Buildah, architecture: Architecture): Promise<string> {
  const base = `localhost/switchyard-base:${process.version}-${architecture}`
  if ((await run("images", "--quiet", "--filter", `reference=${base}`)) !== "") return base
  const folder = await mkdtemp(join(tmpdir(), "switchyard-base-"))
  const system = join(folder, "system")
  // In memory, because dpkg syncs each file, which would take longer than everything else.
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1g", "tmpfs", folder])
  try {
    await promisify(execFile)("debootstrap", [`--arch=${architecture}`, "--variant=minbase", "bookworm", system], {
      maxBuffer: 2 ** 26,
    })
    await rm(join(system, "var/cache/apt/archives"), { recursive: true, force: true })
    // As in Debian's own images. Syncing is unnecessary, because an incomplete image is discarded anyway.
    await writeFile(join(system, "etc/dpkg/dpkg.cfg.d/image"), "force-unsafe-io\n")
    if (existsSync(`/${OWN_CERTIFICATES}`)) {
      await cp(`/${OWN_CERTIFICATES}`, join(system, OWN_CERTIFICATES), { recursive: true })
    }
    const container = await run("from", "scratch")
    await run("config", "--arch", architecture, container)
    await run("add", "--quiet", container, system, "/")
    await run("copy", "--quiet", container, await nodeFor(architecture, folder), "/usr/local/bin/node")
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

/** Returns the path of a Node for this architecture, in this machine's version. npm has it for each architecture. */
async function nodeFor(architecture: Architecture, folder: string): Promise<string> {
  const arch = ARCHITECTURES[architecture]
  if (arch === process.arch) return process.execPath
  const name = `node-linux-${arch}@${process.versions.node}`
  const { stdout } = await promisify(execFile)("npm", ["pack", "--silent", name], { cwd: folder })
  execFileSync("tar", ["-xzf", stdout.trim(), "package/bin/node"], { cwd: folder })
  return join(folder, "package/bin/node")
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
