import { closeSync, openSync, readdirSync, readSync } from "node:fs"
import { setImmediate } from "node:timers/promises"

/** A running process, as described in /proc. */
export interface Process {
  pid: number
  parent: number
  /** The program's name, truncated to 15 bytes. */
  name: string
  group: number
  session: number
  /** Device number of the process's terminal. It is 0 if the process has no terminal. */
  terminal: number
  /** Start time in ticks since boot. */
  started: number
  environment: string
  uid: number
  groups: number[]
  /** Real-time limit in microseconds. Undefined if there is no limit. */
  realtimeLimit: bigint | undefined
}

/**
 * Returns all processes except kernel threads. Reads /proc synchronously, because it never waits for a disk. With
 * promises and their buffers, reading would take ten times as long, and some machines have thousands of processes.
 */
export async function livingProcesses(): Promise<Process[]> {
  const read = createReader()
  const found: Process[] = []
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  for (const [index, name] of names.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) await setImmediate()
    const living = readProcess(name, read)
    if (living) found.push(living)
  }
  return found
}

/** Number of processes to read before yielding to the event loop. Reading that many takes a few milliseconds. */
const AT_A_TIME = 100

/** Flag of kernel threads in `stat` (`PF_KTHREAD` in Linux's `sched.h`). */
const KERNELS_OWN = 0x200000

/** Reads one process. Returns undefined if the process is gone, a zombie or a kernel thread. */
function readProcess(pid: string, read: (file: string) => string): Process | undefined {
  try {
    const stat = read(`/proc/${pid}/stat`)
    // The program's name is in parentheses, and may itself contain parentheses.
    const [begin, end] = [stat.indexOf("("), stat.lastIndexOf(")")]
    const fields = stat.slice(end + 2).split(" ")
    if (fields[0] === "Z" || fields[0] === "X" || Number(fields[6]) & KERNELS_OWN) return undefined
    const [parent = 0, group = 0, session = 0, terminal = 0] = fields.slice(1, 5).map(Number)
    const status = read(`/proc/${pid}/status`)
    return {
      pid: Number(pid),
      name: stat.slice(begin + 1, end),
      ...{ parent, group, session, terminal, environment: readEnvironment(pid, read) },
      started: Number(fields[19]),
      uid: Number(/^Uid:\s*(\d+)/m.exec(status)?.[1]),
      groups: (/^Groups:[ \t]*([\d ]*)/m.exec(status)?.[1] ?? "").trim().split(" ").map(Number),
      realtimeLimit: realtimeLimitIn(read(`/proc/${pid}/limits`)),
    }
  } catch {
    return undefined
  }
}

/** Reads a process's environment. Returns "" if this user isn't allowed to read it. */
function readEnvironment(pid: string, read: (file: string) => string): string {
  try {
    return read(`/proc/${pid}/environ`)
  } catch {
    return ""
  }
}

/** Creates a reader for files of unknown size. All reads use the same buffer. */
function createReader(): (file: string) => string {
  const buffer = Buffer.allocUnsafe(64 * 1024)
  return (file) => {
    const descriptor = openSync(file, "r")
    try {
      let text = ""
      for (let length = -1; length !== 0; ) {
        length = readSync(descriptor, buffer)
        text += buffer.toString("latin1", 0, length)
      }
      return text
    } finally {
      closeSync(descriptor)
    }
  }
}

function realtimeLimitIn(limits: string): bigint | undefined {
  const [, soft] = /^Max realtime timeout +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : BigInt(soft)
}
