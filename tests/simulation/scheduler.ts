/** A process that may die between any two of its steps. */
export interface Process {
  readonly name: string
  /** Probability that a step is the last. */
  readonly mortality: number
  dead: boolean
}

export interface TurnOptions {
  signal?: AbortSignal
  /** Minimum number of steps of the whole simulation to wait. */
  delay?: number
  /** Called instead of continuing if the process dies or gives up here. */
  abandoned?: () => void
}

/**
 * Decides from a seed which process takes the next step. One process runs at a time, until it waits for its next turn,
 * even if its real work takes long. So a seed always produces the same history.
 */
export interface Scheduler {
  random(): number
  chance(probability: number): boolean
  /** Virtual milliseconds. Each sleep that ends advances them. */
  now(): number
  spawn(body: () => Promise<void>): void
  turn(process: Process, options?: TurnOptions): Promise<void>
  sleep(process: Process, ms: number, options: { signal?: AbortSignal }): Promise<void>
  /** Runs a task at a later step, even if its process is dead by then. */
  later(task: () => void): void
  /** Number of tasks that still have to run. */
  tasks(): number
  /** Gives turns until `over`, or until no process waits. Resolves to false if neither happens within `maxSteps`. */
  run(options: { over?: () => boolean; maxSteps: number }): Promise<boolean>
  /** From now on no process dies, and nothing is delayed. */
  calmDown(): void
  /** Name of the process of each step. */
  readonly trace: string[]
}

interface Waiter {
  process: Process | undefined
  notBefore: number
  go: () => void
  abandon: () => void
}

export function createScheduler(seed: number): Scheduler {
  const random = mulberry32(seed)
  const chance = (probability: number) => probability > 0 && random() < probability
  const waiters: Waiter[] = []
  const trace: string[] = []
  let step = 0
  let busy = 0
  let time = 0
  let calm = false
  let idle: (() => void) | undefined
  const failures: unknown[] = []

  function rest() {
    busy--
    if (busy === 0) idle?.()
  }

  async function untilIdle() {
    while (busy > 0) await new Promise<void>((resolve) => (idle = resolve))
    if (failures.length > 0) throw failures[0]
  }

  function turn(process: Process, { signal, delay = 0, abandoned }: TurnOptions = {}): Promise<void> {
    const turned = new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        process,
        notBefore: calm ? step : step + delay,
        go() {
          signal?.removeEventListener("abort", giveUp)
          busy++
          resolve()
        },
        abandon() {
          signal?.removeEventListener("abort", giveUp)
          abandoned?.()
        },
      }
      const giveUp = () => {
        if (process.dead) return
        const at = waiters.indexOf(waiter)
        if (at >= 0) waiters.splice(at, 1)
        waiter.abandon()
        busy++
        reject(signal?.reason)
      }
      waiters.push(waiter)
      signal?.addEventListener("abort", giveUp)
      if (signal?.aborted) giveUp()
    })
    rest()
    return turned
  }

  function take(): Waiter | undefined {
    if (waiters.length === 0) return undefined
    const due = waiters.filter((waiter) => waiter.notBefore <= step)
    const among = due.length > 0 ? due : waiters
    const chosen = among[Math.floor(random() * among.length)]
    if (chosen) waiters.splice(waiters.indexOf(chosen), 1)
    return chosen
  }

  return {
    random,
    chance,
    trace,
    now: () => time,
    turn,
    async sleep(process, ms, { signal }) {
      const until = time + ms
      await turn(process, { signal, delay: Math.floor(random() * 8) })
      time = Math.max(time, until)
    },
    later(task) {
      const delay = calm ? 0 : Math.floor(random() * 60)
      waiters.push({ process: undefined, notBefore: step + delay, go: task, abandon: task })
    },
    tasks: () => waiters.filter((waiter) => !waiter.process).length,
    spawn(body) {
      busy++
      body().then(rest, (error) => {
        failures.push(error)
        rest()
      })
    },
    calmDown() {
      calm = true
      for (const waiter of waiters) waiter.notBefore = step
    },
    async run({ over = () => false, maxSteps }) {
      for (const last = step + maxSteps; step < last; step++) {
        await untilIdle()
        if (over()) return true
        const waiter = take()
        if (!waiter) return true
        const { process } = waiter
        trace.push(process?.name ?? "late")
        if (process && !calm && chance(process.mortality)) process.dead = true
        if (process?.dead) waiter.abandon()
        else waiter.go()
      }
      return false
    },
  }
}

/** Returns a generator of pseudorandom numbers in [0, 1), which depend only on the seed. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
