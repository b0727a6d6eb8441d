import { execFileSync } from "node:child_process"
import { copyFileSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lockPath, readLockfile } from "@switchyard/runner/programs/lockfile"
import { describe, expect, it } from "vitest"
import {
  billOfMaterials,
  type Component,
  debianComponents,
  npmComponents,
} from "../../../tools/image/bill-of-materials.ts"
import { needs } from "../../needs.ts"
import { removeFolder } from "../../remove-folder.ts"

const about = { name: "switchyard", version: "1.0.0" }

/** Returns a bill after it was written as JSON. */
function written(components: Component[]) {
  return JSON.parse(JSON.stringify(billOfMaterials(about, components)))
}

const npm = execFileSync("npm", ["--version"], { encoding: "utf8" })
const hasBills = Number.parseInt(npm, 10) >= 10 ? undefined : "this npm makes no bills of materials, as of version 10"

describe("a bill of materials", needs(hasBills), () => {
  it.each(["gemini", "codex", "qwen"] as const)(
    "has the packages of %s with their hashes, as npm's own bill has them",
    async (cli) => {
      const lockfile = await readLockfile(cli)
      const folder = await mkdtemp(join(tmpdir(), "bill-"))
      try {
        writeFileSync(join(folder, "package.json"), JSON.stringify(lockfile.packages[""]))
        copyFileSync(lockPath(cli, "package-lock.json"), join(folder, "package-lock.json"))
        const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"]
        const npms = JSON.parse(execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: "pipe" }))
        const ours = written(npmComponents(lockfile.packages))
        expect([ours.bomFormat, ours.specVersion]).toEqual([npms.bomFormat, npms.specVersion])
        const known = ({ version, purl, hashes }: Component) => ({ version, purl, hashes })
        const byPurl = (components: Component[]) => components.map(known).sort((a, b) => (a.purl < b.purl ? -1 : 1))
        expect(byPurl(ours.components)).toEqual(byPurl(npms.components))
      } finally {
        await removeFolder(folder, { kill: false })
      }
    },
  )
})

it("names each package once, wherever it lies, and not the product's own", () => {
  const one = { version: "1.0.0", license: "MIT" }
  const packages = {
    "": {},
    "packages/core": { version: "0.1.0" },
    "node_modules/@switchyard/core": { link: true },
    "node_modules/b": one,
    "node_modules/a/node_modules/b": one,
    "node_modules/@x/alias": { name: "@x/real", version: "2.0.0" },
  }
  const { components, metadata } = written(npmComponents(packages))
  expect(components.map(({ purl }: Component) => purl)).toEqual(["pkg:npm/%40x/real@2.0.0", "pkg:npm/b@1.0.0"])
  expect(components[1].licenses).toEqual([{ license: { name: "MIT" } }])
  expect(metadata.component).toMatchObject(about)
})

it("has the packages of Debian", () => {
  const { components } = written(debianComponents("git 1:2.39.5-0+deb12u2 arm64\ntini 0.19.0-1 arm64\n"))
  expect(components.map(({ purl }: Component) => purl)).toEqual([
    "pkg:deb/debian/git@1%3A2.39.5-0%2Bdeb12u2?arch=arm64",
    "pkg:deb/debian/tini@0.19.0-1?arch=arm64",
  ])
})
