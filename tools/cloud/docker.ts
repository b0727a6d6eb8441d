import { spawnSync } from "node:child_process"
import type { Finding } from "./finding.ts"

/** Includes the time to start a builder that isn't running. */
const ANSWER_WITHIN_MS = 60_000
const EMULATE = "docker run --privileged --rm tonistiigi/binfmt --install"

/** Checks that Docker is installed and running, and can build the agents' containers of this architecture. */
export function examineDocker(architecture: string, { withinMs = ANSWER_WITHIN_MS } = {}): Finding {
  const needs = "AGENTS=on needs Docker with buildx to build the agents' container"
  if (docker(["version"], ANSWER_WITHIN_MS).status !== 0) return { kind: "missing", says: `${needs}.` }
  const { status, stdout, stderr, error } = docker(["inspect", "--bootstrap"], withinMs)
  if (error && "code" in error && error.code === "ETIMEDOUT")
    return { kind: "missing", says: `${needs}, but Docker didn't answer within ${withinMs / 1000} seconds.` }
  const platforms = [...stdout.matchAll(/^Platforms:(.*)$/gm)].flatMap(([, list = ""]) => list.split(","))
  if (status !== 0 || platforms.length === 0) {
    const reason = /^Error:\s*(.+)$/m.exec(stdout)?.[1] ?? stderr.trim().split("\n").at(-1)
    const commands = ["sudo systemctl start docker   # on Linux; elsewhere, open Docker Desktop"]
    return { kind: "missing", says: `${needs}, but Docker isn't running: ${reason}`, commands }
  }
  // An asterisk marks a platform that was set by hand.
  const needed = `linux/${architecture}`
  if (platforms.some((platform) => platform.trim().replace("*", "") === needed))
    return { kind: "fine", says: "Docker can build the agents' container." }
  const says = `Docker can't build the agents' container, which is for ${needed}. To emulate that platform on this machine:`
  return { kind: "missing", says, commands: [`${EMULATE} ${architecture}`] }
}

function docker(args: string[], timeout: number) {
  return spawnSync("docker", ["buildx", ...args], { encoding: "utf8", timeout })
}
