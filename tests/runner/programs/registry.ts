import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"

export interface Registry extends AsyncDisposable {
  url: string
  /** Hash of the package, in a lockfile's format. */
  integrity: string
  /** Number of downloads of the package. */
  fetched: number
  /** While true, requests for the package get no answer. */
  holds: boolean
  /** Resolves once the package was requested. */
  asked: Promise<void>
}

/** Starts a registry of one package for npm. */
export async function startRegistry(
  folder: string,
  { name, version, files }: { name: string; version: string; files: Record<string, string> },
  more: object = {},
): Promise<Registry> {
  const root = join(folder, `package-${randomBytes(4).toString("hex")}`)
  const manifest = { name, version, ...more }
  for (const [path, content] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) })) {
    const file = join(root, "package", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    chmodSync(file, 0o644)
  }
  execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: root })
  const tarball = readFileSync(join(root, "package.tgz"))
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
  const asked = Promise.withResolvers<void>()

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "")
    if (path.endsWith(".tgz")) {
      registry.fetched++
      asked.resolve()
      if (!registry.holds) response.end(tarball)
    } else if (path === `/${name}`) {
      const dist = { tarball: `${registry.url}/it.tgz`, integrity }
      const versions = { [version]: { ...manifest, dist } }
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }))
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const registry: Registry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    integrity,
    fetched: 0,
    holds: false,
    asked: asked.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return registry
}
