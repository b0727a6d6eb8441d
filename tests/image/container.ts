import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Buildah } from "../../tools/image/buildah.ts"
import type { Depot } from "../runner/runner-process.ts"

/** Where a container sees the depot. */
export const DATA = "/data"

/** As `tools/image/system.sh` makes it: the owner of repositories in the container. */
const AGENT = 10001

/** A container of an image, which the tests of this folder start runners in. */
export interface Container {
  buildah: Buildah
  name: string
  isEmulated: boolean
}

/** Runs a program in the container, and resolves to what it printed. */
export function runIn({ buildah, name }: Container, place: string[], ...program: string[]): Promise<string> {
  return buildah.run("run", ...place, name, "--", ...program)
}

/** As the image is started, but for where it finds its session. Fails the whole trial if the runner does. */
export function startIn(
  { buildah, name, isEmulated }: Container,
  depot: Depot,
  changes: Parameters<Depot["start"]>[0] = {},
  env: Record<string, string> = {},
) {
  const settings = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`])
  // An emulator can't make tini the parent of orphans.
  const tini = isEmulated ? [] : ["tini", "-s", "--"]
  const inside = [...tini, "node", "/opt/switchyard/packages/runner/src/main.mjs"]
  const place = ["--volume", `${depot.folder}:${DATA}`, ...settings]
  const { file, args } = buildah.command("run", ...place, name, "--", ...inside)
  const runner = depot.start({ data_folder: DATA, ...changes }, { command: [file, ...args] })
  // Nobody handles this error, because the trial waits for events that won't come.
  void runner.exited.then(({ code }) => {
    if (code) throw new Error(`The runner exited with ${code}: ${runner.stderr()}`)
  })
  return runner
}

/**
 * Makes a repository with a commit of these files in a folder that agents pass, and theirs: what belongs to somebody else,
 * they can't change. `path` is the container's. Returns git for it, too.
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
