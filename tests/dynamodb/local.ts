import { spawn } from "node:child_process"
import { once } from "node:events"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { mavenJars } from "../clients/maven.ts"
import { freePort } from "../free-port.ts"

const DYNAMODB_LOCAL = "com.amazonaws:DynamoDBLocal:2.6.1"
const folder = join(homedir(), ".cache", "switchyard-dynamodb")

/** Resolves to the folder of DynamoDB Local, or to an error if it can't be installed. */
export function dynamoLocal({ limitMs }: { limitMs: number }): Promise<string | Error> {
  return mavenJars(folder, [DYNAMODB_LOCAL], { limitMs })
}

/** Starts DynamoDB Local on loopback, empty and in memory. Throws an error with its output if it doesn't start. */
export async function startDynamoLocal(place: string, { limitMs }: { limitMs: number }) {
  const port = await freePort()
  const args = [
    `-Djava.library.path=${place}`,
    ...["-cp", join(place, "*"), "com.amazonaws.services.dynamodbv2.local.main.ServerRunner"],
    ...["-inMemory", "-disableTelemetry", "-port", `${port}`],
  ]
  const child = spawn("java", args, { cwd: place, stdio: ["ignore", "pipe", "pipe"] })
  const exit = once(child, "exit")
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text))
  const endpoint = `http://127.0.0.1:${port}`

  async function stop(): Promise<void> {
    child.kill()
    await exit
  }

  for (const startedAt = performance.now(); ; ) {
    // Any response will do: the server refuses this unsigned request, but only once it is running.
    const answers = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (child.exitCode !== null) throw new Error(`DynamoDB Local doesn't start: ${printed.trim().slice(-1000)}`)
    if (answers) return { endpoint, stop }
    if (performance.now() - startedAt > limitMs) {
      await stop()
      throw new Error(`DynamoDB Local doesn't answer: ${printed.trim().slice(-1000)}`)
    }
    await pause(100)
  }
}
