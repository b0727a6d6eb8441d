import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"

const PACKAGES = [
  "@redocly/cli@2.77.0",
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "eventsource@5.1.5",
  "typescript@5.9.3",
]
const WHEELS = ["openapi-python-client==0.29.1", "httpx-sse==0.4.3", "schemathesis==4.32.5"]

const OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
const GO_RUNTIME = "github.com/oapi-codegen/runtime@v1.8.0"
/** Oldest minor version of Go 1 that compiles both modules. */
const GO_MINOR = 25
/**
 * Go's own archive unpacks to /usr/local, which isn't in every shell's `PATH`. `local` downloads no other toolchain.
 * Without `-trimpath`, compiled packages contain their folder's path, so other temporary folders couldn't reuse them.
 */
export const GO_ENV = { PATH: `${process.env.PATH}:/usr/local/go/bin`, GOTOOLCHAIN: "local", GOFLAGS: "-trimpath" }

export const folder = join(homedir(), ".cache", "switchyard-clients")
export const INSTALL_MS = 300_000

/** Resolves to the folder of the JavaScript clients, or to an error if they can't be installed. */
export function npmTools(): Promise<string | Error> {
  return installed(join(folder, "npm"), PACKAGES, async (place) => {
    await writeFile(join(place, "package.json"), JSON.stringify({ private: true, type: "module" }))
    await run("npm", ["install", "--no-audit", "--no-fund", "--save-exact", ...PACKAGES], { cwd: place })
  })
}

/** Resolves to the folder of the Python clients' programs, or to an error if they can't be installed. */
export async function pythonTools(): Promise<string | Error> {
  return pythonPrograms(join(folder, "python"), WHEELS, { limitMs: INSTALL_MS })
}

/** Installs Python packages in their own environment, once. Resolves to the folder of its programs, or to an error. */
export async function pythonPrograms(
  place: string,
  packages: string[],
  { limitMs }: { limitMs: number },
): Promise<string | Error> {
  const python = await newEnough()
  if (python instanceof Error) return python
  const env = await installed(place, packages, async (env) => {
    await run(python, ["-m", "venv", env], {})
    await run(join(env, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", ...packages], { limitMs })
  })
  return env instanceof Error ? env : join(env, "bin")
}

async function newEnough(): Promise<string | Error> {
  for (const name of ["python3", "python3.13", "python3.12", "python3.11"]) {
    const found = await run(name, ["-c", "import sys, venv, ensurepip; assert sys.version_info >= (3, 10)"], {}).then(
      () => true,
      () => false,
    )
    if (found) return name
  }
  return new Error("this machine has no Python 3.10 or later with venv")
}

/** Resolves to the folder of the Go generator and its client's `go.mod`, or to an error if they can't be installed. */
export async function goTools(): Promise<string | Error> {
  const version = await run("go", ["version"], { env: GO_ENV }).catch(() => "")
  if (!(Number(/go1\.(\d+)/.exec(version)?.[1]) >= GO_MINOR)) {
    return new Error(`this machine has no Go 1.${GO_MINOR} or later`)
  }
  return installed(join(folder, "go"), [OAPI_CODEGEN, GO_RUNTIME], async (cwd) => {
    await run("go", ["install", OAPI_CODEGEN], { env: { ...GO_ENV, GOBIN: cwd } })
    await writeFile(join(cwd, "go.mod"), `module client\n\ngo 1.${GO_MINOR}.0\n`)
    await run("go", ["get", GO_RUNTIME], { cwd, env: GO_ENV })
  })
}

/** Installs once. A file that lists the installed packages is written last. Resolves to the folder, or to an error. */
export async function installed(
  place: string,
  wanted: string[],
  install: (place: string) => Promise<void>,
): Promise<string | Error> {
  const note = join(place, "installed")
  if ((await readFile(note, "utf8").catch(() => "")) === wanted.join("\n")) return place
  console.log(`Installing ${wanted.join(", ")} in ${place}, once …`)
  try {
    await rm(place, { recursive: true, force: true })
    await mkdir(place, { recursive: true })
    await install(place)
    await writeFile(note, wanted.join("\n"))
    return place
  } catch (error) {
    return new Error(`its tools can't be installed: ${error instanceof Error ? error.message : error}`)
  }
}

interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  onOutput?: (output: string) => void
  limitMs?: number
}

/** Runs a program to its end and resolves to its output. Throws an error with the output if the program fails. */
export async function run(file: string, args: string[], options: RunOptions): Promise<string> {
  const { cwd, env, onOutput, limitMs = INSTALL_MS } = options
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.timeout(limitMs),
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text
      onOutput?.(output)
    })
  }
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${output.trim().slice(-10_000)}`)
  return output
}
