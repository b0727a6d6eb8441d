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
// Version 2026 and later need a newer Python than the other emulators. LocalStack imports a fork of Moto and a private
// part of cbor2, so both are pinned, too.
const LOCALSTACK = ["localstack-core[base-runtime]==4.9.2", "moto-ext==5.1.54", "cbor2==5.7.1"]
/** Quota that differs from the emulators' defaults, so that a test can tell that the code asked for it. */
export const CONCURRENCY = 321
const PRINTED_CHARACTERS = 1000

/**
 * Starts Moto, an emulator of AWS, on loopback, empty and in memory. Resolves to an error if it can't be installed or
 * started.
 */
export function startMoto({ limitMs }: { limitMs: number }): Promise<Started | Error> {
  return start("moto", [MOTO], limitMs, (port) => ({
    program: "moto_server",
    args: ["-H", "127.0.0.1", "-p", `${port}`],
  }))
}

/** Starts MiniStack, which runs the code of functions and holds sockets open. Otherwise like {@link startMoto}. */
export function startMiniStack({ limitMs }: { limitMs: number }): Promise<Started | Error> {
  return start("ministack", [MINISTACK], limitMs, (port) => ({
    program: "ministack",
    args: [],
    // MiniStack listens on every address by default.
    env: { BIND_HOST: "127.0.0.1", GATEWAY_PORT: `${port}`, LAMBDA_ACCOUNT_CONCURRENCY: `${CONCURRENCY}` },
  }))
}

/** Starts only LocalStack's Lambda, which can't run functions here. Otherwise like {@link startMoto}. */
export function startLocalStack({ limitMs }: { limitMs: number }): Promise<Started | Error> {
  return start("localstack", LOCALSTACK, limitMs, (port) => ({
    program: "python",
    args: [fileURLToPath(new URL("serve_localstack.py", import.meta.url)), `${port}`],
    env: {
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      SERVICES: "lambda",
      LAMBDA_LIMITS_CONCURRENT_EXECUTIONS: `${CONCURRENCY}`,
      // By default, LocalStack reports its usage, downloads a certificate and answers DNS.
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
  // Some emulators print a line for each request.
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
    // Any response will do, because each emulator responds only once it is ready.
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
