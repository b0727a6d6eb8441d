// Pins the base of the runner image: reads its tag's current digest from Docker Hub, and writes it to the Dockerfile.
// Later builds use the same base, even if the tag moves.
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
