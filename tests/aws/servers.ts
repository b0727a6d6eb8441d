import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { pythonPrograms } from "../clients/tools.ts"
import { freePort } from "../free-port.ts"

export interface Emulator {
  name: "Moto" | "MiniStack" | "LocalStack"
  endpoint: string
}

interface Started {
  endpoint: string
  stop(): Promise<void>
}

const MOTO = "moto[server,dynamodb,s3,ecs,ec2,sts]==5.2.5"
const MINISTACK = "ministack==1.5.33"
// From its version 2026 on, it takes a later Python than the others. It imports a fork of Moto, and a private part of cbor2.
const LOCALSTACK = ["localstack-core[base-runtime]==4.9.2", "moto-ext==5.1.54", "cbor2==5.7.1"]
/** Another than the emulators' own, so that a test can tell that it was asked for. */
export const CONCURRENCY = 321
const PRINTED_CHARACTERS = 1000

/** Starts Moto, an emulator of AWS, on loopback, empty and in memory. Resolves to the reason where it can't be had. */
export function startMoto({ limitMs }: { limitMs: number }): Promise<Started | Error> {
  return start("moto", [MOTO], limitMs, (port) => ({
    program: "moto_server",
    args: ["-H", "127.0.0.1", "-p", `${port}`],
  }))
}

/** Starts MiniStack, which runs the code of functions and holds sockets open. As {@link startMoto}. */
export function startMiniStack({ limitMs }: { limitMs: number }): Promise<Started | Error> {
  return start("ministack", [MINISTACK], limitMs, (port) => ({
    program: "ministack",
    args: [],
    // By itself it listens on every address.
    env: { BIND_HOST: "127.0.0.1", GATEWAY_PORT: `${port}`, LAMBDA_ACCOUNT_CONCURRENCY: `${CONCURRENCY}` },
  }))
}

/** Starts LocalStack's Lambda, without what runs functions. As {@link startMoto}. */
export function startLocalStack({ limitMs }: { limitMs: number }): Promise<Started | Error> {
  return start("localstack", LOCALSTACK, limitMs, (port) => ({
    program: "python",
    args: [fileURLToPath(new URL("serve_localstack.py", import.meta.url)), `${port}`],
    env: {
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      SERVICES: "lambda",
      LAMBDA_LIMITS_CONCURRENT_EXECUTIONS: `${CONCURRENCY}`,
      // It reports its use, fetches a certificate and answers DNS otherwise.
      ...{ DISABLE_EVENTS: "1", SKIP_SSL_CERT_DOWNLOAD: "1", DNS_ADDRESS: "0" },
    },
  }))
}

interface Launch {
  program: string
  args: string[]
  env?: Record<string, string>
}

async function start(
  name: string,
  packages: string[],
  limitMs: number,
  launchOn: (port: number) => Launch,
): Promise<Started | Error> {
  const programs = await pythonPrograms(join(homedir(), ".cache", `switchyard-${name}`), packages, { limitMs })
  if (programs instanceof Error) return programs
  const port = await freePort()
  const { program, args, env } = launchOn(port)
  const folder = await mkdtemp(join(tmpdir(), `switchyard-${name}-`))
  const child = spawn(join(programs, program), args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, TMPDIR: folder, FILESYSTEM_ROOT: folder, ...env },
  })
  const exit = once(child, "exit")
  let printed = ""
  // Some print a line for each request.
  child.stderr.setEncoding("utf8").on("data", (text) => {
    printed = (printed + text).slice(-PRINTED_CHARACTERS)
  })
  const endpoint = `http://127.0.0.1:${port}`

  async function stop(): Promise<void> {
    child.kill()
    await exit
    await rm(folder, { recursive: true, force: true })
  }

  for (const startedAt = performance.now(); ; ) {
    // Any answer will do: each answers once it can be asked anything.
    const answers = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (answers) return { endpoint, stop }
    if (child.exitCode !== null || performance.now() - startedAt > limitMs) {
      await stop()
      return new Error(`it doesn't answer: ${printed.trim()}`)
    }
    await pause(100)
  }
}
