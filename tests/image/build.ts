import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ARCHITECTURES, type Architecture, makeBase } from "../../tools/image/base.ts"
import type { Buildah } from "../../tools/image/buildah.ts"

const root = join(import.meta.dirname, "../..")
const MISE: { version: string } = JSON.parse(readFileSync(join(root, "tools/image/mise/package.json"), "utf8"))

/** Linux's name of each architecture, which emulators are registered under. */
const MACHINE: Record<Architecture, string> = { amd64: "x86_64", arm64: "aarch64" }

export const isOwn = (architecture: Architecture) => ARCHITECTURES[architecture] === process.arch

/** Returns what this machine lacks to build an image for an architecture; undefined if it lacks nothing. */
export function whatLacks(architecture: Architecture): string | undefined {
  if (process.platform !== "linux") return "it takes Linux"
  if (process.getuid?.() !== 0) return "it takes root, to make a file system of its own"
  const missing = ["buildah", "debootstrap"].filter((name) => !succeeds("sh", "-c", `command -v ${name}`))
  if (missing.length > 0) return `there is no ${missing.join(" and no ")} (apt-get install ${missing.join(" ")})`
  const emulator = `/proc/sys/fs/binfmt_misc/qemu-${MACHINE[architecture]}`
  if (isOwn(architecture) || existsSync(emulator)) return undefined
  return `nothing emulates it (mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc; apt-get install qemu-user-static)`
}

/** Builds the image from its Dockerfile, on a base made from the registries of Debian and npm. */
export function createBuild(buildah: Buildah, architecture: Architecture, agents: string[]) {
  const hasMise = succeeds("npm", "view", `@jdxcode/mise-linux-${ARCHITECTURES[architecture]}@${MISE.version}`)

  return {
    base: () => makeBase(buildah, architecture),
    /** True if npm's registry, or its mirror, has the version manager mise for this architecture. */
    hasMise,
    /** Builds the image with more packages, under its own name. */
    async image(base: string, kind = "", packages: string[] = []): Promise<string> {
      const image = `localhost/switchyard-runner:${architecture}${kind && `-${kind}`}`
      const given = {
        BASE: base,
        AGENTS: agents.join(" "),
        PACKAGES: packages.join(" "),
        ...(!hasMise && { MISE: "" }),
      }
      const args = Object.entries(given).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`])
      // With layers, the larger image reuses those of the usual one. A registry stores images as layers, too.
      const how = ["--layers", "--network", "host", "--pull-never", "--arch", architecture]
      await buildah.run("bud", ...how, ...args, "--tag", image, root)
      return image
    },
  }
}

function succeeds(file: string, ...args: string[]): boolean {
  try {
    execFileSync(file, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
