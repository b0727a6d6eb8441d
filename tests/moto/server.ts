import { spawn } from "node:child_process"
import { once } from "node:events"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { pythonPrograms } from "../clients/tools.ts"
import { freePort } from "../free-port.ts"

const MOTO = "moto[server,dynamodb,s3,ecs,ec2,sts]==5.2.5"
const PRINTED_CHARACTERS = 1000

/** Starts Moto, an emulator of AWS, on loopback, empty and in memory. Resolves to the reason where it can't be had. */
export async function startMoto({ limitMs }: { limitMs: number }) {
  const place = join(homedir(), ".cache", "switchyard-moto")
  const programs = await pythonPrograms(place, [MOTO], { limitMs })
  if (programs instanceof Error) return programs
  const port = await freePort()
  const args = ["-H", "127.0.0.1", "-p", `${port}`]
  const child = spawn(join(programs, "moto_server"), args, { stdio: ["ignore", "ignore", "pipe"] })
  const exit = once(child, "exit")
  let printed = ""
  // It prints a line for each request.
  child.stderr.setEncoding("utf8").on("data", (text) => {
    printed = (printed + text).slice(-PRINTED_CHARACTERS)
  })
  const endpoint = `http://127.0.0.1:${port}`

  async function stop(): Promise<void> {
    child.kill()
    await exit
  }

  for (const startedAt = performance.now(); ; ) {
    const answers = await fetch(`${endpoint}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (answers) return { endpoint, stop }
    if (child.exitCode !== null) return new Error(`Moto doesn't start: ${printed.trim()}`)
    if (performance.now() - startedAt > limitMs) {
      await stop()
      return new Error(`Moto doesn't answer: ${printed.trim()}`)
    }
    await pause(100)
  }
}
