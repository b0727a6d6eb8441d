import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { debianPackages } from "./debian-packages.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

it("has the Debian packages that docs/confinement.md lists", () => {
  const [, section = ""] = read("docs/confinement.md").split("\n## The image\n")
  const cells = [...section.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell)
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name))
  expect(listed.toSorted()).toEqual(debianPackages().toSorted())
})

it("pins its version manager for both architectures, by the same version and a digest each", () => {
  const { version, optionalDependencies } = JSON.parse(read("tools/image/mise/package.json"))
  const { packages } = JSON.parse(read("tools/image/mise/package-lock.json"))
  const machines = ["arm64", "x64"]
  expect(Object.keys(optionalDependencies)).toEqual(machines.map((arch) => `@jdxcode/mise-linux-${arch}`))
  for (const arch of machines) {
    expect(packages[`node_modules/@jdxcode/mise-linux-${arch}`]).toMatchObject({
      version,
      os: ["linux"],
      cpu: [arch],
      integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/),
    })
  }
})
