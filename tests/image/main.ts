import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { BROWSER_PACKAGES } from "../../tools/cloud/kept.ts"
import { ARCHITECTURES, type Architecture } from "../../tools/image/base.ts"
import { type Buildah, createBuildah } from "../../tools/image/buildah.ts"
import { createBuild, isOwn, whatLacks } from "./build.ts"
import { ALL_PACKAGES, tryLanguages } from "./languages.ts"
import { tryPage } from "./page.ts"
import { inContainer, tryImage } from "./trial.ts"

const ALL = "claude codex gemini qwen opencode"

/**
 * Builds the runner's image from its Dockerfile for each architecture, and runs tasks in it. Repeats that with the
 * packages of more languages, and with a browser. `--if-possible` only reports what this machine lacks; `--agents
 * gemini` installs only that agent, `--agents none` none; `--architecture arm64` builds only that one; `--keep` keeps
 * the images.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "if-possible": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      agents: { type: "string", default: ALL },
      architecture: { type: "string", multiple: true },
    },
  })
  const all = Object.keys(ARCHITECTURES) as Architecture[]
  const wanted = all.filter((each) => values.architecture?.includes(each) ?? true)
  const possible = wanted.filter((architecture) => {
    const lacking = whatLacks(architecture)
    if (lacking) console.error(`The image for ${architecture} can't be built here: ${lacking}.`)
    return lacking === undefined
  })
  // An architecture other than this machine's is optional unless `--architecture` names it.
  const needed = values.architecture ? wanted : wanted.filter(isOwn)
  if (!needed.every((each) => possible.includes(each))) return values["if-possible"] ? 0 : 1
  const agents = values.agents === "none" ? [] : values.agents.split(/[\s,]+/)
  const folder = join(homedir(), ".cache/switchyard-image")
  await mkdir(folder, { recursive: true })
  const log = createWriteStream(join(folder, "build.log"))
  const buildah = createBuildah(folder, (text) => log.write(text))
  try {
    for (const architecture of possible) await tryArchitecture(buildah, architecture, agents)
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

async function tryArchitecture(buildah: Buildah, architecture: Architecture, agents: string[]): Promise<void> {
  const build = createBuild(buildah, architecture, agents)
  const what = `${architecture}, with ${agents.join(", ") || "no agents"}`
  const isEmulated = !isOwn(architecture)
  if (!build.hasMise) console.log(`Left out for ${architecture}, because the registry lacks it: mise.`)
  const base = await timed(`a base of Debian and Node for ${architecture}`, () => build.base())
  const image = await timed(`the image for ${what}`, () => build.image(base))
  await timed("tasks in it", () => tryImage(buildah, image, { agents, isEmulated }))
  const larger = await timed(`the image for ${what}, and with ${ALL_PACKAGES.join(", ")}`, () =>
    build.image(base, "languages", ALL_PACKAGES),
  )
  await timed("tasks in it", () =>
    inContainer(buildah, { image: larger, isEmulated }, (container) => tryLanguages(container, ALL_PACKAGES)),
  )
  const browser = await timed(`the image for ${what}, and with ${BROWSER_PACKAGES.join(", ")}`, () =>
    build.image(base, "browser", BROWSER_PACKAGES),
  )
  // Browsers don't run in an emulator.
  if (!isEmulated)
    await timed("pages in both", async () => {
      for (const hasBrowser of [false, true])
        await inContainer(buildah, { image: hasBrowser ? browser : image, isEmulated }, (container) =>
          tryPage(container, { hasBrowser }),
        )
    })
  console.log(`  ${await buildah.run("images", "--format", "{{.Name}}:{{.Tag}}: {{.Size}}")}`.replaceAll("\n", "\n  "))
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${what} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`)
  return result
}

process.exit(await main())
