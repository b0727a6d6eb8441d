import { readdir, readFile } from "node:fs/promises"

/** A living process, as /proc shows it. */
export interface Process {
  pid: number
  parent: number
  /** The program's name, at most 15 bytes of it. */
  name: string
  group: number
  session: number
  /** The device number of its terminal; 0 for none. */
  terminal: number
  /** Ticks since the boot. */
  started: number
  environment: string
  uid: number
  groups: number[]
  /** Microseconds; undefined for none. */
  realtimeLimit: bigint | undefined
}

export async function livingProcesses(): Promise<Process[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  return (await Promise.all(names.map(readProcess))).filter((found) => found !== undefined)
}

/** Undefined for a process that is gone, or a zombie. */
async function readProcess(pid: number | string): Promise<Process | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1")
    // The program's name is in parentheses, and may contain some.
    const [begin, end] = [stat.indexOf("("), stat.lastIndexOf(")")]
    const fields = stat.slice(end + 2).split(" ")
    if (fields[0] === "Z" || fields[0] === "X") return undefined
    const [parent = 0, group = 0, session = 0, terminal = 0] = fields.slice(1, 5).map(Number)
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")
    const status = await readFile(`/proc/${pid}/status`, "latin1")
    const numbers = (field: string) =>
      (new RegExp(`^${field}:(.*)$`, "m").exec(status)?.[1] ?? "").trim().split(/\s+/).map(Number)
    return {
      pid: Number(pid),
      name: stat.slice(begin + 1, end),
      ...{ parent, group, session, terminal, environment },
      started: Number(fields[19]),
      ...{ uid: numbers("Uid")[0] ?? 0, groups: numbers("Groups") },
      realtimeLimit: realtimeLimitIn(await readFile(`/proc/${pid}/limits`, "latin1")),
    }
  } catch {
    return undefined
  }
}

function realtimeLimitIn(limits: string): bigint | undefined {
  const [, soft] = /^Max realtime timeout +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : BigInt(soft)
}
