import { execFileSync } from "node:child_process"
import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { makeBase } from "../../tools/image/base.ts"
import { createBuildah } from "../../tools/image/buildah.ts"
import { tryImage } from "./trial.ts"

const ALL = "claude codex gemini qwen opencode"
const IMAGE = "localhost/switchyard-runner"

/**
 * Builds the runner's image as its Dockerfile says, and lets it do a task. `--if-possible` is content to say what is missing
 * on this machine; `--agents gemini` installs only that one, `--agents none` none; `--keep` leaves the image where it is.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "if-possible": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      agents: { type: "string", default: ALL },
    },
  })
  const lacking = whatLacks()
  if (lacking) {
    console.error(`The image can't be built here: ${lacking}.`)
    return values["if-possible"] ? 0 : 1
  }
  const agents = values.agents === "none" ? [] : values.agents.split(/[\s,]+/)
  const folder = join(homedir(), ".cache/switchyard-image")
  await mkdir(folder, { recursive: true })
  const log = createWriteStream(join(folder, "build.log"))
  const buildah = createBuildah(folder, (text) => log.write(text))
  try {
    const base = await timed("a base of Debian and Node", () => makeBase(buildah))
    const root = join(import.meta.dirname, "../..")
    const args = ["--build-arg", `BASE=${base}`, "--build-arg", `AGENTS=${agents.join(" ")}`, "--tag", IMAGE]
    await timed(`the image, with ${agents.join(", ") || "no agents"}`, () =>
      buildah.run("bud", "--network", "host", "--pull-never", ...args, root),
    )
    console.log(`  ${await buildah.run("images", "--format", "{{.Name}}: {{.Size}}")}`.replaceAll("\n", "\n  "))
    await timed("a task in it", () => tryImage(buildah, IMAGE, agents))
    const leftOut = ALL.split(" ").filter((name) => !agents.includes(name))
    if (leftOut.length > 0) console.log(`Left out, for time: ${leftOut.join(", ")}.`)
    return 0
  } catch (error) {
    console.error(error)
    console.error(`What it said is in ${join(folder, "build.log")}.`)
    return 1
  } finally {
    log.end()
    if (!values.keep) await rm(folder, { recursive: true, force: true })
  }
}

function whatLacks(): string | undefined {
  if (process.platform !== "linux") return "it takes Linux"
  if (process.getuid?.() !== 0) return "it takes root, to make a file system of its own"
  const missing = ["buildah", "debootstrap"].filter((name) => {
    try {
      execFileSync("sh", ["-c", `command -v ${name}`], { stdio: "ignore" })
      return false
    } catch {
      return true
    }
  })
  return missing.length > 0
    ? `there is no ${missing.join(" and no ")} (apt-get install ${missing.join(" ")})`
    : undefined
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${what} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`)
  return result
}

process.exit(await main())
