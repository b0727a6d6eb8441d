import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { FromRunner, type ToRunner } from "@switchyard/core/agents/runner/messages"
import { describeExit } from "@switchyard/core/system-faults"
import { parseJson } from "@switchyard/core/text/parse-json"

export type RunMessage = Extract<ToRunner, { type: "run" }>
export type StartMessage = Extract<ToRunner, { type: "start" }>

export interface RunnerProcess {
  sendRun(message: RunMessage): void
  send(message: ToRunner): void
  /** Asks the runner to park. */
  stop(): void
  /** Runs that were sent to the runner but that it hasn't accepted yet. */
  readonly unconfirmed: RunMessage[]
  /** Resolves once the runner has exited and its output has been read. */
  readonly exited: Promise<ProcessEnd>
}

/** End of a runner's process: whether the runner parked or died, and why. */
export interface ProcessEnd {
  parked: boolean
  /** For example "was killed by SIGKILL (memory probably ran out)". */
  how: string
}

const MAX_QUOTED = 200

/**
 * Options of Node that save a sixth of a runner's memory: a smaller space for new objects, and one helper thread of V8
 * instead of four, because each thread has its own memory pools.
 */
const NODE_OPTIONS = ["--max-semi-space-size=2", "--v8-pool-size=1"]

/** Starts the runner program and sends the first message to it. */
export function startRunnerProcess(
  program: string,
  start: StartMessage,
  { receive, report }: { receive: (message: FromRunner) => void; report: (error: unknown) => void },
): RunnerProcess {
  const child = spawn(process.execPath, [...NODE_OPTIONS, program], { stdio: ["pipe", "pipe", "inherit"] })
  const unconfirmed = new Map<string, RunMessage>()
  const send = (message: ToRunner) => void child.stdin?.write(`${JSON.stringify(message)}\n`)
  child.stdin?.on("error", () => {})
  child.on("error", report)
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { data: message } = FromRunner.safeParse(parseJson(line))
      // The line was printed by something other than the runner's protocol, or it is an incomplete message from a
      // runner that died.
      if (!message)
        return report(new Error(`Unexpected output from a runner: ${JSON.stringify(line.slice(0, MAX_QUOTED))}`))
      if (message.type === "accepted") unconfirmed.delete(message.run_id)
      receive(message)
    })
  }
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once("close", (exitCode, signal) =>
      resolve({ parked: exitCode === 0, how: describeExit({ exitCode, signal }) }),
    )
  })
  send(start)
  return {
    send,
    sendRun(message) {
      unconfirmed.set(message.run_id, message)
      send(message)
    },
    stop: () => void child.kill("SIGTERM"),
    get unconfirmed() {
      return [...unconfirmed.values()]
    },
    exited,
  }
}
