// Measures the images that `npm run image -- --keep` left: their size, and the time until an agent's first command.
// Compares the usual image with the one for more languages, or with the one with a browser: `node
// tests/image/measure.ts browser`.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { createBuildah } from "../../tools/image/buildah.ts"
import { openDepot } from "../runner/runner-process.ts"
import { isOwn } from "./build.ts"
import { type Container, runIn, startIn } from "./container.ts"
import { inContainer } from "./trial.ts"

/** Number of measured starts. Their median counts. */
const TIMES = 7

const architecture = isOwn("amd64") ? "amd64" : "arm64"
const usual = `localhost/switchyard-runner:${architecture}`
/** Kind of the larger image to compare with the usual one. */
const [kind = "languages"] = process.argv.slice(2)
const buildah = createBuildah(join(homedir(), ".cache/switchyard-image"), () => {})

/** Returns the sizes in MB of the layers in a registry and unpacked on a disk, and the seconds to unpack them. */
async function unpack(image: string): Promise<Record<string, number>> {
  const folder = mkdtempSync("/var/tmp/switchyard-layers-")
  try {
    await buildah.run("push", "--quiet", image, `dir:${folder}/image`)
    const { layers } = JSON.parse(readFileSync(join(folder, "image/manifest.json"), "utf8"))
    const files = layers.map(({ digest }: { digest: string }) => join(folder, "image", digest.replace("sha256:", "")))
    const there = join(folder, "unpacked")
    mkdirSync(there)
    const startedAt = performance.now()
    for (const file of files) execFileSync("tar", ["-xzf", file, "-C", there])
    execFileSync("sync", ["-f", there])
    const unpacking = (performance.now() - startedAt) / 1000
    const [bytes] = execFileSync("du", ["-sb", there], { encoding: "utf8" }).split("\t")
    const stored = files.reduce((sum: number, file: string) => sum + statSync(file).size, 0)
    return { "compressed, MB": stored / 1e6, "unpacked, MB": Number(bytes) / 1e6, "to unpack it, s": unpacking }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Returns the seconds from a container's start to its end without work, and from a runner's start to an agent's first
 * command.
 */
async function start(container: Container): Promise<[nothing: number, command: number]> {
  const startedAt = performance.now()
  await runIn(container, [], "true")
  const nothing = (performance.now() - startedAt) / 1000
  await using depot = await openDepot({ parent: "/var/tmp" })
  const runId = await depot.create({ commands: ["true"] })
  const begunAt = performance.now()
  const runner = startIn(container, depot)
  runner.run(runId)
  await depot.seen("tool_call_started")
  const command = (performance.now() - begunAt) / 1000
  await depot.seen("run_completed")
  runner.child.stdin?.end()
  await runner.exited
  return [nothing, command]
}

const images = [usual, `${usual}-${kind}`]
const sizes: Record<string, number>[] = []
for (const image of images) sizes.push(await unpack(image))
const starts: [nothing: number, command: number][][] = images.map(() => [])
// The two images take turns, because the machine's load changes.
for (let i = 0; i < TIMES; i++) {
  for (const [which, image] of images.entries()) {
    await inContainer(
      buildah,
      { image, isEmulated: false },
      async (container) => void starts[which]?.push(await start(container)),
    )
  }
}
const [without = {}, larger = {}] = sizes.map((size, which): Record<string, number> => {
  const median = (of: 0 | 1) => starts[which]?.map((both) => both[of]).sort((a, b) => a - b)[Math.floor(TIMES / 2)] ?? 0
  const [toEnd, toCommand] = [median(0), median(1)]
  return {
    ...size,
    "from a container's start to its end, s": toEnd,
    "from the runner's start to the first command, s": toCommand,
  }
})
console.log(`| ${architecture} | with ${kind} | without | ratio |\n|---|---|---|---|`)
for (const [what, value] of Object.entries(larger)) {
  const other = without[what] ?? 0
  console.log(`| ${what} | ${[value, other, value / other].map((each) => each.toPrecision(3)).join(" | ")} |`)
}
