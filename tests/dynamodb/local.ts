import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { installed, run } from "../clients/tools.ts"

const VERSION = "2.6.1"
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies"
const JAVA = 17

const folder = join(homedir(), ".cache", "switchyard-dynamodb")

/** The folder of DynamoDB Local, or why there is none. Maven keeps what it has loaded when the time is up. */
export async function dynamoLocal({ limitMs }: { limitMs: number }): Promise<string | Error> {
  const java = await run("java", ["-version"], {}).catch(() => "")
  if (!(Number(/version "(\d+)/.exec(java)?.[1]) >= JAVA)) return new Error(`this machine has no Java ${JAVA} or later`)
  return installed(folder, [`DynamoDBLocal ${VERSION}`], async (cwd) => {
    await writeFile(join(cwd, "pom.xml"), POM)
    const args = ["-q", "-B", COPY, "-DincludeScope=runtime", "-DoutputDirectory=."]
    await run("mvn", args, { cwd, limitMs }).catch((error) => {
      if (error.code === "ENOENT") throw new Error("this machine has no Maven")
      if (error.name === "AbortError") throw new Error(`Maven wasn't done in ${limitMs / 1000} s; next time it goes on`)
      throw error
    })
  })
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>switchyard</groupId>
  <artifactId>dynamodb</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`

/** DynamoDB Local on loopback, empty, in memory. Throws with what it printed where it doesn't start. */
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
    // Any answer will do, and it refuses one that isn't signed.
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

/** It takes no port 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}
