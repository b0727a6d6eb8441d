import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import type { Clock } from "@switchyard/core/time"
import { withLock } from "../../files/lock-file.ts"

/** Leases ports on this machine to worktrees, so that their programs don't use the same ports. */
export interface PortLeases {
  /**
   * Leases `count` ports, including ports that the holder already has. Ports whose holder no longer exists count as
   * free.
   */
  lease(holder: string, count: number, options: { signal: AbortSignal }): Promise<number[]>
  release(holder: string, options: { signal: AbortSignal }): Promise<void>
}

const FIRST = 21_000
const LAST = 29_999
const PATIENCE_MS = 30_000

export function createPortLeases({
  folder,
  clock,
  isHeld,
}: {
  /** Folder that contains only leases. Agents can't access it. */
  folder: string
  clock: Clock
  isHeld: (holder: string) => Promise<boolean>
}): PortLeases {
  const alone = <T>(task: () => Promise<T>, options: { signal: AbortSignal }) =>
    withLock({ folder, clock, patienceMs: PATIENCE_MS }, task, options)

  /** Returns the holder of each leased port. */
  async function leased(): Promise<Map<number, string>> {
    const ports = (await readdir(folder)).filter((name) => /^\d+$/.test(name))
    const read = async (name: string) => [Number(name), await readFile(join(folder, name), "utf8")] as const
    return new Map(await Promise.all(ports.map(read)))
  }

  return {
    lease: (holder, count, options) =>
      alone(async () => {
        const taken = await leased()
        const own = [...taken].filter(([, by]) => by === holder).map(([port]) => port)
        for (let port = FIRST; own.length < count && port <= LAST; port++) {
          const by = taken.get(port)
          if (by === holder || (by !== undefined && (await isHeld(by))) || !(await isFree(port))) continue
          await writeFile(join(folder, String(port)), holder)
          own.push(port)
        }
        return own.sort((a, b) => a - b).slice(0, count)
      }, options),
    release: (holder, options) =>
      alone(async () => {
        for (const [port, by] of await leased())
          if (by === holder) await rm(join(folder, String(port)), { force: true })
      }, options),
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Returns the environment variables that pass the ports to programs. */
export function portVariables(ports: number[]): Record<string, string> {
  const numbered = ports.map((port, index) => [`SWITCHYARD_PORT_${index + 1}`, String(port)])
  const [first] = ports
  return { ...Object.fromEntries(numbered), ...(first !== undefined && { PORT: String(first) }) }
}
