import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { examineDocker } from "../../tools/cloud/docker.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "docker-"))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs the doctor with a stand-in for Docker, or without Docker. Resolves to its output. */
async function told(
  inspected?: { stdout?: string; stderr?: string; status?: number },
  more: Record<string, string> = {},
): Promise<string> {
  if (inspected) {
    const { stdout = "", stderr = "", status = 0 } = inspected
    const script = `#!${process.execPath}
const args = process.argv.slice(2).join(" ")
if (args === "buildx version") process.exit(0)
if (args !== "buildx inspect --bootstrap") throw new Error(args)
process.stdout.write(${JSON.stringify(stdout)})
process.stderr.write(${JSON.stringify(stderr)})
process.exitCode = ${status}
`
    await writeFile(join(folder, "docker"), script, { mode: 0o755 })
  }
  const env = { PATH: [folder, dirname(process.execPath)].join(delimiter), HOME: folder, AGENTS: "on", ...more }
  const doctor = join(import.meta.dirname, "../../tools/doctor.ts")
  return new Promise((resolve) => execFile(process.execPath, [doctor], { env, cwd: folder }, (_, out) => resolve(out)))
}

const builder = (node: string) =>
  `Name:   default\nDriver: docker\n\nNodes:\nName: default\nEndpoint: default\n${node}\n`

it("finds a Docker that builds for the containers' platform, natively, emulated or on another machine", async () => {
  for (const platforms of ["linux/arm64, linux/amd64", "linux/amd64, linux/amd64/v2, linux/arm64*, linux/386"]) {
    const stdout = builder(`Status: running\nPlatforms: ${platforms}`)
    expect(await told({ stdout })).toContain("✓ Docker can build the agents' container.")
  }
})

it("says how to emulate the containers' platform where Docker can't build for it", async () => {
  const said = await told({ stdout: builder("Status: running\nPlatforms: linux/amd64, linux/arm64be, linux/386") })
  expect(said).toContain("✗ Docker can't build the agents' container, which is for linux/arm64.")
  expect(said).toContain("docker run --privileged --rm tonistiigi/binfmt --install arm64")
})

it("asks for the platform of RUNNER_ARCHITECTURE", async () => {
  const stdout = builder("Status: running\nPlatforms: linux/arm64")
  const said = await told({ stdout }, { RUNNER_ARCHITECTURE: "amd64" })
  expect(said).toContain("✗ Docker can't build the agents' container, which is for linux/amd64.")
  expect(said).toContain("binfmt --install amd64")
})

it("says that Docker doesn't run, or isn't there", async () => {
  const unreachable = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."
  const running = "but Docker isn't running: Cannot connect to the Docker daemon"
  expect(await told()).toContain("✗ AGENTS=on needs Docker with buildx to build the agents' container.")
  expect(await told({ stderr: `${unreachable}\n`, status: 1 })).toContain(running)
  const said = await told({ stdout: builder(`Error: ${unreachable}`) })
  expect(said).toContain(running)
  expect(said).toContain("sudo systemctl start docker")
})

it("says that Docker doesn't answer", async () => {
  const script = '#!/bin/sh\n[ "$2" = version ] || exec sleep 600\n'
  await writeFile(join(folder, "docker"), script, { mode: 0o755 })
  vi.stubEnv("PATH", [folder, process.env.PATH].join(delimiter))
  const { kind, says } = examineDocker("arm64", { withinMs: 100 })
  expect([kind, says]).toEqual(["missing", expect.stringMatching(/but Docker didn't answer within 0.1 seconds.$/)])
})
