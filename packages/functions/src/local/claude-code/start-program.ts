import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir } from "node:fs/promises"
import type { Readable } from "node:stream"

export interface Exit {
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** Last part of the program's error output. */
  stderr: string
}

/** A running program in its own process group. */
export interface Started {
  stdout: Readable
  /** Writes the text to the program's input and closes the input. */
  send(input: string): void
  exited: Promise<Exit>
  /** Kills the program and its children. Resolves once it has exited. */
  kill(): Promise<void>
}

const MAX_STDERR = 10_000

/** Starts a program in a new folder. Throws if it can't be started. */
export async function startProgram(
  file: string,
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Started> {
  await mkdir(cwd)
  const child = spawn(file, args, { cwd, env, detached: true, stdio: "pipe" })
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR)
  })
  const exited = new Promise<Exit>((resolve) =>
    child.once("close", (exitCode, signal) => resolve({ exitCode, signal, stderr })),
  )
  await once(child, "spawn")
  // A program that exits early closes its input. Ignore this error, because the exit code shows the cause.
  child.stdin.on("error", () => {})
  return {
    stdout: child.stdout,
    send: (input) => child.stdin.end(input),
    exited,
    async kill() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      } catch {
        // The process group has already ended.
      }
      child.stdout.destroy()
      child.stderr.destroy()
      await exited
    },
  }
}
