import { randomInt } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { setImmediate } from "node:timers/promises"

export interface Daemon {
  what: string
  /**
   * Unique text in the command lines of all the daemon's processes. Tests find daemons by this text, independently of
   * the product.
   */
  tag: string
  /** Shell script that starts the daemon. */
  script: string
}

/** Returns twelve daemons that escape their parent in different ways. */
export function daemons(): Daemon[] {
  return Object.entries(WAYS).map(([what, script]) => {
    const tag = newTag()
    return { what, tag, script: script.replaceAll("TAG", tag) }
  })
}

/**
 * Returns a daemon that only sleeps. It doesn't end by itself, so its supervisor doesn't wake before a signal arrives.
 */
export function quietDaemon(): Daemon {
  const tag = newTag()
  return { what: "does nothing", tag, script: WAYS["has a session of its own"].replaceAll("TAG", tag) }
}

export function newTag(): string {
  return String(randomInt(10 ** 11, 10 ** 12))
}

const sleep = "sleep 1000.TAG"
const clean = "env -i /usr/bin/setsid"
const silent = "</dev/null >/dev/null 2>&1"
const loop = "while :; do sleep 0.05TAG; done"
const WAYS = {
  "runs on in the background": `${sleep} ${silent} &`,
  "ignores the end of its terminal": `nohup ${sleep} ${silent} &`,
  "has a session of its own": `setsid -f ${sleep} ${silent}`,
  "forks twice": `(setsid sh -c '${sleep} & exit' ${silent} &)`,
  "has another name": `(bash -c 'exec -a [kworker] ${sleep}' ${silent} &)`,
  "empties its environment": `${clean} -f nohup ${sleep} ${silent}`,
  "empties it, forks twice and closes all files": `(${clean} /bin/sh -c '(exec 0<&- 1>&- 2>&-; ${sleep}) & exit' ${silent} &)`,
  "empties it and goes to the root": `(cd / && ${clean} -f ${sleep} ${silent})`,
  "empties it and ignores what is polite": `${clean} -f /bin/sh -c 'trap "" TERM HUP INT; ${loop}' ${silent}`,
  "empties it and is stopped": `${clean} -f /bin/sh -c 'kill -STOP $$; ${sleep}' ${silent}`,
  "empties it and starts itself again and again": `${clean} -f /bin/bash -c 'while :; do (sleep 0.3TAG &) ; sleep 0.05TAG; done' ${silent}`,
  "empties it and is another process at every moment": `${clean} -f /bin/sh -c 'f() { sleep 0.0TAG; f & }; f # TAG' ${silent}`,
}

/** Resolves when all these daemons are running. */
export async function running(all: Pick<Daemon, "tag" | "script">[]): Promise<void> {
  for (let waiting = all; waiting.length > 0; ) {
    await setImmediate()
    const commands = [...(await processes()).values()]
    // A process with the whole script in its command line has not started its daemon yet.
    waiting = waiting.filter(
      ({ tag, script }) => !commands.some((command) => command.includes(tag) && !command.includes(script)),
    )
  }
}

/** Returns a line for each process of these daemons that still runs. */
export async function survivors(all: Pick<Daemon, "what" | "tag">[]): Promise<string[]> {
  const found = new Set<string>()
  // A single look can miss the daemon that becomes another process at every moment.
  for (let look = 0; look < 5; look++) {
    for (const [pid, command] of await processes()) {
      for (const { what, tag } of all) if (command.includes(tag)) found.add(`${what}: ${pid} ${command}`)
    }
  }
  return [...found]
}

/** Returns the ids of the processes whose command line contains this tag. */
export async function processesOf(tag: string): Promise<number[]> {
  return [...(await processes())].flatMap(([pid, command]) => (command.includes(tag) ? [pid] : []))
}

async function processes(): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    found.set(Number(pid), (await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")).replaceAll("\0", " "))
  }
  return found
}
