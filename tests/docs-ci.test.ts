import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { startServer } from "./functions/server.ts"

const missing = ["bash", "curl", "jq", "unzip"].filter((tool) => spawnSync(tool, ["--version"]).error)
if (missing.length > 0) console.warn(`docs/ci.md is not tried out: this machine has no ${missing.join(", ")}.`)

it.skipIf(missing.length > 0)(
  "the pipeline of docs/ci.md brings a project home, and starts one run however often it is tried",
  async () => {
    const script = /```bash\n([\s\S]*?)```/.exec(await readFile("docs/ci.md", "utf8"))?.[1] ?? "exit 99"
    const server = await startServer()
    const folder = await mkdtemp(join(tmpdir(), "pipeline-"))
    const env = {
      ...process.env,
      SWITCHYARD_URL: server.url,
      SWITCHYARD_TOKEN: "",
      BUILD_ID: "build-1",
      PROMPT: 'A "page"',
    }
    try {
      for (let tries = 0; tries < 2; tries++) {
        const pipeline = spawn("bash", ["-c", script], { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] })
        expect(await once(pipeline, "exit")).toEqual([0, null])
      }
      const listed = spawnSync("unzip", ["-Z1", "project.zip"], { cwd: folder, encoding: "utf8" }).stdout
      expect(listed.trim().split("\n")).toEqual(["README.md", "index.html"])
      expect((await server.call("GET", "/v1/runs")).body.runs).toHaveLength(1)
    } finally {
      await server.close()
      await rm(folder, { recursive: true })
    }
  },
)
