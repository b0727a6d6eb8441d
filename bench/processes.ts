import { glob, readFile } from "node:fs/promises"

/** Returns the IDs of a process and of all processes below it. */
export async function familyOf(pid: number): Promise<number[]> {
  const parentOf = await parents()
  const below = (of: number): number[] => {
    const children = [...parentOf].flatMap(([child, parent]) => (parent === of ? [child] : []))
    return children.flatMap((child) => [child, ...below(child)])
  }
  return [pid, ...below(pid)]
}

async function parents(): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for await (const file of glob("/proc/[0-9]*/status")) {
    const status = await readFile(file, "utf8").catch(() => "")
    found.set(Number(file.split("/")[2]), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]))
  }
  return found
}

/** Returns a process's private memory in MB, which excludes memory shared with other processes, such as Node's code. */
export async function ownMb(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "")
  return Number(/^Private_Dirty:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
}

/** Returns the milliseconds of CPU time of a process and of its ended children. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8")
  // The program's name is in parentheses and may contain spaces. The times are in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}
