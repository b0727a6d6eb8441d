import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { switchyard } from "../cli/spawn.ts"
import { missingTools, runDocsPipeline } from "../docs-scripts.ts"
import { WHOLE, ZIPPED } from "../faults/project.ts"
import { createToken } from "./client.ts"
import type { Scenarios } from "./stage.ts"

/** Pipelines from the documentation. They have a token, but no key for the model, because the installation has one. */
export const pipelines: Scenarios = {
  async "the script of docs/ci.md, as it stands, with a token and without a key"({ cloud }) {
    if (missingTools) return console.log(`       not tried: ${missingTools}`)
    const token = await createToken(cloud)
    await inFolder(async (cwd) => {
      const pipeline = { cwd, url: cloud.url, token, buildId: "rehearsal", prompt: "Make a list." }
      expect(await runDocsPipeline(pipeline)).toBe(0)
      const zip = await readFile(join(cwd, "project.zip"))
      for (const path of Object.keys(WHOLE)) expect(zip.includes(path), path).toBe(true)
    })
  },

  async "switchyard run --out, with a token and without a key"({ cloud }) {
    const token = await createToken(cloud)
    await inFolder(async (cwd) => {
      const options = { cwd, url: cloud.url, env: { SWITCHYARD_TOKEN: token } }
      const { code, stdout, stderr } = await switchyard(["run", "Make a list.", "--out", "out"], options)
      expect(code, stdout + stderr).toBe(0)
      for (const [path, text] of Object.entries(ZIPPED)) {
        expect(await readFile(join(cwd, "out", path), "utf8")).toBe(text)
      }
    })
  },
}

async function inFolder(task: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-pipeline-"))
  try {
    await task(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
