import { execFileSync, spawn } from "node:child_process"
import { join } from "node:path"

/** Buildah, Debian's image builder. It has its own store, so only this folder has to be removed afterwards. */
export interface Buildah {
  /** Runs buildah and returns its standard output. Everything else that it prints goes to `log`. */
  run(...args: string[]): Promise<string>
  /** Returns a command line for callers that start buildah themselves. */
  command(...args: string[]): { file: string; args: string[] }
}

/**
 * Creates the builder. It needs neither Docker, nor a daemon, nor permission to start containers, because steps run in
 * a chroot.
 */
export function createBuildah(folder: string, log: (text: string) => void): Buildah {
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run"), "--storage-driver", driver(folder)]

  function command(...args: string[]) {
    return { file: "env", args: ["BUILDAH_ISOLATION=chroot", "buildah", ...store, ...args] }
  }

  async function run(...args: string[]): Promise<string> {
    const called = command(...args)
    const child = spawn(called.file, called.args, { stdio: ["ignore", "pipe", "pipe"] })
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text
      log(text)
    })
    child.stderr.setEncoding("utf8").on("data", log)
    const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve))
    if (code !== 0) throw new Error(`buildah ${args[0]} failed (${code}).`)
    return printed.trim()
  }

  return { run, command }
}

/**
 * Returns the storage driver. `vfs` copies the whole file system for each step, which works everywhere but takes three
 * times as long.
 */
function driver(folder: string): "overlay" | "vfs" {
  const places = ["lower", "upper", "work", "merged"].map((name) => join(folder, "probe", name))
  const [lower, upper, work, merged = ""] = places
  try {
    execFileSync("mkdir", ["-p", ...places])
    const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
    execFileSync("mount", ["-t", "overlay", "overlay", "-o", options, merged], { stdio: "ignore" })
    execFileSync("umount", [merged])
    return "overlay"
  } catch {
    return "vfs"
  }
}
