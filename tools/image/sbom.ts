// Writes bills of materials into the image: `sbom.ts` for its Debian packages and Node, and `sbom.ts NAME FOLDER` for
// the npm packages in a folder.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { billOfMaterials, type Component, debianComponents, npmComponents } from "./bill-of-materials.ts"

const BILLS = "/usr/share/sbom"

function systemComponents(): Component[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as dpkg writes it
  const format = "${Package} ${Version} ${Architecture}\n"
  const version = process.versions.node
  const purl = `pkg:generic/node@${version}`
  const packages = debianComponents(
    execFileSync("dpkg-query", ["--show", `--showformat=${format}`], { encoding: "utf8" }),
  )
  return [...packages, { type: "library", "bom-ref": purl, name: "node", version, purl }]
}

/** Returns the packages in npm's installation record that still exist. */
function installedComponents(folder: string): Component[] {
  const { packages } = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"))
  const there = Object.entries<object>(packages).filter(([path]) => existsSync(join(folder, path)))
  return npmComponents(Object.fromEntries(there))
}

const [name = "system", folder] = process.argv.slice(2)
const version = folder ? JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version : undefined
const components = folder ? installedComponents(folder) : systemComponents()
mkdirSync(BILLS, { recursive: true })
const bill = billOfMaterials({ name, version: version ?? "0.0.0" }, components)
writeFileSync(join(BILLS, `${name}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)
