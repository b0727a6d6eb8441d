import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Buildah } from "../../tools/image/buildah.ts"
import type { Depot } from "../runner/runner-process.ts"

/** Path of the depot inside a container. */
export const DATA = "/data"

/** User ID of `agent` in the container, who owns the repositories. Must match `tools/image/system.sh`. */
const AGENT = 10001

/** Container of an image, in which these tests start runners. */
export interface Container {
  buildah: Buildah
  name: string
  isEmulated: boolean
}

/** Runs a program in the container, and resolves to its output. */
export function runIn({ buildah, name }: Container, place: string[], ...program: string[]): Promise<string> {
  return buildah.run("run", ...place, name, "--", ...program)
}

/**
 * Starts the runner with the image's own command, except for the settings that lead to its session. If the runner
 * fails, the whole trial fails.
 */
export function startIn(
  { buildah, name, isEmulated }: Container,
  depot: Depot,
  changes: Parameters<Depot["start"]>[0] = {},
  env: Record<string, string> = {},
) {
  const settings = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`])
  // Under an emulator, tini can't become the parent of orphaned processes.
  const tini = isEmulated ? [] : ["tini", "-s", "--"]
  const inside = [...tini, "node", "/opt/switchyard/packages/runner/src/main.mjs"]
  const place = ["--volume", `${depot.folder}:${DATA}`, ...settings]
  const { file, args } = buildah.command("run", ...place, name, "--", ...inside)
  const runner = depot.start({ data_folder: DATA, ...changes }, { command: [file, ...args] })
  // This rejection is unhandled on purpose: otherwise the trial would wait for events that never come.
  void runner.exited.then(({ code }) => {
    if (code) throw new Error(`The runner exited with ${code}: ${runner.stderr()}`)
  })
  return runner
}

/**
 * Creates a repository with a commit of these files, owned by the container's `agent`, because agents can't change
 * another user's files. `path` is its path in the container. Also returns a function that runs git in it.
 */
export function makeRepository(depot: Depot, files: Record<string, string>) {
  const theirs = join(depot.folder, "projects/theirs")
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(theirs, path)), { recursive: true })
    writeFileSync(join(theirs, path), text)
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: theirs, encoding: "utf8" })
  git("init", "-q", "-b", "main")
  git("add", "-A")
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "begin")
  execFileSync("chown", ["-R", `${AGENT}:${AGENT}`, theirs])
  return { path: `${DATA}/projects/theirs`, git }
}
