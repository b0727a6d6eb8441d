/** A package in npm's lockfile. */
interface LockedPackage {
  /** Package name, if it differs from the folder's. */
  name?: string
  version?: string
  integrity?: string
  license?: string
  link?: boolean
}

export interface Component {
  type: "library"
  "bom-ref": string
  name: string
  version: string
  purl: string
  hashes?: { alg: "SHA-512"; content: string }[]
  licenses?: { license: { name: string } }[]
}

/**
 * Returns a bill of materials in CycloneDX 1.5 format. It contains no timestamps or random numbers, so the same
 * contents always give the same output.
 */
export function billOfMaterials({ name, version }: { name: string; version: string }, components: Component[]): object {
  const unique = new Map(components.map((component) => [component.purl, component]))
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": `${name}@${version}`, name, version } },
    components: [...unique.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  }
}

/**
 * Returns the packages in a lockfile that came from a registry. Workspaces and links to them are the product itself.
 */
export function npmComponents(packages: Record<string, LockedPackage>): Component[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    const { name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length), version } = locked
    if (!path.includes("node_modules/") || locked.link || version === undefined) return []
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`
    return [{ type: "library", "bom-ref": purl, name, version, purl, ...hashesOf(locked), ...licensesOf(locked) }]
  })
}

/** Parses Debian packages from lines of `name version architecture`. */
export function debianComponents(lines: string): Component[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", version = "", architecture = ""] = line.split(" ")
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
      return { type: "library", "bom-ref": purl, name, version, purl }
    })
}

function hashesOf({ integrity }: LockedPackage): Pick<Component, "hashes"> {
  const digest = /^sha512-(\S+)/.exec(integrity ?? "")?.[1]
  return digest ? { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] } : {}
}

function licensesOf({ license }: LockedPackage): Pick<Component, "licenses"> {
  return license ? { licenses: [{ license: { name: license } }] } : {}
}
