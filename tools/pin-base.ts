// Pins the base of the runner's image: asks Docker Hub what its tag is today, and writes that digest into the Dockerfile. An image
// that is built then is built on the same base, whatever the tag is by that time.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { pinBase, readDigest } from "./image/base-digest.ts"

const { values } = parseArgs({
  options: {
    registry: { type: "string", default: "https://registry-1.docker.io" },
    dockerfile: { type: "string", default: join(import.meta.dirname, "../Dockerfile") },
  },
})
const before = readFileSync(values.dockerfile, "utf8")
const after = await pinBase(before, (image) => readDigest(values.registry, image))
writeFileSync(values.dockerfile, after)
console.log(/^ARG BASE=.*$/m.exec(after)?.[0])
